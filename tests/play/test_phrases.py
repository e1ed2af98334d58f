"""How a deal ended, in words: known deals with known results."""

import pytest

from agents.play.phrases import result_lines
from agents.play.words import WORDS
from tressette_env.engine.game import Game
from tressette_env.scene import scene_of

DEAL = "3dKd | AcAd | 3c4d | Kc4c"
PLAYS = ["Ac", "3c", "4c", "Kd", "4d", "Kc", "3d", "Ad"]  # both tricks to seats 0 and 2


def ended(rules):
    """The deal played to its end."""
    game = Game(rules, seed=1)
    game.reset(1, {"deal": DEAL, "dealer": 0, "history": PLAYS})
    assert game.to_act < 0
    return game


def said(game, viewer, language="en"):
    row = game.states[0]
    return result_lines(row, scene_of(row, game.rules, viewer, 1), viewer, WORDS[language])


@pytest.mark.parametrize(
    ("viewer", "language", "lines"),
    [
        (
            0,
            "en",
            [
                "Points of the deal – we: 4, they: 0.",
                "In all, to 21 – we: 4, they: 0.",
                "Last trick: you.",
                "Cappotto, no whole point from tricks: they.",
            ],
        ),
        (
            1,
            "it",
            [
                "Punti della smazzata – loro: 4, noi: 0.",
                "In totale, ai 21 – loro: 4, noi: 0.",
                "Ultima presa: posto 0.",
                "Cappotto, nessun punto intero di presa: noi.",
            ],
        ),
        (
            None,
            "en",
            [
                "Points of the deal – side 0: 4, side 1: 0.",
                "In all, to 21 – side 0: 4, side 1: 0.",
                "Last trick: seat 0.",
                "Cappotto, no whole point from tricks: side 1.",
            ],
        ),
    ],
)
def test_a_side_without_a_point_is_capotted(viewer, language, lines):
    assert said(ended("mini_4p"), viewer, language) == lines


def test_in_games_for_fewest_points_the_side_with_all_of_them_made_the_cappotto():
    game = ended({"preset": "mini_4p", "objective": "min", "cappotto": "shoot", "signals": []})
    assert "Cappotto, all points taken: we." in said(game, 0)
