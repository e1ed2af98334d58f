"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from tressette_env.errors import TressetteError


def write_whole(path: str | Path, data: bytes) -> None:
    """Write a file by way of a temporary one beside it, so that a failure leaves what stood there before.

    Raises ``TressetteError`` that names the path and the cause when it cannot be written.
    """
    path = Path(path)
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(data)
        temporary.chmod(0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        if not isinstance(error, OSError):  # Ctrl-C
            raise
        raise TressetteError(
            f"cannot write {str(path)!r} ({error.strerror}): choose a folder that can be written"
        ) from None


def _umask() -> int:
    """Return the process's umask (it can only be read by setting it)."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
