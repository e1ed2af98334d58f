"""Flags from a dataclass; what cannot be read is refused by one sentence naming the flag and the nearest right one."""

import io
import re
from collections.abc import Sequence
from contextlib import redirect_stderr
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

import tyro

from agents.config import rules_spec
from agents.run_config import ConfigError
from tressette_env.errors import TressetteError, closest

T = TypeVar("T")


class UsageError(TressetteError):
    """A command line that cannot be carried out."""


def parse_flags(cls: type[T], args: Sequence[str] | None, prog: str, more: Sequence[str] = (), **options: Any) -> T:
    """Return a dataclass read from flags; ``more`` names flags that were taken before, ``options`` go to tyro.

    Raises ``UsageError``. ``--help`` prints the help and leaves with ``SystemExit(0)``.
    """
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            read: tuple[T, list[str]] = tyro.cli(cls, args=args, prog=prog, return_unknown_args=True, **options)
    except SystemExit as stop:
        if not stop.code:
            raise
        raise UsageError(f"{_sentence(said.getvalue())} (see {prog} --help)") from None
    config, unknown = read
    if unknown:
        raise UsageError(_unknown(unknown, [*more, *flag_names(cls)]))
    return config


def flag_names(cls: Any, prefix: str = "") -> list[str]:
    """Return the flags of a dataclass.

    >>> from agents.ppo.config import PPOConfig
    >>> flag_names(PPOConfig)[:3]
    ['--env.rules', '--name', '--seed']
    """
    names = []
    for name, kind in ((f.name, get_type_hints(cls)[f.name]) for f in fields(cls)):
        flag = prefix + name.replace("_", "-")
        if is_dataclass(kind):
            names += flag_names(kind, f"{flag}.")
        else:
            names += [f"--{flag}"] + ([f"--no-{flag}"] if kind is bool else [])
    return names


def _unknown(tokens: Sequence[str], known: list[str]) -> str:
    flag = next((token.partition("=")[0] for token in tokens if token.startswith("-")), None)
    if flag is None:
        return f"unexpected argument {tokens[0]!r}: give flags as --name value, and what has no flag in one group"
    return f"unknown flag {flag!r}{_nearest_flag(flag, known)}: --help lists the flags"


def _nearest_flag(flag: str, known: list[str]) -> str:
    """Return a hint for a flag: the one whose words begin with its letters (``--lr``), else one spelt much alike.

    The dashes in front count for nothing, or short flags would look alike by them.
    """
    word = flag.lstrip("-").replace("_", "-")
    names = [name.lstrip("-") for name in known]
    meant = [name for name in names if "-" in name and "".join(part[:1] for part in name.split("-")) == word.casefold()]
    found = meant[0] if len(meant) == 1 else closest(word, names)
    return f" (did you mean {'--' + found!r}?)" if found else ""


def _sentence(box: str) -> str:
    """Return what a box of tyro says as one line: the text between its title and the next rule."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip(" │") for line in box.splitlines()]
    text: list[str] = []
    for line in lines[1:]:
        rule = not line.strip("─-╰╯")
        if rule and text:
            break
        text += [] if rule else [line]  # outside UTF-8 a rule stands below the title too
    said = " ".join(text).replace("Error parsing ", "cannot read ").replace(". Expected", ": expected").rstrip(".")
    return said[:1].lower() + said[1:]


def rules_flag(text: str) -> Any:
    """Return what ``make_rules`` takes from the text of --rules. Raises ``UsageError``; see ``config.rules_spec``."""
    try:
        return rules_spec(text)
    except ConfigError:
        raise UsageError(f"--rules {text!r} is not a mapping: write '{{preset: tressette, target: 31}}'") from None
