"""An algorithm of your own in the loop of `train.py`: REINFORCE (Williams 1992), the shortest that shows every part.

    .venv/bin/python -m examples.reinforce --name mine

docs/howto/algorithm.md walks through it.
"""

import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import torch

from agents import cli
from agents.checkpoint import NetworkPolicy, optimiser_state, optimiser_tensors, part, save_policy
from agents.distributed import ALONE
from agents.features import actor_features, to_engine_actions
from agents.networks import masked_log_probs, mlp, sample
from agents.run_config import EnvConfig, check_common, check_deals, check_least
from agents.running import resolved, run_training
from agents.training import BaseTrainer, stream_seed
from tressette_env.engine.batch import RUNNING, Batch
from tressette_env.observation import layout


@dataclass(frozen=True)
class ReinforceConfig:
    """The fields of a run. Each is a flag of train.py; a docstring below a field is its help."""

    env: EnvConfig = field(default_factory=EnvConfig)
    name: str = ""
    seed: int = 1
    deals_per_iteration: int = 256
    """Deals played in lock step for one gradient step."""
    learning_rate: float = 3e-3
    hidden: tuple[int, ...] = (64,)
    total_decisions: int = 100_000
    eval_every: int = 0
    eval_deals: int = 100
    final_eval_deals: int = 400
    eval_opponents: tuple[str, ...] = ("random",)
    checkpoint_every: int = 1_000_000
    keep_checkpoints: int = 2
    MAY_CHANGE_ON_RESUME = ("total_decisions",)

    def check(self):
        """Raise ``ConfigError`` at the first value out of range."""
        check_least(self, 1, ("deals_per_iteration", "total_decisions", "keep_checkpoints"))
        check_deals(self, "eval_deals", "final_eval_deals")
        check_common(self)


class ReinforceTrainer(BaseTrainer):
    """One run: what an iteration is, what is saved, who plays."""

    def __init__(self, config, folder, group=ALONE):
        super().__init__(config, folder, group)
        torch.manual_seed(config.seed)
        self.actor = mlp(layout(self.rules).size, config.hidden, self.rules.blocks.num_actions, 0.01)
        self.optimiser = torch.optim.Adam(self.actor.parameters(), config.learning_rate)
        self.iteration = self.decisions = 0

    @property
    def steps(self):
        """Decisions so far."""
        return self.decisions

    def policy(self):
        """Return the player that evaluations seat."""
        return NetworkPolicy(self.actor, self.rules, "policy", canonical=True)

    def _iterate(self):
        torch.manual_seed(stream_seed(self.config.seed, self.iteration, 0))
        deals = self.config.deals_per_iteration
        batch = Batch(self.rules, deals, seeds=(1 << 40) + np.arange(deals))
        batch.start(ks=self.iteration)
        taken, seats, games, points = [], [], [], np.zeros((deals, self.rules.num_seats))
        while (batch.status == RUNNING).any():
            rows = np.flatnonzero(batch.status == RUNNING)
            obs = np.empty((len(rows), layout(self.rules).size), np.float32)
            mask = np.empty((len(rows), batch.num_actions), np.int8)
            actor_features(batch.states, rows, batch.table, True, obs, mask)
            log_probs = masked_log_probs(self.actor(torch.from_numpy(obs)), torch.from_numpy(mask))
            with torch.no_grad():
                picked = sample(log_probs, torch.rand(log_probs.shape))
            actions = np.zeros(deals, np.int64)
            chosen = np.empty(len(rows), np.int64)
            to_engine_actions(batch.states, rows, batch.table, True, picked.numpy(), chosen)
            actions[rows] = chosen
            taken.append(log_probs.gather(1, picked[:, None]).squeeze(1))
            seats.append(batch.states["to_act"][rows].copy())
            games.append(rows)
            points += batch.step(actions)[:, : self.rules.num_seats]
        gains = torch.tensor(points[np.concatenate(games), np.concatenate(seats)], dtype=torch.float32)
        loss = -(torch.cat(taken) * (gains - gains.mean()) / (gains.std() + 1e-6)).mean()
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.iteration += 1
        self.decisions += len(gains)
        return {"losses/policy_loss": loss.item()}

    def _save_policy(self, path):
        about = {"rules": self.rules.to_dict(), "hidden": list(self.config.hidden), "canonical_suits": True}
        save_policy(path, self.actor, about)

    def state(self):
        """Return what going on to the bit needs: weights, Adam's moments, how far the run is."""
        tensors = {f"actor.{name}": tensor for name, tensor in self.actor.state_dict().items()}
        tensors |= optimiser_tensors("optimiser.", self.optimiser.state_dict())
        return tensors, {"iteration": self.iteration, "decisions": self.decisions}

    def take_up(self, tensors, meta):
        """Take up what ``state`` returned. Raises ``CheckpointError`` where it does not fit."""
        try:
            self.actor.load_state_dict(part(tensors, "actor."))
            self.optimiser.load_state_dict(optimiser_state(tensors, "optimiser.", self.optimiser.state_dict()))
            self.iteration, self.decisions = meta["iteration"], meta["decisions"]
        except (RuntimeError, KeyError) as error:
            raise self.misfit(error) from None


def prepare(config):
    """Return the config with its rules and name resolved."""
    return resolved(config, "reinforce")[0]


# An algorithm that stays has this row in agents/cli.py; until then train.py does not know it.
cli.ALGORITHMS["reinforce"] = (ReinforceConfig, prepare, partial(run_training, ReinforceTrainer, "reinforce"))


def main(flags: list[str]) -> int:
    """Train on the toy for four with signals; any field by flag."""
    return cli.train_main(["--config", str(Path(__file__).with_name("reinforce.yaml")), *flags])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
