"""What happens at a table, one action at a time, and what of it a viewer sees and hears.

A viewer is a seat, or None for someone outside the game to whom all cards lie open.
"""

from dataclasses import dataclass

import numpy as np

from tressette_env.actions import Action, decode
from tressette_env.cards import NUM_RANKS, RANK_SIXTHS
from tressette_env.engine.entry import view_one
from tressette_env.engine.game import Game
from tressette_env.engine.text import declarations, draws
from tressette_env.rules import Rules

SILENT = ("done", "play_on")  # decisions that the table is not told of


@dataclass(frozen=True)
class Done:
    """One action and what it led to.

    ``states``: the whole record behind it, STATE_DTYPE (1,): of a deal that is over that of its end, of one that is
    abandoned that of the next one. ``deal_number`` counts within the episode, from 1.
    """

    seat: int
    action: Action
    states: np.ndarray
    deal_number: int
    ended: bool = False  # the deal, with a result
    redealt: str = ""  # why the cards were dealt anew: "passed" or "annulled"


@dataclass(frozen=True)
class Event:
    """What a viewer sees or hears: what a seat did, a card that it drew, or that the cards were dealt anew."""

    seat: int = -1
    action: Action | None = None  # card -1: face down
    declared: str = ""  # of a declaration, with its missing suit: as in ``engine.text.declarations``
    trick: int = 0  # of a card that ended a trick: the trick's number from 1, who took it, its cards' worth
    taker: int = -1
    sixths: int = 0
    drew: int = -1  # card id
    redealt: str = ""  # "passed" or "annulled"


class Watcher:
    """Tells what the last action of a game led to; asked after every one of them."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._deals, self._results = game.num_deals, len(game.finished)

    def last(self) -> Done:
        """Return the action that was applied since the watcher was made or asked last."""
        game = self._game
        before, self._deals = self._deals, game.num_deals
        results, self._results = self._results, len(game.finished)
        seat, number = game.actions[-1]
        action = decode(number, game.rules)
        if self._results > results:
            return Done(seat, action, game.finished[-1], before, ended=True)
        if self._deals > before:
            redealt = "annulled" if action.kind == "monte" else "passed"
            return Done(seat, action, game.states[:1].copy(), self._deals, redealt=redealt)
        return Done(seat, action, game.states[:1].copy(), self._deals)


def seen(states: np.ndarray, table: np.ndarray, viewer: int | None) -> np.void:
    """Return what a viewer knows of a whole record, STATE_DTYPE (1,), as a record; table: RULES_DTYPE (1,)."""
    out = states.copy()
    if viewer is not None:
        view_one(states, table, viewer, out)
    row: np.void = out[0]
    return row


def heard(done: Done, row: np.void, rules: Rules, viewer: int | None) -> list[Event]:
    """Return what a viewer sees and hears of an action; ``row`` is what it knows after it, by ``seen``."""
    seat, action = done.seat, done.action
    if done.redealt:
        return [Event(seat, action), Event(redealt=done.redealt)]
    if viewer not in (seat, None):
        if action.kind in SILENT:
            return []
        if action.kind == "discard":
            return [Event(seat, Action("discard"))]
    if action.kind == "declare":
        return [Event(seat, action, declared=[text for who, text in declarations(row, rules) if who == seat][-1])]
    number, rest = divmod(int(row["num_played"]), rules.num_seats)
    if action.kind != "play" or rest or row["best_card"] >= 0:
        return [Event(seat, action)]
    return [_trick_end(seat, action, row, number, rules.num_seats), *_draws(row, rules, number)]


def _trick_end(seat: int, action: Action, row: np.void, number: int, size: int) -> Event:
    cards = row["order"][(number - 1) * size : number * size].tolist()
    sixths = sum(RANK_SIXTHS[card % NUM_RANKS] for card in cards)
    return Event(seat, action, trick=number, taker=int(row["leader"]), sixths=sixths)


def _draws(row: np.void, rules: Rules, number: int) -> list[Event]:
    """Return the cards that were drawn after a trick, as far as the record shows them."""
    if number * rules.num_seats > rules.stock:
        return []
    fresh = row["undealt"][(number - 1) * rules.num_seats : number * rules.num_seats].tolist()
    return [Event(seat, drew=card) for seat, card in draws(row, rules) if card in fresh]
