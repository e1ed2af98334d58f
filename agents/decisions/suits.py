"""Renaming the suits of observations, masks and actions as arrays: what ``agents.features`` does with records.

A seat's canonical order (longest suit of the hand as dealt first) shows in its observation, so data on disk need no
records.
"""

from functools import lru_cache

import numba as nb
import numpy as np

from tressette_env.cards import NUM_CARDS
from tressette_env.engine.state import NUM_COMBINATIONS
from tressette_env.engine.symmetry import all_perms, canonical_perm, permute_action
from tressette_env.layout import layout, planes
from tressette_env.rules import Rules

PERMS = all_perms()
_CODES = np.zeros(256, np.int64)  # index in PERMS by the digits of a permutation in base 4
_CODES[PERMS @ np.array([64, 16, 4, 1])] = np.arange(len(PERMS))
_SUITED = {"led_suit": 4, "void": 4, "missing_suit": 4, "trump_suit": 4, "declared": NUM_COMBINATIONS}
# sections of the global part that repeat blocks of so many, whose first four stand for the suits


@lru_cache(maxsize=16)
def observation_orders(rules: Rules) -> np.ndarray:
    """Return for each of PERMS where every float of the renamed observation stood before, int64 (24, F)."""
    shown = layout(rules)
    orders = np.tile(np.arange(shown.size), (len(PERMS), 1))
    cards = NUM_CARDS * shown.num_planes
    for order, perm in zip(orders, PERMS, strict=True):
        before = np.argsort(perm)  # suit s becomes perm[s]
        order[:cards] = order[:cards].reshape(4, -1)[before].reshape(-1)
        for name, part in shown.parts(order[cards:]).items():
            if name in _SUITED:
                blocks = part.reshape(-1, _SUITED[name])  # a view
                blocks[:, :4] = blocks[:, before]
    return orders


@lru_cache(maxsize=16)
def action_maps(rules: Rules) -> np.ndarray:
    """Return for each of PERMS the id of every action after the renaming, int64 (24, A)."""
    maps = np.empty((len(PERMS), rules.blocks.num_actions), np.int64)
    _map_actions(rules.table(), PERMS, maps)
    return maps


@nb.njit(cache=True)
def _map_actions(rules, perms, out):
    for place in range(perms.shape[0]):
        for action in range(out.shape[1]):
            out[place, action] = permute_action(action, rules[0], perms[place])


@nb.njit(cache=True)
def _perm_codes(dealt, out):
    """Write the canonical permutation of each hand, bit sets int64 (R,), as digits in base 4."""
    perm, inverse = np.empty(4, np.int64), np.empty(4, np.int64)
    for i in range(dealt.shape[0]):
        canonical_perm(dealt[i], perm, inverse)
        out[i] = 64 * perm[0] + 16 * perm[1] + 4 * perm[2] + perm[3]


@nb.njit(cache=True)
def _gather(values, orders, perms, out):
    """Write out[i, j] = values[i, orders[perms[i], j]]: (R, K), from orders int64 (24, K) and perms int64 (R,)."""
    for i in range(values.shape[0]):
        order = orders[perms[i]]
        for j in range(values.shape[1]):
            out[i, j] = values[i, order[j]]


def canonical_perms(observations: np.ndarray, rules: Rules) -> np.ndarray:
    """Return the place in PERMS of each row's canonical order, int64 (R,), from observations float32 (R, F)."""
    names = layout(rules).planes
    cards = planes(observations)
    # A hand as dealt is what is held and what was played, except where cards are drawn or exchanged.
    sources = ["dealt"] if "dealt" in names else ["hand", "played_0"]
    held = cards[..., [names.index(name) for name in sources]].any(-1).reshape(len(observations), NUM_CARDS)
    codes = np.empty(len(observations), np.int64)
    _perm_codes(held @ (np.int64(1) << np.arange(NUM_CARDS)), codes)
    return _CODES[codes]


def same_suits(rules: Rules) -> bool:
    """Return whether renaming suits into a canonical order keeps the deck: the same ranks in c, or c and d, and so on.

    >>> from tressette_env.presets import preset
    >>> same_suits(preset("tressette")), same_suits(preset("mini_2p")), same_suits(preset("traversone_3p"))
    (True, True, False)
    """
    ranks = [tuple(card % 10 for card in rules.deck if card // 10 == suit) for suit in range(4)]
    used = [suit for suit in range(4) if ranks[suit]]
    return used == list(range(len(used))) and len({ranks[suit] for suit in used}) == 1


def canonical(
    observations: np.ndarray, masks: np.ndarray, actions: np.ndarray, rules: Rules
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return observations float32 (R, F), masks int8 (R, A), actions int64 (R,) with each row's suits in its order."""
    perms = canonical_perms(observations, rules)
    shown, legal = np.empty_like(observations), np.empty_like(masks)
    _gather(observations, observation_orders(rules), perms, shown)
    maps = action_maps(rules)
    _gather(masks, np.argsort(maps, axis=1), perms, legal)
    return shown, legal, maps[perms, actions]
