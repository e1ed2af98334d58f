"""Ratings from pairwise results, by the Bradley-Terry model of openskill (Weng and Lin, JMLR 12, 2011)."""

from collections.abc import Sequence

import numpy as np
from openskill.models import BradleyTerryFull

from agents.results import PairResult


def rate(names: Sequence[str], pairs: Sequence[PairResult]) -> dict[str, tuple[float, float]]:
    """Return (mu, sigma) of every player; each duplicate deal is one game, won by the better margin over all its rooms.

    Also with more than two competitors a game is between the two players alone: over the rooms of a deal each was
    alone at every place against the other everywhere else, so the deal's margin compares like with like. Single rooms
    are no games of their own: they hang together, and one against the rest is no even contest.

    Deals of different pairs are interleaved, so that the order of the pairs does not favour anybody; strengths do
    not drift (tau = 0). Start: mu 25, sigma 25/3.
    """
    model = BradleyTerryFull(tau=0.0)
    ratings = {name: model.rating(name=name) for name in names}
    for i in range(max((pair.n for pair in pairs), default=0)):
        for pair in pairs:
            if i < pair.n and pair.a != pair.b:
                _update(model, ratings, pair, float(pair.margins[i]))
    return {name: (float(rating.mu), float(rating.sigma)) for name, rating in ratings.items()}


def _update(model: BradleyTerryFull, ratings: dict[str, object], pair: PairResult, margin: float) -> None:
    won = float(np.sign(margin))
    teams = [[ratings[pair.a]], [ratings[pair.b]]]
    (ratings[pair.a],), (ratings[pair.b],) = model.rate(teams, ranks=[1.0 - won, 1.0 + won])
