"""What each card of a finished deal cost against open-hand play: the difference of the values before and after it.

The losses of a deal add up: from par, the value with both sides exact, to what side 0 ended with.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numba as nb
import numpy as np

from agents.search.openhand import SOLVER_DTYPE, load, open_value
from tressette_env.cards import CARD_TEXTS, NUM_CARDS
from tressette_env.engine.game import Game
from tressette_env.engine.kernels import apply
from tressette_env.engine.state import OVER, PLAY, STATE_DTYPE
from tressette_env.errors import TressetteError
from tressette_env.records import replay
from tressette_env.rules import Rules


@nb.njit(cache=True)
def rewind(state, rules):
    """Take a deal back, in place, to its first card: signals and declarations are no part of it any more."""
    n = rules["num_seats"]
    for seat in range(n):
        # What was exchanged was exchanged before the first card; what is drawn from a stock is drawn again.
        state["hands"][seat] = state["dealt"][seat] if rules["stock"] else state["hands"][seat] | state["played"][seat]
        state["played"][seat] = 0
        state["captured"][seat] = 0
        state["denied"][seat] = 0
    for k in range(state["signalled"].shape[0]):
        state["signalled"][k] = 0
    eldest = state["dealer"] + 1 if state["dealer"] + 1 < n else 0
    state["phase"] = PLAY
    state["to_act"] = eldest
    state["leader"] = eldest
    state["turn"] = eldest
    state["num_played"] = 0
    state["num_drawn"] = 0
    state["led"] = 0
    state["table"] = 0
    state["best_card"] = -1
    state["best_seat"] = -1


@nb.njit(cache=True)
def losses(solver, final, path, rules, out):
    """Write the sixths that each card of the deal `final[0]` lost its side, int64 (40,), -1 where it is not known.

    `path`: scratch, STATE_DTYPE (41,). Not known is what was played while a stock lay. Returns the sixths that side 0
    takes from the first card judged to the end when both sides are exact, -1 where nothing is judged.
    """
    for i in range(out.shape[0]):
        out[i] = -1
    total = final[0]["num_played"]
    path[0] = final[0]
    rewind(path[0], rules)
    for i in range(total):
        path[i + 1] = path[i]
        apply(path[i + 1], rules, np.int64(final[0]["order"][i]))
        if path[i + 1]["phase"] != OVER:
            path[i + 1]["phase"] = PLAY  # no declarations after the first trick
            path[i + 1]["to_act"] = path[i + 1]["turn"]
    value = np.int64(-1)
    for i in range(total - 1, -1, -1):
        state = path[i]
        if state["num_drawn"] < rules["stock"]:
            break
        left = load(solver, state, rules)
        if i == total - 1:
            value = open_value(solver, state, rules, left, 0, np.int64(1))
            out[i] = 0
            continue
        after = value
        winner = path[i + 1]["leader"]
        if path[i + 1]["best_card"] < 0 and state["side_of"][winner] == 0:  # this card ended a trick for side 0
            after += path[i + 1]["captured"][winner] - state["captured"][winner]
        value = open_value(solver, state, rules, left, after, np.int64(1))
        out[i] = abs(value - after)
    return value


# ---------------------------------------------------------------- for people
class SolverError(TressetteError):
    """Rules or a position that open-hand play has no single value for."""


def check_rules(rules: Rules) -> None:
    """Raise ``SolverError`` where deals of these rules have no single open-hand value."""
    if rules.num_sides != 2:
        raise SolverError(
            f"the rules {rules.name!r} have {rules.num_sides} sides: open hands have one value between two only, "
            "choose rules such as tressette"
        )
    if rules.revoke != "masked":
        raise SolverError(f"revoke = {rules.revoke!r} has no open-hand value: use rules with revoke masked")


@dataclass(frozen=True)
class JudgedCard:
    """A card played and the points that it lost its side against open-hand play; None while a stock lay."""

    seat: int
    card: str
    lost: Fraction | None


@dataclass(frozen=True)
class JudgedDeal:
    """A deal's cards in the order played, what side 0 took in points, unrounded, and what it would have by par.

    par: both sides exact with open hands from the first card on, or from the last draw; None where nothing is judged.
    """

    par: Fraction | None
    taken: Fraction
    cards: list[JudgedCard]

    def lost(self, seat: int) -> Fraction:
        """Return the points that a seat's cards lost."""
        return sum((card.lost for card in self.cards if card.seat == seat and card.lost is not None), Fraction(0))


def judge(played: Game | Mapping[str, Any]) -> list[JudgedDeal]:
    """Return every finished deal of a game, or of a record as ``Game.record`` writes it, with what its cards lost.

    Raises ``SolverError`` for rules without two sides or with revokes, ``NotationError`` for a record that is wrong.

    >>> game = Game("mini_4p", seed=2)
    >>> while game.to_act >= 0:
    ...     game.step(game.legal_actions()[0])
    >>> deal = judge(game)[0]
    >>> deal.taken == deal.par - deal.lost(0) - deal.lost(2) + deal.lost(1) + deal.lost(3)
    True
    """
    game = played if isinstance(played, Game) else replay(played)
    check_rules(game.rules)
    solver = np.zeros(1, SOLVER_DTYPE)[0]
    return [_judge_deal(solver, final, game) for final in game.finished]


def _judge_deal(solver: np.void, final: np.ndarray, game: Game) -> JudgedDeal:
    path = np.zeros(NUM_CARDS + 1, STATE_DTYPE)
    lost = np.empty(NUM_CARDS, np.int64)
    value = losses(solver, final, path, game.table[0], lost)
    total = int(final[0]["num_played"])
    cards = [
        JudgedCard(
            int(path[i]["to_act"]),
            CARD_TEXTS[int(final[0]["order"][i])],
            Fraction(int(lost[i]), 6) if lost[i] >= 0 else None,
        )
        for i in range(total)
    ]
    judged = np.flatnonzero(lost >= 0)
    par = Fraction(_taken(path[judged[0]], game.rules) + int(value), 6) if len(judged) else None
    bonus = game.rules.bonus_sixths * (final[0]["side_of"][final[0]["last_trick_seat"]] == 0)
    return JudgedDeal(par, Fraction(_taken(final[0], game.rules) + int(bonus), 6), cards)


def _taken(state: np.void, rules: Rules) -> int:
    """Return the sixths that side 0 has taken in tricks so far."""
    return sum(int(state["captured"][seat]) for seat in range(rules.num_seats) if state["side_of"][seat] == 0)
