"""Presets: every row is what the rules say, all can be played; overrides, files."""

import pytest

from tressette_env.engine.game import Game
from tressette_env.errors import RulesError
from tressette_env.presets import PRESETS, make_rules, preset
from tressette_env.rules import Rules

PAIRS, SOLO_3, SOLO_4, TWO = (0, 1, 0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 1)
FIELDS = ["sides", "hand_size", "stock", "monte", "objective", "cappotto", "auction", "exchange_cards", "target"]
# Rules, section 6, written down again: these fields, then what else is not the default.
ROWS = {
    "tressette": (PAIRS, 10, 0, 0, "max", "none", "none", 0, 21),
    "treseta": (
        *(PAIRS, 10, 0, 0, "max", "none", "none", 0, 21),
        {"signal_seat": "any", "striscio_min_rest": 3, "striscio_no_honours": False},
    ),
    "treseta_croatian": (
        *(PAIRS, 10, 0, 0, "max", "none", "none", 0, 41),
        {"signals": ("busso", "striscio"), "declare_when": "own_first_turn"},
    ),
    "gamelake": (PAIRS, 10, 0, 0, "max", "none", "none", 0, 21, {"declare": "off", "signals": ()}),
    "no_signals": (PAIRS, 10, 0, 0, "max", "none", "none", 0, 21, {"signals": ()}),
    "bolognese": (PAIRS, 10, 0, 0, "max", "none", "none", 0, 71, {"annul": "below_one_point"}),
    "briscola": (PAIRS, 10, 0, 0, "max", "none", "none", 0, 21, {"trump": "last_dealt"}),
    "due": (TWO, 10, 20, 0, "max", "none", "none", 0, 21, {"follow": "free_while_stock"}),
    "due_pagat": (TWO, 10, 20, 0, "max", "none", "none", 0, 21, {"draw_shown": True}),
    "a_tre": (SOLO_3, 12, 0, 4, "max", "none", "none", 0, 21, {"signals": ()}),
    "calabresella": ("auction", 12, 0, 4, "max", "none", "calabresella", 4, 21),
    "calabresella_two": ("auction", 12, 0, 4, "max", "none", "calabresella", 2, 21),
    "chiamata": ("auction", 8, 0, 0, "max", "none", "chiamata", 0, 21),
    "traversone": (SOLO_4, 10, 0, 0, "min", "shoot", "none", 0, 21),
    "traversone_italian": (SOLO_4, 10, 0, 0, "min", "shoot", "none", 0, 21, {"remainder": "last_trick_takes_rest"}),
    "ciapa_no": (SOLO_4, 10, 0, 0, "min", "shoot", "none", 0, 41),
    "traversone_pairs": (PAIRS, 10, 0, 0, "min", "shoot", "none", 0, 21, {"signals": ("busso", "volo", "striscio")}),
    "traversone_3p": (SOLO_3, 13, 0, 0, "min", "shoot", "none", 0, 21),
    "traversone_2p": (TWO, 10, 20, 0, "min", "shoot", "none", 0, 21, {"follow": "free_while_stock"}),
    "mini_2p": (TWO, 3, 0, 2, "max", "none", "none", 0, 21),
    "mini_due": (TWO, 3, 2, 0, "max", "none", "none", 0, 21),
    "mini_4p": (PAIRS, 2, 0, 0, "max", "none", "none", 0, 21, {"striscio_min_rest": 1}),
    "mini_4p_12": (PAIRS, 3, 0, 0, "max", "none", "none", 0, 21, {"striscio_min_rest": 1}),
}
DOCUMENTED = list(ROWS)
SEATS = {"calabresella": 3, "calabresella_two": 3, "chiamata": 5}
TALKING = {"tressette", "treseta", "treseta_croatian", "bolognese", "briscola", "traversone_pairs"}  # and the toy pairs
DECLARING = {"tressette", "treseta", "treseta_croatian", "no_signals", "bolognese", "briscola", "a_tre"}


def test_the_documented_presets_exist():
    assert list(PRESETS) == DOCUMENTED, "ROWS above holds the rules of every preset, in the order of PRESETS"


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_row_is_what_the_rules_say(name):
    rules = preset(name)
    *values, more = ROWS[name] if isinstance(ROWS[name][-1], dict) else (*ROWS[name], {})
    assert [getattr(rules, field) for field in FIELDS] == values
    assert rules.num_seats == SEATS.get(name, len(rules.sides)) and rules.name == name
    assert bool(rules.offered_signals) == (name in TALKING or name.startswith("mini_4p"))
    assert (rules.declare != "off") == (name in DECLARING)
    ordinary = {"declare": rules.declare, "signals": rules.signals, "deck": rules.deck, "num_seats": rules.num_seats}
    fields = dict(zip(FIELDS, values, strict=True))
    assert rules == Rules(name=name, **(ordinary | fields | more))


def test_the_decks_of_the_presets():
    assert all(len(preset(name).deck) == 40 for name in DOCUMENTED if "mini" not in name and name != "traversone_3p")
    assert set(range(40)) - set(preset("traversone_3p").deck) == {30}  # without 4b
    toy = (0, 6, 7, 9, 10, 16, 17, 19)
    assert [preset(name).deck for name in ("mini_2p", "mini_due", "mini_4p")] == [toy] * 3
    assert preset("mini_4p_12").deck == (*toy, 20, 26, 27, 29)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_row_survives_plain_data_and_plays(name):
    rules = preset(name)
    assert Rules.from_dict(rules.to_dict()) == rules
    game = Game(name, seed=1)
    while game.to_act >= 0:
        game.step(game.legal_actions()[-1])
    assert game.status in (1, 2)


def test_an_unknown_preset_names_the_nearest():
    with pytest.raises(RulesError, match=r"unknown rules preset 'tresette' \(did you mean 'tressette'\?\)"):
        make_rules("tresette")
    with pytest.raises(RulesError, match="unknown rules preset 'nope'"):
        make_rules({"preset": "nope"})


def test_overrides_change_the_name_only_when_they_differ():
    assert make_rules({"preset": "treseta", "target": 31}).name == "treseta*"
    assert make_rules({"preset": "treseta", "striscio_min_rest": 3}) == preset("treseta")
    assert make_rules({"target": 31}).target == 31
    assert make_rules({"target": 31, "name": "long"}).name == "long"


def test_an_override_that_does_not_fit_is_refused():
    with pytest.raises(RulesError, match="objective = 'min'"):
        make_rules({"objective": "min"})
    with pytest.raises(RulesError, match="stock = 19 does not divide"):
        make_rules({"preset": "due", "stock": 19, "monte": 1})


def test_a_yaml_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("preset: tressette\ntarget: 41\ndeclare: off\nsignals: [busso, volo]\n", encoding="utf-8")
    rules = make_rules(path)
    assert (rules.target, rules.declare, rules.signals) == (41, "off", ("busso", "volo"))
    assert make_rules(str(path)) == rules


@pytest.mark.parametrize(
    ("text", "message"),
    [("target: [", "is not YAML"), ("- 3\n", "must hold fields"), ("targett: 3\n", "did you mean 'target'")],
)
def test_a_bad_yaml_file_is_one_sentence(tmp_path, text, message):
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError, match=message):
        make_rules(path)


def test_a_missing_file_and_a_wrong_type():
    with pytest.raises(RulesError, match="cannot read the rules file"):
        make_rules("missing.yaml")
    with pytest.raises(RulesError, match="rules = 3 is not a preset name"):
        make_rules(3)
