"""Duplicate matches: every deal is played in two rooms with the sides swapped, so that the luck of the cards cancels.

Deal i of a match is the deal (seed, i) of the engine with dealer i mod seats, whoever plays. A player's randomness is
keyed by (seed, deal, room, seat, ply), so results depend on neither the block size nor the order of the entries.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numba as nb
import numpy as np
from scipy import stats

from tressette_env.bots.base import Policy
from tressette_env.engine.batch import RUNNING, Batch, views_acting
from tressette_env.engine.dealing import key_of
from tressette_env.engine.state import PLAY
from tressette_env.errors import IllegalActionError, TressetteError
from tressette_env.rules import Rules

_PLAYER_STREAM = 16  # streams 16.. of a deal's key belong to the seats: 16 + 8 * room + seat
_PLY_STREAM = 3
CONFIDENCE = 0.95


@nb.njit(cache=True)
def _player_keys(seed, deals, rooms, seats, ply, out):
    """Write the key of each row's decision, uint64 (R,)."""
    for j in range(deals.shape[0]):
        seat_key = key_of(seed, deals[j], _PLAYER_STREAM + 8 * rooms[j] + seats[j])
        out[j] = key_of(np.int64(seat_key >> np.uint64(1)), ply, _PLY_STREAM)


@dataclass
class Usage:
    """What one player did over its games: decisions, seconds in its calls, cards played and led, signals by kind."""

    decisions: int = 0
    seconds: float = 0.0
    plays: int = 0
    leads: int = 0
    signals: dict[str, int] = field(default_factory=dict)

    def add(self, other: "Usage") -> None:
        """Add another player's counts to these."""
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.plays += other.plays
        self.leads += other.leads
        for kind, times in other.signals.items():
            self.signals[kind] = self.signals.get(kind, 0) + times

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the rates per 100 cards led and per 100 cards played as plain data."""
        return {
            "decisions": self.decisions,
            "decisions_per_second": self.decisions / self.seconds if self.seconds else None,
            "plays": self.plays,
            "leads": self.leads,
            "signals_per_100_leads": {k: 100 * n / max(1, self.leads) for k, n in self.signals.items()},
            "signals_per_100_plays": {k: 100 * n / max(1, self.plays) for k, n in self.signals.items()},
        }


def interval(values: np.ndarray) -> tuple[float, float]:
    """Return the 95 % interval of a mean from independent values, float (N,), by Student's t.

    >>> interval(np.array([1.0, 1.0]))
    (1.0, 1.0)
    """
    mean = float(values.mean())
    if len(values) < 2:
        return float("-inf"), float("inf")
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5)
    return mean - half, mean + half


@dataclass
class PairResult:
    """Player a against player b over n duplicate deals; everything is from a's side, in points.

    margins float64 (N,): result of a deal (declarations and rounding as the rules pay them), mean of its two rooms.
    trick_margins float64 (N,): card points and last trick alone, unrounded: the same strength with less noise.
    room_margins float64 (N, 2): the deal's result in each room.
    """

    a: str
    b: str
    rules: Rules
    seed: int
    margins: np.ndarray
    trick_margins: np.ndarray
    room_margins: np.ndarray
    usage_a: Usage
    usage_b: Usage

    @property
    def n(self) -> int:
        """Number of duplicate deals."""
        return len(self.margins)

    @property
    def mean(self) -> float:
        """Mean margin in points per deal."""
        return float(self.margins.mean())

    @property
    def ci95(self) -> tuple[float, float]:
        """Paired 95 % interval of the mean margin: deals are the units, not games."""
        return interval(self.margins)

    @property
    def trick_mean(self) -> float:
        """Mean unrounded trick margin in points per deal."""
        return float(self.trick_margins.mean())

    @property
    def trick_ci95(self) -> tuple[float, float]:
        """Paired 95 % interval of the trick margin."""
        return interval(self.trick_margins)

    @property
    def win_rate(self) -> float:
        """Share of the 2n games in which a's side made more points than b's, level games counting half."""
        return float(((self.room_margins > 0) + 0.5 * (self.room_margins == 0)).mean())

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON (an interval of one deal is null)."""
        return {
            "a": self.a,
            "b": self.b,
            "mean": self.mean,
            "ci95": _finite(self.ci95),
            "n": self.n,
            "trick_mean": self.trick_mean,
            "trick_ci95": _finite(self.trick_ci95),
            "win_rate": self.win_rate,
            "deal_seed": self.seed,
            "deals": [0, self.n],
        }


def _finite(bounds: tuple[float, float]) -> list[float] | None:
    return list(bounds) if np.isfinite(bounds).all() else None


def play_pair(
    policy_a: Policy, policy_b: Policy, rules: Rules, deals: int, seed: int, *, block: int = 2048, chunk: int = 4096
) -> PairResult:
    """Return the result of a duplicate match of `deals` deals between two policies.

    Games run in lock step, `block` deals (twice that many games) at a time; a policy gets at most `chunk` rows a call.
    Neither number changes the result. Raises ``TressetteError`` for fewer than one deal or rules without two sides,
    ``IllegalActionError`` naming the player that made an illegal choice.

    >>> from tressette_env.bots import make
    >>> from tressette_env.presets import preset
    >>> play_pair(make("heuristic"), make("heuristic"), preset("gamelake"), 4, seed=1).mean
    0.0
    """
    result = None
    for result in play_blocks(policy_a, policy_b, rules, deals, seed, block=block, chunk=chunk):  # noqa: B007
        pass
    assert result is not None  # play_blocks yields at least once
    return result


def play_blocks(
    policy_a: Policy, policy_b: Policy, rules: Rules, deals: int, seed: int, *, block: int = 2048, chunk: int = 4096
) -> Iterator[PairResult]:
    """Yield the result so far after each block of deals; the last one is the whole match. See ``play_pair``."""
    if deals < 1:
        raise TressetteError(f"deals = {deals} is too few for a match: play at least 1, better 2000")
    if rules.num_sides != 2:
        raise TressetteError(f"the rules {rules.name!r} have {rules.num_sides} sides: duplicate matches need two")
    if block < 1 or chunk < 1:
        raise TressetteError(f"block = {block} and chunk = {chunk} must be at least 1")
    rooms = np.empty((deals, 2))
    tricks = np.empty((deals, 2))
    usage = (Usage(), Usage())
    _warm_up((policy_a, policy_b), rules, seed)
    for first in range(0, deals, block):
        end = min(first + block, deals)
        rooms[first:end], tricks[first:end] = _play_block((policy_a, policy_b), rules, first, end, seed, chunk, usage)
        yield PairResult(
            policy_a.name,
            policy_b.name,
            rules,
            seed,
            rooms[:end].mean(axis=1),
            tricks[:end].mean(axis=1),
            rooms[:end].copy(),
            *usage,
        )


def _warm_up(players: tuple[Policy, Policy], rules: Rules, seed: int) -> None:
    """Ask each player once off the record, so that compiling is not counted as thinking time."""
    batch = Batch(rules, 1, seeds=np.array([seed]))
    views = np.empty_like(batch.states)
    views_acting(batch.states, batch.table, views)
    for player in players:
        _ask(player, views, batch.table, np.zeros(1, np.uint64), Usage())


def _play_block(
    players: tuple[Policy, Policy],
    rules: Rules,
    first: int,
    end: int,
    seed: int,
    chunk: int,
    usage: tuple[Usage, Usage],
) -> tuple[np.ndarray, np.ndarray]:
    """Play some deals in both rooms; return player 0's margins, by result and by unrounded tricks, each (N, 2)."""
    count = end - first
    deals = np.repeat(np.arange(first, end), 2)
    rooms = np.tile(np.arange(2), count)
    batch = Batch(rules, 2 * count, seeds=np.full(2 * count, seed), episode="deal", reward="deal")
    # An abandoned deal is dealt again as (seed, k + 1): leave room, so that no two games of a match share cards.
    stride = rules.num_seats if rules.annul != "off" or rules.auction != "none" else 1
    batch.start(ks=deals * stride, dealers=deals % rules.num_seats)
    views = np.empty_like(batch.states)
    side_of = np.asarray(batch.table[0]["side_of"])
    margins = np.zeros(2 * count)
    rewards = np.zeros((2 * count, len(side_of)))
    sign = 1 - 2 * rooms  # player 0 sits on side 0 in room 0 and on side 1 in room 1
    ply = 0
    while (batch.status == RUNNING).any():
        views_acting(batch.states, batch.table, views)
        actions = np.zeros(2 * count, np.int64)
        running = batch.status == RUNNING
        seats = batch.to_act.astype(np.int64)
        owner = side_of[seats] ^ rooms
        for player in (0, 1):
            rows = np.flatnonzero(running & (owner == player))
            for at in range(0, len(rows), chunk):
                part = rows[at : at + chunk]
                keys = np.empty(len(part), np.uint64)
                _player_keys(seed, deals[part], rooms[part], seats[part], ply, keys)
                actions[part] = _ask(players[player], views[part], batch.table, keys, usage[player])
            _count_actions(batch.states[rows], actions[rows], rules, usage[player])
        try:
            batch.step(actions, rewards)
        except IllegalActionError as error:
            raise _blame(error, players, batch, actions, owner) from None
        margins += rewards[:, 0] * sign
        ply += 1
    return margins.reshape(count, 2), (_trick_margins(batch.states, rules, side_of) * sign).reshape(count, 2)


def _ask(policy: Policy, views: np.ndarray, table: np.ndarray, keys: np.ndarray, usage: Usage) -> np.ndarray:
    """Return a policy's actions for some views, int64 (R,), and book the time."""
    start = perf_counter()
    actions = np.asarray(policy.actions(views, table, keys))
    usage.seconds += perf_counter() - start
    usage.decisions += len(views)
    if actions.shape != (len(views),) or not np.issubdtype(actions.dtype, np.integer):
        raise TressetteError(
            f"{policy.name} answered {actions.dtype} {actions.shape} for {len(views)} views: one whole number per view"
        )
    return actions


def _blame(
    error: IllegalActionError, players: tuple[Policy, Policy], batch: Batch, actions: np.ndarray, owner: np.ndarray
) -> IllegalActionError:
    """Return the error with the name of the player whose action is the first illegal one."""
    masks = batch.masks()
    inside = (actions >= 0) & (actions < batch.num_actions)
    legal = inside & (masks[np.arange(len(actions)), np.where(inside, actions, 0)] == 1)
    row = int(np.flatnonzero(~legal & (batch.status == RUNNING))[0])
    return IllegalActionError(f"{players[owner[row]].name} played an illegal action: {error}")


def _count_actions(states: np.ndarray, actions: np.ndarray, rules: Rules, usage: Usage) -> None:
    """Book plays, leads and signals of one player's decisions (states before the step)."""
    kinds = rules.offered_signals
    plays = (states["phase"] == PLAY) & (actions >= 0) & (actions < 40 * (1 + len(kinds)))
    usage.plays += int(plays.sum())
    usage.leads += int((plays & (states["best_card"] < 0)).sum())
    times = np.bincount(actions[plays] // 40, minlength=1 + len(kinds))
    for k, kind in enumerate(kinds):
        usage.signals[kind] = usage.signals.get(kind, 0) + int(times[1 + k])


def _trick_margins(states: np.ndarray, rules: Rules, side_of: np.ndarray) -> np.ndarray:
    """Return side 0's card points with the last trick minus side 1's, float64 (G,), 0 where abandoned."""
    seats = np.arange(rules.num_seats)
    sixths = states["captured"][:, seats] + rules.bonus_sixths * (states["last_trick_seat"][:, None] == seats)
    utility = -1.0 if rules.objective == "min" else 1.0
    margins = utility * (sixths * (1 - 2 * side_of[seats])).sum(axis=1) / 6.0
    return np.where(states["abandoned"] == 1, 0.0, margins)
