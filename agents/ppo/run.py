"""One PPO run from a resolved config: folder, training, closing evaluation, table."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import yaml
from rich.console import Console
from rich.table import Table

from agents.checkpoint import write_atomic
from agents.config import ConfigError, rules_spec, to_yaml
from agents.ppo.config import PPOConfig
from agents.ppo.trainer import FINAL_SEED, Trainer, write_summary
from agents.runlog import Progress, RunLog, describe_commit, describe_machine
from tressette_env.bots import make as make_bot
from tressette_env.presets import PRESETS, make_rules
from tressette_env.rules import Rules

RUNS = Path("runs")


def check_device(name: str) -> None:
    """Raise ``ConfigError`` when a torch device cannot be used here."""
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"device = {name!r} cannot be used here ({reason}): try --device cpu") from None


def resolved_rules(text: str, rules: Rules) -> str:
    """Return what config.yaml keeps: a preset name, or the full values, so that editing a file changes no run."""
    if text in PRESETS:
        return text
    return yaml.safe_dump(rules.to_dict(), default_flow_style=True, sort_keys=False, width=10_000).strip()


def run(config: PPOConfig, resume: Path | None = None) -> dict[str, Any]:
    """Train (or go on in the folder ``resume``), evaluate at the end, print the table; return the summary."""
    rules = make_rules(rules_spec(config.env.rules))
    config = replace(config, env=replace(config.env, rules=resolved_rules(config.env.rules, rules)))
    check_device(config.device)
    for opponent in config.eval_opponents:
        make_bot(opponent)
    if resume is None:
        name = config.name or f"ppo-{rules.name.strip('*')}-seed{config.seed}-{time.strftime('%Y%m%d-%H%M%S')}"
        config = replace(config, name=name)
        folder = RUNS / name
        try:
            folder.mkdir(parents=True)  # one step, so that of two runs started together one is refused
        except FileExistsError:
            raise ConfigError(
                f"the run folder {str(folder)!r} exists: choose another --name or use --resume {folder}"
            ) from None
    else:
        folder = resume
    trainer = Trainer(config, folder)
    if resume is not None:
        trainer.resume()
    write_atomic(folder / "config.yaml", ("algorithm: ppo\n" + to_yaml(config)).encode())
    log = RunLog(folder, trainer.decisions)
    try:
        with Progress(config.total_decisions, trainer.decisions) as progress:
            trainer.train(log, progress)
        return _close(trainer, log)
    finally:
        log.close()


def _close(trainer: Trainer, log: RunLog) -> dict[str, Any]:
    """Evaluate on fresh deals, write curve and summary, print the closing table."""
    config = trainer.config
    console = Console()
    if trainer.stop_requested:
        console.print(
            f"stopped at {trainer.decisions:,} decisions; go on with: python train.py --resume {trainer.folder}"
        )
        return {}
    results = trainer.evaluate(config.final_eval_deals, FINAL_SEED)
    log.scalars(trainer.decisions, results)
    log.curve()
    table = Table(title=f"{trainer.folder.name}: {trainer.decisions:,} decisions in {trainer.seconds / 60:.1f} minutes")
    table.add_column("against")
    table.add_column("points per deal", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column("tricks alone", justify="right")
    table.add_column("deals x 2", justify="right")
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
    return summary
