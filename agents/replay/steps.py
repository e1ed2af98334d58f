"""A record played again step by step, each decision explained and judged; and the steps as a viewer knew them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agents.explain import Explainer, Explanation, explain
from agents.play.events import Done, Event, Watcher, heard, seen
from agents.search.regret import check_rules, judge
from tressette_env.actions import encode
from tressette_env.engine.game import Game
from tressette_env.engine.randomness import key_of
from tressette_env.records import check_record, replay_steps
from tressette_env.rules import Rules

_STREAM = 3_000_000  # of the explaining player's randomness


@dataclass(frozen=True)
class Step:
    """The table after an action, or at the beginning of a deal, or after the illegal action that ended the game.

    ``states``: the whole record, STATE_DTYPE (1,). ``done``: the action, None where there is none. ``explanation``: of
    the decision for it.
    """

    states: np.ndarray
    deal_number: int
    done: Done | None = None
    illegal_seat: int = -1
    explanation: Explanation | None = None


@dataclass(frozen=True)
class Moment:
    """A step as one viewer knew it: ``row`` is its knowledge, ``number`` the step's place in the game."""

    number: int
    row: np.void
    deal_number: int
    events: tuple[Event, ...]
    illegal_seat: int
    explanation: Explanation | None  # where the viewer may read it: of own decisions, of all with open cards


@dataclass(frozen=True)
class Story:
    """A whole game in steps; ``status`` is the record's."""

    rules: Rules
    table: np.ndarray  # the rules as kernels read them
    steps: tuple[Step, ...]
    status: str

    def moments(self, viewer: int | None) -> Iterator[Moment]:
        """Yield the steps that a viewer, a seat or None for open cards, noticed."""
        for number, step in enumerate(self.steps):
            row = seen(step.states, self.table, viewer)
            events = heard(step.done, row, self.rules, viewer) if step.done is not None else []
            if step.done is None or events:
                own = step.explanation if viewer in (None, step.done.seat if step.done else None) else None
                yield Moment(number, row, step.deal_number, tuple(events), step.illegal_seat, own)


def story_of(record: Mapping[str, Any], explainer: Explainer | None = None, regret: bool = False) -> Story:
    """Return a record in steps, explained by a player and judged against open-hand play where that is asked for.

    Raises ``NotationError`` at the first thing of the record that does not fit, ``SolverError`` where its rules have
    no open-hand values.
    """
    rules = check_record(record)
    if regret:
        check_rules(rules)
    steps: list[Step] = []
    watcher: Watcher | None = None
    game: Game | None = None
    asked: Explanation | None = None
    made = 0
    for game in replay_steps(record):
        if watcher is None:
            watcher = Watcher(game)
            steps.append(_begin(game))
        elif len(game.actions) > made:
            steps += _after_action(game, watcher, asked)
        else:
            steps.append(replace(_begin(game), illegal_seat=game.illegal_seat))
        made = len(game.actions)
        is_more = made < len(record["actions"])
        asked = _explained(game, explainer) if explainer is not None and is_more else None
    assert game is not None
    return Story(rules, game.table, tuple(_judged(steps, game) if regret else steps), record["status"])


def _begin(game: Game) -> Step:
    """Return the step at the beginning of the game's deal."""
    return Step(game.states[:1].copy(), game.num_deals)


def _after_action(game: Game, watcher: Watcher, asked: Explanation | None) -> list[Step]:
    """Return the step of the last action, and the next deal's beginning where one follows a result."""
    done = watcher.last()
    explained = None if asked is None else asked.after(game.actions[-1][1])
    step = Step(done.states, done.deal_number, done, explanation=explained)
    return [step, _begin(game)] if done.ended and game.to_act >= 0 else [step]


def _explained(game: Game, explainer: Explainer) -> Explanation:
    """Return the explanation of the decision that is due."""
    assert game.seed is not None
    return explain(game, explainer, int(key_of(game.seed, len(game.actions), _STREAM)))


def _judged(steps: Sequence[Step], game: Game) -> Iterator[Step]:
    """Yield the steps with what each card of a finished deal lost its side."""
    finished = {step.deal_number for step in steps if step.done is not None and step.done.ended}
    cards = iter([card for deal in judge(game) for card in deal.cards])
    for step in steps:
        done = step.done
        if done is None or done.action.kind != "play" or step.deal_number not in finished:
            yield step
            continue
        told = step.explanation or Explanation(done.seat, "", ())
        yield replace(step, explanation=told.after(encode(done.action, game.rules), next(cards).lost))
