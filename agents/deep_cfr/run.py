"""A Deep CFR run from what the command line gave: the resolved config, then the training."""

from pathlib import Path

from agents.cfr.tree import dealt_states
from agents.deep_cfr.config import DeepCFRConfig
from agents.deep_cfr.trainer import DeepCFRTrainer
from agents.deep_cfr.walks import externally
from agents.entries import check_device
from agents.run_folder import Source
from agents.running import resolved, run_training


def prepare(config: DeepCFRConfig) -> DeepCFRConfig:
    """Return the config with its rules and name resolved. Raises ``TressetteError`` for what cannot be used here."""
    config, rules = resolved(config, config.method)
    check_device(config.device)
    externally(rules, config.sampling)
    if config.eval_exact:
        dealt_states(rules)  # says so where the game is too large
    return config


def run(config: DeepCFRConfig, folder: Path, source: Source | None = None) -> int:
    """Train what ``prepare`` returned; see ``running.run_training``."""
    return run_training(DeepCFRTrainer, "deep_cfr", config, folder, source)
