"""docs/play.md: its commands can be read, and it tells every flag and key."""

import re
import shlex
from pathlib import Path

import pytest

from agents.flags import flag_names, parse_flags
from agents.play.__main__ import Options as Play
from agents.play.screen import _HELP
from agents.play.words import WORDS
from agents.replay.__main__ import Options as Replay

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "play.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = [line for language, block in BLOCKS if language == "sh" for line in block.splitlines()]
PREFIX = ".venv/bin/python -m agents."


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_can_be_read(line):
    module, *flags = shlex.split(line.removeprefix(PREFIX))
    parse_flags({"play": Play, "replay": Replay}[module], flags, module)


@pytest.mark.parametrize("options", [Play, Replay])
def test_every_flag_is_told(options):
    told = {flag.replace("--no-", "--") for flag in re.findall(r"--[a-z][a-z-]*", PAGE)}
    known = {flag.replace("--no-", "--") for flag in flag_names(options)}
    assert known - told <= {"--file"}  # a positional


def test_every_key_of_the_terminal_is_told():
    keys = [
        WORDS["en"](key).split()[0].rstrip(":") for key in _HELP if key not in ("key_number", "key_text", "key_letters")
    ]
    assert keys
    for key in keys:
        assert f"| `{key}" in PAGE, key
