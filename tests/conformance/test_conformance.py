"""PettingZoo's tests and ours over every preset, signal mode and other rules; the planted defects must fail ours."""

import warnings
from contextlib import contextmanager
from functools import partial

import pytest
from conformance.mutants import MUTANTS
from conformance.suite import ConformanceError, run
from family import SAMPLE, family_rules
from hypothesis import given, settings
from pettingzoo.test import api_test, seed_test

from tressette_env import tressette_v0
from tressette_env.presets import PRESETS, preset

# The two that every dict observation gets: PettingZoo keeps a list of its own environments to spare.
UNAVOIDABLE = ("Observation is not a NumPy array", "Observation space for each agent probably should be")
MODES = ("off", "truthful", "free")
TALKING = [name for name in PRESETS if preset(name).offered_signals]
VARIANTS = [{"preset": name} for name in PRESETS]
VARIANTS += [{"preset": name, "signal_mode": mode} for name in TALKING for mode in MODES if mode != "truthful"]
VARIANTS += [{"name": name} | fields for name, fields in SAMPLE.items()]
OPTIONS = [{}, {"reward": "trick"}]


def named(value):
    shown = ("preset", "signal_mode", "name", "reward")
    return "-".join(str(value[key]) for key in shown if key in value) or "default"


@contextmanager
def strict():
    """Every warning an error, but for the unavoidable two."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in UNAVOIDABLE:
            warnings.filterwarnings("ignore", message=message)
        yield


@pytest.fixture(autouse=True)
def strict_warnings():
    with strict():
        yield


@pytest.mark.parametrize("rules", VARIANTS, ids=named)
@pytest.mark.parametrize("make", [tressette_v0.env, tressette_v0.raw_env])
def test_pettingzoo_api(make, rules, capsys):
    api_test(make(rules=rules), num_cycles=150)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("rules", VARIANTS, ids=named)
def test_pettingzoo_seed(rules):
    seed_test(partial(tressette_v0.env, rules=rules), num_cycles=100)


@pytest.mark.parametrize("rules", ["tressette", "due", "calabresella", "traversone"])
def test_pettingzoo_api_of_a_whole_match(rules, capsys):
    api_test(tressette_v0.env(rules, episode="match", reward="match"), num_cycles=600)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("rules", VARIANTS, ids=named)
def test_conformance(rules):
    run(partial(tressette_v0.raw_env, rules=rules), deals=8)


@pytest.mark.parametrize("options", OPTIONS, ids=named)
@pytest.mark.parametrize("when", ["before_first_lead", "own_first_turn", "end_first_trick"])
def test_conformance_of_declaration_times(when, options):
    run(partial(tressette_v0.raw_env, rules={"declare_when": when}, **options), deals=8)


@pytest.mark.parametrize("rules", ["due_pagat", "a_tre", "calabresella_two", "chiamata", "traversone"])
def test_conformance_of_dense_rewards(rules):
    run(partial(tressette_v0.raw_env, rules=rules, reward="trick"), deals=8)


@settings(max_examples=10)
@given(family_rules().filter(lambda rules: len(rules.deck) > 9))  # in a tiny pack two seeds may give one deal
def test_conformance_of_any_rules(rules):
    with strict():
        api_test(tressette_v0.env(rules), num_cycles=60)
    run(partial(tressette_v0.raw_env, rules=rules), deals=8)


# ---------------------------------------------------------------- planted defects
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_planted_defect_is_caught(mutant):
    options, check = MUTANTS[mutant]
    with pytest.raises(ConformanceError) as caught:
        run(partial(mutant, **options))
    assert caught.value.check == check


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_planted_defect_passes_pettingzoo(mutant, capsys):
    """The reason for our own suite."""
    make = partial(mutant, **MUTANTS[mutant][0])
    seed_test(make, num_cycles=100)
    api_test(make(), num_cycles=100)
    assert "Passed" in capsys.readouterr().out
