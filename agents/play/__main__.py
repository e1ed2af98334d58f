"""Take a seat: ``python -m agents.play --against heuristic``, in the terminal or with ``--web`` on a page."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agents.flags import UsageError, parse_flags, rules_flag
from agents.play.saving import RecordFile
from agents.play.table import Table
from agents.play.terminal import Terminal
from agents.play.words import WORDS
from tressette_env.errors import TressetteError
from tressette_env.presets import make_rules

with suppress(ImportError):  # lines of input can be edited where the system has it
    import readline  # noqa: F401

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_STOPPED = 0, 1, 2, 130


@dataclass(frozen=True)
class Options:
    """Play one seat against bots and trained agents."""

    against: tuple[str, ...] = ("heuristic",)
    """The opponents: bots, run folders or checkpoint files; one for all, or one each in order of play from you on."""
    partner: str | None = None
    """Who plays your partner's seat, where the rules give you one; else the first opponent's player."""
    rules: str = "tressette"
    """A preset, a YAML file or '{preset: tressette, target: 31}'."""
    seat: int = 0
    """Your seat."""
    names: Literal["en", "it"] = "en"
    """Language of cards, choices and messages, and of the page; the table drawn in the terminal stays English."""
    seed: int | None = None
    """Seed of the deals; without one they are new each time."""
    episode: Literal["deal", "match"] = "deal"
    """One deal after another, or matches to the rules' target."""
    save: Path | None = None
    """File that every game is added to as a record, one line each."""
    hints: str | None = None
    """Who gives hints; else your partner or an opponent that can, else mc."""
    web: bool = False
    """Play on a page in the browser, served to this machine only."""
    port: int = 8000
    """Port of the page; 0 takes any free one."""
    browser: bool = True
    """Open the page in the browser."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0 done, 1 failed, 2 bad usage, 130 stopped by Ctrl-C."""
    try:
        options = parse_flags(Options, args, "python -m agents.play")
        table, file = _ready(options)
    except TressetteError as error:
        return _fail(error, EXIT_USAGE)
    except KeyboardInterrupt:
        return _fail("stopped", EXIT_STOPPED)
    try:
        if options.web:
            from agents.play.web import serve

            serve(table, options.names, file, options.port, options.browser)
        else:
            Terminal(table, WORDS[options.names], file).run()
    except UsageError as error:
        return _fail(error, EXIT_USAGE)
    except TressetteError as error:
        return _fail(error, EXIT_FAILED)
    except KeyboardInterrupt:
        print(f"\n{WORDS[options.names]('bye')}")
        return EXIT_STOPPED
    return EXIT_OK


def _ready(options: Options) -> tuple[Table, RecordFile | None]:
    """Return the table with everybody seated, and the file to save in. Raises ``TressetteError``."""
    if not 0 <= options.port < 2**16:
        raise UsageError(f"--port {options.port} is out of range: give a number from 0 to {2**16 - 1}")
    file = RecordFile(options.save) if options.save is not None else None
    table = Table(
        make_rules(rules_flag(options.rules)),
        options.seat,
        options.against,
        options.partner,
        hints=options.hints,
        episode=options.episode,
        seed=options.seed,
    )
    return table, file


def _fail(error: object, code: int) -> int:
    print(f"agents.play: {error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
