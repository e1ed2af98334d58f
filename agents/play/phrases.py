"""What is said of a table: who is who to its viewer, what a seat did, how a deal ended.

A viewer is the seat of the person, or None where all cards lie open to someone outside the game.
"""

import numpy as np

from agents.play.events import Event
from agents.play.words import Words
from tressette_env.cards import NUM_RANKS, RANK_SIXTHS
from tressette_env.engine.state import BY_MONTE
from tressette_env.scene import Place, Scene, Share, Trick, fraction_text


def who(seat: int, viewer: int | None, words: Words) -> str:
    """Return what the viewer calls a seat."""
    return words("you") if seat == viewer else words.seat(seat)


def known_team(place: Place, scene: Scene, viewer: int | None) -> int:
    """Return the side of a seat, -1 where the viewer cannot know it: not settled, or perhaps the secret partner's."""
    secret = scene.rules.auction == "chiamata" and scene.called >= 0
    if secret and not any(other.role == "partner" for other in scene.places):
        return place.team if place.role == "declarer" or place.seat == viewer else -1
    return place.team


def relation(place: Place, scene: Scene, viewer: int | None) -> str:
    """Return what a seat is to the viewer: the key of a text, empty without a viewer and while that is not known."""
    if viewer is None:
        return ""
    if place.seat == viewer:
        return "you"
    team = known_team(place, scene, viewer)
    if team < 0:
        return ""
    return "partner" if team == scene.places[0].team else "opponent"


def party(share: Share, scene: Scene, viewer: int | None, words: Words) -> str:
    """Return what the viewer calls the seat or side of a share."""
    kind, number = share.name.split()  # "seat 2" or "side 1"
    return who(int(number), viewer, words) if kind == "seat" else _side(int(number), scene, viewer, words)


def _side(side: int, scene: Scene, viewer: int | None, words: Words) -> str:
    sides = scene.rules.sides
    if isinstance(sides, str):
        return words("other_side" if side else "declaring_side")
    if scene.places[0].alone:
        return who(sides.index(side), viewer, words)
    if viewer is None:
        return words("side", n=side)
    return words("we" if scene.places[0].team == side else "they")


def trick_sixths(trick: Trick) -> int:
    """Return what a trick's cards are worth, in sixths of a point."""
    return sum(RANK_SIXTHS[play.card % NUM_RANKS] for play in trick.plays)


def result_lines(row: np.void, scene: Scene, viewer: int | None, words: Words) -> list[str]:
    """Return how a deal ended, a line for each thing to know; ``row`` is the record that the scene was made from."""
    if row["abandoned"]:
        return [words("annulled" if row["abandoned"] == BY_MONTE else "passed")]
    if row["last_trick_seat"] < 0 and not row["points"].any():  # a revoke leaves points, whatever it pays
        return [words("no_result")]
    numbers = range(scene.rules.num_sides)
    names = [_side(side, scene, viewer, words) for side in numbers]
    points = [f"{names[side]}: {fraction_text(int(row['points'][side]))}" for side in numbers]
    totals = [f"{party(share, scene, viewer, words)}: {fraction_text(share.sixths)}" for share in scene.totals]
    lines = [words("deal_points", points=", ".join(points))]
    lines.append(words("match_points", target=scene.rules.target, points=", ".join(totals)))
    if row["last_trick_seat"] < 0:
        lines.append(words("broken_suit"))
    else:
        lines.append(words("last_trick", who=who(int(row["last_trick_seat"]), viewer, words)))
    capotted = "cappotto_made" if scene.rules.objective == "min" else "cappotto_suffered"
    lines += [words(capotted, who=names[side]) for side in numbers if row["cappotto"] >> side & 1]
    if row["match_winner"] >= 0:
        winner = scene.totals[int(row["match_winner"])]
        lines.append(words("match_won", who=party(winner, scene, viewer, words)))
    return lines


def event_line(event: Event, viewer: int | None, words: Words) -> str:
    """Return what happened as a line: a seat's action, a card it drew, or why the cards are new."""
    if event.redealt:
        return words(event.redealt)
    if event.action is None:
        said = words("drew", card=words.card(event.drew))
    elif event.declared:
        said = words("declare", what=words.declared(event.declared))
    else:
        said = words.action(event.action)
    return f"{who(event.seat, viewer, words)}: {said}"


def trick_line(number: int, taker: int, sixths: int, viewer: int | None, words: Words) -> str:
    """Return who took a trick and its points."""
    return words("trick_to", n=number, who=who(taker, viewer, words), points=fraction_text(sixths))
