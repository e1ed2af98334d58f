"""Shannon's measures from tables of counts or weights, in bits, with the controls that show their bias.

Sources: Shannon 1948; Miller 1955 (bias of the plug-in entropy); Lowe et al. 2019, "On the Pitfalls of Measuring
Emergent Communication".
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import entr

from agents.results import interval

Interval = tuple[float, float, float]  # a mean, and its 95 % interval


def entropy(weights: np.ndarray) -> np.ndarray:
    """Return the entropy of each row of weights, float (..., K), in bits; a row of zeros has none.

    >>> float(entropy(np.array([1, 1, 2])))
    1.5
    """
    weights = np.asarray(weights, float)
    total = weights.sum(-1, keepdims=True)
    shares = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    bits: np.ndarray = entr(shares).sum(-1) / np.log(2)
    return bits


def mutual_information(joint: np.ndarray) -> np.ndarray:
    """Return I(F; M) of each table of weights, float (..., F, M), in bits.

    >>> float(mutual_information(np.eye(4)))
    2.0
    """
    joint = np.asarray(joint, float)
    every = joint.reshape(*joint.shape[:-2], -1)
    bits: np.ndarray = entropy(joint.sum(-1)) + entropy(joint.sum(-2)) - entropy(every)
    return np.maximum(bits, 0.0)


def conditional_information(joint: np.ndarray) -> float:
    """Return I(F; M | C) of one table of weights, float (C, F, M), in bits: the mean over contexts by their weight."""
    weights = joint.sum((-1, -2))
    return float((mutual_information(joint) * weights).sum() / weights.sum())


def miller_madow(counts: np.ndarray) -> float:
    """Return the entropy of counts, int (K,), in bits, with Miller's correction (K - 1) / 2N nats for its bias."""
    counts = np.asarray(counts)
    seen = int((counts > 0).sum())
    return float(entropy(counts)) + (seen - 1) / (2 * counts.sum() * np.log(2))


@dataclass(frozen=True)
class Bits:
    """An amount of information and its control: ``raw`` as measured, ``shuffled`` with the features mixed up.

    The control has the same sizes and shares but no connection, so what it shows above zero is bias.
    """

    raw: float
    shuffled: float

    @property
    def net(self) -> float:
        """What is left once the bias is taken off."""
        return self.raw - self.shuffled


def table_of(
    contexts: np.ndarray, features: np.ndarray, messages: np.ndarray, shape: tuple[int, int, int]
) -> np.ndarray:
    """Return counts of (context, feature, message), float64 ``shape``, from three int arrays (N,)."""
    codes = np.ravel_multi_index((contexts, features, messages), shape)
    return np.bincount(codes, minlength=int(np.prod(shape))).reshape(shape).astype(float)


def plug_in(
    contexts: np.ndarray, features: np.ndarray, messages: np.ndarray, *, shuffles: int = 5, seed: int = 0
) -> Bits:
    """Return I(feature; message | context) of a sample, int arrays (N,), counted; shuffled within the contexts."""
    shape = (int(contexts.max()) + 1, int(features.max()) + 1, int(messages.max()) + 1)
    raw = conditional_information(table_of(contexts, features, messages, shape))
    rng = np.random.default_rng(seed)
    order = np.argsort(contexts, kind="stable")
    mixed = []
    for _ in range(shuffles):
        among = np.lexsort((rng.random(len(contexts)), contexts))
        other = np.empty_like(features)
        other[order] = features[among]
        mixed.append(conditional_information(table_of(contexts, other, messages, shape)))
    return Bits(raw, float(np.mean(mixed)))


def by_deal(values: np.ndarray, deals: np.ndarray) -> Interval:
    """Return a mean of values and its 95 % interval, the values of one deal taken together (a ratio of means).

    Three times nan for no values at all.
    """
    if not len(values):
        return float("nan"), float("nan"), float("nan")
    places = np.unique(deals, return_inverse=True)[1]
    sums, counts = np.bincount(places, values), np.bincount(places)
    mean = float(values.mean())
    if not np.isfinite(mean):
        return mean, mean, mean
    low, high = interval((sums - mean * counts) / counts.mean())
    return mean, mean + low, mean + high
