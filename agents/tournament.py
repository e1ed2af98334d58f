"""A round robin of duplicate matches: every pair of players once, over the same deals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

from agents.arena import play_blocks
from agents.ratings import rate
from agents.regret import Regrets
from agents.results import PairResult, Usage
from agents.rooms import num_rooms
from tressette_env.bots.base import Policy
from tressette_env.errors import TressetteError
from tressette_env.rules import Rules

BLOCK = 500  # most deals between two progress reports
PACE_S = 2.0  # seconds between two, about


@dataclass
class Evaluation:
    """What a round robin found so far. ``interrupted`` is true when it was stopped before the last deal."""

    rules: Rules
    deals: int
    seed: int
    players: list[str]
    hashes: dict[str, str | None]
    pairs: list[PairResult] = field(default_factory=list)
    interrupted: bool = False
    regrets: Regrets | None = None

    def usage(self, player: str) -> Usage:
        """Return what one player did over all its pairs."""
        total = Usage()
        for pair in self.pairs:
            for name, usage in ((pair.a, pair.usage_a), (pair.b, pair.usage_b)):
                if name == player:
                    total.add(usage)
        return total

    def ratings(self) -> dict[str, tuple[float, float]]:
        """Return (mu, sigma) of every player; see ``ratings.rate``."""
        return rate(self.players, self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as plain data: the JSON that ``evaluate.py --json`` writes."""
        ratings = self.ratings()
        details = []
        for name in self.players:
            mu, sigma = ratings[name]
            row = {"name": name, "checkpoint_hash": self.hashes[name], "rating": {"mu": mu, "sigma": sigma}}
            details.append(row | self.usage(name).to_dict())
        regret = {"regret": self.regrets.to_dict()} if self.regrets else {}
        return regret | {
            "rules": self.rules.name,
            "deals": self.deals,
            "seed": self.seed,
            "entries": list(self.players),
            "pairs": [pair.to_dict() for pair in self.pairs],
            "players": details,
            "rooms": num_rooms(self.rules),
            "rules_values": self.rules.to_dict(),
            "interrupted": self.interrupted,
        }


def labels(policies: Sequence[Policy]) -> list[str]:
    """Return the policies' names, a number added to a repeated one."""
    seen: dict[str, int] = {}
    names = []
    for policy in policies:
        seen[policy.name] = seen.get(policy.name, 0) + 1
        names.append(policy.name if seen[policy.name] == 1 else f"{policy.name}#{seen[policy.name]}")
    return names


def evaluate(
    entries: Sequence[Policy],
    rules: Rules,
    deals: int = 2000,
    seed: int = 0,
    *,
    block: int | None = None,
    on_progress: Callable[[PairResult], None] | None = None,
    regrets: Regrets | None = None,
) -> Evaluation:
    """Return the results of all pairs of at least two policies over the same duplicate deals.

    ``on_progress`` gets the pair under way after each block of ``block`` deals, or where that is left out about every
    ``PACE_S`` seconds, however slow the players are; the results do not depend on it. Ctrl-C ends the round robin
    early and keeps the whole blocks played so far. ``regrets`` judges the games as they end. Raises ``TressetteError``
    for fewer than two policies; see also ``arena.play_pair``.
    """
    if len(entries) < 2:
        raise TressetteError(f"a comparison needs at least two players, not {len(entries)}: name another, e.g. random")
    names = labels(entries)
    hashes = {name: getattr(policy, "hash", None) for name, policy in zip(names, entries, strict=True)}
    found = Evaluation(rules, deals, seed, names, hashes, regrets=regrets)
    most, pace_s = (BLOCK, PACE_S) if block is None else (block, None)
    try:
        for i, j in combinations(range(len(entries)), 2):
            place = len(found.pairs)
            watch = partial(regrets.add, (names[i], names[j])) if regrets else None
            players = (entries[i], entries[j])
            for result in play_blocks(*players, rules, deals, seed, block=most, pace_s=pace_s, watch=watch):
                named = replace(result, a=names[i], b=names[j])
                found.pairs[place:] = [named]
                if regrets:
                    regrets.keep()
                if on_progress:
                    on_progress(named)
    except KeyboardInterrupt:
        found.interrupted = True
    return found
