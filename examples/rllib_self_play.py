"""RLlib: PPO by self-play, one masked module for all seats, over RLlib's own PettingZoo wrapper.

    make peers                                   # builds .venv-peers and runs the tests of this file there
    .venv-peers/bin/python -m examples.rllib_self_play
    .venv-peers/bin/python -m examples.rllib_self_play --rules mini_4p_12 --iterations 30

Prints a line per iteration and a duplicate match against the random bot. About a minute. RLlib pins an older gymnasium
than the rest of this repository, so it lives in a virtual environment of its own (`constraints-peers.txt`).

What to know about RLlib on turn-based games:

* `PettingZooEnv` gives one seat's observation at a time and its reward since its own last action, and it plays the
  end of an episode out by itself; a seat may act several times in a row.
* The new API stack masks in the module: `MaskedModule` reads the mask from the observation and lowers the logits of
  illegal actions. To a finite number: RLlib adds a row past the end of every episode, whose mask is all zeros.
* RLlib's check of a new environment plays random actions without regard to the mask: `disable_env_checking=True`, or
  `tressette_v0.env`, which ends an episode at an illegal action. The raw environment raises, so that none is missed.
"""

import logging
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env

from agents.checkpoint import NetworkPolicy
from agents.networks import MASKED, mlp
from agents.run_config import check_deals, check_least, check_positive
from examples.command import match, read_rules, run_command
from tressette_env import tressette_v0
from tressette_env.rules import Rules

SHARED = "shared"  # the one module that plays all seats


@dataclass(frozen=True)
class Options:
    """Self-play PPO with RLlib."""

    rules: str = "mini_4p"
    """Preset, YAML file or "{preset: tressette, target: 31}"."""
    seed: int = 1
    iterations: int = 10
    decisions_per_iteration: int = 1024
    learning_rate: float = 1e-3
    eval_deals: int = 1000
    """Duplicate deals against the random bot."""

    def check(self) -> None:
        """Raise ``TressetteError`` at the first value out of range."""
        read_rules(self.rules)
        check_least(self, 0, ("seed",))
        check_least(self, 1, ("iterations", "decisions_per_iteration"))
        check_positive(self, ("learning_rate",))
        check_deals(self, "eval_deals")


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """An actor that plays legal actions only, and a critic, both over the flat observation."""

    def setup(self) -> None:
        """Make the networks."""
        size = self.observation_space["observation"].shape[0]
        self.actor = mlp(size, (64, 64), int(self.action_space.n), 0.01)
        self.critic = mlp(size, (64, 64), 1, 1.0)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        shown = batch[Columns.OBS]
        logits = self.actor(shown["observation"]).masked_fill(shown["action_mask"] == 0, MASKED)
        return {Columns.ACTION_DIST_INPUTS: logits}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Return the critic's values, float32 (B,)."""
        return self.critic(batch[Columns.OBS]["observation"])[:, 0]


def make_config(options: Options, rules: Rules) -> PPOConfig:
    """Return PPO with every seat mapped to the shared module, all in this process."""
    register_env("tressette", lambda settings: PettingZooEnv(tressette_v0.raw_env(rules)))
    return (
        PPOConfig()
        .environment("tressette", disable_env_checking=True)
        .env_runners(num_env_runners=0)
        .learners(num_learners=0)
        .multi_agent(policies={SHARED}, policy_mapping_fn=lambda agent, episode, **kwargs: SHARED)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={SHARED: RLModuleSpec(module_class=MaskedModule)}))
        .training(
            train_batch_size_per_learner=options.decisions_per_iteration,
            minibatch_size=256,
            num_epochs=4,
            lr=options.learning_rate,
            gamma=1.0,
            lambda_=0.95,
            entropy_coeff=0.01,
            use_kl_loss=False,
            vf_clip_param=float("inf"),  # the default cuts squared errors off at 10, and a deal pays more
        )
        .debugging(seed=options.seed, log_level="ERROR")
    )


def run(options: Options) -> None:
    """Train and print how far ahead of the random bot the module is."""
    rules = read_rules(options.rules)
    torch.set_num_threads(1)  # networks this small lose more time between threads than they gain
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder:  # Ray's logs and sockets
        ray.init(num_cpus=1, include_dashboard=False, logging_level=logging.ERROR, _temp_dir=folder)
        logging.getLogger("ray.rllib").setLevel(logging.ERROR)
        try:
            policy = train(make_config(options, rules), options.iterations, rules)
        finally:
            ray.shutdown()
    print(match(policy, "random", rules, options.eval_deals, options.seed))


def train(config: PPOConfig, iterations: int, rules: Rules) -> NetworkPolicy:
    """Train and return the shared module's actor as a player."""
    algorithm = config.build_algo()
    for iteration in range(iterations):
        learned = algorithm.train()["learners"][SHARED]
        print(f"iteration {iteration + 1}: entropy {learned['entropy']:.3f}, value loss {learned['vf_loss']:.3f}")
    policy = NetworkPolicy(algorithm.get_module(SHARED).actor, rules, "rllib", canonical=False)
    algorithm.stop()
    return policy


def main(args: Sequence[str] | None = None) -> int:
    """Run the example and return its exit code."""
    return run_command("rllib_self_play", Options, run, args)


if __name__ == "__main__":
    sys.exit(main())
