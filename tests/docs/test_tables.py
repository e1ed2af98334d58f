"""The tables and rules pages are what the code prints today, and no field of the rules is passed over."""

import re
from dataclasses import fields

import pytest

from docs import rule_pages, tables
from docs.sentences import sentences
from tressette_env.presets import PRESETS, make_rules
from tressette_env.rules import Rules

NO_4B = {"deck": tuple(card for card in range(40) if card != 30), "num_seats": 3, "sides": (0, 1, 2), "hand_size": 13}
GRADED = {"signals": ("striscio_corto", "striscio_lungo")}
LOW = {"objective": "min", "declare": "off"}
# field -> two rules that differ in it and in as little else as may be: the first, and what the second changes
OTHER_VALUES = {
    "num_seats": ({"hand_size": 8, "monte": 8}, {"num_seats": 5, "sides": (0, 1, 0, 1, 1), "monte": 0}),
    "sides": ({}, {"sides": (0, 0, 1, 1)}),
    "deck": (NO_4B, {"deck": tuple(range(39))}),
    "hand_size": ({"hand_size": 9, "monte": 4}, {"hand_size": 8, "monte": 8}),
    "stock": ({"declare": "off", "hand_size": 9, "monte": 4}, {"stock": 4, "monte": 0}),
    "monte": ({"hand_size": 9, "monte": 4}, {"hand_size": 8, "monte": 8}),
    "follow": ({"declare": "off", "hand_size": 5, "stock": 20}, {"follow": "free_while_stock"}),
    "draw_shown": ({"declare": "off", "hand_size": 5, "stock": 20}, {"draw_shown": True}),
    "trump": ({}, {"trump": "last_dealt"}),
    "declare": ({}, {"declare": "automatic"}),
    "declare_when": ({}, {"declare_when": "own_first_turn"}),
    "signals": ({}, {"signals": ("volo", "busso")}),
    "signal_seat": ({}, {"signal_seat": "any"}),
    "signal_mode": ({}, {"signal_mode": "free"}),
    "signal_sides": ({}, {"signal_sides": (1,)}),
    "signal_heard_by": ({}, {"signal_heard_by": "partner"}),
    "signal_noise": ({}, {"signal_noise": 20}),
    "signal_noise_kind": ({"signal_noise": 20}, {"signal_noise_kind": "replace"}),
    "busso_min_rest": ({}, {"busso_min_rest": 2}),
    "striscio_min_rest": ({}, {"striscio_min_rest": 4}),
    "striscio_no_honours": ({}, {"striscio_no_honours": False}),
    "striscio_corto_min_rest": (GRADED, {"striscio_corto_min_rest": 2}),
    "striscio_lungo_min_rest": (GRADED, {"striscio_lungo_min_rest": 6}),
    "last_trick_bonus": ({}, {"last_trick_bonus": 0.5}),
    "remainder": ({}, {"remainder": "exact"}),
    "objective": ({"declare": "off"}, {"objective": "min"}),
    "cappotto": (LOW | {"cappotto": "shoot"}, {"cappotto": "ends_match"}),
    "annul": ({}, {"annul": "below_one_point"}),
    "auction": ({"preset": "chiamata"}, {"auction": "calabresella"}),
    "exchange_cards": ({"preset": "calabresella"}, {"exchange_cards": 2}),
    "revoke": (LOW, {"revoke": "flat_11"}),
    "target": ({}, {"target": 31}),
}  # fmt: skip


@pytest.mark.parametrize("path", tables.documents(), ids=lambda path: path.name)
def test_tables_are_current(path):
    text = path.read_text(encoding="utf-8")
    assert text == tables.current(text), f"{path.name} is out of date: run `make docs`"


@pytest.mark.parametrize("path", tables.pages(), ids=lambda path: path.stem)
def test_rules_pages_are_current(path):
    assert path.read_text(encoding="utf-8") == tables.pages()[path], (
        f"rules/{path.name} is out of date: run `make docs`"
    )


def test_there_is_a_page_and_a_source_for_each_preset_and_no_other():
    assert sorted((tables.FOLDER / "rules").iterdir()) == sorted(tables.pages())
    assert set(rule_pages.SOURCES) == set(PRESETS)


def test_every_table_is_used():
    text = "".join(path.read_text(encoding="utf-8") for path in tables.documents())
    used = {match[2] for match in tables.BLOCK.finditer(text)}
    assert used == set(tables.TABLES)


def test_an_unmarked_table_cannot_hide():
    text = "".join(path.read_text(encoding="utf-8") for path in tables.documents())
    assert text.count("<!-- table: ") == text.count("<!-- end of table -->") == len(tables.BLOCK.findall(text))


def test_every_rules_field_is_explained():
    assert set(tables.FIELD_MEANING) == {field.name for field in fields(Rules)}


@pytest.mark.parametrize("name", [field.name for field in fields(Rules) if field.name != "name"])
def test_the_sentences_tell_every_field(name):
    base, change = OTHER_VALUES[name]
    first, second = make_rules(base), make_rules(base | change)
    assert getattr(first, name) != getattr(second, name)
    assert sentences(first) != sentences(second)


@pytest.mark.parametrize("path", [*tables.documents(), *tables.pages()], ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^):#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target
