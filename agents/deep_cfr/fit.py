"""Networks fitted to memories: advantages and values by squared error, the average strategy by cross-entropy."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from agents.deep_cfr.memory import Batch, Reservoir
from agents.networks import autocast, masked_log_probs, mlp

Loss = Callable[[Tensor, Batch], Tensor]
MAX_GRAD_NORM = 1.0  # Brown et al. 2019


def fresh(num_inputs: int, hidden: tuple[int, ...], num_outputs: int, seed: int) -> nn.Sequential:
    """Return a new network whose weights depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return mlp(num_inputs, hidden, num_outputs, 0.01)


def squared_error(scale: float) -> Loss:
    """Return the loss of the targets in units of `scale`, mean over rows of the sum over what the mask allows."""

    def loss(outputs: Tensor, batch: Batch) -> Tensor:
        errors = (outputs - batch.targets / scale).square() * batch.masks
        return (errors.sum(1) * batch.weights).mean()

    return loss


def cross_entropy(outputs: Tensor, batch: Batch) -> Tensor:
    """Return the cross-entropy of target probabilities, nats; least at their weighted mean, as squared error is."""
    log_probs = masked_log_probs(outputs, batch.masks)
    return -((batch.targets * log_probs).sum(1) * batch.weights).mean()


def fit(
    network: nn.Module, memory: Reservoir, loss: Loss, *, steps: int, minibatch: int, learning_rate: float,
    device: torch.device, bf16: bool, rng: np.random.Generator,
) -> float:  # fmt: skip
    """Take Adam steps on random rows, the step size falling linearly to 0; return the mean loss of the last tenth.

    Not a number where the loss was no longer finite: the network is spoilt then.
    """
    optimiser = torch.optim.Adam(network.parameters(), lr=learning_rate, fused=True)
    late: list[float] = []
    network.train()
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = learning_rate * (1 - step / steps)
        batch = memory.batch(rng.integers(0, len(memory), min(minibatch, len(memory))))
        batch = Batch(*(getattr(batch, name).to(device) for name in ("features", "masks", "targets", "weights")))
        with autocast(device, bf16):
            outputs = network(batch.features).float()
        found = loss(outputs, batch)
        optimiser.zero_grad(set_to_none=True)
        found.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), MAX_GRAD_NORM)
        optimiser.step()
        if step >= steps - max(1, steps // 10):
            late.append(found.item())
    network.eval()
    finite = all(bool(torch.isfinite(weights).all()) for weights in network.parameters())
    return float(np.mean(late)) if finite else math.nan
