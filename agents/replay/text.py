"""A story as text: the table at the beginning and the end of every deal, and a line for every action between."""

from collections.abc import Iterator

from agents.explain import Choice, Explanation
from agents.play.phrases import result_lines
from agents.play.words import Words
from agents.replay.page import moment_lines
from agents.replay.steps import Moment, Story
from tressette_env.actions import decode
from tressette_env.engine.state import OVER
from tressette_env.render import table_text
from tressette_env.rules import Rules
from tressette_env.scene import fraction_text, scene_of

_NOTE_COLUMN = 44


def text_of(story: Story, viewer: int | None, words: Words, colour: bool = False) -> Iterator[str]:
    """Yield a story line by line, as one seat saw it or (None) with open cards."""
    for moment in story.moments(viewer):
        lines = moment_lines(moment, viewer, words)
        if moment.explanation is not None:
            lines[0] = f"{lines[0].ljust(_NOTE_COLUMN)} {note(moment.explanation, story.rules, words)}"
        yield from lines
        over = moment.row["phase"] == OVER
        if over or not moment.events or moment.events[-1].redealt:
            yield from ("", *_table(moment, story, viewer, colour), "")
        if over:
            scene = scene_of(moment.row, story.rules, viewer, moment.deal_number)
            yield from (*result_lines(moment.row, scene, viewer, words), "")
    if story.status == "running":
        yield words("unfinished")


def _table(moment: Moment, story: Story, viewer: int | None, colour: bool) -> list[str]:
    return table_text(moment.row, story.rules, viewer, moment.deal_number, colour=colour).splitlines()


def note(explanation: Explanation, rules: Rules, words: Words) -> str:
    """Return the numbers of the action that was taken, and the player's favourite where it likes another more.

    A probability in per cent, a value in points, what the card lost against open hands.
    """
    taken = next((choice for choice in explanation.choices if choice.action == explanation.taken), None)
    best = explanation.ranked[0] if explanation.choices else None
    parts = [_numbers(taken)]
    if best is not None and _numbers(best) != _numbers(taken):
        said = words.action(decode(best.action, rules))
        parts.append(words("favourite", what=f"{said} {_numbers(best)}".strip()))
    if explanation.lost is not None:
        parts.append(words("lost", points=fraction_text(int(6 * explanation.lost))))
    return "; ".join(part for part in parts if part)


def _numbers(choice: Choice | None) -> str:
    if choice is None:
        return ""
    share = "" if choice.probability is None else f"{choice.probability:.0%}"
    value = "" if choice.value is None else f"{choice.value:+.2f}"
    return f"{share} {value}".strip()
