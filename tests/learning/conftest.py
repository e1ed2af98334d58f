"""Small configurations for the learning tests."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from agents.ppo.config import PPOConfig
from agents.ppo.learner import Learner
from agents.ppo.rollout import Collector
from agents.run_config import EnvConfig
from tressette_env.presets import make_rules


@pytest.fixture
def small():
    """Return a function that makes a tiny fp32 configuration with overrides."""

    def make(rules: str = "tressette", **changes: Any) -> PPOConfig:
        base = PPOConfig(
            env=EnvConfig(rules=rules), hidden=(32,), critic_hidden=(32,), deals_per_iteration=48, minibatch=256,
            bf16=False, total_decisions=10_000, eval_every=0, checkpoint_every=10_000_000, eval_deals=10,
            final_eval_deals=10, eval_opponents=("random",),
        )  # fmt: skip
        return replace(base, **changes)

    return make


@pytest.fixture
def collected(small):
    """Return a function that plays one iteration: (config, rules, learner, collector, rollout)."""

    def make(rules: str = "tressette", **changes: Any):
        config = small(rules, **changes)
        torch.manual_seed(0)
        made = make_rules(rules)
        learner = Learner(config, made)
        collector = Collector(
            made, config.deals_per_iteration, config.seed, config.canonical_suits, learner.device, config.bf16
        )
        rollout = collector.collect(learner.actor, 0, 5)
        return config, made, learner, collector, rollout

    return make
