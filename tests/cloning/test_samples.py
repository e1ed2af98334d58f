"""Recorded choices in memory: what the networks see when they play, split by episode, checked."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from agents.cloning.samples import Samples, check_data, split
from agents.decisions.parquet import KEY, DataError, Decisions, Writer, part_paths
from agents.decisions.rows import Filter
from agents.decisions.selfplay import play_games
from agents.features import actor_features, to_engine_actions
from tressette_env.bots import make
from tressette_env.presets import PRESETS, preset


def data_of(folder, games, kept=None):
    with Writer(folder, games.rules, kept or Filter(), {}, 100_000) as writer:
        writer.add(games)
    return Decisions(folder)


@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize("name", ["tressette", "due", "calabresella", "chiamata", "traversone_pairs", "mini_4p"])
def test_a_batch_is_what_the_network_sees_when_it_plays(name, canonical, tmp_path):
    rules = preset(name)
    games = play_games([make("heuristic"), make("random")], rules, 3, 0, 30)
    samples = Samples(data_of(tmp_path, games), canonical_suits=canonical)
    choices = np.flatnonzero(games.masks().sum(1) > 1)
    batch = samples.batch(np.arange(len(samples)))
    shown, masks = games.observations(choices)
    actor_features(games.states, choices, games.table, canonical, shown, masks)
    np.testing.assert_array_equal(batch.observations.numpy(), shown.astype(np.float16).astype(np.float32))
    assert ((shown == 0) == (batch.observations.numpy() == 0)).all()
    np.testing.assert_array_equal(batch.masks.numpy(), masks.astype(bool))
    back = np.empty(len(choices), np.int64)
    to_engine_actions(games.states, choices, games.table, canonical, batch.actions.numpy(), back)
    assert (back == games.actions[choices]).all()
    assert (samples.episodes == games.episode[games.deal_of[choices]]).all()
    some = samples.batch(np.array([5, 2]))
    assert (some.observations == batch.observations[[5, 2]]).all() and (some.actions == batch.actions[[5, 2]]).all()


def test_no_episode_is_on_both_sides_of_the_split():
    episodes = np.repeat(np.arange(200), np.random.default_rng(1).integers(1, 9, 200))
    learned, measured = split(episodes, 0.1, seed=4)
    assert not set(episodes[learned]) & set(episodes[measured])
    assert sorted([*learned, *measured]) == list(range(len(episodes)))
    assert len(set(episodes[measured])) == 20
    assert (split(episodes, 0.1, seed=4)[1] == measured).all()
    assert len(np.setdiff1d(split(episodes, 0.1, seed=5)[1], measured)) > 0


def test_a_split_leaves_at_least_one_episode_on_each_side():
    for fraction in (0.001, 0.999):
        learned, measured = split(np.array([0, 0, 1]), fraction, seed=1)
        assert len(learned) and len(measured)
    with pytest.raises(DataError, match="the data hold one episode: two are needed"):
        split(np.zeros(8, np.int64), 0.5, seed=1)


def test_data_are_equal_when_their_checksums_are(tmp_path):
    sums = []
    for seed in (1, 1, 2):
        folder = tmp_path / str(len(sums))
        folder.mkdir()
        games = play_games([make("random")], preset("mini_2p"), seed, 0, 20)
        sums.append(Samples(data_of(folder, games), canonical_suits=True).checksum)
    assert sums[0] == sums[1] != sums[2]


def test_data_that_cannot_be_learned_from(tmp_path):
    games = play_games([make("heuristic")], preset("mini_2p"), 1, 0, 20)
    data = data_of(tmp_path, games)
    with pytest.raises(DataError, match="are of the rules 'mini_2p', not 'mini_due': set env.rules to theirs"):
        check_data(data, preset("mini_due"), canonical_suits=True)
    path = part_paths(tmp_path)[0]
    table = pq.read_table(path)
    wrong = table.set_column(2, table.schema.field("action"), pa.array([39] * table.num_rows, pa.int16()))
    pq.write_table(wrong, path)
    assert KEY in pq.read_metadata(path).metadata
    with pytest.raises(DataError, match="an action in .* is not legal under its mask: export the data anew"):
        Samples(Decisions(tmp_path), canonical_suits=True)
    forced = np.flatnonzero(games.masks().sum(1) == 1)
    pq.write_table(table.take(forced), path)
    with pytest.raises(DataError, match="have one legal action each: nothing to learn from"):
        Samples(Decisions(tmp_path), canonical_suits=True)


def test_canonical_suits_need_a_deck_whose_suits_are_alike(tmp_path):
    games = play_games([make("random")], preset("traversone_3p"), 1, 0, 3)
    data = data_of(tmp_path, games)
    with pytest.raises(DataError, match="canonical_suits = True does not go with the deck of 'traversone_3p'"):
        check_data(data, games.rules, canonical_suits=True)
    check_data(data, games.rules, canonical_suits=False)
    assert "traversone_3p" in PRESETS
