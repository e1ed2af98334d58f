"""PPO throughput: this project's trainer, sb3-contrib's MaskablePPO and examples/cleanrl_ppo.py, same game and network.

Rates are the learner's decisions per CPU second on one thread, then per wall-clock second with two cores for each,
collecting and learning; forced moves count for all (the peers also learn from them). Each peer runs twice: with its
own default settings, and with this trainer's minibatch and epochs. MaskablePPO plays one seat against random ones, the
example all seats of 64 AEC games in lock step; its evaluations and logs are left out, as the trainer's are.
"""

import statistics
import time
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from agents.ppo.config import PPOConfig
from agents.ppo.learner import Learner
from agents.ppo.rollout import Collector
from benchmarks.timing import Case, Speeds, clock, interleave
from examples import cleanrl_ppo
from examples.command import read_rules
from tressette_env.presets import make_rules


@dataclass(frozen=True)
class Settings:
    """How much MaskablePPO collects for an update, and how often it looks at it."""

    envs: int
    steps: int  # of each environment
    minibatch: int
    epochs: int


SB3_DEFAULTS = Settings(envs=1, steps=2048, minibatch=64, epochs=10)


@dataclass
class Ours:
    """Iterations of the trainer's two halves, and what share of the time went where."""

    config: PPOConfig
    iteration: int = 0
    shares: dict[str, list[float]] = field(default_factory=lambda: {"env": [], "inference": [], "learning": []})

    def __post_init__(self) -> None:
        config, rules = self.config, make_rules(self.config.env.rules)
        self.learner = Learner(config, rules)
        self.collector = Collector(
            rules,
            config.deals_per_iteration,
            config.seed,
            config.canonical_suits,
            self.learner.device,
            config.bf16,
            config.threads,
        )

    def case(self) -> tuple[int, float]:
        """Collect and learn from one iteration of deals."""
        start = clock()
        rollout = self.collector.collect(self.learner.actor, self.iteration, self.iteration)
        collected = clock()
        self.learner.update(rollout, self.iteration, 0.0)
        seconds = clock() - start
        learning = seconds - (collected - start)
        self.iteration += 1
        playing = rollout.env_seconds + rollout.inference_seconds
        self.shares["env"].append((collected - start) * rollout.env_seconds / playing / seconds)
        self.shares["inference"].append((collected - start) * rollout.inference_seconds / playing / seconds)
        self.shares["learning"].append(learning / seconds)
        return rollout.num_decisions, seconds


def maskable_ppo(config: PPOConfig, settings: Settings) -> Case:
    """Return MaskablePPO on the gymnasium view of one seat, the others played at random."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    from tressette_env.envs.single import TressetteSingle

    model = MaskablePPO(
        "MlpPolicy",
        make_vec_env(lambda: TressetteSingle(config.env.rules), settings.envs, seed=1),
        n_steps=settings.steps,
        batch_size=settings.minibatch,
        n_epochs=settings.epochs,
        policy_kwargs={"net_arch": {"pi": list(config.hidden), "vf": list(config.critic_hidden)}},
        device="cpu",
    )
    decisions = settings.envs * settings.steps

    def case() -> tuple[int, float]:
        start = clock()
        model.learn(decisions, reset_num_timesteps=False)
        return decisions, clock() - start

    return case


def cleanrl(args: cleanrl_ppo.Args) -> Case:
    """Return iterations of the single-file example: a deal in each of its games, then its update."""
    rules = read_rules(args.rules)
    agent = cleanrl_ppo.Agent(rules, args.hidden)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    envs = cleanrl_ppo.make_envs(rules, args)

    def case() -> tuple[int, float]:
        start = clock()
        batch = cleanrl_ppo.play_deals(envs, agent, 1 / rules.whole_total)
        cleanrl_ppo.update(batch, agent, optimizer, args)
        return len(batch.values), clock() - start

    return case


def on_wall(case: Case, threads: int) -> Case:
    """Return a case timed by the wall clock with torch's own pool at ``threads``."""

    def timed() -> tuple[int, float]:
        torch.set_num_threads(threads)
        start = time.perf_counter()
        decisions, _ = case()
        return decisions, time.perf_counter() - start

    return timed


def rows(rounds: int) -> list[dict[str, Any]]:
    """Return the lines of the benchmark table; imports torch and the agents, so it stands apart from the others."""
    config = replace(PPOConfig(), threads=1)
    like_ours = Settings(envs=8, steps=512, minibatch=config.minibatch, epochs=config.epochs)
    example = cleanrl_ppo.Args(rules=config.env.rules, hidden=config.hidden)
    example_like_ours = replace(example, minibatch_size=config.minibatch, update_epochs=config.epochs)
    ours, ours_2 = Ours(config), Ours(replace(config, threads=2))
    peers: dict[str, Case] = {
        "MaskablePPO, its defaults": maskable_ppo(config, SB3_DEFAULTS),
        "MaskablePPO, 8 environments, our minibatch and epochs": maskable_ppo(config, like_ours),
        "examples/cleanrl_ppo.py, its defaults": cleanrl(example),
        "examples/cleanrl_ppo.py, our minibatch and epochs": cleanrl(example_like_ours),
    }
    torch.set_num_threads(1)
    name, name_2 = "PPO, one thread, CPU time", "PPO, two cores, wall clock"
    speeds = interleave({name: ours.case} | peers, rounds, "ppo, one thread")
    found = _ratios(speeds, name, list(peers))
    # Our two threads run beside each other, so torch's own pool stays at one for them; the peers get a pool of two.
    walls = {peer: on_wall(case, 2) for peer, case in peers.items()}
    found += _ratios(
        interleave({name_2: on_wall(ours_2.case, 1)} | walls, rounds, "ppo, two cores"), name_2, list(peers)
    )
    shares = {part: statistics.median(values[1:]) for part, values in ours.shares.items()}  # without the warm-up
    found += [{"name": f"PPO, share of {part}", "unit": "share", "rate": share} for part, share in shares.items()]
    found[-3] |= {"target": 0.1, "met": shares["env"] <= 0.1}
    return found


def _ratios(speeds: Speeds, name: str, peers: list[str]) -> list[dict[str, Any]]:
    found = []
    for peer in peers:
        ratio, low, high = speeds.ratio(name, peer)
        found.append(
            {
                "name": name,
                "unit": "decisions",
                "rate": speeds.median(name),
                "peer": peer,
                "peer_rate": speeds.median(peer),
                "ratio": ratio,
                "ratio_range": [low, high],
                "target": 10,
                "met": ratio >= 10,
            }
        )
    return found
