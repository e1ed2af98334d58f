"""Vine: playouts equal deals played one by one, whoever plays on; threads change nothing; runs go on exactly."""

import json

import numpy as np
import pytest
import torch

from agents.checkpoint import NetworkPolicy, latest, load_tensors
from agents.cli import train_main
from agents.features import legal_ids
from agents.networks import mlp
from agents.search.rollouts import PLAYOUTS
from agents.vine.collect import Collector
from agents.vine.players import LEARNER, seat_players
from agents.vine.playouts import NetworkPlayouts, play_out_by_bot
from tressette_env.bots import make
from tressette_env.engine.batch import RUNNING, Batch, views_acting
from tressette_env.engine.state import PLAY
from tressette_env.observation import layout
from tressette_env.presets import preset

CPU = torch.device("cpu")


def network(rules, seed=1):
    torch.manual_seed(seed)
    return mlp(layout(rules).size, (32,), rules.blocks.num_actions, 1.0)


def positions(rules, steps=9, deals=8):
    """Return a batch some random steps into its deals, and the legal actions of every row."""
    rng = np.random.default_rng(3)
    batch = Batch(rules, deals, seeds=np.arange(deals))
    batch.start(ks=0)
    for _ in range(steps):
        batch.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.masks()]))
    return batch, *legal_ids(batch.masks())


def result(batch, row, seat):
    """Return the card points and the last trick of a finished deal, as a margin of the seat's side."""
    state = batch.states[row]
    sixths = state["captured"].astype(int).copy()
    sixths[state["last_trick_seat"]] += batch.table[0]["bonus_sixths"]
    own = state["side_of"] == state["side_of"][seat]
    seats = np.arange(len(own)) < batch.rules.num_seats
    return (sixths[seats & own].sum() - sixths[seats & ~own].sum()) / 6


def play_on(batch, policy, actions):
    """Return the margins, for the seats to act, when a policy plays on after some actions."""
    seats = batch.states["to_act"].copy()
    batch.step(actions)
    while (batch.status == RUNNING).any():
        rows = np.flatnonzero(batch.status == RUNNING)
        views = batch.states[rows]
        views_acting(batch.states[rows], batch.table, views)
        chosen = np.full(batch.num_games, -1)
        chosen[rows] = policy.actions(views, batch.table, np.zeros(len(views), np.uint64))
        batch.step(chosen)
    return np.array([result(batch, row, seat) for row, seat in enumerate(seats)])


def each_action(rules, policy, steps=9):
    """Yield columns of values worked out deal by deal: column, whether valid, margins."""
    width = positions(rules, steps)[1].shape[1]
    for k in range(width):
        batch, ids, valid = positions(rules, steps)
        yield k, valid[:, k], play_on(batch, policy, np.where(valid[:, k], ids[:, k], ids[:, 0]))


@pytest.mark.parametrize("bot", ["heuristic", "simple"])
def test_a_bot_plays_on_as_it_does_alone(bot):
    rules = preset("tressette")
    batch, ids, valid = positions(rules)
    assert (batch.states["phase"] == PLAY).all()
    values = np.empty(ids.shape, np.float32)
    play_out_by_bot(batch.states, batch.table, ids, valid, PLAYOUTS.index(bot), values)
    for k, known, margins in each_action(rules, make(bot)):
        np.testing.assert_allclose(values[known, k], margins[known], atol=1e-5)
        assert (values[~known, k] == 0).all()


@pytest.mark.parametrize("name", ["tressette", "no_signals", "mini_4p"])
def test_the_network_plays_on_as_it_does_alone(name):
    rules = preset(name)
    actor = network(rules)
    steps = 4 if name == "mini_4p" else 9
    batch, ids, valid = positions(rules, steps)
    playouts = NetworkPlayouts(rules, canonical=True, device=CPU, bf16=False)
    values = playouts.play_out(actor, batch.states, ids, valid)
    for k, known, margins in each_action(rules, NetworkPolicy(actor, rules, "net", True), steps):
        np.testing.assert_allclose(values[known, k], margins[known], atol=1e-5)


def test_the_network_hands_over_to_a_bot():
    """With 0 tricks of its own it finishes the trick under way; with many it never hands over."""
    rules = preset("tressette")
    actor, heuristic = network(rules), make("heuristic")
    net = NetworkPolicy(actor, rules, "net", True)

    class Relay:
        """The network until the trick is full, then the bot."""

        def actions(self, views, table, keys):
            own, bot = net.actions(views, table, keys), heuristic.actions(views, table, keys)
            return np.where(views["num_played"] < end, own, bot)

    batch, ids, valid = positions(rules, 11)
    end = (batch.states["num_played"].min() // 4 + 1) * 4
    assert ((batch.states["num_played"] // 4 + 1) * 4 == end).all()
    short, long = (
        NetworkPlayouts(rules, canonical=True, device=CPU, bf16=False, bot="heuristic", tricks=tricks).play_out(
            actor, batch.states, ids, valid
        )
        for tricks in (0, 10)
    )
    whole = NetworkPlayouts(rules, canonical=True, device=CPU, bf16=False).play_out(actor, batch.states, ids, valid)
    np.testing.assert_array_equal(long, whole)
    for k, known, margins in each_action(rules, Relay(), 11):
        np.testing.assert_allclose(short[known, k], margins[known], atol=1e-5)


@pytest.mark.parametrize("other", ["heuristic", "network"])
def test_opponents_play_on_as_they_do_alone(other):
    """Deals 0, 4 ... are the learner's alone; in the others one side is somebody else's."""
    rules = preset("tressette")
    actor = network(rules)
    net = NetworkPolicy(actor, rules, "net", True)
    foe = make("heuristic") if other == "heuristic" else NetworkPolicy(network(rules, 9), rules, "foe", False)
    batch, ids, valid = positions(rules)
    seats = seat_players(np.arange(batch.num_games), rules, opponents=1, alone=1)
    assert set(seats[::2].ravel()) == {LEARNER} and seats[1].tolist() == [0, -1, 0, -1]

    class Table:
        """Whoever sits there; which deal a view is of shows in the hand that its seat was dealt."""

        def actions(self, views, table, keys):
            own, others = (policy.actions(views, table, keys) for policy in (net, foe))
            acting = views["to_act"]
            hands = views["dealt"][np.arange(len(views)), acting]
            deals = (batch.states["dealt"][:, acting] == hands).argmax(0)
            return np.where(seats[deals, acting] == LEARNER, own, others)

    playouts = NetworkPlayouts(rules, canonical=True, device=CPU, bf16=False, opponents=[foe])
    values = playouts.play_out(actor, batch.states, ids, valid, seats)
    for k, known, margins in each_action(rules, Table()):
        np.testing.assert_allclose(values[known, k], margins[known], atol=1e-5)


def collector(rules, playouts="policy", threads=1):
    return Collector(rules, 24, 1, playouts, canonical=True, bf16=False, device=CPU, threads=threads)


def test_numbers_do_not_depend_on_threads():
    rules = preset("tressette")
    one, two = (collector(rules, threads=n).collect(network(rules), 3, 5, 0.3, 0.1, 0.0) for n in (1, 2))
    for name in ("observations", "legal", "valid", "tried", "values"):
        assert torch.equal(getattr(one, name), getattr(two, name))
    assert one.playouts == int(one.tried.sum())


def test_the_floor_and_the_share_leave_decisions_out():
    rules = preset("tressette")
    whole, fewer, likely = (
        collector(rules, "heuristic").collect(network(rules), 0, 5, share, 0.0, floor)
        for share, floor in ((1.0, 0.0), (0.25, 0.0), (1.0, 0.2))
    )
    assert torch.equal(whole.tried, whole.valid)
    assert 0.15 < len(fewer.values) / len(whole.values) < 0.35
    assert len(likely.values) < len(whole.values) and (likely.tried.sum(1) >= 2).all()
    assert (likely.tried <= likely.valid).all() and not torch.equal(likely.tried, likely.valid)
    assert (likely.values[~likely.tried] == 0).all()


FLAGS = [
    "--config", "vine.yaml", "--env.rules", "mini_4p_12", "--hidden", "32", "--no-bf16", "--deals-per-iteration", "64",
    "--minibatch", "128", "--eval-every", "0", "--eval-opponents", "random", "--final-eval-deals", "1000",
]  # fmt: skip


def test_it_learns_and_goes_on_to_the_bit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert train_main([*FLAGS, "--name", "whole", "--total-decisions", "12000"]) == 0
    rows = [json.loads(line) for line in (tmp_path / "runs/whole/metrics.jsonl").read_text().splitlines()]
    assert rows[-1]["eval/random_tricks"] > 3 * rows[-1]["eval/random_tricks_ci95"] > 0
    losses = [row["losses/regret"] for row in rows if "losses/regret" in row]
    assert np.mean(losses[-5:]) < 0.9 * np.mean(losses[:5])
    assert train_main([*FLAGS, "--name", "parts", "--total-decisions", "12000", "--checkpoint-every", "4000",
                       "--keep-checkpoints", "9"]) == 0  # fmt: skip
    states = sorted((tmp_path / "runs/parts/checkpoints").glob("*.trainer"))
    assert train_main(["--resume", str(states[0]), "--name", "again"]) == 0
    whole, again = (
        load_tensors(latest(tmp_path / "runs" / name).with_suffix(".trainer"), "tressette-trainer-1")
        for name in ("whole", "again")
    )
    assert all((whole[0][key] == again[0][key]).all() for key in whole[0])
    assert whole[1]["playouts"] == again[1]["playouts"] > whole[1]["decisions"]


def test_it_learns_against_a_bot_and_a_network(tmp_path, monkeypatch):
    """A best response: only its own decisions are judged, and it wins of both."""
    monkeypatch.chdir(tmp_path)
    assert train_main([*FLAGS, "--name", "foe", "--total-decisions", "100"]) == 0
    flags = ["--opponents", "random", "runs/foe", "--eval-opponents", "random", "runs/foe", "--playouts", "policy"]
    assert train_main([*FLAGS, *flags, "--name", "response", "--total-decisions", "20000"]) == 0
    last = [json.loads(line) for line in (tmp_path / "runs/response/metrics.jsonl").read_text().splitlines()][-1]
    for tag in ("eval/random", "eval/runs-foe"):
        assert last[f"{tag}_tricks"] > 2 * last[f"{tag}_tricks_ci95"] > 0


def test_it_begins_with_a_policy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert train_main([*FLAGS, "--name", "first", "--total-decisions", "3000", "--playouts", "heuristic"]) == 0
    more = ["--init-from", "runs/first", "--learning-rate", "1e-9", "--final-learning-rate", "0"]
    assert train_main([*FLAGS, *more, "--name", "second", "--total-decisions", "100"]) == 0
    first, second = (load_tensors(latest(tmp_path / "runs" / n), "tressette-policy-1")[0] for n in ("first", "second"))
    assert all(torch.allclose(first[key], second[key], atol=1e-6) for key in first)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--playouts", "heuristc"], "playouts = 'heuristc' is not known (did you mean 'heuristic'"),
        (["--judged", "0"], "judged = 0.0 must be above 0"),
        (["--opponents", "heuristc"], "unknown bot 'heuristc' (did you mean 'heuristic'"),
        (["--floor", "1.5"], "floor = 1.5 must be between 0 and 1"),
        (["--temperature", "-1"], "temperature = -1.0 must not be negative"),
        (["--init-from", "nowhere"], "nowhere"),
    ],
)
def test_what_is_wrong_gets_one_sentence(flags, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert train_main([*FLAGS, *flags]) in (1, 2)
    error = capsys.readouterr().err
    assert words in error and len(error.strip().splitlines()) == 1
