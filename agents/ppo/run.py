"""A PPO run from what the command line gave: the resolved config, then the training."""

from pathlib import Path

from agents.cfr.tree import dealt_states
from agents.distributed import joined
from agents.entries import check_device
from agents.ppo.config import PPOConfig
from agents.ppo.trainer import Trainer
from agents.run_config import ConfigError
from agents.run_folder import Source
from agents.running import resolved, run_training


def prepare(config: PPOConfig) -> PPOConfig:
    """Return the config with its rules and name resolved. Raises ``TressetteError`` for what cannot be used here."""
    config, rules = resolved(config, "ppo")
    check_device(config.device)
    if config.eval_exact:
        dealt_states(rules)  # says so where the game is too large
    return config


def run(config: PPOConfig, folder: Path, source: Source | None = None) -> int:
    """Train what ``prepare`` returned, with the other processes that torchrun started; see ``running.run_training``."""
    with joined() as group:
        config, folder = group.share((config, folder))  # a name made from the time is the first one's
        if config.deals_per_iteration < group.world:
            raise ConfigError(
                f"deals_per_iteration = {config.deals_per_iteration} leaves some of {group.world} processes without a "
                f"deal: give at least {group.world}"
            )
        return run_training(Trainer, "ppo", config, folder, source, group)
