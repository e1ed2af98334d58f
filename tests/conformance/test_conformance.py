"""PettingZoo's tests and ours over every playable preset and signal mode; the planted defects must fail ours."""

import warnings
from functools import partial

import pytest
from conformance.mutants import MUTANTS
from conformance.suite import ConformanceError, run
from pettingzoo.test import api_test, seed_test

from tressette_env import tressette_v0
from tressette_env.presets import playable

# The two that every dict observation gets: PettingZoo keeps a list of its own environments to spare.
UNAVOIDABLE = ("Observation is not a NumPy array", "Observation space for each agent probably should be")
MODES = ("off", "truthful", "free")
VARIANTS = [{"preset": name, "signal_mode": mode} for name in playable() for mode in MODES]
OPTIONS = [{}, {"reward": "trick"}]


def named(value):
    return "-".join(str(part) for part in value.values()) or "default"


@pytest.fixture(autouse=True)
def strict_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in UNAVOIDABLE:
            warnings.filterwarnings("ignore", message=message)
        yield


@pytest.mark.parametrize("rules", VARIANTS, ids=named)
@pytest.mark.parametrize("make", [tressette_v0.env, tressette_v0.raw_env])
def test_pettingzoo_api(make, rules, capsys):
    api_test(make(rules=rules), num_cycles=150)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("rules", VARIANTS, ids=named)
def test_pettingzoo_seed(rules):
    seed_test(partial(tressette_v0.env, rules=rules), num_cycles=100)


def test_pettingzoo_api_of_a_whole_match(capsys):
    api_test(tressette_v0.env(episode="match", reward="match"), num_cycles=600)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("rules", VARIANTS, ids=named)
def test_conformance(rules):
    run(partial(tressette_v0.raw_env, rules=rules))


@pytest.mark.parametrize("options", OPTIONS, ids=named)
@pytest.mark.parametrize("when", ["before_first_lead", "own_first_turn", "end_first_trick"])
def test_conformance_of_declaration_times(when, options):
    run(partial(tressette_v0.raw_env, rules={"declare_when": when}, **options))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_planted_defect_is_caught(mutant):
    with pytest.raises(ConformanceError) as caught:
        run(mutant)
    assert caught.value.check == MUTANTS[mutant]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_planted_defect_passes_pettingzoo(mutant, capsys):
    """The reason for our own suite."""
    seed_test(mutant, num_cycles=100)
    api_test(mutant(), num_cycles=100)
    assert "Passed" in capsys.readouterr().out
