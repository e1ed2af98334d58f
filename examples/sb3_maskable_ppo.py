"""Stable-Baselines3: sb3-contrib's MaskablePPO on one seat of the game, then the model as a player like any other.

Shows the registered gymnasium environment with action masks in SB3's own vectorised form, saving and loading, and the
three ways to seat the loaded model: as the partner in an environment, in a duplicate match, in a round robin.

    python -m examples.sb3_maskable_ppo
    python -m examples.sb3_maskable_ppo --rules tressette --opponents simple --timesteps 100000

Prints the model's return with itself as partner, then the tables of evaluate.py. Writes the model to `--out`
(SB3's zip). About half a minute; needs the extras `agents` and `examples`.
"""

import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import gymnasium
import numpy as np
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

from agents.checkpoint import write_atomic
from agents.report import tables
from agents.results import interval
from agents.run_config import check_deals, check_least
from agents.tournament import evaluate
from examples.command import match, read_rules, run_command
from tressette_env.bots import make
from tressette_env.envs.policies import ObservationPolicy, resolve_policy
from tressette_env.rules import Rules

ENV = "tressette_env:tressette/Tressette-v0"


@dataclass(frozen=True)
class Options:
    """MaskablePPO on one seat."""

    rules: str = "mini_4p_12"
    """Preset, YAML file or "{preset: tressette, target: 31}"."""
    opponents: str = "random"
    """Who plays the other seats while it learns, the partner's too: a bot, a run folder or a checkpoint."""
    seed: int = 1
    timesteps: int = 20_000
    """Decisions of the learning seat."""
    num_envs: int = 8
    deals: int = 200
    """Duplicate deals of each match, and deals played with the model as partner."""
    out: Path = Path("runs/sb3_maskable_ppo/model.zip")
    """Where the model is saved."""

    def check(self) -> None:
        """Raise ``TressetteError`` at the first value out of range."""
        resolve_policy(self.opponents, read_rules(self.rules))
        check_least(self, 0, ("seed",))
        check_least(self, 1, ("timesteps", "num_envs"))
        check_deals(self, "deals")


class Player:
    """A MaskablePPO model as a policy object, for `partner=`, `opponents=` and `ObservationPolicy`."""

    def __init__(self, path: Path) -> None:
        self.model = MaskablePPO.load(path, device="cpu")

    def predict(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """Return the most likely legal action id for one observation, float32 (F,), and its mask, int8 (A,)."""
        return int(self.model.predict(observation, action_masks=action_mask, deterministic=True)[0])


def train(options: Options, rules: Rules) -> None:
    """Train a model on seat 0 and save it."""
    torch.set_num_threads(1)  # networks this small lose more time between threads than they gain
    others = {"opponents": options.opponents} | ({"partner": options.opponents} if has_partner(rules) else {})
    envs = make_vec_env(ENV, options.num_envs, seed=options.seed, env_kwargs={"rules": rules} | others)
    model = MaskablePPO(  # it asks every environment for `action_masks()`
        "MlpPolicy", envs, n_steps=256, batch_size=256, learning_rate=1e-3, gamma=1.0, seed=options.seed, device="cpu"
    )
    model.learn(options.timesteps)
    buffer = io.BytesIO()
    model.save(buffer)
    write_atomic(options.out, buffer.getvalue())


def has_partner(rules: Rules) -> bool:
    """Return whether seat 0 has a partner before play, whom an environment then lets one choose."""
    return not isinstance(rules.sides, str) and rules.sides.count(rules.sides[0]) > 1


def play_beside(player: Player, rules: Rules, deals: int, seed: int) -> np.ndarray:
    """Return what seat 0 is paid in some deals, float64 (deals,), played by the model against the random bot.

    Where it has a partner, the model plays that seat too.
    """
    env = gymnasium.make(ENV, rules=rules, **({"partner": player} if has_partner(rules) else {}))
    paid = np.zeros(deals)
    for deal in range(deals):
        observation, info = env.reset(seed=seed if deal == 0 else None)
        over = False
        while not over:
            action = player.predict(observation, info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(action)
            paid[deal] += reward
            over = terminated or truncated
    return paid


def run(options: Options) -> None:
    """Train, save, load and play."""
    rules = read_rules(options.rules)
    train(options, rules)
    player = Player(options.out)
    paid = play_beside(player, rules, options.deals, options.seed)
    low, high = interval(paid)
    print(f"seat 0, random opponents: {paid.mean():+.2f} points a deal, 95 % interval {low:+.2f} to {high:+.2f}")
    policy = ObservationPolicy(player.predict, rules, "maskable_ppo")  # now it fits wherever a bot does
    print(match(policy, "random", rules, options.deals, options.seed))
    found = evaluate([policy, make("simple"), make("heuristic")], rules, options.deals, options.seed)
    for table in tables(found):
        Console(width=120, highlight=False).print(table)


def main(args: Sequence[str] | None = None) -> int:
    """Run the example and return its exit code."""
    return run_command("sb3_maskable_ppo", Options, run, args)


if __name__ == "__main__":
    sys.exit(main())
