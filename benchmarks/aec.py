"""One game at a time through PettingZoo's `agent_iter()` and `last()`, against PettingZoo's raw Leduc hold'em."""

import random
from typing import Any

from benchmarks.timing import Case, timed


def walk(env: Any, steps: int = 4000) -> Case:
    """Return a case: whole episodes of random legal play; each `env.step` counts, also the closing `None` ones."""
    rng = random.Random(1)
    seed = 0

    def work() -> int:
        nonlocal seed
        done = 0
        while done < steps:
            env.reset(seed=seed)
            seed += 1
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    action = None
                else:
                    legal = observation["action_mask"].nonzero()[0]
                    action = int(legal[int(rng.random() * len(legal))])
                env.step(action)
                done += 1
        return done

    return timed(work)


def leduc(wrapped: bool = False) -> Case:
    """Return PettingZoo's Leduc hold'em, raw or wrapped."""
    from pettingzoo.classic import leduc_holdem_v4

    return walk(leduc_holdem_v4.env() if wrapped else leduc_holdem_v4.raw_env())


def tressette(wrapped: bool = False) -> Case:
    """Return this project's environment, raw or wrapped."""
    from tressette_env import tressette_v0

    return walk(tressette_v0.env() if wrapped else tressette_v0.raw_env())
