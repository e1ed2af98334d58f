"""A network that treats the suits alike: rename them in the observation, and the logits are renamed with them.

A quarter of the numbers that go from layer to layer belong to each suit, the rest to none; the weights from suit to
suit are one of two kinds, within a suit and between two (Zaheer et al. 2017, Deep Sets). What is learned in one suit is
thus learned for all four.
"""

from functools import lru_cache

import numpy as np
import torch
from torch import Tensor, nn

from agents.networks import mlp
from tressette_env.cards import NUM_CARDS
from tressette_env.engine.state import NUM_COMBINATIONS
from tressette_env.engine.symmetry import all_perms, permute_action
from tressette_env.observation import layout
from tressette_env.rules import Rules

SUITS = 4


@lru_cache(maxsize=16)
def split_features(rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Return which features belong to each suit, int64 (4, W), in the same order for every suit, and the others (G,).

    >>> suits, common = split_features(Rules())
    >>> suits.shape, common.shape, suits.size + common.size == layout(Rules()).size
    ((4, 180), (64,), True)
    """
    shown = layout(rules)
    per_suit = NUM_CARDS // SUITS * shown.num_planes
    own = [np.arange(SUITS * per_suit).reshape(SUITS, per_suit)]
    at = SUITS * per_suit
    for name, width in shown.bits + shown.scalars:
        places = np.arange(at, at + width)
        if name in ("led_suit", "trump_suit", "void", "missing_suit"):  # ... x 4 suits
            own.append(places.reshape(-1, SUITS).T)
        elif name == "declared":  # seats x (napoletana of each suit, three ranks)
            own.append(places.reshape(-1, NUM_COMBINATIONS)[:, :SUITS].T)
        at += width
    suits = np.concatenate(own, 1)
    return suits, np.setdiff1d(np.arange(shown.size), suits)


@lru_cache(maxsize=16)
def split_actions(rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Return which actions belong to each suit, int64 (4, K), in the same order for every suit, and the others (C,).

    An action is of a suit when it stays what it is under every renaming that leaves this suit alone.

    >>> suits, common = split_actions(Rules())
    >>> suits.shape, common.tolist()
    ((4, 41), [164, 165, 166, 167])
    """
    table, perms = rules.table(), all_perms()
    actions = range(rules.blocks.num_actions)
    images = np.array([[permute_action(action, table[0], perm) for action in actions] for perm in perms])
    keeps = perms == np.arange(SUITS)
    fixed = np.array([(images[keeps[:, suit]] == np.arange(len(actions))).all(0) for suit in range(SUITS)])
    common = fixed.all(0)
    first = np.flatnonzero(fixed[0] & ~common)
    suits = np.array([images[np.flatnonzero(perms[:, 0] == suit)[0]][first] for suit in range(SUITS)])
    return suits.astype(np.int64), np.flatnonzero(common)


class TiedLinear(nn.Module):
    """A linear layer that commutes with renaming the suits: 4 x ``suit`` numbers and ``common`` ones in, and out.

    A suit's numbers are made of its own, of the other suits' (through weights they share) and of the common ones. One
    dense matrix is put together of these weights, so that it runs at the speed of any linear layer; ``inputs`` and
    ``outputs`` say which column and row of that matrix each input and output is.
    """

    inputs: Tensor
    outputs: Tensor

    def __init__(
        self, suit_in: int, common_in: int, suit_out: int, common_out: int, gain: float,
        inputs: np.ndarray | None = None, outputs: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        fan_in = SUITS * suit_in + common_in

        def weights(rows: int, columns: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(rows, columns) * (gain / fan_in**0.5))

        self.own, self.other = weights(suit_out, suit_in), weights(suit_out, suit_in)
        self.from_common, self.to_common = weights(suit_out, common_in), weights(common_out, suit_in)
        self.common = weights(common_out, common_in)
        self.suit_bias, self.common_bias = (nn.Parameter(torch.zeros(n)) for n in (suit_out, common_out))
        columns = np.arange(fan_in) if inputs is None else inputs
        rows = np.arange(SUITS * suit_out + common_out) if outputs is None else outputs
        self.register_buffer("inputs", torch.from_numpy(columns), persistent=False)
        self.register_buffer("outputs", torch.from_numpy(rows), persistent=False)
        self.reordered = inputs is not None, outputs is not None

    def dense(self) -> tuple[Tensor, Tensor]:
        """Return the whole matrix, (outputs, inputs), and the bias."""
        same = torch.eye(SUITS, device=self.own.device)[:, None, :, None]
        own, other = self.own[None, :, None, :], self.other[None, :, None, :]
        suits = torch.where(same > 0, own, other).reshape(SUITS * self.own.shape[0], SUITS * self.own.shape[1])
        above = torch.cat([suits, self.from_common.repeat(SUITS, 1)], 1)
        below = torch.cat([self.to_common.repeat(1, SUITS), self.common], 1)
        weight = torch.cat([above, below])
        bias = torch.cat([self.suit_bias.repeat(SUITS), self.common_bias])
        if self.reordered[0]:
            weight = weight[:, self.inputs]
        if self.reordered[1]:
            weight, bias = weight[self.outputs], bias[self.outputs]
        return weight, bias

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs, (B, outputs)."""
        return nn.functional.linear(x, *self.dense())


def split_width(width: int) -> tuple[int, int]:
    """Return how many units of a hidden layer each suit has, and how many are common: an eighth of them.

    >>> split_width(512)
    (112, 64)
    """
    return (width - width // 8) // SUITS, width // 8


def suit_mlp(rules: Rules, hidden: tuple[int, ...], last_gain: float) -> nn.Sequential:
    """Return a network of ``TiedLinear`` and ReLU layers, observations (B, F) to logits (B, A).

    ``hidden``: units of each hidden layer, multiples of ``run_config.WIDTH_STEP``.
    """
    features, rest = split_features(rules)
    actions, others = split_actions(rules)
    into = np.concatenate([features.ravel(), rest]).argsort()
    out = np.concatenate([actions.ravel(), others]).argsort()
    layers: list[nn.Module] = []
    here = (features.shape[1], len(rest))
    for i, width in enumerate(hidden):
        there = split_width(width)
        layers += [TiedLinear(*here, *there, 2**0.5, inputs=into if i == 0 else None), nn.ReLU()]
        here = there
    layers.append(TiedLinear(*here, actions.shape[1], len(others), last_gain, outputs=out))
    return nn.Sequential(*layers)


def make_actor(rules: Rules, hidden: tuple[int, ...], kind: str) -> nn.Sequential:
    """Return a new policy network, observations (B, F) to logits (B, A), ``mlp`` or ``suits``."""
    if kind == "mlp":
        return mlp(layout(rules).size, hidden, rules.blocks.num_actions, 0.01)
    return suit_mlp(rules, hidden, 0.01)


def untied(network: nn.Module) -> nn.Module:
    """Return the same network as plain linear layers, which need not be put together anew at each call.

    Any other is returned as it is.
    """
    if not isinstance(network, nn.Sequential) or not any(isinstance(layer, TiedLinear) for layer in network):
        return network
    layers: list[nn.Module] = []
    for layer in network:
        if isinstance(layer, TiedLinear):
            weight, bias = layer.dense()
            plain = nn.utils.skip_init(nn.Linear, weight.shape[1], weight.shape[0], device=weight.device)
            plain.load_state_dict({"weight": weight.detach(), "bias": bias.detach()})
            layers.append(plain)
        else:
            layers.append(layer)
    return nn.Sequential(*layers)
