"""Duplicate matches: every deal is played in several rooms, so that the luck of the cards and of the seats cancels.

Which rooms a deal has, and whose result counts in them: ``agents.rooms``. Deal i of a match is the deal (seed, i) of
the engine with dealer i mod seats, whoever plays. A player's randomness is keyed by (seed, deal, room, seat, ply), so
results depend on neither the block size nor the order of the entries: any share of the deals can be played anywhere.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter

import numba as nb
import numpy as np

from agents.results import Block, PairResult, Tally, Usage
from agents.rooms import Seating, deal_means, num_rooms, seating
from agents.schedule import Pace, Task, in_order
from tressette_env.bots.base import Policy
from tressette_env.engine.batch import RUNNING, Batch, views_acting
from tressette_env.engine.randomness import key_of
from tressette_env.engine.state import PLAY
from tressette_env.errors import IllegalActionError, TressetteError
from tressette_env.rules import Rules

_PLAYER_STREAM = 16  # streams 16.. of a deal's key belong to the seats: 16 + 8 * room + seat, for at most 8 seats
_PLY_STREAM = 3
CHUNK = 4096  # most rows that a policy is asked at once
TILE = 64  # rows that a network is asked at once, or a multiple of it
MAX_DEALS = 1_000_000  # of one match: beyond, the interval is finer than any use, and the margins fill the memory

Players = tuple[Policy, Policy]
Usages = tuple[Usage, Usage]
Log = list[np.ndarray]


@nb.njit(cache=True)
def _player_keys(seed, deals, rooms, seats, ply, out):
    """Write the key of each row's decision, uint64 (R,)."""
    for j in range(deals.shape[0]):
        seat_key = key_of(seed, deals[j], _PLAYER_STREAM + 8 * rooms[j] + seats[j])
        out[j] = key_of(np.int64(seat_key >> np.uint64(1)), ply, _PLY_STREAM)


def play_pair(
    policy_a: Policy, policy_b: Policy, rules: Rules, deals: int, seed: int, *, block: int = 2048, chunk: int = CHUNK
) -> PairResult:
    """Return the result of a duplicate match of `deals` deals between two policies.

    Games run in lock step, all rooms of `block` deals at a time; a policy gets at most `chunk` rows a call. Neither
    number changes the result. Raises ``TressetteError`` for a number of deals outside 1..``MAX_DEALS``,
    ``IllegalActionError`` naming the player that made an illegal choice.

    >>> from tressette_env.bots import make
    >>> from tressette_env.presets import preset
    >>> play_pair(make("heuristic"), make("heuristic"), preset("gamelake"), 4, seed=1).mean
    0.0
    """
    return deque(play_blocks(policy_a, policy_b, rules, deals, seed, block=block, chunk=chunk), maxlen=1).pop()


def play_blocks(
    policy_a: Policy,
    policy_b: Policy,
    rules: Rules,
    deals: int,
    seed: int,
    *,
    block: int = 2048,
    chunk: int = CHUNK,
    pace_s: float | None = None,
) -> Iterator[PairResult]:
    """Yield the result so far after each block of deals; the last one is the whole match. See ``play_pair``.

    How large the blocks are: ``schedule.Pace``.
    """
    check_deals(deals)
    if block < 1 or chunk < 1:
        raise TressetteError(f"block = {block} and chunk = {chunk} must be at least 1")
    players = (policy_a, policy_b)
    warm_up(players, rules, seed)

    def start(task: Task) -> Callable[[], Block]:
        return lambda: play_block(players, rules, seating(rules, task.first, task.end), seed, chunk=chunk)[0]

    tally = Tally(policy_a.name, policy_b.name, rules, seed, range(deals))
    for _, played in in_order(1, range(deals), Pace(block, pace_s), start):
        tally.add(played)
        yield tally.result()


def check_deals(deals: int) -> None:
    """Raise ``TressetteError`` for a number of deals that no match has."""
    if deals < 1:
        raise TressetteError(f"deals = {deals} is too few for a match: play at least 1, better 2000")
    if deals > MAX_DEALS:
        raise TressetteError(f"deals = {deals} is too many for a match: play at most {MAX_DEALS}")


def sees_all(policy: Policy) -> bool:
    """Return whether a policy is handed whole records instead of its seat's views: `cheat` is, nothing else."""
    return bool(getattr(policy, "sees_all", False))


def warm_up(players: Sequence[Policy], rules: Rules, seed: int) -> None:
    """Ask each player once off the record, so that compiling is not counted as thinking time."""
    batch = Batch(rules, 1, seeds=np.array([seed]))
    views = np.empty_like(batch.states)
    views_acting(batch.states, batch.table, views)
    for player in players:
        shown = batch.states.copy() if sees_all(player) else views
        _ask(player, shown, batch.table, np.zeros(1, np.uint64), Usage())


def first_deals(rules: Rules, deals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which deal of the seed each of a match's deals begins with, and who deals it; int64 (G,) both.

    An abandoned deal is dealt again as (seed, k + 1): room is left, so that no two games of a match share cards.
    """
    stride = rules.num_seats if rules.annul != "off" or rules.auction != "none" else 1
    return deals * stride, deals % rules.num_seats


def play_block(
    players: Players, rules: Rules, seats: Seating, seed: int, *, chunk: int = CHUNK, log: Log | None = None
) -> tuple[Block, np.ndarray]:
    """Play some deals in all rooms; return what they came to and the games at their end, STATE_DTYPE (G,).

    ``log`` gets the actions of every step, int64 (G,), -1 in games that were over.
    """
    began = perf_counter()
    games = len(seats.deals)
    usage = (Usage(), Usage())
    batch = Batch(rules, games, seeds=np.full(games, seed), episode="deal", reward="deal")
    ks, dealers = first_deals(rules, seats.deals)
    batch.start(ks=ks, dealers=dealers)
    margins = np.zeros(games)
    ply = 0
    while (batch.status == RUNNING).any():
        owner = seats.owner(batch.to_act)
        actions = _decide(players, batch, seats, owner, seed, ply, chunk, usage)
        if log is not None:
            log.append(np.where(batch.status == RUNNING, actions, -1))
        try:
            rewards = batch.step(actions)
        except IllegalActionError as error:
            raise _blame(error, players, batch, actions, owner) from None
        margins += seats.sign * rewards[np.arange(games), seats.seat]
        ply += 1
    rooms = num_rooms(rules)
    tricks = trick_margins(batch.states, rules, seats, margins)
    block = Block(
        first=int(seats.deals[0]),
        room_margins=margins.reshape(-1, rooms),
        trick_margins=deal_means(tricks.reshape(-1, rooms)),
        usage=usage,
        seconds=perf_counter() - began,
    )
    return block, batch.states


def _decide(
    players: Players, batch: Batch, seats: Seating, owner: np.ndarray, seed: int, ply: int, chunk: int, usage: Usages
) -> np.ndarray:
    """Return an action for every game, int64 (G,), 0 where it is over; ``owner`` says whom to ask."""
    views = np.empty_like(batch.states)
    views_acting(batch.states, batch.table, views)
    actions = np.zeros(batch.num_games, np.int64)
    to_act = batch.to_act.astype(np.int64)
    for player in (0, 1):
        rows = np.flatnonzero((batch.status == RUNNING) & (owner == player))
        for at in range(0, len(rows), chunk):
            part = rows[at : at + chunk]
            keys = np.empty(len(part), np.uint64)
            _player_keys(seed, seats.deals[part], seats.rooms[part], to_act[part], ply, keys)
            shown = batch.states if sees_all(players[player]) else views
            actions[part] = _ask(players[player], shown[part], batch.table, keys, usage[player])
        _count_actions(batch.states[rows], actions[rows], batch.rules, usage[player])
    return actions


def asked(policy: Policy, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return a policy's actions for some views, int64 (R,): the same whatever other views are asked along with them.

    Raises ``TressetteError`` for an answer of another shape.
    """
    wanted = len(views)
    if hasattr(policy, "log_probs") and wanted % TILE:  # a network: its sums round otherwise in other small batches
        rows = np.arange(-(-wanted // TILE) * TILE) % wanted
        views, keys = views[rows], keys[rows]
    actions = np.asarray(policy.actions(views, table, keys))
    if actions.shape != (len(views),) or not np.issubdtype(actions.dtype, np.integer):
        raise TressetteError(
            f"{policy.name} answered {actions.dtype} {actions.shape} for {len(views)} views: one whole number per view"
        )
    return actions[:wanted]


def _ask(policy: Policy, views: np.ndarray, table: np.ndarray, keys: np.ndarray, usage: Usage) -> np.ndarray:
    """Return a policy's actions for some views, int64 (R,), and book the time."""
    start = perf_counter()
    actions = asked(policy, views, table, keys)
    usage.seconds += perf_counter() - start
    usage.decisions += len(views)
    return actions


def _blame(
    error: IllegalActionError, players: Players, batch: Batch, actions: np.ndarray, owner: np.ndarray
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


def trick_margins(states: np.ndarray, rules: Rules, seats: Seating, margins: np.ndarray) -> np.ndarray:
    """Return card points with the last trick as margins for player a, float64 (G,).

    The margin as paid stands in where there is no last trick (a deal cut after redeals, a revoke) and in auction
    games, whose payoff is all there is.
    """
    if rules.auction != "none":
        return margins
    last = states["last_trick_seat"]
    by_seat = states["captured"][:, : rules.num_seats] + rules.bonus_sixths * (
        last[:, None] == np.arange(rules.num_seats)
    )
    sixths = by_seat @ (seats.competitor[:, None] == np.arange(rules.num_competitors))
    utility = -1.0 if rules.objective == "min" else 1.0
    return np.where(last < 0, margins, utility * seats.margins(sixths) / 6.0)
