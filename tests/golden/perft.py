"""Perft: how many sequences of so many actions there are from a position, shorter ones that end the deal included."""

import numpy as np
from engine_support import dealt_record, legal_ids

from tressette_env.engine import kernels
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.presets import make_rules

EIGHT = "4cKcAc3c 4dKdAd3d"
CALABRESELLA = {"preset": "calabresella", "deck": EIGHT, "hand_size": 2, "monte": 2, "exchange_cards": 2}
CHIAMATA = {"preset": "chiamata", "num_seats": 4, "deck": EIGHT, "hand_size": 2}
POOR = {"preset": "bolognese", "deck": "4c5c6c7c 4dAd", "num_seats": 2, "sides": (0, 1), "hand_size": 3}
DRAW = {"preset": "due", "deck": EIGHT, "hand_size": 2, "stock": 4}
REVOKE = {"preset": "traversone", "deck": f"{EIGHT} 4sKsAs3s", "hand_size": 3, "revoke": "take_all"}

# name: (rules, depth, seeds); the dealer of seed s is seat s modulo seats
POSITIONS = {
    "mini_2p": ("mini_2p", 6, 3),
    "mini_due": ("mini_due", 8, 3),
    "mini_4p": ("mini_4p", 9, 3),
    "mini_4p_free": ({"preset": "mini_4p", "signal_mode": "free"}, 9, 1),
    "mini_4p_12": ("mini_4p_12", 12, 1),
    "small calabresella": (CALABRESELLA, 13, 2),
    "small chiamata": (CHIAMATA, 9, 2),
    "small annul": (POOR, 8, 2),
    "small draw": (DRAW, 9, 2),
    "small revoke": (REVOKE, 12, 2),
    "tressette": ("tressette", 4, 2),
    "treseta_croatian": ("treseta_croatian", 4, 2),
    "due": ("due", 3, 2),
    "a_tre": ("a_tre", 3, 2),
    "calabresella": ("calabresella", 4, 1),
    "calabresella_two": ("calabresella_two", 4, 1),
    "chiamata": ("chiamata", 5, 1),
    "traversone": ("traversone", 4, 1),
}


def start(rules, seed):
    """Return the record, STATE_DTYPE (1,), from which a seed is counted."""
    return dealt_record(rules, seed, 0, seed % rules.num_seats)


def perft(state, table, depth):
    """Return the number of sequences of `depth` actions from a record."""
    ids = legal_ids(state, table)
    if depth == 0 or not len(ids):
        return 1
    if depth == 1:
        return len(ids)
    child = np.zeros(1, STATE_DTYPE)
    total = 0
    for action in ids:
        child[0] = state
        kernels.apply(child[0], table[0], int(action))
        total += perft(child[0], table, depth - 1)
    return total


def perft_text():
    """Return the counts of every position by depth, one line per rules and seed."""
    lines = []
    for name, (spec, depth, seeds) in POSITIONS.items():
        rules = make_rules(spec)
        for seed in range(seeds):
            state = start(rules, seed)[0]
            counts = [perft(state, rules.table(), d) for d in range(1, depth + 1)]
            lines.append(f"{name}, seed {seed}: {' '.join(map(str, counts))}")
    return "\n".join(lines) + "\n"
