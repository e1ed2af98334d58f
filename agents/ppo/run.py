"""One PPO run from a resolved config: folder, training, closing evaluation, table."""

import sys
import time
from dataclasses import replace
from pathlib import Path

import yaml
from rich.console import Console
from rich.table import Table

from agents.checkpoint import write_atomic
from agents.config import rules_spec, to_yaml
from agents.entries import check_device
from agents.ppo.config import PPOConfig
from agents.ppo.trainer import FINAL_SEED, Trainer, write_summary
from agents.provenance import describe_commit, describe_machine
from agents.run_folder import Source, branch, claim, finished_at, locked
from agents.runlog import Progress, RunLog
from tressette_env.bots import make as make_bot
from tressette_env.presets import PRESETS, make_rules
from tressette_env.rules import Rules


def resolved_rules(text: str, rules: Rules) -> str:
    """Return what config.yaml keeps: a preset name, or the full values, so that editing a file changes no run."""
    if text in PRESETS:
        return text
    return yaml.safe_dump(rules.to_dict(), default_flow_style=True, sort_keys=False, width=10_000).strip()


def prepare(config: PPOConfig) -> PPOConfig:
    """Return the config with its rules and name resolved. Raises ``TressetteError`` for what cannot be used here."""
    config.check()
    rules = make_rules(rules_spec(config.env.rules))
    check_device(config.device)
    for opponent in config.eval_opponents:
        make_bot(opponent)
    name = config.name or f"ppo-{rules.name.strip('*')}-seed{config.seed}-{time.strftime('%Y%m%d-%H%M%S')}"
    return replace(config, name=name, env=replace(config.env, rules=resolved_rules(config.env.rules, rules)))


def run(config: PPOConfig, folder: Path, source: Source | None = None) -> int:
    """Train what ``prepare`` returned in a folder, going on from a source: the same folder's, or copied from another.

    Evaluates at the end, prints the table, writes the summary. Returns 0, or 128 + the signal that stopped it.
    """
    own = source is not None and source.folder == folder
    finished = finished_at(folder, config.total_decisions) if own else None
    if finished is not None:
        print(f"{folder} is finished at {finished:,} decisions: raise --total-decisions to go on, or use evaluate.py")
        return 0
    trainer = Trainer(config, folder)
    with locked(folder):
        if not own:
            claim(folder)
        if source is not None:
            _take_up(trainer, source if own else branch(source, folder))
        log = RunLog(folder, trainer.decisions)
        try:
            write_atomic(folder / "config.yaml", ("algorithm: ppo\n" + to_yaml(config)).encode())
            with Progress(config.total_decisions, trainer.decisions) as progress:
                trainer.train(log, progress)
            return _close(trainer, log)
        finally:
            log.close()


def _take_up(trainer: Trainer, source: Source) -> None:
    for problem in trainer.resume(source.state):
        print(f"train.py: {problem}: going on from {trainer.decisions:,} decisions", file=sys.stderr)


def _close(trainer: Trainer, log: RunLog) -> int:
    """Evaluate on fresh deals, write curve and summary, print the closing table; return the exit code."""
    config = trainer.config
    console = Console()
    if trainer.stopped_by:
        console.print(
            f"stopped at {trainer.decisions:,} decisions; go on with: python train.py --resume {trainer.folder}"
        )
        return 128 + trainer.stopped_by
    results = trainer.evaluate(config.final_eval_deals, FINAL_SEED)
    log.scalars(trainer.decisions, results)
    log.curve()
    table = Table(title=f"{trainer.folder.name}: {trainer.decisions:,} decisions in {trainer.seconds / 60:.1f} minutes")
    table.add_column("against")
    table.add_column("points per deal", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column("tricks alone", justify="right")
    table.add_column("duplicate deals", justify="right")
    for bot in config.eval_opponents:
        mean, half = results[f"eval/{bot}_points"], results[f"eval/{bot}_ci95"]
        tricks = f"{results[f'eval/{bot}_tricks']:+.2f} ± {results[f'eval/{bot}_tricks_ci95']:.2f}"
        interval = f"{mean - half:+.2f} .. {mean + half:+.2f}"
        table.add_row(bot, f"{mean:+.2f}", interval, tricks, str(config.final_eval_deals))
    console.print(table)
    console.print(f"checkpoint, logs and curve.png: {trainer.folder}   (tensorboard --logdir {trainer.folder.parent})")
    summary = {
        "decisions": trainer.decisions,
        "training_seconds": round(trainer.seconds, 1),
        "results": results,
        "eval_seed": FINAL_SEED,
        "eval_deals": config.final_eval_deals,
        "commit": describe_commit(),
        "machine": describe_machine(),
    }
    write_summary(trainer.folder, summary)
    return 0
