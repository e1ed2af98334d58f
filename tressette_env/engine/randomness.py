"""Counter-based random words: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) started at a hash of the key.

Results depend on neither batch size nor thread, and no generator state is hidden anywhere.
"""

import numba as nb
import numpy as np

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_U11, _U27, _U30, _U31, _U32 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_LOW32 = np.uint64(0xFFFFFFFF)


@nb.njit(cache=True)
def mix(word):
    """Return SplitMix64's output for a 64-bit counter word (uint64 in, uint64 out)."""
    word = (word ^ (word >> _U30)) * _MIX1
    word = (word ^ (word >> _U27)) * _MIX2
    return word ^ (word >> _U31)


@nb.njit(cache=True)
def key_of(seed, k, stream):
    """Return the 64-bit key of (seed, k, stream); streams keep dealing, dealer and players apart."""
    word = mix(np.uint64(seed) + _GAMMA)
    word = mix(word ^ (np.uint64(k) + _GAMMA))
    return mix(word ^ (np.uint64(stream) * _MIX2 + _GAMMA))


@nb.njit(cache=True)
def draw(key, counter, bound):
    """Return the counter-th random int in [0, bound) of a key (bias below bound / 2**32)."""
    word = mix(key + np.uint64(counter + 1) * _GAMMA)
    return np.int64(((word >> _U32) * np.uint64(bound)) >> _U32)


@nb.njit(cache=True)
def unit(word):
    """Return a float in [0, 1) from a random word, uint64."""
    return np.float64(word >> _U11) * 2.0**-53
