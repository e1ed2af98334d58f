"""GAE over linked decisions against its closed form."""

import numpy as np
import pytest

from agents.returns import gae


def closed_form(rewards, values, successors, gamma, lam, start):
    """Sum of (gamma * lambda)^k times the k-th temporal difference along the chain from `start`."""
    total, weight, i = 0.0, 1.0, start
    while i >= 0:
        following = successors[i]
        next_value = values[following] if following >= 0 else 0.0
        total += weight * (rewards[i] + gamma * next_value - values[i])
        weight *= gamma * lam
        i = following
    return total


@pytest.mark.parametrize("gamma,lam", [(1.0, 0.95), (0.9, 0.5), (1.0, 0.0), (1.0, 1.0)])
def test_gae_equals_the_closed_form_on_interleaved_chains(gamma, lam):
    rng = np.random.default_rng(0)
    successors = np.array([2, 3, 4, 6, -1, -1, -1])  # chains 0-2-4, 1-3-6, 5
    rewards, values = rng.normal(size=7), rng.normal(size=7)
    advantages = np.empty(7)
    gae(rewards, values, successors, gamma, lam, advantages)
    expected = [closed_form(rewards, values, successors, gamma, lam, i) for i in range(7)]
    np.testing.assert_allclose(advantages, expected, rtol=1e-12)


def test_three_moves_by_hand():
    advantages = np.empty(3)
    gae(np.array([1.0, 0.0, 2.0]), np.array([0.5, 1.0, 1.5]), np.array([1, 2, -1]), 1.0, 0.5, advantages)
    # deltas: 1 + 1 - 0.5 = 1.5; 0 + 1.5 - 1 = 0.5; 2 - 1.5 = 0.5
    np.testing.assert_allclose(advantages, [1.5 + 0.5 * 0.75, 0.5 + 0.5 * 0.5, 0.5])


def test_lambda_one_is_the_return_minus_the_value():
    rewards, values = np.array([1.0, 2.0, 3.0]), np.array([9.0, 8.0, 7.0])
    advantages = np.empty(3)
    gae(rewards, values, np.array([1, 2, -1]), 1.0, 1.0, advantages)
    np.testing.assert_allclose(advantages + values, [6.0, 5.0, 3.0])
