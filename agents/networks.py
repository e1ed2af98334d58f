"""Networks: plain MLPs with orthogonal initialisation, and masked categorical distributions over the legal actions."""

import torch
from torch import Tensor, nn

TINY = 1e-30  # the earliest arrival of a race, so that no logarithm is infinite
MASKED = -1e30  # logit of an illegal action: below any sane logit, yet finite, so that p * log p stays a number


def mlp(num_inputs: int, hidden: tuple[int, ...], num_outputs: int, last_gain: float) -> nn.Sequential:
    """Return Linear-ReLU layers of the given widths with orthogonal weights and zero biases."""
    layers: list[nn.Module] = []
    width = num_inputs
    for size in hidden:
        layers += [_linear(width, size, 2**0.5), nn.ReLU()]
        width = size
    layers.append(_linear(width, num_outputs, last_gain))
    return nn.Sequential(*layers)


def _linear(num_inputs: int, num_outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(num_inputs, num_outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def masked_log_probs(logits: Tensor, mask: Tensor) -> Tensor:
    """Return log-probabilities (R, A) of the softmax over the legal actions.

    Raises ``ValueError`` when a row has no legal action: drop idle rows before calling.
    """
    legal = mask.bool()
    if not bool(legal.any(-1).all()):
        raise ValueError("a row of the action mask has no legal action: drop the rows of seats that are not to act")
    return torch.log_softmax(logits.float().masked_fill(~legal, MASKED), -1)


def entropy(log_probs: Tensor) -> Tensor:
    """Return the entropy in nats (R,); illegal actions have probability 0 and add nothing."""
    return -(log_probs.exp() * log_probs).sum(-1)


def kl(log_p: Tensor, log_q: Tensor) -> Tensor:
    """Return KL(p || q) in nats (R,) of two rows of masked log-probabilities with the same mask."""
    return (log_p.exp() * (log_p - log_q)).sum(-1)


def sample(log_probs: Tensor, uniform: Tensor) -> Tensor:
    """Return one action per row (R,) drawn from the distributions (R, A) by uniform numbers in [0, 1), (R, A).

    The exponential race: whoever arrives first at rates p is drawn with probability p.
    """
    race = -torch.log1p(-uniform).clamp_max(-TINY)
    return (log_probs - race.log()).argmax(-1)


def autocast(device: torch.device, enabled: bool) -> torch.autocast:
    """Return the bf16 autocast context of a device (no-op when not enabled)."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=enabled)
