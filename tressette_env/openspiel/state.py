"""One deal as an OpenSpiel state: chance deals, then the engine's kernels play one record."""

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel  # type: ignore[import-untyped, import-not-found, unused-ignore]

from tressette_env.cards import CARD_TEXTS
from tressette_env.engine.entry import (
    ENDED,
    PAID,
    WORDS,
    deal_of_record,
    lay_one,
    record_of_deal,
    refresh_one,
    step_one,
)
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.errors import GameOverError, IllegalActionError, TressetteError
from tressette_env.notation import Deal, action_texts, format_action, format_deal
from tressette_env.openspiel.observer import checked_seat, information_text
from tressette_env.rules import MAX_SEATS

if TYPE_CHECKING:
    from tressette_env.openspiel.game import TressetteGame

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)


class TressetteState(pyspiel.State):  # type: ignore[misc, unused-ignore]
    """One deal; made by ``TressetteGame.new_initial_state``.

    Everything that changes is small and plain, since OpenSpiel clones by ``deepcopy`` and serialises by ``pickle``.
    """

    def __init__(self, game: "TressetteGame") -> None:
        super().__init__(game)
        self._raw: np.ndarray | None = None  # the record as int64 words: numpy copies those forty times faster
        self._dealt = b""  # cards dealt one by one so far
        self._player = CHANCE
        self._returns: np.ndarray | None = None

    @property
    def record(self) -> np.ndarray | None:
        """The engine's record, STATE_DTYPE (1,), None until the cards are dealt: to read, not to change."""
        return None if self._raw is None else self._raw.view(STATE_DTYPE)

    # ---- whose turn, and what may be done ----
    def current_player(self) -> int:
        """Return the seat to act, -1 for chance, -4 when the deal is over."""
        return self._player

    def is_terminal(self) -> bool:
        """Return whether the deal is over."""
        return self._player == TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        """Return the action ids of the seat to act, rising."""
        return np.flatnonzero(self._legal()[1]).tolist() if player == self._player else []

    def _legal(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the kernels' words of legal actions, int64 (WORDS,), and the mask, int8 (A,)."""
        game: TressetteGame = self.get_game()
        words, mask = np.zeros(WORDS, np.int64), np.zeros(game.num_distinct_actions(), np.int8)
        refresh_one(self.record, game.table, words, mask)
        return words, mask

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return (outcome, probability), uniform: the numbers of all deals, or the cards that may come next."""
        game: TressetteGame = self.get_game()
        if game.by_deals:
            return game.all_deals
        cards = game.dealing.next_cards(self._dealt)
        return [(card, 1.0 / len(cards)) for card in cards]

    # ---- going on ----
    def _apply_action(self, action: int) -> None:
        """Deal on, or play. Raises ``IllegalActionError``, or ``GameOverError`` when the deal is over."""
        action = operator.index(action)
        if self._player == TERMINAL:
            raise GameOverError(f"the deal is over, nobody is to act; position: {self}")
        if self._player == CHANCE:
            self._deal_on(action)
        else:
            self._play(action)

    def _deal_on(self, outcome: int) -> None:
        game: TressetteGame = self.get_game()
        if game.by_deals:
            if not 0 <= outcome < game.dealing.count:
                raise IllegalActionError(f"there is no deal {outcome}: the numbers are 0 to {game.dealing.count - 1}")
            self._lay(game.dealing.nth(outcome))
            return
        cards = game.dealing.next_cards(self._dealt)
        if outcome not in cards:
            texts = " ".join(CARD_TEXTS[card] for card in cards)
            raise IllegalActionError(f"card {outcome} cannot be dealt now: these are left: {texts}; position: {self}")
        self._dealt += bytes([outcome])
        if not game.dealing.next_cards(self._dealt):
            self._lay(game.dealing.completed(self._dealt))

    def _lay(self, deal: Deal) -> None:
        game: TressetteGame = self.get_game()
        raw = game.blank.view(np.int64).copy()
        record = raw.view(STATE_DTYPE)
        words, mask = np.zeros(WORDS, np.int64), np.zeros(game.num_distinct_actions(), np.int8)
        self._player = int(lay_one(record, game.table, words, record_of_deal(deal), mask))
        self._raw = raw

    def _play(self, action: int) -> None:
        words, mask = self._legal()
        rewards = np.zeros(MAX_SEATS)
        answer = step_one(self.record, self.get_game().table, words, action, mask, rewards)
        if answer < 0:
            raise self._illegal(action)
        if answer >= PAID + ENDED:
            self._player, self._returns = TERMINAL, rewards
        else:
            self._player = int(answer)

    def _illegal(self, action: int) -> IllegalActionError:
        texts = action_texts(self.get_game().rules)
        name = repr(texts[action]) if 0 <= action < len(texts) else "no action of these rules"
        choices = ", ".join(texts[legal] for legal in self._legal_actions(self._player))
        return IllegalActionError(
            f"action {action} ({name}) is not legal for seat {self._player}: choose one of {choices}; position: {self}"
        )

    # ---- reading ----
    def returns(self) -> list[float]:
        """Return the points that the deal paid every seat: zeros before its end, and where it was thrown in."""
        seats = self.get_game().rules.num_seats
        return [0.0] * seats if self._returns is None else self._returns[:seats].tolist()

    def _action_to_string(self, player: int, action: int) -> str:
        """Return an action as the package writes it; the outcome of a chance node as what is dealt."""
        game: TressetteGame = self.get_game()
        if player != CHANCE:
            return format_action(action, game.rules)
        if game.by_deals:
            return format_deal(game.dealing.nth(action))
        return game.dealing.place_text(self._dealt, action)

    def deal_text(self) -> str:
        """Return the deal as dealt, as text. Raises ``TressetteError`` while the cards are dealt."""
        if self._raw is None:
            raise TressetteError("the cards are not dealt yet: apply the outcomes of chance first")
        row = self._raw.copy().view(STATE_DTYPE)[0]
        row["hands"] = row["dealt"]
        return format_deal(deal_of_record(row, self.get_game().rules))

    def __str__(self) -> str:
        game: TressetteGame = self.get_game()
        if self._raw is None:
            return f"dealer {game.dealer}, dealing [{' '.join(CARD_TEXTS[card] for card in self._dealt)}]"
        texts = action_texts(game.rules)
        history = ", ".join(texts[step.action] for step in self.full_history() if step.player >= 0)
        return f"dealer {game.dealer}, deal {self.deal_text()!r}, history [{history}]"

    def resample_from_infostate(self, player_id: int, probability_sampler: Any) -> "TressetteState":
        """Return a state with the same information of a seat, over a deal drawn evenly from those that allow it.

        ``probability_sampler()`` gives floats in [0, 1). OpenSpiel's ISMCTS in Python calls this; how likely the
        others' play was is left out of account. Raises ``TressetteError`` where the deals cannot be listed, or where
        others act unseen.
        """
        game: TressetteGame = self.get_game()
        record = self.record
        if record is None:
            raise TressetteError(
                f"nobody has looked at a card yet: apply the outcomes of chance first; position: {self}"
            )
        numbers = list(game.deals_of_hand(checked_seat(player_id, game), int(record["dealt"][0, player_id])))
        told = [step.action for step in self.full_history() if step.player >= 0]
        known = information_text(self, game, player_id)
        while True:  # the state's own deal is among them
            other = game.new_initial_state()
            other.apply_action(numbers.pop(int(probability_sampler() * len(numbers))))
            if _retold(other, told) and information_text(other, game, player_id) == known:
                return other


def _retold(state: TressetteState, told: list[int]) -> bool:
    """Apply actions as long as they are legal; return whether all were."""
    for action in told:
        if action not in state.legal_actions():
            return False
        state.apply_action(action)
    return True
