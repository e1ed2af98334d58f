"""The network with the same weights for every suit: rename the suits and the logits are renamed, nothing else."""

import json

import numpy as np
import pytest
import torch

from agents.checkpoint import latest, load_policy, load_tensors
from agents.cli import train_main
from agents.features import actor_features
from agents.suit_network import make_actor, split_actions, split_features, untied
from tressette_env.engine.batch import RUNNING, Batch
from tressette_env.engine.symmetry import all_perms, permute_action, permute_record
from tressette_env.observation import layout
from tressette_env.presets import PRESETS, preset


def records(rules, steps, deals=6):
    """Return records after so many random actions, or fewer in deals that ended."""
    rng = np.random.default_rng(5)
    batch = Batch(rules, deals, seeds=np.arange(deals))
    batch.start(ks=0)
    for _ in range(steps):
        if (batch.status != RUNNING).any():
            break
        states = batch.states.copy()
        batch.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.masks()]))
    return states


def observe(states, rules):
    obs = np.empty((len(states), layout(rules).size), np.float32)
    masks = np.empty((len(states), rules.blocks.num_actions), np.int8)
    actor_features(states, np.arange(len(states)), rules.table(), False, obs, masks)
    return torch.from_numpy(obs)


def ranks(name):
    """Return the ranks of each suit in a preset's deck: only where they agree is a renaming of all suits a symmetry."""
    return [tuple(card % 10 for card in preset(name).deck if card // 10 == suit) for suit in range(4)]


@pytest.mark.parametrize("name", [name for name in sorted(PRESETS) if len(set(ranks(name))) == 1])
def test_renamed_suits_rename_the_logits_and_change_nothing_else(name):
    rules = preset(name)
    table = rules.table()[0]
    torch.manual_seed(1)
    actor = make_actor(rules, (64, 32), "suits")
    for steps in (3, 14):
        states = records(rules, steps)
        with torch.no_grad():
            logits = actor(observe(states, rules))
        for perm in all_perms()[[5, 9, 14, 23]]:
            renamed = states.copy()
            for i in range(len(renamed)):
                permute_record(renamed[i], table, perm)
            image = [permute_action(action, table, perm) for action in range(rules.blocks.num_actions)]
            with torch.no_grad():
                found = actor(observe(renamed, rules))
            torch.testing.assert_close(found[:, image], logits, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_feature_and_action_has_one_place(name):
    rules = preset(name)
    for suits, common, size in (
        (*split_features(rules), layout(rules).size), (*split_actions(rules), rules.blocks.num_actions),
    ):  # fmt: skip
        assert sorted([*suits.ravel(), *common]) == list(range(size))


def test_plain_layers_give_the_same_numbers():
    rules = preset("tressette")
    tied = make_actor(rules, (64, 64), "suits")
    plain, obs = untied(tied), observe(records(rules, 9), rules)
    assert torch.equal(plain(obs), tied(obs)) and untied(plain) is plain
    count = [sum(p.numel() for p in network.parameters()) for network in (tied, plain)]
    assert count[0] < count[1] / 3


SMALL = [
    "--env.rules", "mini_4p_12", "--network", "suits", "--hidden", "32", "--no-canonical-suits", "--no-bf16",
    "--deals-per-iteration", "64", "--minibatch", "128", "--eval-every", "0", "--eval-opponents", "random",
    "--threads", "1",
]  # fmt: skip


@pytest.mark.parametrize("config", ["vine.yaml", "ppo.yaml"])
def test_runs_train_save_load_and_go_on(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flags = ["--config", config, *SMALL, "--final-eval-deals", "500"]
    assert train_main([*flags, "--name", "one", "--total-decisions", "15000"]) == 0
    rules = preset("mini_4p_12")
    tensors, meta = load_tensors(latest(tmp_path / "runs/one"), "tressette-policy-1")
    assert meta["network"] == "suits" and "0.own" in tensors
    rows = [json.loads(line) for line in (tmp_path / "runs/one/metrics.jsonl").read_text().splitlines()]
    assert rows[-1]["eval/random_tricks"] > rows[-1]["eval/random_tricks_ci95"] > 0
    obs = observe(records(rules, 3), rules)
    actor = make_actor(rules, (32,), "suits")
    actor.load_state_dict(tensors)
    assert torch.equal(load_policy(tmp_path / "runs/one", rules).actor(obs), actor(obs))
    assert train_main([*flags, "--name", "two", "--init-from", "runs/one", "--total-decisions", "100"]) == 0


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--network", "suit"], "network = 'suit' is not known (did you mean 'suits'"),
        (["--hidden", "40"], "hidden = 40 cannot be split among the suits"),
    ],
)
def test_what_is_wrong_gets_one_sentence(flags, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert train_main(["--config", "vine.yaml", *SMALL, *flags]) in (1, 2)
    error = capsys.readouterr().err
    assert words in error and len(error.strip().splitlines()) == 1


def test_a_run_does_not_begin_with_another_kind_of_network(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    flags = ["--config", "vine.yaml", "--env.rules", "tressette", "--init-from", "distilled", "--name", "x"]
    assert train_main([*flags, "--network", "suits", "--no-canonical-suits"]) == 1
    assert "init_from = 'distilled' has network mlp, not suits: set network to mlp" in capsys.readouterr().err
