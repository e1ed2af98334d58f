"""What the channel is worth: duplicate deals between players that have it and players that have not, in points.

Margins are card points and the last trick, unrounded and without declarations (``PairResult.trick_margins``). Several
seeds are bootstrapped as a hierarchy: seeds first, then deals (Agarwal et al. 2021, "Deep Reinforcement Learning at
the Edge of the Statistical Precipice", on why seeds must be).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from agents.arena import play_pair
from agents.signals.games import Chances
from agents.signals.players import Forbidden, Mute, deaf, misled
from tressette_env.bots.base import Policy
from tressette_env.rules import Rules

RESAMPLES = 2000
LEVELS = (2.5, 97.5)


@dataclass(frozen=True)
class Estimate:
    """A mean in points per deal with its 95 % interval, over so many seeds and deals."""

    mean: float
    low: float
    high: float
    seeds: int
    deals: int

    def __str__(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def bootstrap(
    margins: np.ndarray, *, seed: int = 0, statistic: Callable[[np.ndarray], float] | None = None
) -> Estimate:
    """Return the mean of margins, float (S, N) or (S, T, N), with its interval by resampling every axis.

    The last axis are the deals, the same ones for all; the others are independently trained players (seeds). Where
    one axis stands for the same players as another, give a ``statistic``: it gets the mean over the deals for every
    combination, float (S, T), and the players that were drawn, int (S,).

    >>> print(bootstrap(np.ones((3, 10))))
    +1.000 [+1.000, +1.000]
    """
    rng = np.random.default_rng(seed)
    *players, deals = margins.shape
    flat = margins.reshape(-1, deals)
    means = np.empty(RESAMPLES)
    for at in range(RESAMPLES):
        weights = np.bincount(rng.integers(deals, size=deals), minlength=deals) / deals
        by_players = (flat @ weights).reshape(players)
        if statistic is None:
            for axis, size in enumerate(players):
                by_players = by_players.take(rng.integers(size, size=size), axis)
            means[at] = by_players.mean()
        else:
            means[at] = statistic(by_players, rng.integers(players[0], size=players[0]))
    every = flat.mean(1).reshape(players)
    mean = float(every.mean()) if statistic is None else statistic(every, np.arange(players[0]))
    low, high = np.nanpercentile(means, LEVELS)
    return Estimate(mean, float(low), float(high), players[0], deals)


def margins(a: Policy, b: Policy, rules: Rules, deals: int, seed: int) -> np.ndarray:
    """Return the margins of a over b in points, float64 (deals,): one duplicate deal each."""
    return play_pair(a, b, rules, deals, seed).trick_margins


ABLATIONS = ("mute", "deaf", "misled", "forbidden")
"""What can be taken at test time. mute: the same cards without a word. deaf: both partners signal, to opponents who
hear it, but not to each other. misled: what they hear of each other is drawn at random, as often as usual. forbidden:
no permission to signal, which may change the cards that a network chooses."""


def ablated(player: Policy, usual: Chances, rules: Rules, deals: int, seed: int) -> np.ndarray:
    """Return what a player wins of itself without a part of the channel, float64 (4, deals), rows as ABLATIONS.

    usual: decisions of its own games, which say how often it signals.
    """
    others = (Mute(player), deaf(player, rules), misled(player, usual), Forbidden(player))
    return np.array([margins(player, other, rules, deals, seed) for other in others])


def without_channel(player: Policy, rules: Rules) -> Policy:
    """Return a player that neither signals nor hears anybody: one that was trained so plays on as it learned to."""
    return Forbidden(deaf(player, rules, partner_only=False))


def retrained(player: Policy, without: Sequence[Policy], rules: Rules, deals: int, seed: int) -> np.ndarray:
    """Return what a player trained with the channel wins of others trained without, float64 (T, deals).

    rules: those of the player with the channel; the others stay outside it.
    """
    return np.array([margins(player, without_channel(other, rules), rules, deals, seed) for other in without])
