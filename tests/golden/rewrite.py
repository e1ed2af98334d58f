"""Writes the golden deals and perft counts as text anew: `make golden`; read the diff."""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))

from golden.deals import DEALS  # noqa: E402
from golden.perft import perft_text  # noqa: E402
from golden.sheet import played  # noqa: E402


def golden_texts():
    """Return all golden files: {name: text}."""
    return {f"{name}.txt": played(case) for name, case in DEALS.items()} | {"perft.txt": perft_text()}


def main():
    """Write the files and remove those of deals that are gone."""
    texts = golden_texts()
    for path in FOLDER.glob("*.txt"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"wrote {FOLDER.name}/{name}")


if __name__ == "__main__":
    main()
