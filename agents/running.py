"""A run from a resolved config: folder, training, closing evaluation, table. Whatever is trained."""

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table

from agents.checkpoint import write_atomic
from agents.config import rules_spec, to_yaml
from agents.distributed import ALONE, Group
from agents.entries import resolve
from agents.provenance import describe_commit, describe_machine
from agents.run_folder import Source, branch, claim, finished_at, locked
from agents.runlog import Progress, RunLog, eval_tag
from agents.training import FINAL_SEED, BaseTrainer, write_summary
from tressette_env.presets import PRESETS, make_rules
from tressette_env.rules import Rules


def resolved_rules(text: str, rules: Rules) -> str:
    """Return what config.yaml keeps: a preset name, or the full values, so that editing a file changes no run."""
    if text in PRESETS:
        return text
    return yaml.safe_dump(rules.to_dict(), default_flow_style=True, sort_keys=False, width=10_000).strip()


def resolved(config: Any, kind: str) -> tuple[Any, Rules]:
    """Return a checked config with its rules and name resolved, and the rules.

    ``kind`` begins a name that is not given. Raises ``TressetteError`` for what no run can use.
    """
    config.check()
    rules = make_rules(rules_spec(config.env.rules))
    for opponent in config.eval_opponents:
        resolve(opponent, rules)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    name = config.name or f"{kind}-{rules.name.strip('*')}-seed{config.seed}-{stamp}"
    return replace(config, name=name, env=replace(config.env, rules=resolved_rules(config.env.rules, rules))), rules


def run_training(
    trainer_class: type[BaseTrainer],
    algorithm: str,
    config: Any,
    folder: Path,
    source: Source | None = None,
    group: Group = ALONE,
) -> int:
    """Train a resolved config in a folder, going on from a source: the same folder's, or copied from another.

    Evaluates at the end, prints the table, writes the summary. Returns 0, or 128 + the signal that stopped it. Of
    several processes the first one reads and writes the folder.
    """
    if not group.leads:
        return _follow(trainer_class, config, folder, group)
    own = source is not None and source.folder == folder
    unit = trainer_class.UNIT
    total = getattr(config, f"total_{unit}")
    finished = finished_at(folder, total, unit) if own else None
    if finished is not None:
        print(f"{folder} is finished at {finished:,} {unit}: raise --total-{unit} to go on, or use evaluate.py")
        group.share(None)
        return 0
    trainer = trainer_class(config, folder, group)
    if source is None:
        trainer.begin()
    with locked(folder):
        if not own:
            claim(folder)
        if source is not None:
            _take_up(trainer, source if own else branch(source, folder))
        if group.world > 1:
            group.share(trainer.state())
        log = RunLog(folder, trainer.steps, unit)
        try:
            write_atomic(folder / "config.yaml", (f"algorithm: {algorithm}\n" + to_yaml(config)).encode())
            with Progress(total, trainer.steps, unit) as progress:
                trainer.train(log, progress)
            return _close(trainer, log)
        finally:
            log.close()


def _follow(trainer_class: type[BaseTrainer], config: Any, folder: Path, group: Group) -> int:
    """Train beside the first process, from the state that it begins with."""
    state: Any = group.share(None)
    if state is None:
        return 0
    trainer = trainer_class(config, folder, group)
    trainer.take_up(*state)
    trainer.train(None, None)
    return 128 + trainer.stopped_by if trainer.stopped_by else 0


def _take_up(trainer: BaseTrainer, source: Source) -> None:
    for problem in trainer.resume(source.state):
        print(f"train.py: {problem}: going on from {trainer.steps:,} {trainer.UNIT}", file=sys.stderr)


def _close(trainer: BaseTrainer, log: RunLog) -> int:
    """Evaluate on fresh deals, write curve and summary, print the closing table; return the exit code."""
    config = trainer.config
    console = Console()
    if trainer.stopped_by:
        console.print(
            f"stopped at {trainer.steps:,} {trainer.UNIT}; go on with: python train.py --resume {trainer.folder}"
        )
        return 128 + trainer.stopped_by
    results = trainer.evaluate(config.final_eval_deals, FINAL_SEED)
    log.scalars(trainer.steps, results)
    trainer.draw(log)
    table = Table(
        title=f"{trainer.folder.name}: {trainer.steps:,} {trainer.UNIT} in {trainer.seconds / 60:.1f} minutes"
    )
    table.add_column("against")
    table.add_column("points per deal", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column("tricks alone", justify="right")
    table.add_column("duplicate deals", justify="right")
    for bot in config.eval_opponents:
        tag = eval_tag(bot)
        mean, half = results[f"{tag}_points"], results[f"{tag}_ci95"]
        tricks = f"{results[f'{tag}_tricks']:+.2f} ± {results[f'{tag}_tricks_ci95']:.2f}"
        interval = f"{mean - half:+.2f} .. {mean + half:+.2f}"
        table.add_row(bot, f"{mean:+.2f}", interval, tricks, str(config.final_eval_deals))
    console.print(table)
    for line in trainer.closing(results):
        console.print(line, highlight=False)
    console.print(f"checkpoint, logs and pictures: {trainer.folder}   (tensorboard --logdir {trainer.folder.parent})")
    summary = {
        trainer.UNIT: trainer.steps,
        "training_seconds": round(trainer.seconds, 1),
        "results": results,
        "eval_seed": FINAL_SEED,
        "eval_deals": config.final_eval_deals,
        "commit": describe_commit(),
        "machine": describe_machine(),
    }
    write_summary(trainer.folder, summary)
    return 0
