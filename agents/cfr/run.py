"""A tabular CFR run from what the command line gave: the resolved config, then the iterations."""

import time
from dataclasses import replace
from pathlib import Path

from agents.cfr.config import CFRConfig
from agents.cfr.sampling import SAMPLERS, MCCFRSolver
from agents.cfr.trainer import CFRTrainer
from agents.cfr.tree import dealt_states
from agents.config import rules_spec
from agents.run_folder import Source
from agents.running import resolved_rules, run_training
from tressette_env.bots import make as make_bot
from tressette_env.presets import make_rules


def prepare(config: CFRConfig) -> CFRConfig:
    """Return the config with its rules and name resolved. Raises ``TressetteError`` for what cannot be used here."""
    config.check()
    rules = make_rules(rules_spec(config.env.rules))
    if config.method in SAMPLERS:
        MCCFRSolver(rules, config.method)
    else:
        dealt_states(rules)
    for opponent in config.eval_opponents:
        make_bot(opponent)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    method = config.method.replace("+", "plus")
    name = config.name or f"{method}-{rules.name.strip('*')}-seed{config.seed}-{stamp}"
    return replace(config, name=name, env=replace(config.env, rules=resolved_rules(config.env.rules, rules)))


def run(config: CFRConfig, folder: Path, source: Source | None = None) -> int:
    """Train what ``prepare`` returned; see ``running.run_training``."""
    return run_training(CFRTrainer, "cfr", config, folder, source)
