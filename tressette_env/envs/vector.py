"""Many copies of the single-agent view at once, on the batched engine: row i equals a single environment seeded so."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tressette_env.bots import Policy
from tressette_env.engine.batch import FINISHED, RUNNING, TRUNCATED, Batch, encode_rows, step_all, views_acting
from tressette_env.engine.game import Game
from tressette_env.engine.state import OVER
from tressette_env.envs.aec import observation_box
from tressette_env.envs.policies import DEFAULT, checked_seat, other_seats, policy_keys
from tressette_env.envs.rendering import RENDER_FPS, RENDER_SIZE, Renderer
from tressette_env.envs.resets import Beginning, beginnings, checked_options, row_seeds, seeded
from tressette_env.errors import GameOverError, IllegalActionError, RulesError, TressetteError
from tressette_env.rules import MAX_SEATS


class TressetteVector(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """B games; see `single.TressetteSingle` for what one of them is. Arrays are fresh at each call.

    autoreset_mode: ``NEXT_STEP``, ``SAME_STEP`` or ``DISABLED`` (the enum, its name or its value); with DISABLED
    finished rows are reset by ``reset(options={"reset_mask": bool (B,)})``. render_mode: None or ``rgb_array``.

    Raises ``RulesError`` for unknown rules or option values.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": RENDER_FPS}

    def __init__(
        self,
        num_envs: int = 1,
        rules: Any = "tressette",
        seat: int = 0,
        partner: Any = DEFAULT,
        opponents: Any = DEFAULT,
        render_mode: str | None = None,
        *,
        episode: str = "deal",
        reward: str = "deal",
        autoreset_mode: Any = AutoresetMode.NEXT_STEP,
        render_size: tuple[int, int] = RENDER_SIZE,
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise RulesError(
                f"render_mode = {render_mode!r} is not offered for many games at once: use 'rgb_array' or None"
            )
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode, render_size)
        self.mode = _autoreset(autoreset_mode)
        self.metadata = type(self).metadata | {"autoreset_mode": self.mode}
        self.num_envs = num_envs = _checked_num(num_envs)
        self._spare = Game(rules, episode=episode, reward=reward)  # lays what reset options ask for
        self.rules = self._spare.rules
        self.seat = checked_seat(seat, self.rules)
        self.policies = other_seats(self.rules, self.seat, partner, opponents)
        self.batch = Batch(self.rules, num_envs, episode=episode, reward=reward)
        self.single_observation_space = observation_box(self.rules)
        self.single_action_space = spaces.Discrete(self.batch.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._stake = 1.0 if reward == "match" else float(self.rules.whole_total)
        self._size = int(np.prod(self.single_observation_space.shape))
        self._plies = np.zeros(num_envs, np.int64)
        self._seeded = False

    # ---- gymnasium ----
    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode in every row, or where ``options["reset_mask"]``, bool (B,), is true.

        An int seeds row i with seed + i; without one each row goes on with the next deal of its seed. A list has one
        seed per row, None to go on. Further options as in the PettingZoo environment, each one value for all rows or
        a list of B (None: no option for that row): ``deal`` (one text a row), ``dealer`` and ``history`` (a list of
        action texts, or B such lists). Raises ``TressetteError`` at the first thing that does not fit; nothing is
        changed then.
        """
        wanted = checked_options(options)
        rows = self._reset_rows(wanted.get("reset_mask"))
        seeds, ks = self.batch.seeds.copy(), self.batch.ks.copy()
        seeded(row_seeds(seed, self.num_envs), rows, seeds, ks, anew=not self._seeded)
        laid = beginnings(self._spare, rows, seeds, ks, wanted)
        self.batch.seeds[:], self.batch.ks[:] = seeds, ks
        self._seeded = True
        self._start(rows, laid)
        return self._observe(np.arange(self.num_envs)), self._info()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take the seat's decision in every row and play on to its next one.

        Raises ``GameOverError`` for a finished row when rows are not reset by themselves.
        """
        if not self._seeded:
            raise TressetteError("step() was called before reset(): reset the environment first")
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or not np.issubdtype(actions.dtype, np.integer):
            raise TressetteError(
                f"actions of shape {actions.shape} and type {actions.dtype} are not {self.num_envs} ids: "
                "give one whole number per row"
            )
        done = self.batch.status != RUNNING
        if done.any() and self.mode is AutoresetMode.DISABLED:
            raise GameOverError(f"rows {np.flatnonzero(done).tolist()} are over: reset them with options['reset_mask']")
        rewards = np.zeros(self.num_envs)
        self._take(np.flatnonzero(~done), actions.astype(np.int64), rewards)
        self._play_others(~done, rewards)
        terminations = (self.batch.status == FINISHED) & ~done
        truncations = (self.batch.status == TRUNCATED) & ~done
        final: dict[str, Any] = {}
        if self.mode is AutoresetMode.SAME_STEP:
            final = self._final(terminations | truncations)
            done |= terminations | truncations
        self._start(done)
        return self._observe(np.arange(self.num_envs)), rewards, terminations, truncations, self._info() | final

    def render(self) -> tuple[np.ndarray, ...] | None:
        """Return the table of every row as the seat sees it, uint8 (H, W, 3) each; None without a render mode."""
        if self.render_mode is None:
            return None
        batch = self.batch
        return tuple(
            self._renderer.pixels(batch.states[i : i + 1], batch.table, self.rules, self.seat)
            for i in range(self.num_envs)
        )

    # ---- inside ----
    def _reset_rows(self, mask: Any) -> np.ndarray:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        good = isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (self.num_envs,)
        if not good or not mask.any():
            raise TressetteError(f"reset_mask = {mask!r} is not a bool array of {self.num_envs} rows with a true one")
        if not self._seeded and not mask.all():
            raise TressetteError(f"reset_mask = {mask!r} leaves rows that never began: reset all of them first")
        return np.array(mask)

    def _start(self, rows: np.ndarray, laid: Sequence[Beginning] = ()) -> None:
        """Begin the next deal's episode in some rows and play to the seat's first decision."""
        batch, rows = self.batch, rows.copy()
        held = np.zeros(self.num_envs, np.bool_)
        while rows.any():
            self._plies[rows] = 0
            batch.start(ks=batch.ks + 1, rows=rows)
            for row in laid:
                batch.states[row.row], batch.ks[row.row], batch.status[row.row] = row.state, row.k, row.status
                self._plies[row.row], held[row.row] = row.plies, row.held
            laid = ()
            self._play_others(rows, np.zeros(self.num_envs))
            rows &= (batch.status != RUNNING) & ~held  # cut short by redeals before the seat had a decision

    def _take(self, rows: np.ndarray, actions: np.ndarray, rewards: np.ndarray) -> None:
        """Apply the seat's own decisions; an illegal one ends its row with the penalty."""
        chosen = actions[rows]
        inside = (chosen >= 0) & (chosen < self.batch.num_actions)
        good = inside & (self.batch.masks()[rows, np.where(inside, chosen, 0)] == 1)
        self._apply(rows[good], chosen[good], rewards)
        bad = rows[~good]
        self.batch.states["phase"][bad], self.batch.states["to_act"][bad] = OVER, -1
        self.batch.status[bad] = FINISHED
        rewards[bad] -= self._stake

    def _play_others(self, running: np.ndarray, rewards: np.ndarray) -> None:
        """Let the other seats act in the running rows until this one is to act there or the episode is over."""
        batch = self.batch
        while True:
            acting = batch.to_act.astype(np.int64)
            waiting = running & (batch.status == RUNNING) & (acting != self.seat)
            rows = np.flatnonzero(waiting)
            if not rows.size:
                return
            states = batch.states[rows]
            views = np.empty_like(states)
            views_acting(states, batch.table, views)
            keys = np.empty(rows.size, np.uint64)
            policy_keys(batch.seeds[rows], batch.ks[rows], self._plies[rows], keys)
            chosen = np.empty(rows.size, np.int64)
            for seat, policy in enumerate(self.policies):
                of_seat = np.flatnonzero(acting[rows] == seat)
                if policy is not None and of_seat.size:
                    chosen[of_seat] = _chosen(policy, views[of_seat], batch.table, keys[of_seat])
            self._apply(rows, chosen, rewards)

    def _apply(self, rows: np.ndarray, actions: np.ndarray, rewards: np.ndarray) -> None:
        """Step some rows; rewards, float64 (B,), gain what the seat was paid."""
        if not rows.size:
            return
        batch = self.batch
        states, ks, status = batch.states[rows], batch.ks[rows], batch.status[rows]
        paid = np.zeros((rows.size, MAX_SEATS))
        bad = step_all(states, batch.table, actions, batch.seeds[rows], ks, paid, status)
        if bad >= 0:
            raise IllegalActionError(
                f"a policy chose action {actions[bad]} in row {rows[bad]}, which is not legal there: "
                "it must choose an id whose mask is 1"
            )
        batch.states[rows], batch.ks[rows], batch.status[rows] = states, ks, status
        self._plies[rows] += 1
        rewards[rows] += paid[:, self.seat]

    def _observe(self, rows: np.ndarray) -> np.ndarray:
        out = np.empty((rows.size, self._size), np.float32)
        encode_rows(self.batch.states, self.batch.table, rows, np.full(rows.size, self.seat), False, out)
        return out

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.batch.masks(), "_action_mask": np.ones(self.num_envs, np.bool_)}

    def _final(self, over: np.ndarray) -> dict[str, Any]:
        """Return the last observation and info of the rows that are over, in gymnasium's SAME_STEP form."""
        if not over.any():
            return {}
        observations = np.full(self.num_envs, None, object)
        for i, row in enumerate(self._observe(np.flatnonzero(over))):
            observations[np.flatnonzero(over)[i]] = row
        masks = np.zeros((self.num_envs, self.batch.num_actions), np.int8)
        info = {"action_mask": masks, "_action_mask": over.copy()}
        return {"final_obs": observations, "_final_obs": over.copy(), "final_info": info, "_final_info": over.copy()}


def _checked_num(num_envs: Any) -> int:
    if isinstance(num_envs, bool) or not isinstance(num_envs, (int, np.integer)) or num_envs < 1:
        raise RulesError(f"num_envs = {num_envs!r} is not a number of games: give a whole number from 1")
    return int(num_envs)


def _chosen(policy: Policy, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return a policy's action ids, int (R,), once they are known to be that."""
    chosen = np.asarray(policy.actions(views, table, keys))
    if chosen.shape != (len(views),) or not np.issubdtype(chosen.dtype, np.integer):
        raise TressetteError(
            f"the policy {policy!r} returned actions of shape {chosen.shape} and type {chosen.dtype} for {len(views)} "
            "views: return one whole number per view"
        )
    return chosen


def _autoreset(mode: Any) -> AutoresetMode:
    for known in AutoresetMode:
        if mode in (known, known.name, known.value):
            return known
    raise RulesError(f"autoreset_mode = {mode!r} is not one of {', '.join(known.name for known in AutoresetMode)}")
