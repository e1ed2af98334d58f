"""One seat of the game as a gymnasium environment; the other seats are played by policies."""

import operator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from tressette_env.engine.entry import observe_one
from tressette_env.engine.game import Game
from tressette_env.envs.aec import observation_box
from tressette_env.envs.policies import DEFAULT, checked_seat, other_seats, policy_keys
from tressette_env.envs.rendering import RENDER_FPS, RENDER_MODES, RENDER_SIZE, Renderer
from tressette_env.errors import IllegalActionError, TressetteError


class TressetteSingle(gymnasium.Env[np.ndarray, np.int64]):
    """Seat ``seat`` against ``opponents`` with ``partner``.

    Both are a bot's name with options, a policy object, a function ``(observation, action mask) -> action id`` or a
    checkpoint path (see `policies.resolve_policy`). Where the seat has no partner before play, ``opponents`` plays all
    other seats and ``partner`` must be left out.

    Observation: float32 (F,). Reward: points paid to the seat since its last decision. The mask of legal actions,
    int8 (A,), is in ``info["action_mask"]`` and ``action_masks()`` (bool). An illegal action ends the episode with the
    penalty of ``illegal = terminate``: the seat's side (in auction games the seat) pays the deal's whole total.
    Render modes are those of the PettingZoo environment; the table is shown as the seat sees it.

    Raises ``RulesError`` for unknown rules or option values, ``BotError`` for an unknown bot, ``MissingExtraError``
    when a render mode needs a package that cannot be imported.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}

    def __init__(
        self,
        rules: Any = "tressette",
        seat: int = 0,
        partner: Any = DEFAULT,
        opponents: Any = DEFAULT,
        render_mode: str | None = None,
        *,
        episode: str = "deal",
        reward: str = "deal",
        render_size: tuple[int, int] = RENDER_SIZE,
    ) -> None:
        self._renderer = Renderer(render_mode, render_size)
        self.game = Game(rules, episode=episode, reward=reward)
        self.seat = checked_seat(seat, self.game.rules)
        self.render_mode = render_mode
        self.policies = other_seats(self.game.rules, self.seat, partner, opponents)
        self.observation_space = observation_box(self.game.rules)
        self.action_space = spaces.Discrete(self.game.num_actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode and play on to the seat's first decision; options as in the PettingZoo environment."""
        super().reset(seed=seed)
        self.game.reset(seed, options)
        self._renderer.follow(self.game, self.seat)
        given = bool((options or {}).get("history"))
        self._play_others()
        while self.game.to_act < 0 and not given:  # cut short by redeals before the seat had a decision
            self.game.reset()
            self._play_others()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take the seat's decision and play on to its next one.

        Raises ``GameOverError`` when the episode is over, ``TressetteError`` for what is no whole number.
        """
        game = self.game
        try:
            operator.index(action)
        except TypeError:
            raise TressetteError(
                f"action {action!r} is not a whole number: give an id below {game.num_actions}"
            ) from None
        try:
            game.step(action)
        except IllegalActionError:
            game.forfeit()
        reward = float(game.rewards[self.seat]) if game.paid else 0.0
        self._renderer.follow(game, self.seat)
        reward += self._play_others()
        return self._observation(), reward, game.status == 1, game.status == 2, self._info()

    def _play_others(self) -> float:
        """Let the other seats act until this one is to act or the episode is over; return what it was paid."""
        game = self.game
        reward = 0.0
        key = np.empty(1, np.uint64)
        while game.to_act >= 0 and game.to_act != self.seat:
            policy = self.policies[game.to_act]
            assert policy is not None
            policy_keys(np.array([game.seed]), np.array([game.k]), np.array([len(game.actions)]), key)
            game.step(policy.act(game.view(game.to_act), game.table, int(key[0])))
            if game.paid:
                reward += float(game.rewards[self.seat])
            self._renderer.follow(game, self.seat)
        return reward

    def _observation(self) -> np.ndarray:
        out = np.empty(self.observation_space.shape or (), np.float32)
        observe_one(self.game.states, self.game.table, self.game.words, self.seat, out)
        return out

    def _mask(self) -> np.ndarray:
        return self.game.mask.copy() if self.game.to_act == self.seat else np.zeros_like(self.game.mask)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask()}

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool (A,), the name that sb3-contrib's MaskablePPO asks for."""
        return self._mask().astype(np.bool_)

    def render(self, colour: bool = False) -> Any:
        """Return the table as the seat sees it: a text (``ansi``) or uint8 (H, W, 3) (``rgb_array``).

        ``human`` shows it in a window, which follows every card by itself, and returns None.
        """
        return self._renderer.render(self.game, self.seat, colour)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
