"""A vine run from what the command line gave: the resolved config, then the training."""

from pathlib import Path

from agents.entries import check_device, resolve
from agents.run_folder import Source
from agents.running import resolved, run_training
from agents.vine.config import SELF, VineConfig
from agents.vine.trainer import VineTrainer


def prepare(config: VineConfig) -> VineConfig:
    """Return the config with its rules and name resolved. Raises ``TressetteError`` for what cannot be used here."""
    config, rules = resolved(config, "vine")
    check_device(config.device)
    for name in config.opponents:
        if name != SELF:
            resolve(name, rules)
    return config


def run(config: VineConfig, folder: Path, source: Source | None = None) -> int:
    """Train what ``prepare`` returned; see ``running.run_training``."""
    return run_training(VineTrainer, "vine", config, folder, source)
