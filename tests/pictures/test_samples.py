"""The sample pictures in the documents: made by `python -m docs.pictures`, of the size that they have now."""

from pathlib import Path

import pytest
from PIL import Image

from docs import pictures

DRAW = {"table_tressette.png": pictures.table_picture, "cards.png": pictures.cards_picture}


@pytest.mark.parametrize("name", DRAW)
def test_samples_are_there_and_can_be_drawn(name):
    drawn = DRAW[name]()
    with Image.open(pictures.FOLDER / name) as kept:
        assert kept.size == drawn.size and kept.format == "PNG"


def test_the_command_writes_both(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pictures, "FOLDER", tmp_path)
    assert pictures.main() == 0
    assert {Path(line).name for line in capsys.readouterr().out.splitlines()} == set(DRAW)
    assert {path.name for path in tmp_path.iterdir()} == set(DRAW)
