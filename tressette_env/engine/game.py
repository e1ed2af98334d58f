"""One game for people, tests and search: validates at the border, keeps seed, deal number, deals and results.

The rules are the kernels'; what this module calls of them is in `entry`.
"""

import operator
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tressette_env.engine import recording, saved
from tressette_env.engine.batch import FINISHED, RUNNING
from tressette_env.engine.dealing import first_dealer
from tressette_env.engine.entry import (
    ENDED,
    PAID,
    WORDS,
    begin_match,
    deal_of_record,
    deal_one,
    lay_one,
    next_dealer,
    record_of_deal,
    refresh_one,
    result_of_record,
    step_one,
    view_one,
)
from tressette_env.engine.state import OVER, STATE_DTYPE
from tressette_env.engine.text import information_state
from tressette_env.errors import GameOverError, IllegalActionError, NotationError, RulesError, TressetteError, nearest
from tressette_env.notation import Deal, action_texts, format_action, format_deal, parse_action, parse_deal
from tressette_env.presets import make_rules
from tressette_env.rules import EPISODES, MAX_SEATS, REWARDS, Rules

MAX_SEED = 2**63 - 1
RESET_OPTIONS = ("deal", "dealer", "history")


# ---------------------------------------------------------------- the game
class Game:
    """One episode after another of some rules, one action at a time.

    Attributes to read: ``rules``, ``table`` (the kernels' rules, (1,)), ``states`` (row 0 is the game's record),
    ``seed``, ``k`` (of the current deal), ``to_act`` (seat, -1 when over), ``status`` (0 running, 1 finished,
    2 truncated), ``paid`` (whether the last action paid anything), ``rewards`` (float64 (5,), valid when ``paid``),
    ``mask`` (int8 (A,), overwritten by the next action), ``actions`` ((seat, action id) of the episode).

    Raises ``RulesError`` for unknown rules or options that do not fit together.

    >>> game = Game("gamelake", seed=3)
    >>> game.step(game.legal_actions()[0])
    >>> len(game.actions)
    1
    """

    def __init__(
        self, rules: Any = "tressette", *, episode: str = "deal", reward: str = "deal", seed: int | None = None
    ) -> None:
        for name, value, known in (("episode", episode, EPISODES), ("reward", reward, REWARDS)):
            if value not in known:
                raise RulesError(f"{name} = {value!r} is not one of {', '.join(known)}")
        if reward == "match" and episode != "match":
            raise RulesError(f"reward = 'match' needs episode = 'match', not {episode!r}")
        self.rules: Rules = make_rules(rules)
        self.episode, self.reward = episode, reward
        self.num_actions = self.rules.blocks.num_actions
        self.table = self.rules.table(episode, reward)
        self.states = np.zeros(2, STATE_DTYPE)
        self.words = np.zeros(WORDS, np.int64)
        self.mask = np.zeros(self.num_actions, np.int8)
        self.rewards = np.zeros(MAX_SEATS)
        self.seed: int | None = None
        self.k = -1
        self.status = RUNNING
        self.to_act = -1
        self.paid = False
        self.illegal_seat = -1  # seat whose illegal action ended the episode
        self.actions: list[tuple[int, int]] = []
        self._laid: list[tuple[int, np.ndarray]] = []  # (k, record after laying) of every deal of the episode
        self._finished: list[np.ndarray] = []  # record at the end of every deal with a result
        self._given: list[np.ndarray] = []  # deals of the reset options still to be laid
        self._deal_start = 0  # index in `actions` of the current deal's first
        self.reset(seed)

    # ---- beginning ----
    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode. With a seed its deal 0 is next; without, the next deal of the last seed.

        ``options``: ``deal`` (text, or a list with one per deal), ``dealer`` (seat), ``history`` (action texts to
        apply). Raises ``TressetteError`` at the first thing that does not fit, and leaves the game as it was.
        """
        backup = self.__dict__ | {name: self.__dict__[name].copy() for name in ("states", "words", "mask", "rewards")}
        try:
            self._reset(seed, _checked_options(options))
        except Exception:
            self.__dict__.update(backup)
            raise

    def _reset(self, seed: int | None, options: Mapping[str, Any]) -> None:
        if seed is not None:
            self.seed, self.k = checked_seed(seed), -1
        elif self.seed is None:
            self.seed = secrets.randbits(62)
        deals = [parse_deal(text, self.rules) for text in self._deal_texts(options.get("deal"))]
        self._start(deals, self._first_dealer(options.get("dealer"), deals))
        for place, text in enumerate(options.get("history") or ()):
            try:
                self.step(parse_action(text, self.rules))
            except (TressetteError, GameOverError) as error:
                raise type(error)(f"history action {place}, {text!r}: {error}") from None
        self.paid = False
        self.rewards[:] = 0.0

    def _deal_texts(self, given: Any) -> list[Any]:
        """Return the deal texts of the option ``deal``: none, one, or one per deal."""
        if given is None or isinstance(given, str):
            return [] if given is None else [given]
        if not isinstance(given, (list, tuple)) or not given:
            raise TressetteError(f"the option deal = {given!r} is not a text or a list of texts, one per deal")
        if len(given) > 1 and self.episode == "deal" and not self.can_redeal:
            raise TressetteError(f"the option deal has {len(given)} deals, but the episode is one deal: give one text")
        return list(given)

    @property
    def can_redeal(self) -> bool:
        """Whether a deal of these rules can be abandoned and dealt again."""
        return self.rules.annul != "off" or self.rules.auction != "none"

    def start_from(self, seed: int, k: int, deals: Sequence[Deal], dealer: int) -> None:
        """Begin an episode at deal k of a seed with the given deals first: what a replay needs."""
        self.seed, self.k = checked_seed(seed), k - 1
        self._start(deals, dealer)

    def _start(self, deals: Sequence[Deal], dealer: int) -> None:
        """Begin an episode at the next k with the given deals first; dealer -1 draws it from (seed, k)."""
        self.actions, self._laid, self._finished = [], [], []
        self._given = [record_of_deal(deal) for deal in deals]
        self.status, self.illegal_seat = RUNNING, -1
        if dealer < 0:
            dealer = int(first_dealer(self.seed, self.k + 1, self.rules.num_seats))
        begin_match(self.states, self.table, dealer)
        self._lay()

    def _first_dealer(self, dealer: Any, deals: Sequence[Deal]) -> int:
        """Return the checked dealer of the first deal, -1 to draw it: a given trump card tells who deals."""
        n = self.rules.num_seats
        if dealer is not None:
            if isinstance(dealer, bool) or not isinstance(dealer, (int, np.integer)) or not 0 <= dealer < n:
                raise TressetteError(f"the option dealer = {dealer!r} is not a seat: give a number from 0 to {n - 1}")
            return int(dealer)
        if deals and deals[0].trump_card >= 0:
            return next(seat for seat, hand in enumerate(deals[0].hands) if deals[0].trump_card in hand)
        return -1

    def _lay(self) -> None:
        """Lay the next deal: the next given one, else deal k of the seed."""
        self.k += 1
        self._deal_start = len(self.actions)
        if self._given:
            self._check_trump()
            self.to_act = int(lay_one(self.states, self.table, self.words, self._given[0], self.mask))
            self._given = self._given[1:]
        else:
            self.to_act = int(deal_one(self.states, self.table, self.words, self.seed, self.k, self.mask))
        self._laid.append((self.k, self.states[:1].copy()))

    def _check_trump(self) -> None:
        cards, dealer = self._given[0][0], int(self.states[0]["dealer"])
        if cards["trump_card"] >= 0 and not int(cards["hands"][dealer]) >> int(cards["trump_card"]) & 1:
            text = format_deal(deal_of_record(cards, self.rules))
            raise NotationError(f"the trump of {text!r} is not held by its dealer, seat {dealer}: exchange the hands")

    # ---- playing ----
    def step(self, action: int) -> None:
        """Apply an action id of the seat to act.

        Raises ``IllegalActionError`` for one that is not legal now (the game is unchanged) and ``GameOverError``
        when the episode is over.
        """
        try:
            action = operator.index(action)
        except TypeError:
            raise self._illegal(action) from None
        if self._given and self.to_act >= 0:
            return self._careful_step(action)
        self._step(action)

    def _step(self, action: int) -> None:
        if not 0 <= action < self.num_actions:
            raise self._illegal(action)
        answer = step_one(self.states, self.table, self.words, action, self.mask, self.rewards)
        if answer < 0:
            raise self._illegal(action)
        self.actions.append((self.to_act, action))
        if answer < PAID:
            self.paid = False
            self.to_act = answer
            return
        self.paid = True
        if answer < ENDED:
            self.to_act = answer - PAID
            return
        self._end_deal(answer - PAID - ENDED)

    def _careful_step(self, action: int) -> None:
        """Step while given deals wait: one whose trump its dealer does not hold must leave the game as it was."""
        kept = ("states", "words", "mask", "rewards", "actions", "_laid", "_finished")
        backup = self.__dict__ | {name: self.__dict__[name].copy() for name in kept}
        try:
            self._step(action)
        except NotationError:
            self.__dict__.update(backup)
            raise

    def _end_deal(self, status: int) -> None:
        if not self.states[0]["abandoned"]:
            self._finished.append(self.states[:1].copy())
        self.status = status
        self.to_act = -1
        if status == RUNNING:
            next_dealer(self.states, self.table)
            self._lay()

    def forfeit(self) -> None:
        """End the episode because the seat to act tried an illegal action: its side (in auction games the seat
        alone) pays the deal's whole total.

        The rewards are zero-sum by the rule of every reward (own side minus the mean of the others); with
        ``reward = match`` the stake is 1. Raises ``GameOverError`` when the episode is over.
        """
        if self.to_act < 0:
            raise self._over()
        self.illegal_seat = self.to_act
        stake = 1.0 if self.reward == "match" else float(self.rules.whole_total)
        row = self.states[0]
        n = self.rules.num_seats
        competitors = list(range(n)) if self.rules.sides == "auction" else row["side_of"][:n].tolist()
        gain = stake / (self.rules.num_competitors - 1)
        self.rewards[:n] = [-stake if own == competitors[self.to_act] else gain for own in competitors]
        self.paid, self.status, self.to_act = True, FINISHED, -1
        row["phase"], row["to_act"] = OVER, -1
        refresh_one(self.states, self.table, self.words, self.mask)

    def _over(self) -> GameOverError:
        return GameOverError(f"the game is over, nobody is to act: reset it to play on; position: {self.position()}")

    def _illegal(self, action: Any) -> Exception:
        if self.to_act < 0:
            return self._over()
        is_id = isinstance(action, (int, np.integer)) and 0 <= action < self.num_actions
        name = repr(format_action(int(action), self.rules)) if is_id else "no action of these rules"
        return IllegalActionError(
            f"action {action!r} ({name}) is not legal for seat {self.to_act}: choose one of "
            f"{', '.join(self.legal_action_texts())}; position: {self.position()}"
        )

    # ---- reading ----
    def legal_actions(self) -> list[int]:
        """Return the ids that the seat to act may take, rising; empty when over."""
        return np.flatnonzero(self.mask).tolist() if self.to_act >= 0 else []

    def legal_action_texts(self) -> list[str]:
        """Return the texts of ``legal_actions()``."""
        texts = action_texts(self.rules)
        return [texts[action] for action in self.legal_actions()]

    @property
    def dealer(self) -> int:
        """Dealer of the current deal."""
        return int(self._laid[-1][1][0]["dealer"])

    @property
    def num_deals(self) -> int:
        """Deals laid in the episode so far, abandoned ones inside."""
        return len(self._laid)

    def deal_text(self) -> str:
        """Return the current deal as dealt."""
        return format_deal(deal_of_record(self._laid[-1][1][0], self.rules))

    @property
    def results(self) -> list[dict[str, Any]]:
        """One entry per finished deal of the episode: see the interface, ``results``."""
        return [result_of_record(row[0], self.rules) for row in self._finished]

    @property
    def finished(self) -> list[np.ndarray]:
        """The records, STATE_DTYPE (1,), at the end of the episode's deals with a result, in order."""
        return [row.copy() for row in self._finished]

    def view(self, seat: int) -> np.ndarray:
        """Return what a seat knows as a fresh record, STATE_DTYPE (1,)."""
        out = np.empty(1, STATE_DTYPE)
        view_one(self.states, self.table, seat, out)
        return out

    def information_state_string(self, seat: int) -> str:
        """Return all that a seat knows as text, with perfect recall; built from its view alone."""
        return information_state(self.view(seat)[0], self.rules, seat)

    def position(self) -> str:
        """Return the current deal and its actions in notation, so that one line reproduces it."""
        texts = action_texts(self.rules)
        history = ", ".join(texts[action] for _, action in self.actions[self._deal_start :])
        return f"dealer {self.dealer}, deal {self.deal_text()!r}, history [{history}]"

    def record(self) -> dict[str, Any]:
        """Return the episode so far as plain data for one line of JSON: see `records`."""
        return recording.record_of(self)

    # ---- saving ----
    def get_state(self) -> np.ndarray:
        """Return everything needed to go on from here, uint8 (N,): the record, seed, deals, results and actions."""
        return saved.pack(self)

    def set_state(self, state: np.ndarray) -> None:
        """Go on from what ``get_state`` returned under the same rules. Raises ``TressetteError`` for anything else."""
        saved.unpack(self, state)
        self.to_act = int(refresh_one(self.states, self.table, self.words, self.mask))


def _checked_options(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if options is not None and not isinstance(options, Mapping):
        raise TressetteError(f"options = {options!r} is not a mapping: use {', '.join(RESET_OPTIONS)} as its keys")
    for name in options or {}:
        # Foreign options pass (PettingZoo's api_test and wrappers send some), but not a misspelt one of ours.
        hint = "" if name in RESET_OPTIONS else nearest(str(name), list(RESET_OPTIONS))
        if hint:
            raise TressetteError(f"unknown reset option {name!r}{hint}: use {', '.join(RESET_OPTIONS)}")
    history = (options or {}).get("history")
    if history is not None and not isinstance(history, (list, tuple)):
        raise TressetteError(f"the option history = {history!r} is not a list of action texts such as ['3c', '4c']")
    return options or {}


def checked_seed(seed: Any) -> int:
    """Return a seed as an int. Raises ``TressetteError`` for anything but a whole number from 0 to ``MAX_SEED``."""
    try:
        value = operator.index(seed)
    except TypeError:
        raise TressetteError(f"seed = {seed!r} is not a whole number: give one from 0 to {MAX_SEED}") from None
    if not 0 <= value <= MAX_SEED:
        raise TressetteError(f"seed = {value} is out of range: give a whole number from 0 to {MAX_SEED}")
    return value
