"""Labels as targets of a network: probabilities over the actions, in the networks' suit order."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from tressette_env.engine.symmetry import canonical_perm, permute_action


@nb.njit(cache=True, nogil=True)
def spread(states, table, canonical, actions, values, temperature, targets, worth):
    """Write the softmax of values / temperature over the candidates of each row to targets, float32 (R, A).

    states: STATE_DTYPE (R,), before the decisions. actions: int16 (R, K) engine ids, -1 past the end; values: float32
    (R, K) points, NaN where a candidate is alone. worth, float32 (R, A): each action's value less the best one's; a
    card is worth the same with any signal; NaN for what was not judged.
    """
    rules = table[0]
    perm, inverse = np.empty(4, np.int64), np.empty(4, np.int64)
    for row in range(actions.shape[0]):
        targets[row] = 0.0
        worth[row] = np.nan
        if canonical:
            canonical_perm(states[row]["dealt"][states[row]["to_act"]], perm, inverse)
        best = np.float32(-np.inf)
        for k in range(actions.shape[1]):
            if actions[row, k] >= 0 and values[row, k] > best:
                best = values[row, k]
        total = 0.0
        for k in range(actions.shape[1]):
            if actions[row, k] < 0:
                break
            action = np.int64(actions[row, k])
            if canonical:
                action = permute_action(action, rules, perm)
            alone = np.isnan(values[row, k])
            weight = (1.0 if k == 0 else 0.0) if alone else np.exp((values[row, k] - best) / temperature)
            targets[row, action] = weight
            total += weight
            lost = np.float32(0.0) if alone else values[row, k] - best
            worth[row, action] = lost
            if action < rules["first_declaration"]:
                for signal in range(rules["num_signals"] + 1):
                    worth[row, 40 * signal + action % 40] = lost
        targets[row] /= total
