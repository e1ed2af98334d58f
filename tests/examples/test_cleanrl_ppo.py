"""The single-file PPO: whose decision follows whose, what is paid when, and that it learns."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.entries import resolve
from agents.networks import masked_log_probs
from examples.cleanrl_ppo import Agent, Args, make_envs, play_deals, update
from examples.command import match
from tressette_env.presets import preset

GAMES = 3


def played(rules):
    torch.manual_seed(1)
    args = Args(num_envs=GAMES, hidden=(16,))
    envs, agent = make_envs(rules, args), Agent(rules, (16,))
    return envs, agent, play_deals(envs, agent, 1.0)


def chains(batch):
    """The rows of every seat's decisions of every deal, in order."""
    heads = set(range(len(batch.successors))) - set(batch.successors.tolist())
    for row in sorted(heads):
        rows = [row]
        while batch.successors[rows[-1]] >= 0:
            rows.append(int(batch.successors[rows[-1]]))
        yield rows


def test_chains_are_the_seats_own_decisions():
    envs, _, batch = played(preset("tressette"))
    found = list(chains(batch))
    assert len(found) == GAMES * 4 and sum(map(len, found)) == len(batch.rewards)
    texts = [[envs[0].action_to_text(int(batch.actions[row])) for row in rows] for rows in found]
    by_seat = [[text for actor, text in env.record()["actions"] if actor == seat] for env in envs for seat in range(4)]
    assert sorted(texts) == sorted(by_seat)


def test_a_chain_is_paid_what_its_seat_is_paid():
    envs, _, batch = played(preset("mini_4p_12"))
    paid = sorted(float(batch.rewards[rows].sum()) for rows in chains(batch))
    points = [env.results[-1]["points"] for env in envs]
    assert paid == sorted(sign * (a - b) for a, b in points for sign in (1, 1, -1, -1))
    assert any(paid)


def test_seats_that_never_decide_do_no_harm():
    _, _, batch = played(preset("calabresella"))
    assert batch.masks[torch.arange(len(batch.actions)), batch.actions].all()


def test_an_update_makes_what_paid_more_likely():
    _, agent, batch = played(preset("mini_2p"))
    chosen = int((batch.masks.sum(1) > 1).nonzero()[0])
    rewards = np.zeros_like(batch.rewards)
    rewards[chosen] = 1.0
    batch = replace(batch, rewards=rewards, successors=np.full_like(batch.successors, -1))

    def probability():
        log_probs = masked_log_probs(agent.actor(batch.observations[chosen]), batch.masks[chosen])
        return log_probs[batch.actions[chosen]].exp().item()

    before = probability()
    args = Args(minibatch_size=len(batch.actions), update_epochs=4)
    logged = update(batch, agent, torch.optim.Adam(agent.parameters(), lr=1e-2), args)
    assert probability() > before + 0.05
    assert logged["losses/entropy"] > 0 and logged["losses/explained_variance"] < 1


@pytest.mark.slow
def test_it_learns_logs_and_is_played(run_example, least_margin, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    printed = run_example("cleanrl_ppo", "--total-timesteps", 40000, "--eval-every", 20)
    assert least_margin(printed, "cleanrl_ppo against random") > 0.4
    folder = tmp_path / re.search(r"^saved in (\S+)$", printed, re.M)[1]
    events = EventAccumulator(str(folder))
    events.Reload()
    names = ("policy_loss", "value_loss", "entropy", "approx_kl", "clipfrac", "explained_variance")
    assert set(events.Tags()["scalars"]) == {f"losses/{name}" for name in names} | {
        "charts/learning_rate",
        "charts/SPS",
    }
    entropies = [event.value for event in events.Scalars("losses/entropy")]
    assert entropies[-1] < 0.75 * entropies[0]
    policy = resolve(str(folder), preset("mini_4p_12"))  # as evaluate.py would
    assert match(policy, "random", preset("mini_4p_12"), 2000, 2).split(": ")[1] == printed.split(": ")[-1].strip()
