"""Where everything stands in the observation of some rules, and views into it. Kernels: `encoding`."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tressette_env.cards import NUM_CARDS
from tressette_env.engine.state import NUM_COMBINATIONS
from tressette_env.rules import Rules


@dataclass(frozen=True)
class Layout:
    """Where everything stands in the observation of some rules: ``planes`` per card, ``bits``, then ``scalars``."""

    planes: tuple[str, ...]  # one per card feature, in order
    bits: tuple[tuple[str, int], ...]  # (name, width) of the one-bit global sections
    scalars: tuple[tuple[str, int], ...]  # (name, width) of the fractional global sections

    @property
    def num_planes(self) -> int:
        """F of the card part (4, 10, F)."""
        return len(self.planes)

    @property
    def size(self) -> int:
        """Length of the observation; it leaves the remainder ``num_planes`` modulo 32, so the length tells F."""
        used = NUM_CARDS * self.num_planes + sum(width for _, width in self.bits + self.scalars)
        return used + (self.num_planes - used) % 32

    def parts(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """Return the named sections of the global part (G,) as views."""
        found, at = {}, 0
        for name, width in self.bits + self.scalars:
            found[name] = values[at : at + width]
            at += width
        return found


@lru_cache(maxsize=64)
def layout(rules: Rules) -> Layout:
    """Return the layout of the observation under some rules; sections that the rules have no use for are absent."""
    n = rules.num_seats
    others = range(1, n)
    planes = (
        "hand",
        *(f"played_{r}" for r in range(n)),
        "led",
        "table",
        *(f"may_hold_{r}" for r in others),
        *(f"signal_{name}" for name in rules.offered_signals),
        "master",
        "beats",
        *(("dealt",) if rules.stock or rules.blocks.give else ()),
        *((*(f"known_{r}" for r in others), "undealt") if rules.stock or rules.monte else ()),
        *(("called",) if rules.blocks.call else ()),
        *(("given",) if rules.blocks.give else ()),
        *(("monte", "discarded") if rules.blocks.discard else ()),
        *(("place",) if rules.stock or rules.exchange_cards else ()),
        "trick",
    )
    bits = [("phase", 8), ("eldest", n), ("leader", n), ("cards_on_table", n), ("led_suit", 4), ("winning", n)]
    bits += [("trick_number", rules.num_tricks), ("void", 4 * (n - 1))]
    scalars = []
    if rules.declare != "off":
        bits.append(("missing_suit", 12 * n))
        scalars.append(("declared", NUM_COMBINATIONS * n))
    if rules.declare == "voluntary":
        bits.append(("own_done", 1))
    if rules.annul != "off":
        bits.append(("own_play_on", 1))
    if rules.trump != "none":
        bits += [("trump_suit", 4), ("trump_rank", 10)]
    if rules.objective == "min":
        bits.append(("contenders", rules.num_sides))
    if rules.auction != "none":
        bits += [("bids", n * len(rules.blocks.bids)), ("declarer", n), ("partner", n)]
        bits += [("called_from", n)] if rules.blocks.give else []
        bits.append(("extra", 1))
    competitors = rules.num_competitors
    scalars += [("captured", competitors), ("totals", competitors), ("table_points", 1), ("redeals", 1)]
    if rules.exchange_cards:
        scalars.append(("discards_due", 1))
    return Layout(planes, tuple(bits), tuple(scalars))


def planes(obs: np.ndarray) -> np.ndarray:
    """Return the card part of observations (..., F) as a view (..., 4 suits, 10 ranks, planes), no copy."""
    count = (obs.shape[-1] - 1) % 32 + 1
    return obs[..., : NUM_CARDS * count].reshape(*obs.shape[:-1], 4, 10, count)


def globals_(obs: np.ndarray) -> np.ndarray:
    """Return the global part of observations (..., F) as a view (..., G)."""
    return obs[..., NUM_CARDS * ((obs.shape[-1] - 1) % 32 + 1) :]
