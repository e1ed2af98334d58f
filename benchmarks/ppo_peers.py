"""PPO throughput: this project's trainer, sb3-contrib's MaskablePPO and a CleanRL-style loop, same game and network.

Rates are the learner's decisions per CPU second on one thread, then per wall-clock second with two cores for each,
collecting and learning; forced moves count for all (the peers also learn from them). Each peer runs twice: with its
own default settings, and with this trainer's minibatch and epochs.
"""

import statistics
import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.networks import entropy, masked_log_probs, mlp
from agents.ppo.config import PPOConfig
from agents.ppo.learner import Learner
from agents.ppo.rollout import Collector
from benchmarks.timing import Case, Speeds, clock, interleave
from tressette_env.presets import make_rules


@dataclass(frozen=True)
class Settings:
    """How much a peer collects for an update, and how often it looks at it."""

    envs: int
    steps: int  # of each environment
    minibatch: int
    epochs: int


SB3_DEFAULTS = Settings(envs=1, steps=2048, minibatch=64, epochs=10)
CLEANRL_DEFAULTS = Settings(envs=1, steps=512, minibatch=128, epochs=4)  # its 4 x 128 steps; an AEC loop has one game


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


class CleanLoop:
    """One PPO of the CleanRL shape over the raw AEC environment: act one decision at a time, then update."""

    def __init__(self, config: PPOConfig, settings: Settings) -> None:
        from tressette_env import tressette_v0

        self.config, self.settings = config, settings
        self.env = tressette_v0.raw_env(config.env.rules)
        self.env.reset(seed=1)
        size = self.env.observation_space("player_0")["observation"].shape[0]
        actions = int(self.env.action_space("player_0").n)
        self.actor = mlp(size, config.hidden, actions, 0.01)
        self.critic = mlp(size, config.critic_hidden, 1, 1.0)
        self.weights = [*self.actor.parameters(), *self.critic.parameters()]
        self.optimiser = torch.optim.Adam(self.weights, lr=config.learning_rate, eps=1e-5)

    def case(self) -> tuple[int, float]:
        """Collect decisions of all seats and update."""
        start = clock()
        rows, rewards, follows = self._collect()
        returns = self._returns(rows, rewards, follows)
        self._update(rows, returns)
        return self.settings.steps, clock() - start

    @torch.no_grad()
    def _collect(self) -> tuple[list[tuple[Any, ...]], list[float], list[int]]:
        rows: list[tuple[Any, ...]] = []
        rewards: list[float] = []
        follows: list[int] = []  # index of the same seat's next decision, -1 at the end of its episode
        latest: dict[str, int] = {}
        while len(rows) < self.settings.steps:
            agent = self.env.agent_selection
            shown, reward, terminated, truncated, _ = self.env.last()
            before = latest.pop(agent, None)
            if before is not None:
                rewards[before] = reward
            if terminated or truncated:
                self.env.step(None)
                if not self.env.agents:
                    self.env.reset()
                    latest.clear()
                continue
            if before is not None:
                follows[before] = len(rows)
            latest[agent] = len(rows)
            observation, mask = torch.from_numpy(shown["observation"]), torch.from_numpy(shown["action_mask"])
            log_probs = masked_log_probs(self.actor(observation), mask)
            action = torch.multinomial(log_probs.exp(), 1)[0]
            rows.append((observation, mask, action, log_probs[action], self.critic(observation)[0]))
            rewards.append(0.0)
            follows.append(-1)
            self.env.step(int(action))
        return rows, rewards, follows

    def _returns(self, rows: list[tuple[Any, ...]], rewards: list[float], follows: list[int]) -> tuple[Tensor, Tensor]:
        """Return advantages and value targets over each seat's own decisions."""
        values = [float(row[4]) for row in rows]
        advantages = np.zeros(len(rows), np.float32)
        for i in range(len(rows) - 1, -1, -1):
            after = follows[i]
            following, tail = (values[after], advantages[after]) if after >= 0 else (0.0, 0.0)
            advantages[i] = rewards[i] + following - values[i] + self.config.gae_lambda * tail
        return torch.from_numpy(advantages), torch.from_numpy(advantages + np.array(values, np.float32))

    def _update(self, rows: list[tuple[Any, ...]], returns: tuple[Tensor, Tensor]) -> None:
        config = self.config
        observations, masks, actions, old_log_probs, _ = (torch.stack(column) for column in zip(*rows, strict=True))
        advantages, targets = returns
        for _ in range(self.settings.epochs):
            for picked in torch.randperm(len(rows)).split(self.settings.minibatch):
                log_probs = masked_log_probs(self.actor(observations[picked]), masks[picked])
                ratio = (log_probs.gather(1, actions[picked, None])[:, 0] - old_log_probs[picked]).exp()
                gain = advantages[picked]
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
                value_loss = (self.critic(observations[picked])[:, 0] - targets[picked]).square().mean()
                loss = 0.5 * value_loss - torch.minimum(ratio * gain, clipped * gain).mean()
                loss = loss - config.entropy * entropy(log_probs).mean()
                self.optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.weights, config.max_grad_norm)
                self.optimiser.step()


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
    one_game = Settings(envs=1, steps=4096, minibatch=config.minibatch, epochs=config.epochs)
    ours, ours_2 = Ours(config), Ours(replace(config, threads=2))
    peers: dict[str, Case] = {
        "MaskablePPO, its defaults": maskable_ppo(config, SB3_DEFAULTS),
        "MaskablePPO, 8 environments, our minibatch and epochs": maskable_ppo(config, like_ours),
        "CleanRL-style AEC loop, its defaults": CleanLoop(config, CLEANRL_DEFAULTS).case,
        "CleanRL-style AEC loop, our minibatch and epochs": CleanLoop(config, one_game).case,
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
