"""Every example in a docstring runs, and prints what it says."""

import doctest
import importlib
import importlib.util
import inspect
import pkgutil

import pytest

import tressette_env

OPTIONAL = "tressette_env.openspiel"  # cannot be imported without OpenSpiel
MODULES = sorted(
    m.name
    for m in pkgutil.walk_packages(tressette_env.__path__, "tressette_env.", onerror=lambda name: None)
    if importlib.util.find_spec("pyspiel") or not m.name.startswith(OPTIONAL)
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_described(name):
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} says nothing about what it owns"
    for member, value in vars(module).items():
        own = getattr(value, "__module__", None) == name
        if own and not member.startswith("_") and (inspect.isclass(value) or callable(value)):
            assert inspect.getdoc(value), f"{name}.{member} has no docstring"
