"""Tressette for PettingZoo (AEC): the whole family of rules, one action at a time, hidden hands.

Agents are ``player_0`` .. ``player_{n-1}``, seats in order of play. An observation is a dict of ``observation``,
float32 (F,) (sections: `tressette_env.observation.describe`), and ``action_mask``, int8 (A,), 1 = legal, all zeros for
a seat that is not to act; ``infos[agent]["action_mask"]`` holds the same mask. Rewards are points, zero-sum over seats.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv  # type: ignore[import-untyped]

from tressette_env.engine import saved
from tressette_env.engine.batch import TRUNCATED
from tressette_env.engine.entry import encode_full, observe_one
from tressette_env.engine.game import Game
from tressette_env.envs.rendering import RENDER_FPS, RENDER_MODES, RENDER_SIZE, Renderer
from tressette_env.errors import GameOverError, IllegalActionError, NotationError, RulesError, TressetteError
from tressette_env.notation import format_action, parse_action
from tressette_env.observation import describe, layout
from tressette_env.rules import MAX_SEATS, Rules

ILLEGAL = ("raise", "terminate")
TOTALS_BOUND = 1000.0  # totals over the target have no bound (a match goes on while level); no match comes near this
_HEADER = np.dtype(
    [("rewards", "f8", MAX_SEATS), ("cumulative", "f8", MAX_SEATS)]
    + [(name, "i8") for name in ("alive", "terminated", "truncated", "selected", "skipped")]
)


class DeadStepError(GameOverError, ValueError):
    """A seat whose episode is over was given an action: PettingZoo takes only None there."""


def observation_box(rules: Rules) -> spaces.Box:
    """Return the space of the flat observation, float32 (F,): everything in [0, 1] but the totals."""
    low, high = np.zeros(layout(rules).size, np.float32), np.ones(layout(rules).size, np.float32)
    first = 40 * layout(rules).num_planes
    for section in describe(rules):
        if section.name == "totals" and isinstance(section.where, slice):
            totals = slice(first + section.where.start, first + section.where.stop)
            high[totals] = TOTALS_BOUND
            low[totals] = -TOTALS_BOUND if rules.auction != "none" else 0.0  # payoffs can be negative
    return spaces.Box(low, high, dtype=np.float32)


class TressetteAEC(AECEnv[str, dict[str, np.ndarray], int]):  # type: ignore[misc]  # no stubs
    """The unwrapped environment, ``tressette_v0.raw_env``.

    rules: preset name, mapping of overrides, path to a YAML file, or a rules object. episode: ``deal`` or ``match``.
    reward: ``deal``, ``trick`` or ``match``. illegal: ``raise``, or ``terminate`` (the episode ends; the offender's
    side, in auction games the seat alone, pays the deal's whole total). render_mode: None, ``ansi`` (text),
    ``rgb_array`` or ``human`` (a window); render_seat: what one seat sees, None for all cards; render_size: width and
    height of the picture in pixels.

    Raises ``RulesError`` for unknown rules or option values, ``MissingExtraError`` when a render mode needs a package
    of the extra ``render`` that cannot be imported.
    """

    metadata = {
        "name": "tressette_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: Any = "tressette",
        render_mode: str | None = None,
        *,
        episode: str = "deal",
        reward: str = "deal",
        illegal: str = "raise",
        render_seat: int | None = None,
        render_size: tuple[int, int] = RENDER_SIZE,
    ) -> None:
        super().__init__()
        if illegal not in ILLEGAL:
            raise RulesError(f"illegal = {illegal!r} is not one of {', '.join(ILLEGAL)}")
        self._renderer = Renderer(render_mode, render_size)
        self.game = Game(rules, episode=episode, reward=reward)
        self.rules: Rules = self.game.rules
        if render_seat is not None and render_seat not in range(self.rules.num_seats):
            raise RulesError(f"render_seat = {render_seat!r} is not a seat 0..{self.rules.num_seats - 1} or None")
        self.illegal = illegal
        self.render_mode = render_mode
        self.render_seat = render_seat
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.num_seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._size = layout(self.rules).size
        box = observation_box(self.rules)
        mask = spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        self._observation_space = spaces.Dict({"observation": box, "action_mask": mask})
        self._action_space = spaces.Discrete(self.game.num_actions)
        self.state_space = box
        self.agents: list[str] = []
        self._begun = False

    # ---- PettingZoo ----
    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of observations: the same object for all seats."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of action ids: the same object for all seats."""
        return self._action_space

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode; options ``deal``, ``dealer``, ``history``. Raises ``TressetteError`` for a misfit."""
        self.game.reset(seed, options)
        self._begun = True
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": np.zeros(self.game.num_actions, np.int8)} for agent in self.agents}
        self._skip_agent_selection: str | None = None
        self._stale_rewards = False
        self._select()
        self._renderer.follow(self.game, self.render_seat)

    def step(self, action: Any) -> None:
        """Apply an action of the selected seat (None when its episode is over).

        Raises ``IllegalActionError`` with ``illegal = raise`` (nothing is changed) and ``GameOverError`` after the end.
        """
        if not self._begun:
            raise self._not_begun("step")
        agent = self.agent_selection
        if self.terminations.get(agent, True) or self.truncations[agent]:
            self._dead_step(agent, action)
            return
        game = self.game
        try:
            game.step(action)
        except IllegalActionError:
            if self.illegal == "raise":
                raise
            game.forfeit()
        self._cumulative_rewards[agent] = 0.0
        if game.paid:
            for name, value in zip(self.agents, game.rewards.tolist(), strict=False):
                self.rewards[name] = value
                self._cumulative_rewards[name] += value
            self._stale_rewards = True
        elif self._stale_rewards:
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._stale_rewards = False
        self.infos[agent] = {"action_mask": np.zeros(game.num_actions, np.int8)}
        self._select()
        self._renderer.follow(self.game, self.render_seat)

    def _select(self) -> None:
        """Select the seat to act, or end the episode for all seats at once."""
        game = self.game
        if game.to_act >= 0:
            agent = self.possible_agents[game.to_act]
            self.agent_selection = agent
            self.infos[agent] = {"action_mask": game.mask.copy()}
            return
        over = self.truncations if game.status == TRUNCATED else self.terminations
        for agent in self.agents:
            over[agent] = True
        self.agent_selection = self.possible_agents[0]
        self._deads_step_first()

    def _dead_step(self, agent: str, action: Any) -> None:
        if not self.agents:
            raise GameOverError("the episode is over for every seat: call reset() to play on")
        if action is not None:
            raise DeadStepError(f"the episode is over for {agent}, which takes only None, not action {action!r}")
        self._was_dead_step(action)

    def _deads_step_first(self) -> str:
        """Blank the masks in infos too: PettingZoo's TerminateIllegal ends an episode through this call."""
        for agent in self.agents:
            self.infos[agent] = {"action_mask": np.zeros(self.game.num_actions, np.int8)}
        return str(super()._deads_step_first())

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return fresh arrays: ``observation``, float32 (F,), and ``action_mask``, int8 (A,), of any seat at any time.

        Raises ``TressetteError`` for an unknown agent.
        """
        if not self._begun:
            raise self._not_begun("observe")
        game = self.game
        seat = self._seat(agent)
        out = np.empty(self._size, np.float32)
        observe_one(game.states, game.table, game.words, seat, out)
        if seat == game.to_act and not self.terminations.get(agent, True):
            return {"observation": out, "action_mask": game.mask.copy()}
        return {"observation": out, "action_mask": np.zeros(game.num_actions, np.int8)}

    def state(self) -> np.ndarray:
        """Return everything, float32 (F,), as the seat to act would see it with all hands open (seat 0 when over)."""
        out = np.empty(self._size, np.float32)
        encode_full(self.game.states, self.game.table, self.game.words, out)
        return out

    def render(self, colour: bool = False) -> str | np.ndarray | None:
        """Return the table as text (``ansi``; ``colour`` adds escape codes) or as uint8 (H, W, 3) (``rgb_array``).

        ``human`` shows it in a window and returns None, as a mode of None does. The window follows every reset and
        step by itself.
        """
        if not self._begun:
            raise self._not_begun("render")
        return self._renderer.render(self.game, self.render_seat, colour)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    # ---- the game's own words ----
    def action_to_text(self, action: int) -> str:
        """Return the text of an action id. Raises ``NotationError`` for an unknown one."""
        if isinstance(action, bool) or not isinstance(action, (int, np.integer)):
            raise NotationError(f"the action {action!r} is not a number: the ids are 0..{self.game.num_actions - 1}")
        return format_action(int(action), self.rules)

    def text_to_action(self, text: str) -> int:
        """Return the id of an action text. Raises ``NotationError`` for an unknown one."""
        return parse_action(text, self.rules)

    def legal_actions(self) -> list[int]:
        """Return the ids that the seat to act may take, rising."""
        return self.game.legal_actions()

    def legal_action_texts(self) -> list[str]:
        """Return the texts of ``legal_actions()``."""
        return self.game.legal_action_texts()

    def deal_text(self) -> str:
        """Return the current deal as dealt."""
        return self.game.deal_text()

    @property
    def results(self) -> list[dict[str, Any]]:
        """One entry per finished deal of the episode."""
        return self.game.results

    def information_state_string(self, agent: str) -> str:
        """Return all that a seat knows of the deal and the match, as text with perfect recall."""
        return self.game.information_state_string(self._seat(agent))

    def _seat(self, agent: str) -> int:
        seat = self._seat_of.get(agent, -1) if isinstance(agent, str) else -1
        if seat < 0:
            raise TressetteError(f"unknown agent {agent!r}: the agents are {', '.join(self.possible_agents)}")
        return seat

    def _not_begun(self, call: str) -> GameOverError:
        return GameOverError(f"{call}() was called before reset(): reset the environment first")

    def record(self) -> dict[str, Any]:
        """Return the episode so far as plain data, one line of JSON: see `tressette_env.records`."""
        return self.game.record()

    # ---- saving ----
    def get_state(self) -> np.ndarray:
        """Return everything needed to go on from here, uint8 (N,)."""
        if not self._begun:
            raise self._not_begun("get_state")
        header = np.zeros(1, _HEADER)
        row = header[0]
        for agent in self.agents:
            seat = self._seat_of[agent]
            row["rewards"][seat] = self.rewards[agent]
            row["cumulative"][seat] = self._cumulative_rewards[agent]
            row["alive"] |= 1 << seat
            row["terminated"] |= self.terminations[agent] << seat
            row["truncated"] |= self.truncations[agent] << seat
        row["selected"] = self._seat_of[self.agent_selection]
        row["skipped"] = -1 if self._skip_agent_selection is None else self._seat_of[self._skip_agent_selection]
        return saved.seal(header.tobytes() + self.game.get_state().tobytes())

    def set_state(self, state: np.ndarray) -> None:
        """Go on from what ``get_state`` returned under the same rules. Raises ``TressetteError`` for anything else."""
        raw = saved.unseal(state)
        if len(raw) < _HEADER.itemsize:
            raise TressetteError(f"the state of {len(raw)} bytes is not from this environment's get_state()")
        self.game.set_state(np.frombuffer(raw[_HEADER.itemsize :], np.uint8))
        self._begun = True
        row = np.frombuffer(raw, _HEADER, 1)[0]
        seats = [seat for seat in range(self.rules.num_seats) if row["alive"] >> seat & 1]
        names = self.possible_agents
        self.agents = [names[seat] for seat in seats]
        self.rewards = {names[seat]: float(row["rewards"][seat]) for seat in seats}
        self._cumulative_rewards = {names[seat]: float(row["cumulative"][seat]) for seat in seats}
        self.terminations = {names[seat]: bool(row["terminated"] >> seat & 1) for seat in seats}
        self.truncations = {names[seat]: bool(row["truncated"] >> seat & 1) for seat in seats}
        self.infos = {agent: {"action_mask": self.observe(agent)["action_mask"]} for agent in self.agents}
        self.agent_selection = names[int(row["selected"])]
        self._skip_agent_selection = names[int(row["skipped"])] if row["skipped"] >= 0 else None
        self._stale_rewards = any(self.rewards.values())
