"""The k-th deal of a seed is a pure function of both: across processes, whatever global generators do; and uniform."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest
from engine_support import dealt_record
from scipy.stats import chi2

from tressette_env.engine.batch import Batch
from tressette_env.presets import preset

SCRIPT = """
import hashlib, random, sys
import numpy as np
disturb = int(sys.argv[1])
random.seed(disturb); np.random.seed(disturb)
from tressette_env import tressette_v0
env = tressette_v0.raw_env(sys.argv[2], reward="trick")
digest = hashlib.sha256()
rng = random.Random(77)
for episode in range(50):
    env.reset(seed=123 if episode == 0 else None)
    digest.update(env.deal_text().encode())
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        digest.update(seen["observation"].tobytes() + seen["action_mask"].tobytes() + repr(reward).encode())
        if disturb:
            random.random(); np.random.random(disturb)
        legal = np.flatnonzero(seen["action_mask"]).tolist()
        env.step(None if terminated or truncated else rng.choice(legal))
    digest.update(repr(env.results).encode())
print(digest.hexdigest())
"""


@pytest.mark.parametrize("name", ["tressette", "due_pagat", "calabresella"])
def test_fifty_deals_are_the_same_in_every_process(name):
    prints = set()
    for disturb, hash_seed in (("0", "0"), ("1", "1"), ("5", "random")):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, disturb, name],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        prints.add(done.stdout.strip())
    assert len(prints) == 1


def uniform(counts, degrees):
    """Chi-square of equal expectations, both tails at one in a million."""
    expected = counts.sum() / counts.size
    statistic = ((counts - expected) ** 2 / expected).sum()
    return chi2.ppf(1e-6, degrees) < statistic < chi2.ppf(1 - 1e-6, degrees)


@pytest.mark.parametrize("vary", ["seeds", "deals of one seed"])
def test_cards_and_first_leaders_are_uniform_over_seats(vary):
    games = 100_000
    batch = Batch(preset("gamelake"), games, seeds=0 if vary == "seeds" else np.full(games, 7))
    batch.start(ks=0 if vary == "seeds" else np.arange(games))
    hands = batch.states["hands"][:, :4]
    counts = np.array([[((hands[:, seat] >> card) & 1).sum() for seat in range(4)] for card in range(40)])
    assert (counts.sum(axis=0) == 10 * games).all() and (counts.sum(axis=1) == games).all()
    assert uniform(counts, 39 * 3)
    leaders = np.bincount(batch.to_act, minlength=4)
    assert uniform(leaders, 3)
    together = np.array([np.bincount(batch.to_act[(hands[:, 0] >> card) & 1 == 1], minlength=4) for card in range(40)])
    assert uniform(together, 39 * 3)  # who leads does not depend on the cards


@pytest.mark.parametrize("name", ["due", "calabresella", "chiamata", "traversone_3p", "mini_due"])
def test_cards_and_eldest_are_uniform_over_all_places(name):
    """Every card is as often in each hand and at each place of the stock and the monte."""
    rules = preset(name)
    deals, n, size = 40_000, rules.num_seats, rules.hand_size
    states = Batch(rules, deals, seeds=0).states
    dealt = states["dealt"][:, :n]
    in_hands = np.array([((dealt >> card) & 1).sum(axis=0) for card in rules.deck])
    undealt = states["undealt"][:, : rules.stock + rules.monte]
    at_place = np.array([(undealt == card).sum(axis=0) for card in rules.deck])
    cards = len(rules.deck)
    assert (in_hands.sum(axis=1) + at_place.sum(axis=1) == deals).all()
    for seat in range(n):
        together = np.array([in_hands[:, seat], deals - in_hands[:, seat]])
        due = deals * np.array([[size], [cards - size]]) / cards
        statistic = ((together - due) ** 2 / due).sum() * (cards - 1) / cards
        assert chi2.ppf(1e-6, cards - 1) < statistic < chi2.ppf(1 - 1e-6, cards - 1)
    for place in range(undealt.shape[1]):
        assert uniform(at_place[:, place], cards - 1)
    assert uniform(np.bincount((states["dealer"] + 1) % n, minlength=n), n - 1)


def test_the_deal_depends_on_seed_and_number_alone():
    for name in ("tressette", "due", "calabresella"):
        rules = preset(name)

        def cards(k, dealer, rules=rules):
            state = dealt_record(rules, 9, k, dealer)[0]
            return state["dealt"].tobytes() + state["undealt"].tobytes()

        first = [cards(k, 0) for k in range(20)]
        np.random.seed(1)
        random.seed(1)
        assert first == [cards(k, 1) for k in range(20)] and len(set(first)) == 20
