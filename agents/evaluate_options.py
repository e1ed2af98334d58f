"""The flags of evaluate.py, and everything about them that can be checked before a game is played."""

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import tyro

from agents.arena import MAX_DEALS
from agents.entries import check_device, checkpoint_path, resolve
from agents.flags import UsageError, rules_flag
from agents.game_log import players_path
from agents.shards import parse_shard
from agents.workers import MAX_WORKERS
from tressette_env.bots import Policy
from tressette_env.presets import make_rules
from tressette_env.rules import Rules

DEFAULT_RULES = "tressette"


@dataclass(frozen=True)
class Options:
    """Compare players on duplicate deals: the same cards again with the places swapped."""

    entries: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """Two or more bots, run folders or checkpoint files."""
    deals: int = 2000
    """Deals per pair of players, each in two rooms, or in two per place where more than two compete."""
    rules: str | None = None
    """A preset, a YAML file or '{preset: tressette, target: 31}'; else the checkpoints' own, else tressette."""
    seed: int = 0
    """Seed of the deals and of the players' choices."""
    json: Path | None = None
    """File to write the results to."""
    record: Path | None = None
    """New file for every game as a record, one a line; who sat where goes to a second one, NAME.players.jsonl."""
    workers: int = 1
    """Processes that play side by side; the results are the same, but for bots with a limit in milliseconds."""
    shard: str | None = None
    """Play one share of the deals only, such as 1/3; with --json, which writes what --merge reads."""
    merge: tuple[Path, ...] = ()
    """Play nothing: put the parts that all shards wrote together."""
    device: str = "cpu"
    """Where networks run."""
    mixed: bool = False
    """Networks draw their actions from their probabilities; otherwise they play the most likely one."""
    regret: bool = False
    """Also show the points that each player's cards lost against exact open-hand play, trick by trick."""
    regret_deals: int = 100
    """Deals per pair that --regret judges, the first ones: a full game takes about 0.2 seconds."""
    exploit: bool = False
    """Toys only: also show, exactly, what best responses gain against each player (one player is enough then)."""
    signals: bool = False
    """Instead of a comparison: what each player's signals tell, whom they move, what they are worth, who agrees."""
    plots: Path = Path("signals")
    """Folder that --signals writes its pictures to."""
    list: bool = False
    """Show the bots and presets, and stop."""


def ready(options: Options) -> tuple[Rules, list[Policy]]:
    """Return rules and players of an evaluation to play. Raises ``TressetteError`` for what cannot be played."""
    if options.plots != Options.plots:
        raise UsageError(f"--plots {str(options.plots)!r} goes with --signals only: leave it out")
    _check_all(options)
    rules = _rules(options)
    return rules, [resolve(entry, rules, options.device, greedy=not options.mixed) for entry in options.entries]


def ready_signals(options: Options) -> list[Rules]:
    """Return the rules of each player for ``--signals``: its own, or those named. Raises ``TressetteError``."""
    from agents.signals.laboratory import LEAST_DEALS, MOST_DEALS

    for field in ("record", "shard", "regret", "exploit"):
        if getattr(options, field):
            raise UsageError(f"--{field} does not go with --signals, which compares nobody: leave one of them out")
    if not LEAST_DEALS <= options.deals <= MOST_DEALS:
        wanted = f"from {LEAST_DEALS} to {MOST_DEALS}, better 2000"
        raise UsageError(f"--deals {options.deals} is out of range for --signals: {wanted}")
    if options.seed >= 2**62:
        raise UsageError(f"--seed {options.seed} is out of range for --signals: below 2**62")
    _check_all(options)
    _check_plots(options)
    if options.rules is not None:
        return [make_rules(rules_flag(options.rules))] * len(options.entries)
    default = make_rules(DEFAULT_RULES)
    trained = [_trained_rules(entry) for entry in options.entries]
    return [make_rules(rules) if rules is not None else default for rules in trained]


def _check_plots(options: Options) -> None:
    """Raise ``UsageError`` for a folder of pictures that could not be made or written to once all is measured."""
    from agents.signals.plots import PICTURES

    place = options.plots
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise UsageError(f"--plots {str(options.plots)!r} cannot be made: {str(place)!r} is a file, name a folder")
    if not os.access(place, os.W_OK):
        raise UsageError(f"--plots {str(options.plots)!r} cannot be written: no permission for {str(place)!r}")
    pictures = [(options.plots / f"{name}.png").resolve() for name in PICTURES]
    if options.json and options.json.resolve() in pictures:
        raise UsageError(f"--json {str(options.json)!r} is one of the pictures of --plots: name another file")


def check_merge(options: Options) -> None:
    """Raise ``UsageError`` for flags that say nothing to a merge, and for a file that could not be written."""
    for field in fields(Options):
        if field.name not in ("merge", "json") and getattr(options, field.name) != field.default:
            given = options.entries[0] if field.name == "entries" else "--" + field.name.replace("_", "-")
            raise UsageError(f"{given!r} does not go with --merge, which plays nothing: leave it out")
    if options.json:
        _check_writable("--json", options.json)


def _check_all(options: Options) -> None:
    """Raise ``UsageError`` for a number, a file, a device or a player that cannot be."""
    _check_numbers(options)
    _check_files(options)
    if options.device != "cpu":
        check_device(options.device)
    for entry in options.entries:
        path = checkpoint_path(entry)
        if path is not None and not path.exists():
            raise UsageError(f"there is no {entry!r}: name a bot, a run folder such as runs/NAME or a checkpoint file")


def _check_numbers(options: Options) -> None:
    least = 1 if (options.exploit and not options.shard) or options.signals else 2
    if len(options.entries) < least:
        raise UsageError(
            f"name at least {'one player' if least == 1 else 'two players'}, not {len(options.entries)}: "
            "such as 'evaluate.py random heuristic'"
        )
    if options.deals < 2:
        raise UsageError(f"--deals {options.deals} is too few for an interval: give at least 2, better 2000")
    if options.deals > MAX_DEALS:
        raise UsageError(f"--deals {options.deals} is too many: give at most {MAX_DEALS}")
    if not 0 <= options.seed < 2**63:
        raise UsageError(f"--seed {options.seed} is out of range: a whole number from 0 to 2**63 - 1")
    if not 1 <= options.workers <= MAX_WORKERS:
        raise UsageError(f"--workers {options.workers} is out of range: from 1 to {MAX_WORKERS}, best one a core")
    if options.regret_deals < 1:
        raise UsageError(f"--regret-deals {options.regret_deals} is too few: judge at least 1")
    if options.shard is not None:
        parse_shard(options.shard, options.deals)
        if options.json is None:
            raise UsageError(f"--shard {options.shard} needs --json FILE: that is what --merge reads")
        if options.exploit:
            raise UsageError("--exploit does not go with --shard, as it plays no deals: give it a command of its own")


def _check_files(options: Options) -> None:
    """Raise ``UsageError`` for a file that could not be written once the games are played, or is there already."""
    if options.json:
        _check_writable("--json", options.json)
    if options.record:
        both = (options.record, players_path(options.record))
        for path in both:
            if os.path.lexists(path):
                raise UsageError(f"--record never writes over {str(path)!r}: name a new file, or remove the old one")
            _check_writable("--record", path)
        if options.json and options.json.resolve() in [path.resolve() for path in both]:
            raise UsageError(f"--record and --json both write {str(options.json)!r}: name two files")
        if len(options.entries) < 2:
            raise UsageError("--record writes the games of a comparison, and one player alone plays none: leave it out")


def _check_writable(flag: str, path: Path) -> None:
    folder = path.parent
    if path.is_dir():
        raise UsageError(f"{flag} {str(path)!r} is a folder: name a file")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        # The result is renamed into place, which would put a file where the link, pipe or device was.
        raise UsageError(f"{flag} {str(path)!r} is a link, pipe or device: name a plain file")
    if not folder.is_dir():
        raise UsageError(f"{flag} {str(path)!r} cannot be written: there is no folder {str(folder)!r}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError(f"{flag} {str(path)!r} cannot be written: no permission")


# ---------------------------------------------------------------- the rules to play
def _rules(options: Options) -> Rules:
    """Return the rules to play: those named, else those all checkpoints were trained with, else the default."""
    if options.rules is not None:
        return make_rules(rules_flag(options.rules))
    default = make_rules(DEFAULT_RULES)
    trained = {entry: rules for entry in options.entries if (rules := _trained_rules(entry)) is not None}
    if not trained or default in trained.values():
        return default
    first = next(iter(trained.values()))
    if any(rules != first for rules in trained.values()):
        each = ", ".join(f"{entry} for {rules.name!r}" for entry, rules in trained.items())
        raise UsageError(f"the checkpoints were trained for different rules ({each}): give --rules")
    return make_rules(first)


def _trained_rules(entry: str) -> Rules | None:
    """Return the rules of a checkpoint's training; None for a bot, and for what ``resolve`` will refuse."""
    path = checkpoint_path(entry)
    if path is None:
        return None
    from agents.checkpoint import POLICY_FORMATS, latest, load_tensors

    meta = load_tensors(latest(path) if path.is_dir() else path, *POLICY_FORMATS)[1]
    return Rules.from_dict(meta["rules"]) if "rules" in meta else None
