"""PettingZoo's module convention: ``env`` (wrapped as the classic environments are) and ``raw_env``."""

from typing import Any

from pettingzoo import AECEnv  # type: ignore[import-untyped]
from pettingzoo.utils import wrappers  # type: ignore[import-untyped]

from tressette_env.envs.aec import TressetteAEC as raw_env

__all__ = ["env", "raw_env"]


def env(rules: Any = "tressette", render_mode: str | None = None, **options: Any) -> AECEnv[Any, Any, Any]:
    """Return the wrapped environment: order of calls, range of actions and illegal actions are checked.

    An illegal action ends the episode with reward -1 for the offender, PettingZoo's convention. Options are those of
    ``raw_env``. Raises ``RulesError`` for unknown rules or option values.

    >>> game = env("tressette", episode="match")
    >>> game.reset(seed=1)
    >>> game.agent_selection in game.possible_agents
    True
    """
    raw = raw_env(rules, render_mode, **options)
    return wrappers.OrderEnforcingWrapper(
        wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1))
    )
