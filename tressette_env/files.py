"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from tressette_env.errors import TressetteError


def write_whole(path: str | Path, data: bytes) -> None:
    """Write a file as ``replace_whole`` does. Raises ``TressetteError`` that names the path and the cause."""
    try:
        replace_whole(Path(path), data)
    except OSError as error:
        raise TressetteError(
            f"cannot write {str(path)!r} ({error.strerror}): choose a folder that can be written"
        ) from None


def replace_whole(path: Path, data: bytes) -> None:
    """Write a file by way of a temporary one beside it, on disk before it takes the name.

    Whatever fails, Ctrl-C too, leaves what stood there before. Raises ``OSError``.
    """
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(data)
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
