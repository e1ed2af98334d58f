"""Show a recorded game again: ``python -m agents.replay games.jsonl --html game.html``."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from agents.explain import Explainer, explainer_of
from agents.flags import UsageError, parse_flags
from agents.play.words import WORDS
from agents.replay.page import page_of
from agents.replay.steps import story_of
from agents.replay.text import text_of
from agents.search.regret import SolverError
from tressette_env.bots import BotError
from tressette_env.errors import TressetteError
from tressette_env.files import write_whole
from tressette_env.records import check_record, read_records
from tressette_env.rules import Rules

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_STOPPED = 0, 1, 2, 130


@dataclass(frozen=True)
class Options:
    """Show one game of a file of records as a page, pictures or text."""

    file: Annotated[Path, tyro.conf.Positional]
    """File of records, one line each, as agents.play --save writes it."""
    number: int | None = None
    """Which record of the file, from 1; else the last."""
    seat: int | None = None
    """Show what this seat saw; else all cards lie open."""
    explain: str | None = None
    """Say what a player makes of every decision: a bot, mc or ismcts, a run folder or a checkpoint file."""
    regret: bool = False
    """Say what each card lost its side against exact open-hand play (rules with two sides)."""
    html: Path | None = None
    """Write one HTML file that needs nothing else."""
    gif: Path | None = None
    """Write an animated GIF, a picture for each trick."""
    png: Path | None = None
    """Write a picture for each trick into this folder."""
    text: bool = False
    """Print the game."""
    names: Literal["en", "it"] = "en"
    """Language of the page and the text; tables drawn in the text stay English."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0 done, 1 failed, 2 bad usage, 130 stopped by Ctrl-C."""
    try:
        options = parse_flags(Options, args, "python -m agents.replay")
        _check(options)
        _show(options)
    except (UsageError, BotError, SolverError) as error:
        return _fail(error, EXIT_USAGE)
    except BrokenPipeError:  # whoever read the text has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (TressetteError, OSError) as error:
        return _fail(error, EXIT_FAILED)
    except KeyboardInterrupt:
        return _fail("stopped", EXIT_STOPPED)
    return EXIT_OK


def _check(options: Options) -> None:
    """Raise ``UsageError`` for flags that cannot be carried out, before anything is played again."""
    told = options.html is not None or options.text
    if not told and options.gif is None and options.png is None:
        raise UsageError("nothing to make: add --html FILE, --gif FILE, --png FOLDER or --text")
    if not told and (options.explain is not None or options.regret):
        raise UsageError("--explain and --regret are shown by --html and --text: add one of them")
    if not options.file.is_file():
        raise UsageError(f"there is no file {str(options.file)!r}: give one that agents.play --save wrote")
    for path in (options.html, options.gif):
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            raise UsageError(f"{str(path)!r} cannot be written: name a file in a folder that is there")
    if options.png is not None and options.png.exists() and not options.png.is_dir():
        raise UsageError(f"--png {str(options.png)!r} is a file: name a folder")


def _show(options: Options) -> None:
    record = _record(options)
    rules = check_record(record)
    if options.seat is not None and not 0 <= options.seat < rules.num_seats:
        raise UsageError(
            f"--seat {options.seat} is no seat of {rules.name!r}: give one from 0 to {rules.num_seats - 1}"
        )
    if options.html is not None or options.text:
        story = story_of(record, _explainer(options.explain, rules), options.regret)
        if options.html is not None:
            write_whole(options.html, page_of(story, options.seat, options.names).encode())
        if options.text:
            for line in text_of(story, options.seat, WORDS[options.names], colour=sys.stdout.isatty()):
                print(line)
    if options.gif is not None or options.png is not None:
        _pictures(options, record)
    written = [str(path) for path in (options.html, options.gif, options.png) if path is not None]
    if written:
        print(f"wrote {', '.join(written)}", file=sys.stderr)


def _record(options: Options) -> dict[str, Any]:
    """Return the record that is asked for. Raises ``UsageError`` where the file has no such record."""
    if options.number is not None and options.number < 1:
        raise UsageError(f"--number {options.number} is no record: count from 1")
    count, found = 0, None
    for count, found in enumerate(read_records(options.file), 1):
        if count == options.number:
            return found
    if found is None:
        raise UsageError(f"{str(options.file)!r} holds no record: play with --save first")
    if options.number is not None:
        raise UsageError(f"--number {options.number} is past the end: {str(options.file)!r} holds {count} records")
    return found


def _explainer(name: str | None, rules: Rules) -> Explainer | None:
    return None if name is None else explainer_of(name, rules)


def _pictures(options: Options, record: dict[str, Any]) -> None:
    """Write the GIF, the pictures of the tricks, or both."""
    from tressette_env.pictures.record import trick_images, write_gif

    if options.gif is not None:
        write_gif(options.gif, trick_images(record, options.seat))
    if options.png is not None:
        options.png.mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(_png(trick_images(record, options.seat)), 1):
            write_whole(options.png / f"trick_{number:03}.png", data)


def _png(images: Iterator[Any]) -> Iterator[bytes]:
    from io import BytesIO

    for image in images:
        data = BytesIO()
        image.save(data, "PNG")
        yield data.getvalue()


def _fail(error: object, code: int) -> int:
    print(f"agents.replay: {error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
