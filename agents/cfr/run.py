"""A tabular CFR run from what the command line gave: the resolved config, then the iterations."""

from pathlib import Path

from agents.cfr.config import CFRConfig
from agents.cfr.sampling import SAMPLERS, MCCFRSolver
from agents.cfr.trainer import CFRTrainer
from agents.cfr.tree import dealt_states
from agents.run_folder import Source
from agents.running import resolved, run_training


def prepare(config: CFRConfig) -> CFRConfig:
    """Return the config with its rules and name resolved. Raises ``TressetteError`` for what cannot be used here."""
    config, rules = resolved(config, config.method.replace("+", "plus"))
    if config.method in SAMPLERS:
        MCCFRSolver(rules, config.method)
    else:
        dealt_states(rules)
    return config


def run(config: CFRConfig, folder: Path, source: Source | None = None) -> int:
    """Train what ``prepare`` returned; see ``running.run_training``."""
    return run_training(CFRTrainer, "cfr", config, folder, source)
