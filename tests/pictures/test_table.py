"""Pictures of the table: every phase of every rules, what changes them, and what is written in them."""

import pytest
from engine_support import random_position
from family import NAMES, OVERRIDES
from pictures.positions import after, copy_of, games

from tressette_env.engine.game import Game
from tressette_env.errors import TressetteError
from tressette_env.pictures import table_image
from tressette_env.pictures.canvas import Canvas
from tressette_env.pictures.text import measure
from tressette_env.presets import make_rules

SMALL = (320, 240)


def image_of(game, seat=None, size=SMALL):
    row = game.states[0] if seat is None else game.view(seat)[0]
    return table_image(row, game.rules, seat, size)


@pytest.fixture
def written(monkeypatch):
    """The texts that are written while a test draws: (left, right, y, text)."""
    found = []
    write = Canvas.text

    def text(self, x, y, text, size, colour, anchor="lm"):
        wide = measure(text, size)
        left = x - {"l": 0, "m": wide / 2, "r": wide}[anchor[0]]
        found.append((left, left + wide, y, text))
        write(self, x, y, text, size, colour, anchor)

    monkeypatch.setattr(Canvas, "text", text)
    return found


@pytest.mark.parametrize("size", [(800, 600), (800, 800), (400, 400)])
@pytest.mark.parametrize("name", NAMES)
def test_every_phase_is_drawn_whole(name, size, written):
    """For all and for one seat: right size, all texts inside the picture, nothing that must be told left out."""
    for phase, game in games(name).items():
        for seat in (None, 1):
            written.clear()
            image = image_of(game, seat, size)
            assert (image.mode, image.size) == ("RGB", size)
            texts = [text for *_, text in written]
            said = " ".join(texts)
            assert all(left > -1 and right < size[0] + 1 and 0 < y < size[1] for left, right, y, _ in written), texts
            assert all(any(text.startswith(f"seat {other}") for text in texts) for other in range(game.rules.num_seats))
            assert "taken" in texts and f"match, to {game.rules.target}" in texts
            assert ("the deal is over" in texts) == (phase == "over")
            if phase in ("play", "over") and size[0] >= 800:
                assert "last trick, seat" in said or game.rules.revoke != "masked"


def test_far_out_sizes():
    game = games("chiamata")["play"]
    for size in [(200, 200), (2000, 1200), (300, 1000)]:
        assert image_of(game, 0, size).size == size


@pytest.mark.parametrize("size", [(100, 800), (800, 4001), (800,), 800, None, ("800", "600"), (800.0, 600)])
def test_sizes_that_are_refused(size):
    with pytest.raises(TressetteError, match=r"is not the size of a picture: give width and height from 200 to 4000"):
        image_of(Game("gamelake", seed=1), None, size)


# ---------------------------------------------------------------- what a picture tells
def test_the_picture_changes_with_card_signal_points_and_turn():
    game = Game("tressette", seed=5)
    while "busso" not in " ".join(game.legal_action_texts()):
        game.step(game.legal_actions()[-1])
    spoken = next(text for text in game.legal_action_texts() if text.endswith("busso"))
    one, silent, loud = image_of(game), image_of(after(game, spoken[:2])), image_of(after(game, spoken))
    assert len({image.tobytes() for image in (one, silent, loud)}) == 3
    for field, place, value in (("captured", 0, 8), ("totals", 1, 12), ("dealer", None, (game.dealer + 1) % 4)):
        other = copy_of(game)
        if place is None:
            other.states[0][field] = value
        else:
            other.states[0][field][place] += value
        assert image_of(other).tobytes() != one.tobytes(), field


def test_equal_positions_give_equal_pictures():
    game = games("treseta")["play"]
    assert image_of(game, 2).tobytes() == image_of(copy_of(game), 2).tobytes()


def test_the_looking_seat_changes_the_picture():
    game = games("tressette")["play"]
    assert len({image_of(game, seat).tobytes() for seat in (None, 0, 1, 2, 3)}) == 5


@pytest.mark.parametrize(
    ("name", "signal", "shown"),
    [("mini_4p", "volo", "volo"), ("treseta", "striscio", "striscio"), ("graded", "striscio_lungo", "striscio lungo")],
)
def test_signals_are_written_in_bubbles(name, signal, shown, written):
    rules = make_rules(OVERRIDES.get(name, name))
    place = rules.offered_signals.index(signal)
    rows = (random_position(rules, seed, plies)[0] for seed in range(40) for plies in range(1, 9))
    row = next(row for row in rows if int(row["signalled"][place]) & int(row["table"]))
    table_image(row, rules, None, (800, 600))
    assert any(text == shown for *_, text in written)


def test_points_stand_as_fractions(written):
    game = copy_of(games("tressette")["play"])
    game.states[0]["captured"][:4] = [2, 6, 20, 4]  # sides 22 and 10 sixths
    image_of(game, None, (800, 600))
    texts = [text for *_, text in written]
    assert "3 2/3" in texts and "1 2/3" in texts


def test_bids_stand_at_their_seats_and_the_declarer_once_the_auction_is_over(written):
    dealt = Game("calabresella", seed=5)
    dealt.reset(5, {"dealer": 2})
    image_of(after(dealt, "bid chiamo"), None, (800, 600))
    texts = [text for *_, text in written]
    assert "seat 0, chiamo" in texts and not any("declarer" in text for text in texts)
    written.clear()
    image_of(after(dealt, "bid chiamo", "bid pass", "bid pass"), None, (800, 600))
    assert any(text.startswith("seat 0, declarer") for *_, text in written)
