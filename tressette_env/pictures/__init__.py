"""Drawn pictures: cards, tables, a window that follows a game, images of records. They need the extra ``render``.

Importing this package, or anything in it, raises ``MissingExtraError`` where Pillow cannot be imported.
"""

from tressette_env.errors import MissingExtraError

try:
    import PIL as _pillow  # noqa: F401
except ImportError as error:
    raise MissingExtraError("pictures", "Pillow", "render") from error

from tressette_env.pictures.cards import card_image
from tressette_env.pictures.record import step_images, trick_images, write_gif
from tressette_env.pictures.table import table_image

__all__ = ["card_image", "step_images", "table_image", "trick_images", "write_gif"]
