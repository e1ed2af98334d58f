"""The examples' shared command line: exit codes, one sentence per error, the result of a match."""

import re
from dataclasses import dataclass

import pytest

from examples.command import match, read_rules, run_command
from tressette_env.bots import make
from tressette_env.errors import TressetteError
from tressette_env.presets import preset


@dataclass(frozen=True)
class Options:
    """A command."""

    count: int = 1

    def check(self):
        if self.count < 1:
            raise TressetteError(f"count = {self.count} must be at least 1")


def fails(error):
    def run(options):
        raise error

    return run


@pytest.mark.parametrize(
    ("run", "flags", "code", "said"),
    [
        (print, [], 0, ""),
        (print, ["--count", "0"], 2, "name: count = 0 must be at least 1\n"),
        (print, ["--seed", "1"], 2, "name: unknown flag '--seed': --help lists the flags\n"),
        (fails(TressetteError("no")), [], 1, "name: no\n"),
        (fails(OSError(28, "disk full")), [], 1, "name: [Errno 28] disk full\n"),
        (fails(KeyboardInterrupt()), [], 130, "name: stopped\n"),
    ],
)
def test_exit_codes(run, flags, code, said, capsys):
    assert run_command("name", Options, run, flags) == code
    assert capsys.readouterr().err == said


def test_rules_by_name_or_mapping():
    assert read_rules("due") == preset("due")
    assert read_rules("{preset: tressette, target: 31}").target == 31
    with pytest.raises(TressetteError, match="unknown rules preset 'tresette'"):
        read_rules("tresette")


def test_a_match_against_oneself_is_level():
    line = match(make("heuristic"), "heuristic", preset("gamelake"), 4, seed=1)
    assert line == (
        "heuristic against heuristic: +0.00 points a deal, 95 % interval +0.00 to +0.00, 4 duplicate deals of gamelake"
    )
    ahead = match(make("heuristic"), "random", preset("gamelake"), 50, seed=1)
    assert float(re.search(r"interval (\S+) to", ahead)[1]) > 2
