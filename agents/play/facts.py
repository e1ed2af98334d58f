"""A table as plain data for the pages: what one seat knows, or all of it, with its texts in every language."""

from typing import Any

import numpy as np

from agents.explain import Explanation
from agents.play.phrases import known_team, party, relation, result_lines, trick_sixths
from agents.play.words import Words, both
from tressette_env.actions import Action, decode
from tressette_env.engine.state import OVER, PHASES
from tressette_env.rules import BIDS_OF, Rules
from tressette_env.scene import Place, Scene, Share, Trick, fraction_text, scene_of


def table_facts(row: np.void, rules: Rules, seat: int | None, deal_number: int) -> dict[str, Any]:
    """Return the table of a record as JSON-ready data: of a seat's view, or of the full record with ``seat=None``.

    Seats are in order of play from the viewer on (from seat 0 without one), cards are card ids, -1 for none or unseen;
    ``relation`` and ``due`` are keys of texts.
    """
    scene = scene_of(row, rules, seat, deal_number)
    return {
        "rules": rules.name,
        "deal": deal_number,
        "viewer": seat,
        "target": rules.target,
        "seats": [_seat(place, scene, seat, row) for place in scene.places],
        "trick": None if scene.trick is None else _trick(scene.trick),
        "tricks": [_trick(trick) for trick in scene.tricks],
        "taken": [_share(share, scene, seat) for share in scene.taken],
        "totals": [_share(share, scene, seat) for share in scene.totals],
        "trump": scene.trump_card,
        "stock": scene.stock,
        "monte": list(scene.monte),
        "auction": _auction(row, rules) if rules.auction != "none" else None,
        "result": both(lambda words: result_lines(row, scene, seat, words)) if row["phase"] == OVER else None,
    }


def action_facts(action: int, rules: Rules) -> dict[str, Any]:
    """Return an action id as JSON-ready data: its kind, its card (-1 without), its signal, and its text."""
    done: Action = decode(action, rules)
    text = both(lambda words: words.action(done))
    return {"id": action, "kind": done.kind, "card": done.card, "signal": done.signal, "text": text}


def explanation_facts(explanation: Explanation, rules: Rules) -> dict[str, Any]:
    """Return an explanation as JSON-ready data: numbers by choice, the likeliest or best first."""
    return {
        "seat": explanation.seat,
        "player": explanation.player,
        "value": explanation.value,
        "taken": explanation.taken,
        "lost": None if explanation.lost is None else fraction_text(int(6 * explanation.lost)),
        "choices": [
            action_facts(choice.action, rules) | {"probability": choice.probability, "value": choice.value}
            for choice in explanation.ranked
        ],
    }


# ---------------------------------------------------------------- parts
def _seat(place: Place, scene: Scene, viewer: int | None, row: np.void) -> dict[str, Any]:
    return {
        "seat": place.seat,
        "side": known_team(place, scene, viewer),
        "relation": relation(place, scene, viewer),
        "cards": list(place.cards),
        "count": place.count,
        "due": f"due_{PHASES[row['phase']]}" if place.due else "",
        "dealer": bool(place.deals),
        "role": both(lambda words: _role(place, scene.rules, int(row["bid"]), words)) if place.role else None,
        "bid": place.bid,
        "declared": [both(lambda words, text=text: words.declared(text)) for text in place.declared],  # type: ignore[misc]
    }


def _role(place: Place, rules: Rules, bid: int, words: Words) -> str:
    """Return what an auction made of a seat; the declarer with the highest bid."""
    return (
        words("called_partner") if place.role == "partner" else words("declarer", bid=BIDS_OF[rules.auction][bid - 1])
    )


def _trick(trick: Trick) -> dict[str, Any]:
    return {
        "plays": [{"seat": play.seat, "card": play.card, "signal": play.signal} for play in trick.plays],
        "best": trick.best,
        "finished": trick.finished,
        "points": fraction_text(trick_sixths(trick)),
    }


def _share(share: Share, scene: Scene, viewer: int | None) -> dict[str, Any]:
    return {
        "who": both(lambda words: party(share, scene, viewer, words)),
        "side": share.team,
        "points": fraction_text(share.sixths),
    }


def _auction(row: np.void, rules: Rules) -> dict[str, Any]:
    """Return what the viewer knows of an auction's called card, exchange and discards."""
    taken = row["undealt"][rules.stock : rules.stock + int(row["exchanged"])].tolist()
    return {
        "called": int(row["called"]),
        "given": int(row["given"]),
        "monte": [card for card in taken if card >= 0],
        "discards": [card for card in row["discards"].tolist() if card >= 0],
    }
