"""Positions to draw: one of every phase that some rules have, found by random play."""

import random
from functools import lru_cache

from engine_support import choose_text
from family import rules_of

from tressette_env.engine.game import Game
from tressette_env.engine.state import PHASES
from tressette_env.notation import parse_action


@lru_cache(maxsize=64)
def games(name):
    """{phase: game} of the rules with that name; `play` has a last trick, `over` is the end of a deal."""
    found = {}
    for seed in range(12):
        game, rng = Game(rules_of(name), seed=seed), random.Random(seed)
        while game.to_act >= 0:
            row = game.states[0]
            phase = PHASES[row["phase"]]
            if phase not in found and (phase != "play" or row["num_played"] > game.rules.num_seats):
                found[phase] = copy_of(game)
            game.step(parse_action(choose_text(game.legal_action_texts(), rng), game.rules))
        if game.results:
            found.setdefault("over", game)
    return found


def copy_of(game):
    other = Game(game.rules, seed=0)
    other.set_state(game.get_state())
    return other


def after(game, *texts):
    """A copy of a game after some actions more; `?` is the first legal one."""
    game = copy_of(game)
    for text in texts:
        game.step(game.legal_actions()[0] if text == "?" else parse_action(text, game.rules))
    return game
