"""Files that are written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tressette_env.errors import TressetteError


@contextmanager
def open_whole(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file as ``whole_file`` does. Raises ``TressetteError`` that names the path and the cause."""
    try:
        with whole_file(Path(path)) as file:
            yield file
    except OSError as error:
        raise TressetteError(
            f"cannot write {str(path)!r} ({error.strerror or error}): free some space or choose a folder that can be "
            "written; what was written before is intact"
        ) from None


def write_whole(path: str | Path, data: bytes) -> None:
    """Write a file as ``open_whole`` does."""
    with open_whole(path) as file:
        file.write(data)


def replace_whole(path: Path, data: bytes) -> None:
    """Write a file as ``whole_file`` does. Raises ``OSError``."""
    with whole_file(path) as file:
        file.write(data)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file beside a path, to be written in the block; on disk, it takes the name at the block's end.

    Whatever fails, Ctrl-C too, leaves what stood there before. Raises ``OSError``.
    """
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Return the process's umask (it can only be read by setting it)."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
