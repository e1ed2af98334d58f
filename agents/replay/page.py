"""A story as one HTML file that needs nothing else: pictures, style, script and every step inside."""

from collections.abc import Sequence
from typing import Any

from agents.play.facts import explanation_facts, table_facts
from agents.play.pages import asset, card_uri, data_text, fill, words_data
from agents.play.phrases import event_line, result_lines, trick_line, who
from agents.play.words import Words, both
from agents.replay.steps import Moment, Story
from tressette_env.engine.state import OVER
from tressette_env.scene import scene_of


def page_of(story: Story, viewer: int | None = None, language: str = "en") -> str:
    """Return a story as HTML: as one seat saw it, or (None) with open cards and the view of every seat to choose.

    Raises ``MissingExtraError`` where Pillow cannot be imported.
    """
    viewers: Sequence[int | None] = [None, *range(story.rules.num_seats)] if viewer is None else [viewer]
    views = [_view(story, one) for one in viewers]
    data = {
        "views": views,
        "explanations": _explanations(story, viewer),
        "status": story.status,
        "cards": {str(card): card_uri(None if card < 0 else card) for card in (-1, *story.rules.deck)},
    }
    return fill(
        "replay.html",
        language=language,
        title=f"Tressette: {story.rules.name}",
        style=asset("table.css") + asset("replay.css"),
        words=data_text(words_data()),
        data=data_text(data),
        script=asset("table.js") + asset("replay.js"),
    )


def _view(story: Story, viewer: int | None) -> dict[str, Any]:
    moments = list(story.moments(viewer))
    return {
        "viewer": viewer,
        "name": both(lambda words: words("page_open") if viewer is None else words.seat(viewer)),
        "moments": [_moment(moment, story, viewer) for moment in moments],
        "results": [both(lambda words, m=m: _result(m, story, viewer, words)) for m in moments if _ends(m)],  # type: ignore[misc]
    }


def _moment(moment: Moment, story: Story, viewer: int | None) -> dict[str, Any]:
    """Return one step: its place in the game, the table (finished tricks left out) and what was done."""
    facts = table_facts(moment.row, story.rules, viewer, moment.deal_number)
    return {
        "step": moment.number,
        "table": facts | {"tricks": []},
        "lines": both(lambda words: moment_lines(moment, viewer, words)),
        "explained": moment.explanation is not None,
    }


def moment_lines(moment: Moment, viewer: int | None, words: Words) -> list[str]:
    """Return what was done in a moment, line by line."""
    if moment.illegal_seat >= 0:
        return [words("illegal", who=who(moment.illegal_seat, viewer, words))]
    if not moment.events:
        return [words("dealt")]
    lines = []
    for event in moment.events:
        lines.append(event_line(event, viewer, words))
        if event.taker >= 0:
            lines.append(trick_line(event.trick, event.taker, event.sixths, viewer, words))
    return lines


def _ends(moment: Moment) -> bool:
    return bool(moment.row["phase"] == OVER)


def _result(moment: Moment, story: Story, viewer: int | None, words: Words) -> list[str]:
    scene = scene_of(moment.row, story.rules, viewer, moment.deal_number)
    return result_lines(moment.row, scene, viewer, words)


def _explanations(story: Story, viewer: int | None) -> dict[str, Any]:
    """Return what is told of the decisions that the viewer may read, by step."""
    told = ((moment.number, moment.explanation) for moment in story.moments(viewer))
    return {str(number): explanation_facts(found, story.rules) for number, found in told if found is not None}
