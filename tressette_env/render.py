"""Pictures of a game as text: the table as one seat sees it, or with every card."""

import numpy as np

from tressette_env.cards import format_hand, from_bits
from tressette_env.engine.game import Game
from tressette_env.engine.state import GIVE, OVER, PHASES
from tressette_env.engine.text import auction, declarations, plays, points
from tressette_env.rules import Rules


def render_text(game: Game, seat: int | None = None) -> str:
    """Return the table as text: for one seat (built from its view alone), or with all hands (``seat=None``).

    >>> print(render_text(Game("gamelake", seed=1), seat=0).splitlines()[0])
    gamelake, deal 1, dealer 2, totals 0 - 0
    """
    row = (game.states[:1].copy() if seat is None else game.view(seat))[0]
    return table_text(row, game.rules, seat, deal_number=game.num_deals)


def table_text(row: np.void, rules: Rules, seat: int | None, deal_number: int) -> str:
    """Return the table of a record: of a seat's view, or of the full record with ``seat=None``."""
    totals = " - ".join(str(points(int(total))) for total in row["totals"][: rules.num_competitors])
    head = f"{rules.name}, deal {deal_number}, dealer {row['dealer']}, totals {totals}"
    if row["trump_card"] >= 0:
        head += f", trump {format_hand([int(row['trump_card'])])}"
    lines = [head]
    if rules.auction != "none":
        lines += list(auction(row, rules))
    lines += [f"declared by {other}: {text}" for other, text in declarations(row, rules)]
    lines += _tricks(list(plays(row, rules)), rules.num_seats)
    taken = row["captured"][: rules.num_seats].tolist()
    for other in range(rules.num_seats):
        held = from_bits(int(row["hands"][other]))
        count = cards_held(row, rules, other)
        hand = format_hand(held) if held or not count else f"{count} cards"
        turn = f" <- to {PHASES[row['phase']]}" if row["to_act"] == other and row["phase"] != OVER else ""
        lines.append(f"seat {other} (side {row['side_of'][other]}, took {points(taken[other]):.3g}): {hand}{turn}")
    if row["phase"] == OVER:
        scored = " - ".join(str(points(int(value))) for value in row["points"][: rules.num_sides])
        lines.append(f"over: {'no result' if row['abandoned'] else scored}")
    return "\n".join(lines)


def cards_held(row: np.void, rules: Rules, seat: int) -> int:
    """Return how many cards a seat holds, from what all have seen."""
    count = rules.hand_size - int(row["played"][seat]).bit_count() + int(row["num_drawn"]) // rules.num_seats
    if seat == row["declarer"]:
        count += int(row["discards_due"]) + (row["phase"] == GIVE)
    elif seat == row["called_from"]:
        count -= row["phase"] == GIVE
    return int(count)


def _tricks(played: list[tuple[int, str]], num_seats: int) -> list[str]:
    """Return one line per trick: its leader and the cards in order of play."""
    tricks = [played[i : i + num_seats] for i in range(0, len(played), num_seats)]
    return [
        f"trick {i + 1:2}, seat {trick[0][0]} leads: {'  '.join(text for _, text in trick)}"
        for i, trick in enumerate(tricks)
    ]
