"""Prints the rows of BID_WEIGHTS in tressette_env/bots/weights.py: `.venv/bin/python runs/fit_bids.py` (a minute).

Forty thousand deals per kind of auction and bid: the eldest is made to bid, the others pass, the heuristic plays all
seats. A logistic regression of the declarer's win on the features of its hand is fitted to the first 32,000 deals; the
line before each row says how good it is on the other 8,000: share of wins, share of hands it would bid, wins of those.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numba as nb
import numpy as np
from scipy.optimize import minimize

from tressette_env.bots.bidding import hand_features
from tressette_env.bots.heuristic import decide
from tressette_env.bots.weights import NUM_FEATURES, TAKING
from tressette_env.engine.dealing import deal, new_match
from tressette_env.engine.kernels import NUM_WORDS, apply, points_to_win
from tressette_env.engine.state import BID, OVER, STATE_DTYPE
from tressette_env.engine.view import redact
from tressette_env.presets import make_rules

DEALS, FITTED, SEED, RIDGE = 40_000, 32_000, 77, 1e-4
KINDS = (
    ("nothing exchanged", {"preset": "calabresella", "exchange_cards": 0}),
    ("two cards exchanged", "calabresella_two"),
    ("four cards exchanged", "calabresella"),
    ("chiamata", "chiamata"),
)


@nb.njit
def play(states, rules, bid, table, features, points):
    """Play every deal with the eldest as declarer; write its hand's features and its side's points."""
    words = np.empty(NUM_WORDS, np.int64)
    state = states[0]
    for i in range(len(points)):
        new_match(state, rules, 0)
        deal(state, rules, SEED, i)
        hand_features(state["hands"][state["to_act"]], rules["deck"], features[i])
        apply(state, rules, rules["first_bid"] + bid)
        while state["phase"] == BID:
            apply(state, rules, rules["first_bid"])
        while state["phase"] != OVER:
            states[1] = state
            redact(states[1], rules, state["to_act"])
            apply(state, rules, decide(states[1], rules, words, table, 1))
        points[i] = state["points"][0] / 6.0


def fit(features, won):
    """Return the weights of the logistic regression, float64 (NUM_FEATURES,)."""
    spread = np.where(features.std(0) > 0, features.std(0), 1.0)

    def loss(weights):
        logits = features @ weights
        value = (np.logaddexp(0, logits) - won * logits).mean() + RIDGE * ((weights * spread) ** 2).sum()
        slope = features.T @ (1 / (1 + np.exp(-logits)) - won) / len(won) + 2 * RIDGE * weights * spread**2
        return value, slope

    return minimize(loss, np.zeros(NUM_FEATURES), jac=True, method="L-BFGS-B").x


def main():
    """Fit and print every row."""
    for kind, spec in KINDS:
        rules = make_rules(spec)
        for bid in range(1, len(rules.blocks.bids)):
            features, points = np.zeros((DEALS, NUM_FEATURES)), np.zeros(DEALS)
            play(np.zeros(2, STATE_DTYPE), rules.table()[0], bid, TAKING, features, points)
            won = (points >= points_to_win(rules.table()[0])).astype(float)
            weights = fit(features[:FITTED], won[:FITTED])
            bids, rest = features[FITTED:] @ weights > 0, won[FITTED:]
            quality = f"wins {rest.mean():.2f}, bids {bids.mean():.2f}, wins of those {rest[bids].mean():.2f}"
            print(f"# {kind}, bid {bid}: {quality}\n({', '.join(f'{w:.2f}' for w in weights)}),", flush=True)


if __name__ == "__main__":
    main()
