"""Label deals: ``python -m agents.distill --out data/mc100``; goes on where it stopped."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track

from agents.distill.judge import Judge
from agents.distill.labels import label_deals, save_block
from agents.flags import parse_flags, rules_flag
from agents.run_config import ConfigError
from tressette_env.errors import TressetteError
from tressette_env.presets import make_rules


@dataclass(frozen=True)
class Options:
    """Play deals by a search bot and keep what it thought of every candidate, for `train.py --config distill.yaml`."""

    out: Path
    """Folder for the labels; blocks that are there already are not made again."""
    teacher: str = "mc:worlds=100"
    """`mc` or `pimc` with options."""
    rules: str = "tressette"
    """Preset, mapping or YAML file."""
    seed: int = 1
    """Seed of the deals."""
    deals: int = 10_000
    """Deals in all."""
    start: int = 0
    """First deal to label, a multiple of --block: so that several processes can share a folder."""
    block: int = 250
    """Deals of a file."""
    explore: float = 0.1
    """Share of decisions played at random, so that positions after mistakes are among them."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0 done, 1 failed, 2 bad usage, 130 stopped."""
    try:
        options = parse_flags(Options, args, "python -m agents.distill")
        if options.deals < 1 or options.block < 1:
            raise ConfigError(f"deals = {options.deals} and block = {options.block} must be at least 1")
        if options.start % options.block or not 0 <= options.start < options.deals:
            raise ConfigError(
                f"start = {options.start} is not a multiple of block = {options.block} below deals = {options.deals}"
            )
        if not 0 <= options.explore <= 1:
            raise ConfigError(f"explore = {options.explore} must be between 0 and 1")
        if not 0 <= options.seed < 2**30:
            raise ConfigError(f"seed = {options.seed} is out of range: a whole number from 0 to {2**30 - 1}")
        rules, judge = make_rules(rules_flag(options.rules)), Judge(options.teacher)
    except TressetteError as error:
        print(f"agents.distill: {error}", file=sys.stderr)
        return 2
    try:
        return _label(options, judge, rules)
    except TressetteError as error:
        print(f"agents.distill: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            f"agents.distill: stopped; the blocks in {options.out} are whole, the same command goes on", file=sys.stderr
        )
        return 130


def _label(options: Options, judge: Judge, rules) -> int:  # type: ignore[no-untyped-def]
    # Labelled deals live above 2**62, where neither evaluations nor training look.
    first = (1 << 62) + (options.seed << 32)
    meta = {"rules": rules.to_dict(), "teacher": judge.name, "explore": options.explore}
    starts = range(options.start, options.deals, options.block)
    for start in track(starts, "labelling", console=Console(stderr=True)):
        path = options.out / f"deals-{start:08d}.npz"
        if not path.exists():
            deals = min(options.block, options.deals - start)
            save_block(path, label_deals(judge, rules, first + start, deals, options.explore), meta)
    return 0


if __name__ == "__main__":
    sys.exit(main())
