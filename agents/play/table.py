"""The table at which one person plays: the game, the players of the other seats, and what the person may know.

It knows nothing of screens. It moves on by the person's own decisions: after each, the others act until the person is
to act again or a deal is over, and what could be seen and heard of that comes back as events.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agents.explain import Explainer, Explanation, explain, explainer_of, first_explainer
from agents.play.events import Done, Event, Watcher, heard, seen
from agents.play.seating import partner_seats, players_of
from tressette_env.actions import Action, decode
from tressette_env.bots import Policy
from tressette_env.engine.game import Game
from tressette_env.engine.randomness import key_of
from tressette_env.envs.policies import policy_keys
from tressette_env.errors import TressetteError
from tressette_env.rules import Rules

_HINT_STREAM = 2_000_000  # above the streams of ``policy_keys``: a hint draws from none of the players' numbers


class StaleError(TressetteError):
    """A decision for a position that the table has left."""


class Table:
    """One person's table.

    Attributes to read: ``game``, ``rules``, ``seat`` (the person's), ``players`` (policies by seat, None for the
    person), ``turn`` (decisions of the person so far, over all deals: what the others did in silence does not count in
    it), ``events`` (what happened since, with that decision itself). ``options`` are those of ``Game.reset``.

    Raises ``UsageError`` for players that do not fit the rules, and what ``agents.entries.resolve`` raises.
    """

    def __init__(
        self,
        rules: Rules,
        seat: int = 0,
        against: Sequence[str] = ("heuristic",),
        partner: str | None = None,
        hints: str | None = None,
        episode: str = "deal",
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.rules, self.seat = rules, seat
        self.players = players_of(rules, seat, against, partner)
        nearest = [*partner_seats(rules, seat), *range(rules.num_seats)]
        others: list[Policy] = [player for other in nearest if (player := self.players[other]) is not None]
        self.hinter: Explainer = first_explainer(others, rules) if hints is None else explainer_of(hints, rules)
        self.game = Game(rules, episode=episode, seed=seed)
        if options:
            self.game.reset(seed, options)
        self.turn = 0
        self._watcher = Watcher(self.game)
        self._ended: Done | None = None  # how a deal ended, while that is on show
        self.events = self._run()

    # ---- where it stands ----
    @property
    def due(self) -> bool:
        """Whether the person is to act."""
        return self._ended is None and self.game.to_act == self.seat

    @property
    def deal_over(self) -> bool:
        """Whether a deal's result is on show; ``go_on`` leaves it."""
        return self._ended is not None or self.over

    @property
    def over(self) -> bool:
        """Whether the episode, a deal or a match, is over."""
        return self.game.to_act < 0

    @property
    def row(self) -> np.void:
        """What the person knows, a redacted STATE_DTYPE record: of the deal that is on show."""
        return seen(self.game.states[:1] if self._ended is None else self._ended.states, self.game.table, self.seat)

    @property
    def deal_number(self) -> int:
        """Number of the deal on show within the episode, from 1."""
        return self.game.num_deals if self._ended is None else self._ended.deal_number

    @property
    def played(self) -> bool:
        """Whether the person has made a decision in this episode."""
        return any(seat == self.seat for seat, _ in self.game.actions)

    def legal(self) -> dict[int, Action]:
        """Return what the person may do, by rising action id; empty when it is not to act."""
        return {action: decode(action, self.rules) for action in self.game.legal_actions()} if self.due else {}

    def record(self) -> dict[str, Any]:
        """Return the episode so far as a record. It holds every hand: not for the person before the end."""
        return self.game.record()

    def hint(self) -> Explanation:
        """Return what the hinting player makes of the person's decision, from the person's view alone.

        Raises ``TressetteError`` when the person is not to act.
        """
        if not self.due:
            raise TressetteError("there is nothing to hint at: it is not your turn")
        assert self.game.seed is not None
        return explain(self.game, self.hinter, int(key_of(self.game.seed, self.turn, _HINT_STREAM)))

    # ---- moving on ----
    def act(self, action: int, turn: int | None = None) -> list[Event]:
        """Apply the person's action id, let the others act, and return what happened, the own action first.

        ``turn``: the value of ``turn`` that the decision was made for. Raises ``StaleError`` where the table has moved
        on since, ``IllegalActionError`` for an action that is not legal.
        """
        self._check_turn(turn)
        if not self.due:
            raise StaleError("it is not your turn: wait for the others, or go on to the next deal")
        first = self._step(action)
        self.turn += 1
        self.events = first + self._run()
        return self.events

    def go_on(self, turn: int | None = None) -> list[Event]:
        """Leave the result of a deal: to the next deal of the match, or to another episode with the next deal's cards.

        Raises ``StaleError`` while a deal is being played.
        """
        self._check_turn(turn)
        if not self.deal_over:
            raise StaleError("the deal is not over: play it to its end first")
        if self.over:
            self.game.reset()
            self._watcher = Watcher(self.game)
        self.turn += 1
        self._ended = None
        self.events = self._run()
        return self.events

    def _check_turn(self, turn: int | None) -> None:
        if turn is not None and turn != self.turn:
            raise StaleError("the table has moved on since: look again and choose anew")

    def _run(self) -> list[Event]:
        """Let the others act until the person is to act or the deal is over."""
        events: list[Event] = []
        while self._ended is None and self.game.to_act not in (self.seat, -1):
            policy = self.players[self.game.to_act]
            assert policy is not None
            events += self._step(policy.act(self.game.view(self.game.to_act), self.game.table, self._key()))
        return events

    def _key(self) -> int:
        """Return the key that drives the other seats: the one that the single-agent environments use."""
        assert self.game.seed is not None
        key = np.empty(1, np.uint64)
        policy_keys(np.array([self.game.seed]), np.array([self.game.k]), np.array([len(self.game.actions)]), key)
        return int(key[0])

    def _step(self, action: int) -> list[Event]:
        """Apply an action of the seat to act; return what the person sees and hears of it."""
        self.game.step(action)
        done = self._watcher.last()
        if done.ended:
            self._ended = done
        return heard(done, self.row, self.rules, self.seat)
