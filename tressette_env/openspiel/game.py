"""The OpenSpiel game `python_tressette`: its parameters, type and bounds, and its registration."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyspiel  # type: ignore[import-untyped, import-not-found, unused-ignore]

from tressette_env.cards import to_bits
from tressette_env.deals import Dealing
from tressette_env.engine.entry import begin_match
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.errors import RulesError, TressetteError
from tressette_env.openspiel.limits import is_zero_sum, max_decisions, utility_range
from tressette_env.openspiel.observer import PublicObserver, TressetteObserver, make_observer
from tressette_env.openspiel.state import TressetteState
from tressette_env.presets import make_rules
from tressette_env.rules import DOMAINS, MAX_SEATS, Rules

SHORT_NAME = "python_tressette"
PARAMETERS: dict[str, Any] = {"rules": "tressette", "signal_mode": "preset", "chance": "auto", "dealer": -1}
CHANCE_MODES = ("auto", "deals", "cards")
AUTO_DEALS = 5_000  # `auto` lists the deals up to so many
MAX_DEALS = 400_000


def game_type(zero_sum: bool = True) -> Any:
    """Return the ``pyspiel.GameType``; the utility is general-sum only for fixed sides of different sizes."""
    kind = pyspiel.GameType
    return kind(
        short_name=SHORT_NAME,
        long_name="Python Tressette",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if zero_sum else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=MAX_SEATS,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )


class TressetteGame(pyspiel.Game):  # type: ignore[misc, unused-ignore]
    """Tressette and its family for OpenSpiel: ``pyspiel.load_game("python_tressette(rules=mini_2p)")``.

    Attributes to read: ``rules``, ``table`` (the kernels' rules, (1,)), ``dealer``, ``dealing`` (the chance nodes),
    ``by_deals`` (one chance node for the whole deal), ``blank`` (the record before a deal is laid, (1,)).

    Raises ``TressetteError`` that names a parameter that does not fit; unknown names and wrong types are OpenSpiel's
    to refuse, with a ``pyspiel.SpielError``.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        values = PARAMETERS | dict(params or {})
        rules = _rules(values["rules"], values["signal_mode"])
        dealer = _dealer(values["dealer"], rules)
        dealing = Dealing(rules, dealer)
        by_deals = _by_deals(values["chance"], dealing)
        zero_sum = is_zero_sum(rules)
        super().__init__(game_type(zero_sum), _info(dealing, by_deals, zero_sum), dict(params or {}))
        self.rules, self.dealer, self.dealing, self.by_deals = rules, dealer, dealing, by_deals
        self.table = rules.table("deal", "deal")
        self.blank = np.zeros(1, STATE_DTYPE)
        begin_match(self.blank, self.table, dealer)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Pickle by name and parameters; OpenSpiel's own way would lose the attributes."""
        return load, (str(self),)

    def new_initial_state(self) -> TressetteState:
        """Return the state before the cards are dealt."""
        return TressetteState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> TressetteObserver | PublicObserver:
        """Return an observer with ``tensor``, ``dict``, ``set_from`` and ``string_from``."""
        return make_observer(self, iig_obs_type, params)

    @cached_property
    def all_deals(self) -> list[tuple[int, float]]:
        """The outcomes of the one chance node: (number of the deal, probability)."""
        return [(number, 1.0 / self.dealing.count) for number in range(self.dealing.count)]

    def deals_of_hand(self, seat: int, hand: int) -> list[int]:
        """Return the numbers of the deals that give a seat this hand (bit set).

        Raises ``TressetteError`` where deals are not listed, or where others act unseen.
        """
        if not self.by_deals:
            raise TressetteError(
                f"what a seat cannot see is redrawn only where chance = deals: the rules {self.rules.name!r} have "
                f"{self.dealing.count:,} deals and are dealt card by card"
            )
        if self.rules.declare == "voluntary" or self.rules.annul != "off" or self.rules.exchange_cards:
            raise TressetteError(
                f"what a seat cannot see is not redrawn under the rules {self.rules.name!r}: "
                "others declare, annul or discard unseen"
            )
        return self._numbers.get((seat, hand), [])

    @cached_property
    def _numbers(self) -> dict[tuple[int, int], list[int]]:
        """The numbers of the deals by (seat, its hand)."""
        found: dict[tuple[int, int], list[int]] = {}
        for number in range(self.dealing.count):
            for seat, hand in enumerate(self.dealing.nth(number).hands):
                found.setdefault((seat, to_bits(hand)), []).append(number)
        return found


# ---------------------------------------------------------------- parameters
def _rules(spec: Any, signal_mode: Any) -> Rules:
    rules = make_rules(spec)
    if signal_mode == "preset":
        return rules
    known = DOMAINS["signal_mode"]
    if signal_mode not in known:
        raise RulesError(f"signal_mode = {signal_mode!r} is not one of preset, {', '.join(known)}")
    changed = replace(rules, signal_mode=signal_mode)
    return rules if changed == rules else replace(changed, name=f"{rules.name}*")


def _dealer(dealer: int, rules: Rules) -> int:
    last = rules.num_seats - 1
    if not -1 <= dealer <= last:
        raise TressetteError(f"dealer = {dealer} is not a seat: give a number from 0 to {last}, or -1 for the last")
    return dealer if dealer >= 0 else last


def _by_deals(chance: str, dealing: Dealing) -> bool:
    if chance not in CHANCE_MODES:
        raise TressetteError(f"chance = {chance!r} is not one of {', '.join(CHANCE_MODES)}")
    if chance == "deals" and dealing.count > MAX_DEALS:
        raise TressetteError(
            f"the rules {dealing.rules.name!r} have {dealing.count:,} deals, too many for one chance node "
            f"(at most {MAX_DEALS:,}): use chance = cards"
        )
    return chance == "deals" or (chance == "auto" and dealing.count <= AUTO_DEALS)


def _info(dealing: Dealing, by_deals: bool, zero_sum: bool) -> Any:
    """Return the ``pyspiel.GameInfo``. OpenSpiel takes the game's length as a bound of the chance nodes too."""
    rules = dealing.rules
    low, high = utility_range(rules)
    return pyspiel.GameInfo(
        num_distinct_actions=rules.blocks.num_actions,
        max_chance_outcomes=dealing.count if by_deals else max(rules.deck) + 1,
        num_players=rules.num_seats,
        min_utility=low,
        max_utility=high,
        utility_sum=0.0 if zero_sum else None,
        max_game_length=max(max_decisions(rules), 1 if by_deals else dealing.chance_nodes),
    )


def load(text: str) -> TressetteGame:
    """Return the game that ``str(game)`` names."""
    game: TressetteGame = pyspiel.load_game(text)
    return game


def register() -> None:
    """Make the game known to ``pyspiel.load_game``, once."""
    if SHORT_NAME not in pyspiel.registered_names():
        pyspiel.register_game(game_type(), TressetteGame)
