"""Presets: all rows consistent, playable ones playable, the others refused by name, overrides, files."""

import pytest

from tressette_env.errors import RulesError
from tressette_env.presets import PRESETS, make_rules, not_built, playable, preset
from tressette_env.rules import Rules

DOCUMENTED = [
    *("tressette", "treseta", "treseta_croatian", "gamelake", "no_signals", "bolognese", "briscola"),
    *("due", "due_pagat", "a_tre", "calabresella", "calabresella_two", "chiamata"),
    *("traversone", "traversone_italian", "ciapa_no", "traversone_pairs", "traversone_3p", "traversone_2p"),
    *("mini_2p", "mini_due", "mini_4p", "mini_4p_12"),
]


def test_the_documented_presets_exist():
    assert list(PRESETS) == DOCUMENTED


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_row_is_consistent_and_survives_plain_data(name):
    rules = Rules.from_dict({"name": name} | PRESETS[name][1])
    assert Rules.from_dict(rules.to_dict()) == rules
    assert (name in playable()) == (not not_built(rules))


def test_the_partnership_presets_are_playable():
    seven = ["tressette", "treseta", "treseta_croatian", "gamelake", "no_signals", "bolognese", "briscola"]
    assert set(seven) <= set(playable())
    assert all(preset(name).name == name for name in playable())


@pytest.mark.parametrize("name", [name for name in DOCUMENTED if name not in playable()])
def test_a_preset_that_is_not_built_is_refused_by_name(name):
    with pytest.raises(RulesError, match=rf"'{name}' cannot be played yet"):
        make_rules(name)


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


def test_an_override_that_is_not_built_is_refused():
    with pytest.raises(RulesError, match="objective = 'min'"):
        make_rules({"objective": "min", "declare": "off"})


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
