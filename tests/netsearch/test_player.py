"""A network that searches: legal, blind to what is hidden, the same in any batch, and right where it is sure."""

import numpy as np
import pytest
import torch

from agents.checkpoint import NetworkPolicy
from agents.entries import resolve
from agents.netsearch.past import MOST_CHOICES, add_log_chances, past_choices
from agents.netsearch.player import NetworkSearch, draw_worlds
from agents.networks import mlp
from tressette_env.bots import BotError
from tressette_env.engine.batch import Batch, views_acting
from tressette_env.engine.state import PLAY
from tressette_env.observation import layout
from tressette_env.presets import preset

RULES = preset("tressette")


def player(worlds=4, floor=0.0, prior=0.1, tricks=1, rules=RULES, **more):
    torch.manual_seed(1)
    actor = mlp(layout(rules).size, (32,), rules.blocks.num_actions, 1.0)
    policy = NetworkPolicy(actor, rules, "net", True)
    return NetworkSearch(policy, "netsearch", worlds=worlds, floor=floor, prior=prior, tricks=tricks, **more)


def positions(steps, deals=12, rules=RULES):
    rng = np.random.default_rng(5)
    batch = Batch(rules, deals, seeds=np.arange(deals))
    batch.start(ks=0)
    for _ in range(steps):
        batch.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.masks()]))
    views = batch.states.copy()
    views_acting(batch.states, batch.table, views)
    return batch, views, np.arange(deals, dtype=np.uint64)


@pytest.mark.parametrize(("tricks", "more"), [(-1, {}), (0, {}), (2, {"bf16": True, "trust": 0.5})])
@pytest.mark.parametrize("steps", [0, 6, 25])
def test_choices_are_legal_and_the_same_one_by_one(steps, tricks, more):
    batch, views, keys = positions(steps)
    bot = player(tricks=tricks, **more)
    chosen = bot.actions(views, batch.table, keys)
    assert batch.masks()[np.arange(len(chosen)), chosen].all()
    alone = [bot.act(views[i : i + 1], batch.table, keys[i]) for i in range(len(views))]
    np.testing.assert_array_equal(chosen, alone)


def test_nothing_hidden_is_read():
    batch, views, keys = positions(14)
    chosen = player().actions(views, batch.table, keys)
    np.testing.assert_array_equal(player().actions(batch.states.copy(), batch.table, keys), chosen)


def test_worlds_keep_the_own_hand_and_deal_out_the_rest():
    batch, views, keys = positions(14)
    worlds, found = np.empty(len(views) * 5, views.dtype), np.empty(len(views) * 5, np.bool_)
    draw_worlds(views, batch.table, keys, 5, worlds, found)
    assert found.all()
    seats = np.repeat(views["to_act"], 5)
    places = np.arange(len(worlds))
    own = np.repeat(views["hands"][np.arange(len(views)), views["to_act"]], 5)
    np.testing.assert_array_equal(worlds["hands"][places, seats], own)
    held = np.bitwise_or.reduce(worlds["hands"], 1)
    np.testing.assert_array_equal(held, np.repeat(np.bitwise_or.reduce(batch.states["hands"], 1), 5))
    assert len(set(worlds["hands"][:5, (seats[0] + 1) % 4].tolist())) > 1


def test_a_large_prior_is_the_network_and_the_floor_leaves_out():
    batch, views, keys = positions(10)
    sure = player(prior=1e6)
    np.testing.assert_array_equal(sure.actions(views, batch.table, keys), sure.policy.actions(views, batch.table, keys))
    every, few = (np.isfinite(player(floor=f).scores(views, batch.table, keys)) for f in (0.0, 0.2))
    np.testing.assert_array_equal(every, batch.masks() > 0)
    assert (few <= every).all() and few.sum() < every.sum() and few.any(1).all()


@pytest.mark.parametrize("name", ["tressette", "no_signals", "due", "mini_4p"])
def test_the_past_of_the_true_world_is_what_happened(name):
    """The observations told again are those that the seats had, and the chances are those of what they played."""
    rules = preset(name)
    rng, net = np.random.default_rng(5), player(rules=rules).policy
    batch = Batch(rules, 8, seeds=np.arange(8))
    batch.start(ks=0)
    log, steps = [], 5 if name == "mini_4p" else 19
    for _ in range(steps):
        masks = batch.masks()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        log.append((batch.states.copy(), masks.sum(1), actions))
        batch.step(actions)
    size = 8 * MOST_CHOICES
    states, actions, owners = np.empty(size, batch.states.dtype), np.empty(size, np.int64), np.empty(size, np.int64)
    found = np.arange(8) != 3
    some = past_choices(batch.states, found, batch.table, states, actions, owners)
    chances = np.zeros(8)
    logs = player(rules=rules)._log_probs(net, states[:some], batch.table, 64)
    add_log_chances(logs, actions[:some], owners[:some], -1e9, chances)
    for deal in range(8):
        seat = batch.states["to_act"][deal]
        past = [
            (before[deal : deal + 1], action[deal])
            for before, choices, action in log
            if found[deal] and choices[deal] > 1 and before["phase"][deal] == PLAY and before["to_act"][deal] != seat
        ]
        told = np.flatnonzero(owners[:some] == deal)
        assert [action for _, action in past] == actions[told].tolist()
        if past:
            before = np.concatenate([state for state, _ in past])
            want = net.log_probs(before, batch.table)
            torch.testing.assert_close(net.log_probs(states[told], batch.table), want)
            assert chances[deal] == pytest.approx(logs[told, actions[told]].sum())
    assert some >= 5 and (chances[found] < 0).any() and chances[3] == 0


def test_worlds_that_explain_the_play_weigh_more():
    """With trust the mean over worlds is another one, with none it is the plain mean."""
    batch, views, keys = positions(14)
    plain, again, weighed = (
        player(worlds=16, prior=0.0, trust=trust).scores(views, batch.table, keys) for trust in (0.0, 0.0, 1.0)
    )
    np.testing.assert_array_equal(plain, again)
    shown = np.isfinite(plain)
    assert (np.isfinite(weighed) == shown).all() and not np.allclose(weighed[shown], plain[shown])


def test_without_a_prior_scores_are_margins():
    batch, views, keys = positions(33)
    rows = np.flatnonzero((batch.masks().sum(1) > 1) & (views["phase"] == views["phase"][0]))
    scores = player(worlds=64, prior=0.0, tricks=-1).scores(views[rows], batch.table, keys[rows])
    shown = scores[np.isfinite(scores)]
    assert len(rows) and (np.abs(shown) <= 35 / 3 + 1e-9).all() and shown.std() > 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("netsearch", "needs a network: write netsearch:policy=NAME"),
        ("netsearch:policy=heuristic", "'heuristic' is none"),
        ("netsearch:policy=distilled,worlds=0", "worlds = 0 of the bot 'netsearch' is out of range"),
        ("netsearch:policy=distilled,world=3", "no option 'world' (did you mean 'worlds'"),
        ("netsearch:policy=distiled", "distiled"),
    ],
)
def test_what_is_wrong_gets_one_sentence(text, words):
    with pytest.raises(BotError) as caught:
        resolve(text, RULES)
    assert words in str(caught.value)


def test_it_is_found_by_name():
    bot = resolve("netsearch:policy=distilled,worlds=2,tricks=0", RULES)
    assert bot.name == "netsearch:policy=distilled,worlds=2,tricks=0" and bot.hash == resolve("distilled", RULES).hash
