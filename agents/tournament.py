"""A round robin of duplicate matches: every pair of players once, over the same deals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

from agents.arena import check_deals
from agents.game_log import Lines
from agents.playing import Played, Table
from agents.ratings import rate
from agents.regret import Judge, Regrets
from agents.results import PairResult, Tally, Usage
from agents.rooms import num_rooms
from agents.schedule import Pace, in_order
from agents.workers import Workers
from tressette_env.bots.base import Policy
from tressette_env.errors import TressetteError
from tressette_env.rules import Rules

BLOCK = 500  # most deals between two progress reports
PACE_S = 2.0  # seconds between two, about


@dataclass
class Evaluation:
    """What a round robin found so far. ``interrupted`` is true when it was stopped before the last deal.

    share: the deals that were to be played; None: all.
    """

    rules: Rules
    deals: int
    seed: int
    players: list[str]
    hashes: dict[str, str | None]
    pairs: list[PairResult] = field(default_factory=list)
    interrupted: bool = False
    regrets: Regrets | None = None
    share: range | None = None

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


def hashes_of(names: Sequence[str], policies: Sequence[Policy]) -> dict[str, str | None]:
    """Return the hash of every policy's checkpoint by its name, None for a bot."""
    return {name: getattr(policy, "hash", None) for name, policy in zip(names, policies, strict=True)}


def evaluate(
    entries: Sequence[Policy],
    rules: Rules,
    deals: int = 2000,
    seed: int = 0,
    *,
    block: int | None = None,
    on_progress: Callable[[PairResult], None] | None = None,
    regrets: Regrets | None = None,
    share: range | None = None,
    on_lines: Callable[[Lines], None] | None = None,
    workers: Workers | None = None,
) -> Evaluation:
    """Return the results of all pairs of at least two policies over the same duplicate deals.

    ``on_progress`` gets the pair under way after each block of ``block`` deals, or where that is left out about every
    ``PACE_S`` seconds, however slow the players are; the results do not depend on it. Ctrl-C ends the round robin
    early and keeps the whole blocks played so far. ``regrets`` takes up what was lost in each block, ``on_lines`` gets
    its games as records. ``share`` plays some of the ``deals`` only. ``workers``, made for the same players in the
    same order, play in place of this process; the numbers are the same.

    Raises ``TressetteError`` for fewer than two policies; see also ``arena.play_pair``.
    """
    if len(entries) < 2:
        raise TressetteError(f"a comparison needs at least two players, not {len(entries)}: name another, e.g. random")
    check_deals(deals)
    names = labels(entries)
    found = Evaluation(rules, deals, seed, names, hashes_of(names, entries), regrets=regrets, share=share)
    pace = Pace(BLOCK, PACE_S) if block is None else Pace(block)
    pairs = list(combinations(names, 2))
    wanted = range(deals) if share is None else share
    tallies = [Tally(*pair, rules, seed, wanted) for pair in pairs]
    start, ahead = (workers.start, workers.ahead) if workers else (_here(entries, found, on_lines is not None), 1)
    try:
        for task, played in in_order(len(pairs), wanted, pace, start, ahead):
            if on_lines and played.lines:
                on_lines(played.lines)
            if regrets and played.losses:
                regrets.add(pairs[task.pair], played.losses)
            tallies[task.pair].add(played.block)
            found.pairs[task.pair :] = [tallies[task.pair].result()]
            if on_progress:
                on_progress(found.pairs[-1])
    except KeyboardInterrupt:
        found.interrupted = True
    return found


def _here(entries: Sequence[Policy], found: Evaluation, record: bool) -> Callable[..., Callable[[], Played]]:
    """Return what starts a task in this process: it is played once its answer is waited for."""
    judge = Judge(found.rules, found.regrets.deals) if found.regrets else None
    table = Table(entries, found.players, found.rules, found.seed, judge=judge, record=record)
    return lambda task: partial(table.play, task)
