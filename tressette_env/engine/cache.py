"""Keeps numba's on-disk cache honest: a compiled kernel is dropped when any kernel source is newer than it.

Numba checks only the file of the cached function itself, not those of the functions compiled into it.
"""

from contextlib import suppress
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def _newest(folder: Path, pattern: str) -> float:
    return max((path.stat().st_mtime for path in folder.glob(pattern)), default=0.0)


def drop_stale(folder: Path = _PACKAGE, *also: Path) -> None:
    """Delete cached kernels below ``folder`` that are older than the newest source of the package or of ``also``.

    A folder that cannot be written (a read-only install) never changes, so failures are ignored.
    """
    patterns = [(_PACKAGE, pattern) for pattern in ("*.py", "engine/*.py", "bots/*.py")] + [
        (path, "*.py") for path in also
    ]
    newest = max(_newest(path, pattern) for path, pattern in patterns)
    for index in folder.rglob("*.nbi"):
        with suppress(OSError):
            if index.stat().st_mtime < newest:
                index.unlink()
