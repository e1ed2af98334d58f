"""A behaviour cloning run from what the command line gave: the resolved config, then the training."""

from pathlib import Path

from agents.cloning.config import BCConfig
from agents.cloning.samples import check_data
from agents.cloning.trainer import BCTrainer
from agents.decisions.parquet import Decisions
from agents.entries import check_device
from agents.run_folder import Source
from agents.running import resolved, run_training


def prepare(config: BCConfig) -> BCConfig:
    """Return the config with its rules and name resolved. Raises ``TressetteError`` for what cannot be used here."""
    config, rules = resolved(config, "bc")
    check_device(config.device)
    check_data(Decisions(config.data), rules, canonical_suits=config.canonical_suits)
    return config


def run(config: BCConfig, folder: Path, source: Source | None = None) -> int:
    """Train what ``prepare`` returned; see ``running.run_training``."""
    return run_training(BCTrainer, "bc", config, folder, source)
