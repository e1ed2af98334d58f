"""Sampled walks through deals, all in lock step: what the traverser of each deal regrets, and what the others play.

A sampled regret is unbiased up to a positive factor that depends on the information set alone, which is all that regret
matching needs: the chance to come to a history h is (chance and the others' play) x (the traverser's sampling policy),
and the latter factor is the same for all h of an information set by perfect recall. So a *fixed* sampling policy needs
no importance weights at all; the same holds for the samples of what the others play.

* `external` (Lanctot et al. 2009; Deep CFR's own): all actions of the traverser are tried, the others' drawn. Its rows
  grow with the orders in which a hand can be played.
* `probing`, where that is too many: the traverser draws uniformly up to one of its choices, the n-th with n drawn
  before the deal, and there every action is tried by playing on under the current strategies (`rollouts` times each).
  One regret vector a walk costs about (actions x plies left) decisions, and no importance weight ever multiplies it:
  outcome sampling's weights would be of order 10**(choices so far), its variance of their size.

With ``explore`` below 1 that share of the traversers draws uniformly and the rest plays the current strategy, so that
more samples come from where play goes; the factor then changes with the strategies, and theory wants explore = 1.
Between more than two players the samples of what the others play are weighted by their partners' and rivals' play too.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from agents.cfr.sampling import MOST_BRANCHES, orders
from agents.deep_cfr.kernels import branch, draw_rows, payoffs, play_rows, to_choices
from agents.deep_cfr.memory import Samples
from agents.deep_cfr.strategy import Decisions, Players
from agents.run_config import ConfigError
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.rules import Rules

AUTO_BRANCHES = 1000  # orders up to which all actions are tried unless told otherwise
MOST_ROWS = 2**17  # records of a level of external walks, about: more deals are walked in parts
Visit = Callable[[np.ndarray, np.ndarray, Decisions, np.ndarray], None]


@dataclass
class Harvest:
    """What walks bring home: regrets of the traversers, strategies of the others, engine decisions made."""

    regrets: list[Samples] = field(default_factory=list)
    strategies: list[Samples] = field(default_factory=list)
    decisions: int = 0


def externally(rules: Rules, sampling: str) -> bool:
    """Return whether walks try all actions. Raises ``ConfigError`` where that is wanted and would never end."""
    if sampling == "external" and orders(rules) > MOST_BRANCHES:
        raise ConfigError(
            f"sampling = 'external' would try {orders(rules):,} orders of a hand in the rules {rules.name!r}: use "
            f"probing, which auto chooses above {AUTO_BRANCHES:,}, or a smaller game"
        )
    few = orders(rules) <= AUTO_BRANCHES and rules.auction == "none"
    return sampling == "external" or (sampling == "auto" and few)


def most_choices(rules: Rules) -> int:
    """Return an upper bound of a seat's choices in a deal: its cards, declarations, auction."""
    more = 8 if rules.declare == "voluntary" else 0
    more += 1 if rules.annul != "off" else 0
    more += 4 + rules.exchange_cards if rules.auction != "none" else 0
    return int(rules.hand_size + rules.stock // rules.num_seats) + more


def children(states: np.ndarray, table: np.ndarray, rows: np.ndarray, tried: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return (parents (C,), actions (C,), states after (C,)) of every action tried in states[rows], see ``branch``."""
    count = int(np.count_nonzero(tried > 0))
    parents, actions = np.empty(count, np.int64), np.empty(count, np.int64)
    after = np.empty(count, STATE_DTYPE)
    branch(states, table, rows, tried, parents, actions, after)
    return parents, actions, after


def regrets_of(players: Players, states: np.ndarray, rows: np.ndarray, found: Decisions, gains: np.ndarray) -> Samples:
    """Return the regrets of rows as samples; gains float64 (R, A): what each legal action is worth, engine order."""
    value = (found.play * gains).sum(1, keepdims=True)
    regrets = ((gains - value) * found.legal).astype(np.float32)
    targets = players.renamed(states, rows, found.masks.astype(np.float32), regrets, to_engine=False)
    return Samples(found.features, found.masks, targets)


def _part(samples: Decisions, rows: np.ndarray) -> Samples:
    return Samples(samples.features[rows], samples.masks[rows], samples.strategy[rows])


# ---------------------------------------------------------------- external sampling
def external(players: Players, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator) -> Harvest:
    """Walk deals, STATE_DTYPE (D,), for their traversers, int64 (D,), trying all their actions."""
    out = Harvest()
    parts = min(len(states), 1 + len(states) * orders(players.rules) // MOST_ROWS)
    for some in np.array_split(np.arange(len(states)), parts):
        _external(players, states[some], seats[some], rng, out)
    return out


def _external(players: Players, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator, out: Harvest) -> None:
    """Walk some deals level by level, each level the children of the one before; then take their values back up."""
    levels = []
    while True:
        choosing = np.empty(len(states), np.int64)
        count, forced = to_choices(states, players.table, choosing)
        rows = choosing[:count]
        values = np.empty(len(states))
        payoffs(states, players.table, seats, values)
        out.decisions += forced + count
        if not count:
            break
        found = players.decide(states, rows)
        mine = states["to_act"][rows] == seats[rows]
        out.strategies.append(_part(found, ~mine))
        tried = found.legal.copy()
        drawn = np.empty(count, np.int64)
        draw_rows(found.play, rng.random(count), drawn)
        tried[~mine] = 0.0
        tried[np.flatnonzero(~mine), drawn[~mine]] = 1.0
        parents, actions, after = children(states, players.table, rows, tried)
        levels.append((states, values, rows, found, mine, parents, actions))
        states, seats = after, seats[rows][parents]
    for level in reversed(levels):
        states, above, rows, found, mine, parents, actions = level
        gains = np.zeros(found.legal.shape)
        gains[parents, actions] = values
        above[rows] = np.where(mine, (found.play * gains).sum(1), gains.sum(1))
        own = Decisions(*(part[mine] for part in found))
        out.regrets.append(regrets_of(players, states, rows[mine], own, gains[mine]))
        values = above


# ---------------------------------------------------------------- one line a deal
def play_on(
    players: Players, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator, *,
    stops: np.ndarray | None = None, blind: np.ndarray | None = None, out: Harvest | None = None,
    visit: Visit | None = None,
) -> np.ndarray:  # fmt: skip
    """Play deals in place until over, or until the traverser has its stops[i]-th choice (from 0); return those rows.

    seats int64 (B,): the traverser, -1 for none. blind bool (B,): it draws uniformly. `out` takes what the others of a
    traverser play; `visit(states, rows, decisions, mine)` sees all choices before they are made.
    """
    alive = np.ones(len(states), np.bool_)
    made = np.zeros(len(states), np.int64)
    choosing = np.empty(len(states), np.int64)
    while True:
        count, forced = to_choices(states, players.table, choosing)
        rows = choosing[:count]
        rows = rows[alive[rows]]
        mine = states["to_act"][rows] == seats[rows]
        if stops is not None:
            ends = mine & (made[rows] == stops[rows])
            alive[rows[ends]] = False
            rows, mine = rows[~ends], mine[~ends]
        if out is not None:
            out.decisions += forced + len(rows)
        if not len(rows):
            return np.flatnonzero(~alive)
        hidden = mine & blind[rows] if blind is not None and visit is None else None
        found = players.decide(states, rows, hidden)
        if visit is not None:
            visit(states, rows, found, mine)
        if out is not None:
            out.strategies.append(_part(found, ~mine & (seats[rows] >= 0)))
        play = found.play
        if blind is not None:
            drawing = mine & blind[rows]
            play = np.where(drawing[:, None], found.legal, play)
        drawn = np.empty(len(rows), np.int64)
        draw_rows(play, rng.random(len(rows)), drawn)
        play_rows(states, players.table, rows, drawn)
        made[rows[mine]] += 1


def probing(
    players: Players, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator, explore: float, rollouts: int
) -> Harvest:
    """Walk deals, STATE_DTYPE (D,), to one choice of each traverser, int64 (D,), and try all its actions there."""
    out = Harvest()
    stops = rng.integers(0, most_choices(players.rules), len(states))
    blind = rng.random(len(states)) < explore
    rows = play_on(players, states, seats, rng, stops=stops, blind=blind, out=out)
    if not len(rows):
        return out
    found = players.decide(states, rows)
    parents, actions, after = children(states, players.table, rows, found.legal)
    of_child = seats[rows][parents]
    gains = np.zeros(found.legal.shape)
    nobody = np.full(len(after), -1, np.int64)
    for _ in range(rollouts):
        line, value = after.copy(), np.empty(len(after))
        play_on(players, line, nobody, rng, out=out)
        payoffs(line, players.table, of_child, value)
        gains[parents, actions] += value / rollouts
    out.regrets.append(regrets_of(players, states, rows, found, gains))
    return out
