"""The golden files are what the engine plays today, and worked example 15 is among them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.golden.rewrite import FOLDER, golden_texts


def test_golden_files_are_current():
    for name, text in golden_texts().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name}: run make golden and read the diff"


def test_the_published_deal():
    """Worked example 15: winners 3 0 1 2 1 3 2 2 2 2, thirds by seat 4 4 20 7 with the last trick, 8 - 3."""
    lines = (FOLDER / "published.txt").read_text(encoding="utf-8").splitlines()
    tricks = [line for line in lines if line.startswith("trick")]
    assert [int(line.split("-> seat ")[1][0]) for line in tricks] == [3, 0, 1, 2, 1, 3, 2, 2, 2, 2]
    assert tricks[-1].endswith("thirds 4 4 17 7")  # and 3 thirds for the last trick
    assert "points in sixths: 48 18" in lines
