"""Pictures of a recorded episode, action by action or trick by trick, and animated GIFs of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from PIL import Image

from tressette_env.errors import TressetteError
from tressette_env.files import write_whole
from tressette_env.pictures.table import DEFAULT_SIZE, checked_size, scene_image
from tressette_env.records import replay_steps
from tressette_env.scene import Scene, scene_of_end, scene_of_game

_COLOURS = 256
_SAMPLE = 12  # images that the palette is made from


def step_images(
    record: Mapping[str, Any], seat: int | None = None, size: tuple[int, int] = DEFAULT_SIZE
) -> Iterator[Image.Image]:
    """Yield the table after every action of a record (and after an illegal one that ended it), RGB of ``size``.

    ``seat`` shows what that seat saw, None every card. The last action of a deal is followed by the deal's result, not
    by the next deal. Raises as ``replay_steps`` does, and ``TressetteError`` for a size out of range.
    """
    checked_size(size)
    for scene in _scenes(record, seat):
        yield scene_image(scene, size)


def trick_images(
    record: Mapping[str, Any], seat: int | None = None, size: tuple[int, int] = DEFAULT_SIZE
) -> Iterator[Image.Image]:
    """Yield the table at the end of every trick of a record with all its cards down, and one picture of every end.

    An end is a deal's result, or where the record breaks off. Otherwise as ``step_images``.
    """
    checked_size(size)
    seen, scene, shown = (0, 0), None, True
    for scene in _scenes(record, seat):
        place = (scene.deal_number or 0, len(scene.tricks))
        shown = False
        if place > seen and scene.trick is not None and scene.trick.finished:
            yield scene_image(replace(scene, result=()), size)
            shown = True
        if scene.result:
            yield scene_image(scene, size)
            shown = True
        seen = place
    if scene is not None and not shown:
        yield scene_image(scene, size)


def write_gif(path: str | Path, images: Iterable[Image.Image], ms: int = 900) -> None:
    """Write images of one size as an endless animated GIF, each shown for ``ms`` milliseconds.

    All share one palette of 256 colours. An image equal to the one before it lengthens that one's time. The file is
    written whole or not at all. Raises ``TressetteError`` for no images, a time under 20 ms or a path that fails.
    """
    frames = [image.convert("RGB") for image in images]
    if not frames:
        raise TressetteError("there are no images to write: give at least one")
    if isinstance(ms, bool) or not isinstance(ms, int) or ms < 20:
        raise TressetteError(f"ms = {ms!r} is not a time to show an image: give a whole number of milliseconds from 20")
    palette = _palette(frames)
    indexed = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    data = BytesIO()
    indexed[0].save(data, "GIF", save_all=True, append_images=indexed[1:], duration=ms, loop=0, optimize=True)
    write_whole(path, data.getvalue())


def _scenes(record: Mapping[str, Any], seat: int | None) -> Iterator[Scene]:
    """Yield the scene after every action; after the last one of a deal that of its end."""
    steps = replay_steps(record)
    deal_number, results = next(steps).num_deals, 0
    for game in steps:
        ended = len(game.finished) > results
        yield scene_of_end(game, seat, deal_number) if ended else scene_of_game(game, seat)
        deal_number, results = game.num_deals, len(game.finished)


def _palette(frames: list[Image.Image]) -> Image.Image:
    """Return an image whose palette suits all frames, made from some of them, evenly spread, at half their size."""
    some = list(islice(frames, 0, None, max(1, len(frames) // _SAMPLE)))
    width, height = max(1, some[0].width // 2), max(1, some[0].height // 2)
    sheet = Image.new("RGB", (width, height * len(some)))
    for i, frame in enumerate(some):
        sheet.paste(frame.resize((width, height), Image.Resampling.NEAREST), (0, i * height))
    return sheet.quantize(_COLOURS, Image.Quantize.MEDIANCUT)
