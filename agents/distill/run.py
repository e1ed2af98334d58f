"""A distillation run from what the command line gave: the resolved config, then the training."""

from pathlib import Path

from agents.distill.config import DistillConfig
from agents.distill.labels import block_paths
from agents.distill.trainer import DistillTrainer
from agents.entries import check_device
from agents.run_folder import Source
from agents.running import resolved, run_training


def prepare(config: DistillConfig) -> DistillConfig:
    """Return the config with its rules and name resolved. Raises ``TressetteError`` for what cannot be used here."""
    config, _ = resolved(config, "distill")
    check_device(config.device)
    block_paths(Path(config.labels))
    return config


def run(config: DistillConfig, folder: Path, source: Source | None = None) -> int:
    """Train what ``prepare`` returned; see ``running.run_training``."""
    return run_training(DistillTrainer, "distill", config, folder, source)
