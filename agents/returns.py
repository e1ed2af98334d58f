"""Generalised advantage estimation over each seat's own decisions."""

import numba as nb


@nb.njit(cache=True)
def gae(rewards, values, successors, gamma, lam, advantages):
    """Write GAE advantages float32 (N,) for decisions in time order.

    ``rewards[i]``: what the seat got between decision i and its own next decision; ``successors[i]``: index of that
    next decision (> i), or -1 at the end of the episode. Returns (targets of the value) are advantages + values.
    Source: Schulman et al. 2016 (1506.02438), with the chain taken per seat.
    """
    for i in range(rewards.shape[0] - 1, -1, -1):
        following = successors[i]
        next_value = 0.0
        next_advantage = 0.0
        if following >= 0:
            next_value = values[following]
            next_advantage = advantages[following]
        delta = rewards[i] + gamma * next_value - values[i]
        advantages[i] = delta + gamma * lam * next_advantage
