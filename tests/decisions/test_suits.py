"""Renamed suits of observations on disk are those that the networks see when they play."""

import numpy as np
import pytest

from agents.decisions.selfplay import play_games
from agents.decisions.suits import canonical, same_suits
from agents.features import actor_features, to_engine_actions
from tressette_env.bots import make
from tressette_env.presets import PRESETS, preset


@pytest.mark.parametrize("name", PRESETS)
def test_data_are_renamed_as_the_players_views_are(name):
    rules = preset(name)
    games = play_games([make("random"), make("heuristic")], rules, 3, 0, 40)
    shown, masks = games.observations()
    rows = np.arange(len(shown))
    wanted, legal = np.empty_like(shown), np.empty_like(masks)
    actor_features(games.states, rows, games.table, True, wanted, legal)
    found, found_legal, actions = canonical(shown, masks, games.actions, rules)
    assert (found.tobytes() == wanted.tobytes()) == same_suits(rules)
    assert found_legal.tobytes() == legal.tobytes()
    back = np.empty(len(rows), np.int64)
    to_engine_actions(games.states, rows, games.table, True, actions, back)
    assert (back == games.actions).all()
    assert (found != shown).any()


def test_decks_whose_suits_differ_are_told_apart():
    assert [name for name in PRESETS if not same_suits(preset(name))] == ["traversone_3p"]
