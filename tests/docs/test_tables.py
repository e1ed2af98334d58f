"""The tables in the documents are what the code prints today, and every field has a meaning there."""

from dataclasses import fields

import pytest

from docs import tables
from tressette_env.rules import Rules


@pytest.mark.parametrize("path", tables.documents(), ids=lambda path: path.name)
def test_tables_are_current(path):
    text = path.read_text(encoding="utf-8")
    assert text == tables.current(text), f"{path.name} is out of date: run `make docs`"


def test_every_table_is_used():
    text = "".join(path.read_text(encoding="utf-8") for path in tables.documents())
    used = {match[2] for match in tables.BLOCK.finditer(text)}
    assert used == set(tables.TABLES)


def test_an_unmarked_table_cannot_hide():
    text = "".join(path.read_text(encoding="utf-8") for path in tables.documents())
    assert text.count("<!-- table: ") == text.count("<!-- end of table -->") == len(tables.BLOCK.findall(text))


def test_every_rules_field_is_explained():
    assert set(tables.FIELD_MEANING) == {field.name for field in fields(Rules)}
