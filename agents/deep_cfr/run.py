"""A Deep CFR run from what the command line gave: the resolved config, then the training."""

import time
from dataclasses import replace
from pathlib import Path

from agents.cfr.tree import dealt_states
from agents.config import rules_spec
from agents.deep_cfr.config import DeepCFRConfig
from agents.deep_cfr.trainer import DeepCFRTrainer
from agents.deep_cfr.walks import externally
from agents.entries import check_device
from agents.run_folder import Source
from agents.running import resolved_rules, run_training
from tressette_env.bots import make as make_bot
from tressette_env.presets import make_rules


def prepare(config: DeepCFRConfig) -> DeepCFRConfig:
    """Return the config with its rules and name resolved. Raises ``TressetteError`` for what cannot be used here."""
    config.check()
    rules = make_rules(rules_spec(config.env.rules))
    check_device(config.device)
    externally(rules, config.sampling)
    if config.eval_exact:
        dealt_states(rules)  # says so where the game is too large
    for opponent in config.eval_opponents:
        make_bot(opponent)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    name = config.name or f"{config.method}-{rules.name.strip('*')}-seed{config.seed}-{stamp}"
    return replace(config, name=name, env=replace(config.env, rules=resolved_rules(config.env.rules, rules)))


def run(config: DeepCFRConfig, folder: Path, source: Source | None = None) -> int:
    """Train what ``prepare`` returned; see ``running.run_training``."""
    return run_training(DeepCFRTrainer, "deep_cfr", config, folder, source)
