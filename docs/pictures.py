"""`python -m docs.pictures`: draw the sample pictures under docs/img, a table in the middle of a deal and all cards."""

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image

from tressette_env.bots import make
from tressette_env.cards import NUM_CARDS, NUM_RANKS, SUITS
from tressette_env.engine.game import Game
from tressette_env.errors import TressetteError
from tressette_env.files import write_whole
from tressette_env.pictures import card_image, table_image

FOLDER = Path(__file__).resolve().parent / "img"
SEED, SEAT, SIZE = 14, 0, (800, 600)
TRICKS = 4  # finished ones
CARD_HEIGHT, GAP = 180, 10
CLOTH = (24, 92, 62)


def deal() -> Iterator[Game]:
    """Yield a deal among four of the bot `heuristic` after every action: one object, played on between yields."""
    game, bot = Game("tressette", seed=SEED), make("heuristic")
    while game.to_act >= 0:
        game.step(bot.act(game.view(game.to_act), game.table, len(game.actions)))
        yield game


def table_picture() -> Image.Image:
    """Return the table as a seat sees it when the third card of a trick lies that was led with a signal."""
    for game in deal():
        row = game.states[0]
        under_way = int(row["num_played"]) % 4 == 3 and int(row["num_played"]) >= 4 * TRICKS
        if under_way and any(int(bits) & int(row["table"]) for bits in row["signalled"]):
            return table_image(game.view(SEAT)[0], game.rules, SEAT, SIZE)
    raise TressetteError(f"no signal was given in the deal of seed {SEED}: choose another seed")


def cards_picture() -> Image.Image:
    """Return the forty cards, a row for each suit, with the back at the end of a fifth one."""
    one = card_image(None, CARD_HEIGHT)
    wide, high = one.width + GAP, one.height + GAP
    sheet = Image.new("RGB", (NUM_RANKS * wide + GAP, (len(SUITS) + 1) * high + GAP), CLOTH)
    for card in range(NUM_CARDS):
        image = card_image(card, CARD_HEIGHT)
        sheet.paste(image, (GAP + card % NUM_RANKS * wide, GAP + card // NUM_RANKS * high), image)
    sheet.paste(one, (GAP, GAP + len(SUITS) * high), one)
    return sheet


def main() -> int:
    """Write both pictures; return the exit status."""
    for name, image in (("table_tressette.png", table_picture()), ("cards.png", cards_picture())):
        data = BytesIO()
        image.save(data, "PNG", optimize=True)
        write_whole(FOLDER / name, data.getvalue())
        print(FOLDER / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
