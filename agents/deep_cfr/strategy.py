"""What the seats play while regrets are sampled: regret matching on predicted advantages."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from agents.deep_cfr.kernels import rename
from agents.features import actor_features
from agents.networks import autocast
from tressette_env.observation import layout
from tressette_env.rules import Rules

CHUNK = 8192  # rows of a forward pass


def regret_matching(advantages: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the strategy of each row, float32 (R, A): legal actions by their positive advantage.

    Where no advantage is positive, the legal action of the greatest (Brown et al. 2019, section 5.1, which measured it
    to be better than the uniform choice when advantages are approximate). masks: bool (R, A).
    """
    positive = np.where(masks, np.maximum(advantages, 0.0), 0.0)
    total = positive.sum(1, keepdims=True)
    greatest = np.where(masks, advantages, -np.inf).argmax(1)
    sole = np.zeros_like(positive)
    sole[np.arange(len(sole)), greatest] = 1.0
    return np.where(total > 1e-12, positive / np.maximum(total, 1e-12), sole).astype(np.float32)


def uniform(masks: np.ndarray) -> np.ndarray:
    """Return every legal action equally often, float32 (R, A)."""
    return (masks / masks.sum(1, keepdims=True)).astype(np.float32)


class Decisions(NamedTuple):
    """Rows of seats to act. features float32 (R, F); masks bool (R, A) and strategy float32 (R, A) in the networks'
    suit order; legal and play, float32 (R, A): both in the engine's."""

    features: np.ndarray
    masks: np.ndarray
    strategy: np.ndarray
    legal: np.ndarray
    play: np.ndarray


class Players:
    """All seats, playing one set of advantages: an observation tells its seat's place, so one network serves all.

    `advantages`: features to float outputs (R, A); None plays uniformly, as regret matching does before anything is
    known.
    """

    def __init__(self, rules: Rules, canonical: bool, device: torch.device, bf16: bool) -> None:
        self.rules = rules
        self.table = rules.table()
        self.canonical = canonical
        self.device = device
        self.bf16 = bf16
        self.size = layout(rules).size
        self.num_actions = rules.blocks.num_actions
        self.advantages: nn.Module | Callable[[torch.Tensor], torch.Tensor] | None = None

    def decide(self, states: np.ndarray, rows: np.ndarray, blind: np.ndarray | None = None) -> Decisions:
        """Return what the seats to act in states[rows] see and play; where `blind`, bool (R,), uniformly."""
        features = np.empty((len(rows), self.size), np.float32)
        masks = np.empty((len(rows), self.num_actions), np.int8)
        actor_features(states, rows, self.table, self.canonical, features, masks)
        legal = masks.astype(np.bool_)
        strategy = uniform(legal)
        thinking = np.arange(len(rows)) if blind is None else np.flatnonzero(~blind)
        if self.advantages is not None and len(thinking):
            found = self.forward(self.advantages, features[thinking])
            strategy[thinking] = regret_matching(found, legal[thinking])
        floats = masks.astype(np.float32)
        return Decisions(
            features, legal, strategy, self.renamed(states, rows, floats, floats),
            self.renamed(states, rows, floats, strategy),
        )  # fmt: skip

    def renamed(
        self, states: np.ndarray, rows: np.ndarray, masks: np.ndarray, values: np.ndarray, *, to_engine: bool = True
    ) -> np.ndarray:
        """Return values of actions in the engine's suit order (or from it in the networks'), float32 (R, A)."""
        out = np.empty((len(rows), self.num_actions), np.float32)
        rename(states, rows, self.table, self.canonical, to_engine, masks, values, out)
        return out

    @torch.no_grad()
    def forward(self, network: Callable[[torch.Tensor], torch.Tensor], features: np.ndarray) -> np.ndarray:
        """Return a network's outputs, float32 (R, W)."""
        parts = []
        for chunk in torch.from_numpy(features).split(CHUNK):
            with autocast(self.device, self.bf16):
                parts.append(network(chunk.to(self.device)).float().cpu())
        return torch.cat(parts).numpy()
