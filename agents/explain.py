"""Why a player does what it does: probabilities and values of the legal actions of one decision, from its view alone.

What is told is what a player has. Networks and tables have probabilities: a network's are its softmax, also where it
plays the likeliest action. Of the bots, `random` draws evenly among what it allows itself, `simple` and `heuristic`
put everything on one action. `mc`, `pimc` and `ismcts` have values in points. A policy checkpoint holds the actor alone
(the critic stays in the trainer's state, and by default it sees all hands), so networks tell no value.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from agents.distill.judge import Judge
from agents.entries import resolve
from agents.search.ismcts import NODE_DTYPE, SEARCH_DTYPE, ismcts_rows
from tressette_env.bots import BOTS, KernelPolicy, Policy
from tressette_env.bots.base import BotError, parse_options
from tressette_env.engine.game import Game
from tressette_env.rules import Rules

FALLBACK = "mc"  # explains where nobody at the table can
_WITH_VALUES = ("mc", "pimc")


@dataclass(frozen=True)
class Choice:
    """One legal action: how likely the player takes it, and what it is worth to its seat, in points."""

    action: int
    probability: float | None = None
    value: float | None = None


@dataclass(frozen=True)
class Explanation:
    """One decision as a player sees it; ``choices`` by rising action id.

    ``value``: what the position is worth to the seat, in points; None where the player has no values. ``taken`` and
    ``lost`` are filled in for a decision of the past: the action, and the points that the card lost its side against
    open-hand play (``search.regret``), None where that is not known.
    """

    seat: int
    player: str
    choices: tuple[Choice, ...]
    value: float | None = None
    taken: int | None = None
    lost: Fraction | None = None

    @property
    def ranked(self) -> list[Choice]:
        """The choices, the likeliest first, among equals the one of the highest value."""
        return sorted(
            self.choices,
            key=lambda choice: (-(choice.probability or 0.0), -(choice.value if choice.value is not None else -np.inf)),
        )

    def after(self, action: int, lost: Fraction | None = None) -> "Explanation":
        """Return the explanation with what was done."""
        return replace(self, taken=action, lost=lost)


class Explainer(Protocol):
    """Explains decisions; ``name`` is the player's."""

    name: str

    def explain(self, view: np.ndarray, table: np.ndarray, legal: Sequence[int], key: int) -> Explanation:
        """Return what the player makes of one view, STATE_DTYPE (1,), whose seat may take the ``legal`` action ids.

        table: the rules as kernels read them, RULES_DTYPE (1,). key: the player's randomness, as a policy takes it.
        """


def explain(game: Game, explainer: Explainer, key: int = 0) -> Explanation:
    """Return what a player makes of the decision that is due in a game, seen from the seat to act alone.

    >>> game = Game("tressette", seed=4)
    >>> found = explain(game, explainer_of("heuristic", game.rules))
    >>> found.seat == game.to_act, sum(choice.probability for choice in found.choices)
    (True, 1.0)
    """
    return explainer.explain(game.view(game.to_act), game.table, game.legal_actions(), key)


def explainer_of(player: str | Policy, rules: Rules) -> Explainer:
    """Return what explains a player, given by name as ``agents.entries.resolve`` takes it or as a policy.

    Raises ``BotError`` for one that has neither probabilities nor values, and what ``resolve`` raises.
    """
    policy: Any = resolve(player, rules, greedy=False) if isinstance(player, str) else player
    if hasattr(policy, "probabilities"):
        return _Probabilities(policy)
    kind = str(policy.name).strip().partition(":")[0]
    if isinstance(policy, KernelPolicy) and kind in BOTS:
        return _Bot(policy)
    if kind in _WITH_VALUES:
        return _Values(policy)
    if kind == "ismcts":
        return _Tree(policy)
    raise BotError(f"the player {policy.name!r} tells neither probabilities nor values: explain by mc or a network")


def first_explainer(policies: Sequence[Policy], rules: Rules) -> Explainer:
    """Return the explainer of the first policy that has something to tell (`random` has not), else of `mc`."""
    for policy in policies:
        if policy.name.partition(":")[0] != "random":
            try:
                return explainer_of(policy, rules)
            except BotError:
                continue
    return explainer_of(FALLBACK, rules)


class _Probabilities:
    """A network or a table."""

    def __init__(self, policy: Any) -> None:
        self.name = str(policy.name)
        self._policy = copy(policy)
        self._policy.greedy = False  # of a greedy network: what it would draw from

    def explain(self, view: np.ndarray, table: np.ndarray, legal: Sequence[int], key: int) -> Explanation:
        row = self._policy.probabilities(view, table)[0]
        choices = tuple(Choice(action, float(row[action])) for action in legal)
        return Explanation(int(view[0]["to_act"]), self.name, choices)


class _Bot:
    """A bot of the package: one action for certain, or an even draw."""

    def __init__(self, policy: KernelPolicy) -> None:
        self.name = policy.name
        self._policy = policy
        kind, _, options = policy.name.strip().partition(":")
        self._draws = kind == "random"
        self._signals = parse_options(options, BOTS[kind].options, f"the bot {kind!r}").get("signals", True)

    def explain(self, view: np.ndarray, table: np.ndarray, legal: Sequence[int], key: int) -> Explanation:
        taken = self._drawn_from(legal, table) if self._draws else [self._policy.act(view, table, key)]
        choices = tuple(Choice(action, (action in taken) / len(taken)) for action in legal)
        return Explanation(int(view[0]["to_act"]), self.name, choices)

    def _drawn_from(self, legal: Sequence[int], table: np.ndarray) -> Sequence[int]:
        """Return what `random` draws from: without signals no play above the silent ones."""
        signalled = range(40, 40 * (1 + int(table[0]["num_signals"])))
        return legal if self._signals else [action for action in legal if action not in signalled]


class _Values:
    """`mc` or `pimc`: the mean value of every candidate over the same sampled worlds."""

    def __init__(self, policy: Policy) -> None:
        self.name = policy.name
        self._judge = Judge(policy.name)

    def explain(self, view: np.ndarray, table: np.ndarray, legal: Sequence[int], key: int) -> Explanation:
        actions, values = self._judge.judge(view, table, np.array([key], np.uint64))
        known = {int(a): float(v) for a, v in zip(actions[0], values[0], strict=True) if a >= 0 and not np.isnan(v)}
        return _valued(int(view[0]["to_act"]), self.name, legal, known)


class _Tree:
    """`ismcts`: the mean value of the iterations that went through each action."""

    def __init__(self, policy: Any) -> None:
        self.name = str(policy.name)
        self._options = policy.options
        self._tree = np.zeros(int(policy.options[0]) + 2, NODE_DTYPE)
        self._search = np.zeros(1, SEARCH_DTYPE)

    def explain(self, view: np.ndarray, table: np.ndarray, legal: Sequence[int], key: int) -> Explanation:
        out, counts = np.empty(1, np.int64), np.zeros(2, np.int64)
        keys = np.array([key], np.uint64)
        ismcts_rows(self._tree, self._search, view, table, keys, self._options, counts, out)
        plays = 40 * (1 + int(table[0]["num_signals"]))
        means = self._means()
        known = {a: means[at] for a in legal if (at := a % 40 if a < plays else a) in means}
        return _valued(int(view[0]["to_act"]), self.name, legal, known)

    def _means(self) -> dict[int, float]:
        """Return the mean value of every child of the root: by card, or by the id of another action."""
        found, node = {}, self._tree[int(self._tree[0]["child"])]
        while node["visits"]:
            found[int(node["key"])] = float(node["total"] / node["visits"])
            node = self._tree[int(node["sibling"])]
        return found


def _valued(seat: int, name: str, legal: Sequence[int], known: dict[int, float]) -> Explanation:
    choices = tuple(Choice(action, value=known.get(action)) for action in legal)
    return Explanation(seat, name, choices, value=max(known.values(), default=None))
