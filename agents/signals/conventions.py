"""Whose conventions agree: teams of players trained apart, their signals or suits renamed, and scripted strangers.

A team's score is its margin over a fixed opponent on duplicate deals, in points per deal. Sources: Hu et al. 2020
("Other-Play": partners trained apart, symmetries), Carroll et al. 2019 and Stone et al. 2010 (ad-hoc teamwork).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from agents.signals.players import Renamed, Resuited, Team
from agents.signals.population import population
from agents.signals.worth import Estimate, bootstrap, margins
from tressette_env.bots.base import Policy
from tressette_env.cards import to_bits
from tressette_env.engine.symmetry import all_perms, permute_cards
from tressette_env.rules import Rules

CHOICE_SEED = 7_919  # added to the seed of the deals on which the best renaming is chosen: other deals than the score's


@dataclass(frozen=True)
class CrossPlay:
    """Teams of every player (row) with every player (column): mean margins, and what strangers lose.

    matrix: float64 (S, S), points per deal over the opponent. own, cross: means of the diagonal and of the rest. gap:
    own minus cross.
    """

    matrix: np.ndarray
    own: Estimate
    cross: Estimate
    gap: Estimate


def _of_diagonal(means: np.ndarray, drawn: np.ndarray) -> float:
    return float(means[drawn, drawn].mean())


def _of_others(means: np.ndarray, drawn: np.ndarray) -> float:
    """Return the mean over pairs of players drawn that are not the same player; nan where all are."""
    pairs = means[np.ix_(drawn, drawn)]
    apart = drawn[:, None] != drawn[None]
    return float(pairs[apart].mean()) if apart.any() else float("nan")


def _gap(means: np.ndarray, drawn: np.ndarray) -> float:
    return _of_diagonal(means, drawn) - _of_others(means, drawn)


def summed_up(scores: np.ndarray) -> CrossPlay:
    """Return cross-play from margins of all teams, float64 (S, S, N): row, column, deal. Needs two players at least."""
    return CrossPlay(
        scores.mean(-1),
        bootstrap(scores, statistic=_of_diagonal),
        bootstrap(scores, statistic=_of_others),
        bootstrap(scores, statistic=_gap),
    )


def team_scores(
    player: Policy, partners: Sequence[Policy], opponent: Policy, rules: Rules, deals: int, seed: int
) -> np.ndarray:
    """Return the margins of a player with each partner, float64 (S, deals)."""
    return np.array([margins(Team(player, partner), opponent, rules, deals, seed) for partner in partners])


def renamings(rules: Rules) -> list[tuple[int, ...]]:
    """Return all ways to rename the signals, the identity first; silence stays.

    >>> len(renamings(Rules(signal_mode="free")))
    6
    """
    return [(0, *names) for names in permutations(range(1, 1 + len(rules.offered_signals)))]


def renamed_scores(
    player: Policy, partners: Sequence[Policy], opponent: Policy, rules: Rules, deals: int, seed: int
) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Return margins as ``team_scores``, the partners' signals renamed as suits the player, and the names.

    The best renaming of each is chosen on other deals than it is measured on, a quarter as many, so that choosing is
    not mistaken for agreeing.
    """
    few, ways = max(2, deals // 4), renamings(rules)
    chosen = []
    for partner in partners:
        tried = [
            margins(Team(player, Renamed(partner, names)), opponent, rules, few, seed + CHOICE_SEED).mean()
            for names in ways
        ]
        chosen.append(ways[int(np.argmax(tried))])
    renamed = [Renamed(partner, names) for partner, names in zip(partners, chosen, strict=True)]
    return team_scores(player, renamed, opponent, rules, deals, seed), chosen


def suit_names(rules: Rules) -> np.ndarray:
    """Return the names of the suits that leave the deck as it is, int64 (P, 4), the identity first; mostly all 24.

    >>> len(suit_names(Rules()))
    24
    """
    deck = to_bits(rules.deck)
    return np.array([perm for perm in all_perms() if permute_cards(deck, perm) == deck])


def suit_scores(player: Policy, opponent: Policy, rules: Rules, deals: int, seed: int) -> np.ndarray:
    """Return the margins of a player with itself under each of ``suit_names``, float64 (P, deals).

    The first row is the identity: the player with itself.
    """
    return team_scores(player, [Resuited(player, perm) for perm in suit_names(rules)], opponent, rules, deals, seed)


def ad_hoc(player: Policy, opponent: Policy, rules: Rules, deals: int, seed: int, *, held_out: bool) -> np.ndarray:
    """Return how a player does with the scripted bots of one half, float64 (bots, deals), in ``population``'s order."""
    bots = [bot for _, bot in population(rules, held_out=held_out)]
    return team_scores(player, bots, opponent, rules, deals, seed)
