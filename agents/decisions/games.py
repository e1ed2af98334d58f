"""Whole games as arrays: every decision with the record before it, every deal with how it ended and what it paid."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np

from agents.decisions.names import Names, with_names
from agents.rooms import competitors
from tressette_env.engine.batch import masks_all, observe_acting
from tressette_env.engine.game import Game
from tressette_env.engine.kernels import deal_payoff
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.errors import NotationError
from tressette_env.observation import layout
from tressette_env.records import read_records, replay_steps
from tressette_env.rules import Rules

UNFINISHED, PLAYED, ABANDONED = range(3)
CHUNK = 20_000  # decisions at a time: ten megabytes of records


@dataclass(frozen=True)
class Games:
    """Some episodes of the same rules. N decisions in the order episode, deal, ply; D deals; S seats.

    states: STATE_DTYPE (N,), the whole record before each decision. actions: int64 (N,).
    deal_of: int64 (N,), row of the decision's deal in the arrays below, rising.
    episode, number, seed, k: int64 (D,): number of the episode, of the deal in it, and what it was dealt from.
    outcome: int8 (D,): UNFINISHED (the record stops, or an illegal action ended it), PLAYED or ABANDONED (dealt again).
    ends: STATE_DTYPE (D,), the record at the end of a deal that was PLAYED, else zeros.
    players: who sat where in each deal, a list of D.
    """

    rules: Rules
    table: np.ndarray
    states: np.ndarray
    actions: np.ndarray
    deal_of: np.ndarray
    episode: np.ndarray
    number: np.ndarray
    seed: np.ndarray
    k: np.ndarray
    outcome: np.ndarray
    ends: np.ndarray
    players: list[Names]

    # ---- by decision ----
    @property
    def seats(self) -> np.ndarray:
        """Who decided, int8 (N,)."""
        seats: np.ndarray = self.states["to_act"]
        return seats

    @cached_property
    def plies(self) -> np.ndarray:
        """The decisions of the same deal before each one, int64 (N,)."""
        return np.arange(len(self.states)) - self._firsts[self.deal_of]

    @cached_property
    def counts(self) -> np.ndarray:
        """The decisions of every deal, int64 (D,)."""
        return np.bincount(self.deal_of, minlength=len(self.outcome))

    @property
    def _firsts(self) -> np.ndarray:
        return np.searchsorted(self.deal_of, np.arange(len(self.outcome)))

    @cached_property
    def sides(self) -> np.ndarray:
        """The side of every seat in every deal, int8 (D, S), as it turned out; -1 where an auction left it open."""
        sides = self.ends["side_of"][:, : self.rules.num_seats].copy()
        fixed = self.rules.table()[0]["side_of"][: self.rules.num_seats]
        sides[self.outcome != PLAYED] = -1 if self.rules.auction != "none" else fixed
        return sides

    def masks(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the legal actions of some decisions, int8 (R, A)."""
        states = self.states[rows]
        out = np.empty((len(states), self.rules.blocks.num_actions), np.int8)
        masks_all(states, self.table, out)
        return out

    def observations(self, rows: np.ndarray | slice = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        """Return what the deciding seats were shown, float32 (R, F), and their masks, int8 (R, A), of some decisions.

        Both are bit-equal to the environment's.
        """
        states = self.states[rows]
        masks = np.empty((len(states), self.rules.blocks.num_actions), np.int8)
        shown = np.empty((len(states), layout(self.rules).size), np.float32)
        observe_acting(states, self.table, masks, shown)
        return shown, masks

    # ---- what was paid ----
    @cached_property
    def payoffs(self) -> np.ndarray:
        """What every deal paid every seat, points, float64 (D, S): its own less the mean of the others, or its payoff.

        0 for a deal that was abandoned, NaN for one without an end.
        """
        rules = self.rules
        if rules.auction != "none":
            before = np.zeros_like(self.ends["totals"])
            started = self.counts > 0
            before[started] = self.states["totals"][self._firsts[started]]
            utility = self.ends["totals"] - before
        else:
            utility = self.ends["points"] * _sign(rules)
        paid = self._to_seats(self.ends, utility)
        paid[self.outcome == ABANDONED] = 0.0
        paid[self.outcome == UNFINISHED] = np.nan
        return paid

    @cached_property
    def returns(self) -> np.ndarray:
        """What each decision's deal paid its seat from there on, points, float64 (N,); see ``payoffs``.

        Card points are paid trick by trick and declarations at once, as the reward ``trick`` does; what rounding and
        the last trick make of them comes with the last card, and so does all of an auction's payoff.
        """
        rules = self.rules
        whole = self.payoffs[self.deal_of, self.seats]
        if rules.auction != "none":
            return whole
        sixths = _sign(rules) * self.states["captured"]
        if rules.declare == "voluntary":
            sixths = sixths + self.states["declared_sixths"]
        by_side = sixths[:, : rules.num_seats] @ np.eye(rules.num_sides, dtype=np.int64)[competitors(rules)]
        return whole - self._to_seats(self.states, by_side)[np.arange(len(whole)), self.seats]

    def _to_seats(self, states: np.ndarray, utility: np.ndarray) -> np.ndarray:
        """Return what utilities in sixths, whole numbers (R, C), pay the seats of some records, float64 (R, S)."""
        out = np.empty((len(states), self.rules.num_seats))
        _pay_seats(states, self.table, utility.astype(np.int64), out)
        return out


@nb.njit(cache=True)
def _pay_seats(states, rules, utility, out):
    scratch = states[:1].copy()
    for i in range(states.shape[0]):
        scratch[0] = states[i]
        for competitor in range(rules[0]["num_competitors"]):
            scratch[0]["paid"][competitor] = utility[i, competitor]
        for seat in range(rules[0]["num_seats"]):
            out[i, seat] = deal_payoff(scratch[0], rules[0], seat)


def _sign(rules: Rules) -> int:
    return -1 if rules.objective == "min" else 1


# ---------------------------------------------------------------- from records
def record_games(source: Any, decisions: int = CHUNK, first: int = 0) -> Iterator[Games]:
    """Yield the games of records, whole episodes of the same rules up to about so many decisions, played and checked.

    source: the path of a JSONL file, or records as mappings. first: episodes at the start to pass over. Raises
    ``NotationError`` that names the first record that does not fit.
    """
    parts: list[Games] = []
    room = decisions
    for part in _played(source, first):
        if parts and (room <= 0 or not _alike(parts[0], part)):
            yield joined(parts)
            parts, room = [], decisions
        parts.append(part)
        room -= len(part.actions)
    if parts:
        yield joined(parts)


def _alike(one: Games, other: Games) -> bool:
    return one.rules == other.rules and one.table.tobytes() == other.table.tobytes()


def _played(source: Any, first: int) -> Iterator[Games]:
    of_file = isinstance(source, (str, Path))
    records = with_names(read_records(source), Path(source)) if of_file else ((record, None) for record in source)
    for number, (record, players) in enumerate(records):
        if number < first:
            continue
        try:
            yield game_of_record(record, number, players)
        except NotationError as error:
            where = f"{source}, record" if of_file else "record"
            raise NotationError(f"{where} {number + 1}: {error}") from None


def game_of_record(record: Mapping[str, Any], episode: int = 0, players: Names = None) -> Games:
    """Return one record's game, played again. Raises ``NotationError`` where the record does not fit."""
    game, states, deal_of, finished = _played_again(record)
    deals, count = len(record["deals"]), len(game.actions)
    outcome = np.where(np.diff(finished) > 0, PLAYED, ABANDONED).astype(np.int8)
    if record["status"] == "running" or record["illegal_seat"] is not None:
        outcome[-1] = UNFINISHED
    ends = np.zeros(deals, STATE_DTYPE)
    for place, end in zip(np.flatnonzero(outcome == PLAYED), game.finished, strict=True):
        ends[place] = end[0]
    return Games(
        rules=game.rules,
        table=game.table,
        states=states[:count],
        actions=np.array([action for _, action in game.actions], np.int64),
        deal_of=deal_of[:count],
        episode=np.full(deals, episode),
        number=np.arange(deals),
        seed=np.full(deals, record["seed"]),
        k=np.array([entry["k"] for entry in record["deals"]]),
        outcome=outcome,
        ends=ends,
        players=[players] * deals,
    )


def _played_again(record: Mapping[str, Any]) -> tuple[Game, np.ndarray, np.ndarray, list[int]]:
    """Return the game at its end, the records before each action and after the last, STATE_DTYPE (M,), and their deals.

    Last: how many deals had a result when each was laid, and at the end.
    """
    steps = replay_steps(record)
    game = next(steps)
    states = np.empty(len(record["actions"]) + 2, STATE_DTYPE)  # one more at the end, one after an illegal action
    deal_of = np.zeros(len(states), np.int64)
    states[0] = game.states[0]
    finished = [0]
    for place, game in enumerate(steps, 1):
        states[place] = game.states[0]
        deal_of[place] = game.num_deals - 1
        if game.num_deals > len(finished):
            finished.append(len(game.finished))
    return game, states, deal_of, [*finished, len(game.finished)]


def joined(parts: list[Games]) -> Games:
    """Return games of the same rules one behind the other."""
    firsts = np.cumsum([0] + [len(part.outcome) for part in parts])
    arrays = ("actions", "episode", "number", "seed", "k", "outcome")
    return Games(
        rules=parts[0].rules,
        table=parts[0].table,
        deal_of=np.concatenate([part.deal_of + first for part, first in zip(parts, firsts, strict=False)]),
        players=[names for part in parts for names in part.players],
        states=stacked([part.states for part in parts]),
        ends=stacked([part.ends for part in parts]),
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in arrays},
    )


def stacked(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Return records one behind the other; numpy's own ``concatenate`` compares their many fields each time."""
    raw = [part.view(f"V{STATE_DTYPE.itemsize}") for part in parts]
    return np.concatenate(raw).view(STATE_DTYPE)
