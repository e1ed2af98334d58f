"""The PPO update: clipped policy loss of the actor, squared error of the critic, each on its own data pass.

The actor and the critic share nothing, so with two threads they learn side by side, one core each; the numbers are
the same as one after the other.
"""

import copy
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.features import critic_features
from agents.networks import autocast, entropy, kl, masked_log_probs, mlp
from agents.ppo.config import PPOConfig
from agents.ppo.rollout import Rollout
from agents.returns import gae
from tressette_env.engine.symmetry import all_perms
from tressette_env.observation import layout
from tressette_env.rules import Rules

PERMS = all_perms()


@dataclass
class ReturnScale:
    """Running mean and spread of the value targets, so that the critic learns numbers of order one."""

    mean: float = 0.0
    std: float = 1.0
    weight: float = 0.0

    def update(self, targets: np.ndarray) -> None:
        """Blend in the targets of one iteration (the first counts fully, later ones with weight 0.05)."""
        share = 1.0 if self.weight == 0 else 0.05
        self.mean += share * (float(targets.mean()) - self.mean)
        self.std += share * (max(float(targets.std()), 1e-3) - self.std)
        self.weight = 1.0


class Learner:
    """Actor, critic, their optimisers and one PPO update over a rollout."""

    def __init__(self, config: PPOConfig, rules: Rules) -> None:
        self.config = config
        self.rules = rules
        self.table = rules.table("deal", "trick")
        self.device = torch.device(config.device)
        size = layout(rules).size
        self.actor = mlp(size, config.hidden, rules.blocks.num_actions, 0.01).to(self.device)
        self.critic = mlp(size, config.critic_hidden, 1, 1.0).to(self.device)
        settings: dict[str, Any] = {"lr": config.learning_rate, "eps": 1e-5, "fused": True}
        self.actor_optimiser = torch.optim.Adam(self.actor.parameters(), **settings)
        self.critic_optimiser = torch.optim.Adam(self.critic.parameters(), **settings)
        self.scale = ReturnScale()
        self.magnet = copy.deepcopy(self.actor) if config.magnet_kl else None

    # ---- data ----
    def critic_inputs(self, states: np.ndarray, augment: np.ndarray | None = None) -> Tensor:
        """Return the critic's inputs (N, F), float32 or bfloat16, for the seats to act in some records."""
        out = np.empty((len(states), layout(self.rules).size), np.float32)
        rows = np.arange(len(states))
        extra = np.full(len(states), -1, np.int64) if augment is None else augment
        config = self.config
        critic_features(states, rows, self.table, config.canonical_suits, config.central_critic, extra, PERMS, out)
        inputs = torch.from_numpy(out)
        return inputs.bfloat16() if config.bf16 else inputs

    @torch.no_grad()
    def values(self, inputs: Tensor) -> np.ndarray:
        """Return the critic's values in reward units, float64 (N,)."""
        parts = []
        for chunk in inputs.split(8192):
            with autocast(self.device, self.config.bf16):
                parts.append(self.critic(chunk.to(self.device)).float().cpu().squeeze(1))
        values = torch.cat(parts).numpy().astype(np.float64)
        return values * self.scale.std + self.scale.mean if self.config.normalise_values else values

    # ---- update ----
    def update(self, rollout: Rollout, seed: int, progress: float) -> dict[str, float]:
        """Learn from one rollout; ``progress`` in [0, 1] sets the schedules. Returns the numbers to log."""
        config = self.config
        inputs = self.critic_inputs(rollout.states)
        values = self.values(inputs)
        advantages = np.empty(len(values))
        rewards = rollout.rewards / config.reward_scale_points
        gae(rewards, values, rollout.successors, config.gamma, config.gae_lambda, advantages)
        targets = advantages + values
        explained = 1 - float(np.var(targets - values)) / max(float(np.var(targets)), 1e-12)
        if config.normalise_values:
            self.scale.update(targets)
            targets = (targets - self.scale.mean) / self.scale.std
        rate = config.learning_rate + progress * (config.final_learning_rate - config.learning_rate)
        bonus = config.entropy + progress * (config.final_entropy - config.entropy)
        for optimiser in (self.actor_optimiser, self.critic_optimiser):
            optimiser.param_groups[0]["lr"] = rate
        rng = np.random.default_rng(seed)
        orders = [rng.permutation(len(values)) for _ in range(config.epochs)]
        spins = rng.integers(0, len(PERMS), (config.epochs, len(values)))
        probe = torch.from_numpy(orders[0][: config.minibatch])
        before = self._policy(rollout, probe)
        learn_actor = lambda: self._learn_actor(rollout, advantages, orders, bonus)  # noqa: E731
        learn_critic = lambda: self._learn_critic(rollout, inputs, targets, orders, spins)  # noqa: E731
        if config.threads > 1:
            with ThreadPoolExecutor(1) as side:
                critic = side.submit(learn_critic)
                logs = learn_actor()
                logs |= critic.result()
        else:
            logs = learn_actor() | learn_critic()
        logs |= {
            "losses/kl": kl(before, self._policy(rollout, probe)).mean().item(),
            "losses/explained_variance": explained,
            "charts/learning_rate": rate,
            "charts/entropy_bonus": bonus,
            "charts/advantage_std": float(advantages.std()),
        }
        return logs

    @torch.no_grad()
    def _policy(self, rollout: Rollout, rows: Tensor) -> Tensor:
        return self._log_probs(rollout, rows)

    @torch.no_grad()
    def _magnet_policy(self, rollout: Rollout) -> Tensor | None:
        """Return the magnet's log-probabilities of the legal actions of all rows, float32 (N, K); None without one."""
        if self.magnet is None:
            return None
        rows = torch.arange(len(rollout.choices)).split(8192)
        return torch.cat([self._log_probs(rollout, part, self.magnet).cpu() for part in rows])

    def pull(self) -> None:
        """Make the policy of this moment the magnet, where there is one."""
        if self.magnet is not None:
            self.magnet.load_state_dict(self.actor.state_dict())

    def _log_probs(self, rollout: Rollout, rows: Tensor, network: nn.Module | None = None) -> Tensor:
        """Return a network's, by default the actor's, log-probabilities of the legal actions of some rows, (R, K)."""
        with autocast(self.device, self.config.bf16):
            logits = (network or self.actor)(rollout.observations.index_select(0, rows).to(self.device)).float()
        legal, valid = (
            rollout.legal.index_select(0, rows).to(self.device),
            rollout.valid.index_select(0, rows).to(self.device),
        )
        return masked_log_probs(logits.gather(1, legal), valid)

    def _learn_actor(
        self, rollout: Rollout, advantages: np.ndarray, orders: list[np.ndarray], bonus: float
    ) -> dict[str, float]:
        config = self.config
        own = np.flatnonzero(rollout.learner)
        chosen = advantages[own]
        scaled = np.zeros(len(advantages), np.float32)
        scaled[own] = (chosen - chosen.mean()) / (chosen.std() + 1e-8)
        advantage = torch.from_numpy(scaled)
        magnet = self._magnet_policy(rollout)
        sums: dict[str, float] = {}
        steps = 0
        for epochs, order in enumerate(orders, 1):  # noqa: B007  read after a stop
            order = order[rollout.learner[order]]
            kl_sum = 0.0
            batches = torch.from_numpy(order).split(config.minibatch)
            for rows in batches:
                stats = self._actor_step(rollout, advantage, rows, bonus, magnet)
                kl_sum += stats["losses/approx_kl"]
                for key, value in stats.items():
                    sums[key] = sums.get(key, 0.0) + value
                steps += 1
            if config.target_kl and kl_sum / len(batches) > config.target_kl:
                break
        logs = {key: value / steps for key, value in sums.items()}
        logs["losses/epochs"] = epochs
        return logs

    def _actor_step(
        self, rollout: Rollout, advantage: Tensor, rows: Tensor, bonus: float, magnet: Tensor | None
    ) -> dict[str, float]:
        config, device = self.config, self.device
        log_probs = self._log_probs(rollout, rows)
        taken = log_probs.gather(1, rollout.choices[rows].to(device)[:, None]).squeeze(1)
        log_ratio = taken - rollout.log_probs[rows].to(device)
        ratio = log_ratio.exp()
        gain = advantage[rows].to(device)
        clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
        policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
        spread = entropy(log_probs).mean()
        loss = policy_loss - bonus * spread
        logs = {}
        if magnet is not None:
            pull = kl(log_probs, magnet[rows].to(device)).mean()
            loss = loss + config.magnet_kl * pull
            logs["losses/magnet_kl"] = pull.item()
        self.actor_optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.actor.parameters(), config.max_grad_norm)
        self.actor_optimiser.step()
        with torch.no_grad():
            return logs | {
                "losses/policy_loss": policy_loss.item(),
                "losses/entropy": spread.item(),
                "losses/approx_kl": (ratio - 1 - log_ratio).mean().item(),
                "losses/clip_fraction": (ratio != clipped).float().mean().item(),
                "losses/actor_grad_norm": norm.item(),
            }

    def _learn_critic(
        self, rollout: Rollout, inputs: Tensor, targets: np.ndarray, orders: list[np.ndarray], spins: np.ndarray
    ) -> dict[str, float]:
        config, device = self.config, self.device
        target = torch.from_numpy(targets.astype(np.float32))
        total = grad = 0.0
        steps = 0
        for order, spin in zip(orders, spins, strict=True):
            for rows in torch.from_numpy(order).split(config.minibatch):
                if config.augment_critic:
                    picked = rows.numpy()
                    batch = self.critic_inputs(rollout.states[picked], spin[picked])
                else:
                    batch = inputs.index_select(0, rows)
                with autocast(device, config.bf16):
                    value = self.critic(batch.to(device)).float().squeeze(1)
                loss = (value - target[rows].to(device)).pow(2).mean()
                self.critic_optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                grad += nn.utils.clip_grad_norm_(self.critic.parameters(), config.max_grad_norm).item()
                self.critic_optimiser.step()
                total += loss.item()
                steps += 1
        return {"losses/value_loss": total / steps, "losses/critic_grad_norm": grad / steps}

    # ---- saving ----
    def state_dict(self) -> dict[str, Any]:
        """Return optimiser states and the return scale (weights are saved apart)."""
        return {
            "actor_optimiser": self.actor_optimiser.state_dict(),
            "critic_optimiser": self.critic_optimiser.state_dict(),
            "scale": [self.scale.mean, self.scale.std, self.scale.weight],
        }

    def load_rest(self, rest: dict[str, Any]) -> None:
        """Take up what ``state_dict`` returned."""
        self.actor_optimiser.load_state_dict(rest["actor_optimiser"])
        self.critic_optimiser.load_state_dict(rest["critic_optimiser"])
        self.scale = ReturnScale(*rest["scale"])
