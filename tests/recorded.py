"""Records to test with: games of bots, of random players, cut short or ended by an illegal action."""

import random

import numpy as np

from tressette_env.bots import make
from tressette_env.engine.game import Game


def random_game(rules, seed, plies=None, **options):
    """Return a game played at random, to its end or so many actions far."""
    game = Game(rules, seed=seed, **options)
    rng = random.Random(seed)
    while game.to_act >= 0 and (plies is None or len(game.actions) < plies):
        game.step(rng.choice(game.legal_actions()))
    return game


def bot_records(rules, number, bots=("heuristic",), first=0, **options):
    """Return records of so many games; the seats take the bots in turn."""
    players = [make(text) for text in bots]
    game = Game(rules, **options)
    records = []
    for seed in range(first, first + number):
        game.reset(seed)
        while game.to_act >= 0:
            key = np.uint64(1000 * seed + len(game.actions))
            game.step(players[game.to_act % len(players)].act(game.view(game.to_act), game.table, key))
        records.append(game.record())
    return records
