"""The PPO update: clipped policy loss of the actor, squared error of the critic, each on its own data pass.

The actor and the critic share nothing, so with two threads they learn side by side, one core each; the numbers are
the same as one after the other. Several processes share every minibatch: each adds the gradient of the rows it played.
Rows are numbered by deal, then time, over all processes, so that the minibatches do not depend on how many there are.
"""

import copy
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from agents.distributed import ALONE, Group
from agents.features import critic_features
from agents.networks import autocast, entropy, kl, masked_log_probs, mlp
from agents.ppo.config import PPOConfig
from agents.ppo.rollout import Rollout
from agents.returns import gae
from agents.suit_network import make_actor
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


class Minibatch(NamedTuple):
    """What a process has of a minibatch of ``size`` rows: its rows (R,), and their numbers over all processes."""

    rows: Tensor
    numbers: np.ndarray
    size: int


class Share:
    """The numbers of a rollout's rows over all processes: by deal, then time.

    total: rows of all; learner, bool (total,): who was decided by the learning policy.
    """

    def __init__(self, rollout: Rollout, group: Group) -> None:
        self.group = group
        self.rows = np.argsort(rollout.games, kind="stable")  # the rows of a deal stand in time order
        counts = group.tell_all(len(self.rows))
        self.first = sum(counts[: group.rank])
        self.total = sum(counts)
        self.learner = self.gather(rollout.learner)

    def gather(self, array: np.ndarray) -> np.ndarray:
        """Return an array (N,) of this process's rows as one of all rows (total,), by number."""
        return self.group.gather(array[self.rows])

    def minibatches(self, order: np.ndarray, size: int) -> Iterator[Minibatch]:
        """Yield this process's part of each minibatch of an order of numbers."""
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            own = chosen[(chosen >= self.first) & (chosen < self.first + len(self.rows))]
            yield Minibatch(torch.from_numpy(self.rows[own - self.first]), own, len(chosen))


class Learner:
    """Actor, critic, their optimisers and one PPO update over a rollout."""

    def __init__(self, config: PPOConfig, rules: Rules, group: Group = ALONE) -> None:
        self.config = config
        self.rules = rules
        self.group = group
        self.table = rules.table("deal", "trick")
        self.device = group.device(config.device)
        size = layout(rules).size
        self.actor = make_actor(rules, config.hidden, config.network).to(self.device)
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
    def update(self, rollout: Rollout, seed: int, progress: float, *, critic_only: bool = False) -> dict[str, float]:
        """Learn from one rollout; ``progress`` in [0, 1] sets the schedules. Returns the numbers to log."""
        config = self.config
        inputs = self.critic_inputs(rollout.states)
        values = self.values(inputs)
        advantages = np.empty(len(values))
        rewards = rollout.rewards / config.reward_scale_points
        gae(rewards, values, rollout.successors, config.gamma, config.gae_lambda, advantages)
        targets = advantages + values
        share = Share(rollout, self.group)
        everything = {"values": values, "advantages": advantages, "targets": targets}
        whole = {name: share.gather(array) for name, array in everything.items()}
        explained = 1 - float(np.var(whole["targets"] - whole["values"])) / max(float(np.var(whole["targets"])), 1e-12)
        if config.normalise_values:
            self.scale.update(whole["targets"])
            targets = (targets - self.scale.mean) / self.scale.std
        rate = config.learning_rate + progress * (config.final_learning_rate - config.learning_rate)
        bonus = config.entropy + progress * (config.final_entropy - config.entropy)
        pull = config.magnet_kl * (1 - progress if config.magnet_fades else 1)
        for optimiser in (self.actor_optimiser, self.critic_optimiser):
            optimiser.param_groups[0]["lr"] = rate
        rng = np.random.default_rng(seed)
        orders = [rng.permutation(share.total) for _ in range(config.epochs)]
        spins = rng.integers(0, len(PERMS), (config.epochs, share.total))
        chosen = whole["advantages"][share.learner]
        gains = torch.from_numpy(((advantages - chosen.mean()) / (chosen.std() + 1e-8)).astype(np.float32))
        probe = next(share.minibatches(orders[0], config.minibatch))
        before = self._policy(rollout, probe)
        learn_actor = lambda: {} if critic_only else self._learn_actor(rollout, share, gains, orders, bonus, pull)  # noqa: E731
        learn_critic = lambda: self._learn_critic(rollout, share, inputs, targets, orders, spins)  # noqa: E731
        if config.threads > 1 and self.group.world == 1:  # what processes tell each other must keep one order
            with ThreadPoolExecutor(1) as side:
                critic = side.submit(learn_critic)
                logs = learn_actor()
                logs |= critic.result()
        else:
            logs = learn_actor() | learn_critic()
        moved = self.group.gather(kl(before, self._policy(rollout, probe)).cpu().numpy())
        logs |= {
            "losses/kl": float(moved.mean()),
            "losses/explained_variance": explained,
            "charts/learning_rate": rate,
            "charts/entropy_bonus": bonus,
            "charts/advantage_std": float(whole["advantages"].std()),
        }
        return logs

    @torch.no_grad()
    def _policy(self, rollout: Rollout, batch: "Minibatch") -> Tensor:
        return self._log_probs(rollout, batch.rows)

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
        self, rollout: Rollout, share: "Share", gains: Tensor, orders: list[np.ndarray], bonus: float, pull: float
    ) -> dict[str, float]:
        config = self.config
        magnet = self._magnet_policy(rollout)
        sums: dict[str, float] = {}
        steps = 0
        for epochs, order in enumerate(orders, 1):  # noqa: B007  read after a stop
            kl_sum, first = 0.0, steps
            for batch in share.minibatches(order[share.learner[order]], config.minibatch):
                stats = self._actor_step(rollout, gains, batch, bonus, pull, magnet)
                kl_sum += stats["losses/approx_kl"]
                for key, value in stats.items():
                    sums[key] = sums.get(key, 0.0) + value
                steps += 1
            if config.target_kl and kl_sum / (steps - first) > config.target_kl:
                break
        logs = {key: value / steps for key, value in sums.items()}
        logs["losses/epochs"] = epochs
        return logs

    def _actor_step(
        self, rollout: Rollout, gains: Tensor, batch: "Minibatch", bonus: float, pull: float, magnet: Tensor | None
    ) -> dict[str, float]:
        config, device, rows = self.config, self.device, batch.rows
        log_probs = self._log_probs(rollout, rows)
        taken = log_probs.gather(1, rollout.choices[rows].to(device)[:, None]).squeeze(1)
        log_ratio = taken - rollout.log_probs[rows].to(device)
        ratio = log_ratio.exp()
        gain = gains[rows].to(device)
        clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
        policy_loss = -torch.min(ratio * gain, clipped * gain).sum()
        spread = entropy(log_probs).sum()
        loss = policy_loss - bonus * spread
        stats = {
            "losses/policy_loss": policy_loss,
            "losses/entropy": spread,
            "losses/approx_kl": (ratio - 1 - log_ratio).sum(),
            "losses/clip_fraction": (ratio != clipped).float().sum(),
        }
        if magnet is not None:
            stats["losses/magnet_kl"] = kl(log_probs, magnet[rows].to(device)).sum()
            loss = loss + pull * stats["losses/magnet_kl"]
        norm, means = self._step(self.actor, self.actor_optimiser, loss, list(stats.values()), batch.size)
        return dict(zip(stats, means, strict=True)) | {"losses/actor_grad_norm": norm}

    def _learn_critic(
        self,
        rollout: Rollout,
        share: "Share",
        inputs: Tensor,
        targets: np.ndarray,
        orders: list[np.ndarray],
        spins: np.ndarray,
    ) -> dict[str, float]:
        config, device = self.config, self.device
        target = torch.from_numpy(targets.astype(np.float32))
        total = grad = 0.0
        steps = 0
        for order, spin in zip(orders, spins, strict=True):
            for batch in share.minibatches(order, config.minibatch):
                if config.augment_critic:
                    part = self.critic_inputs(rollout.states[batch.rows.numpy()], spin[batch.numbers])
                else:
                    part = inputs.index_select(0, batch.rows)
                with autocast(device, config.bf16):
                    value = self.critic(part.to(device)).float().squeeze(1)
                loss = (value - target[batch.rows].to(device)).pow(2).sum()
                norm, (mean,) = self._step(self.critic, self.critic_optimiser, loss, [loss], batch.size)
                grad += norm
                total += mean
                steps += 1
        return {"losses/value_loss": total / steps, "losses/critic_grad_norm": grad / steps}

    def _step(
        self, network: nn.Module, optimiser: torch.optim.Optimizer, loss: Tensor, sums: list[Tensor], size: int
    ) -> tuple[float, list[float]]:
        """Step along the mean of a minibatch's loss over all processes; return the gradient's norm and the means.

        loss and sums are sums over the rows of this process, ``size`` is the number of rows of all.
        """
        optimiser.zero_grad()
        (loss / size).backward()
        means = self.group.add_gradients(network, torch.stack(sums).detach() / size)
        norm = nn.utils.clip_grad_norm_(network.parameters(), self.config.max_grad_norm)
        optimiser.step()
        return norm.item(), means.tolist()

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
