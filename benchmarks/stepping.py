"""Batched stepping from Python against OpenSpiel's Spades and tuned numpy; play inside the kernel; copies."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.numpy_peer import NumpyGames
from benchmarks.timing import Case, clock, timed
from tressette_env.engine.batch import Batch, observe_acting, play_random, random_actions, views_acting
from tressette_env.engine.randomness import key_of
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.observation import layout
from tressette_env.presets import preset

STEPS = 60  # calls of step per chunk and round
KEY = key_of(7, 0, 2)


def batched(games: int, preset_name: str, look: Callable[[Batch, np.ndarray], object]) -> Case:
    """Return a case: ``look`` (which writes the masks too) and step for every game.

    Choosing the random actions is not timed; restarts are.
    """
    batch = Batch(preset(preset_name), games, seeds=1)
    masks = batch.masks()
    rewards = np.zeros((games, 5))
    actions = np.empty(games, np.int64)
    count = 0

    def case() -> tuple[int, float]:
        nonlocal count
        seconds = 0.0
        for _ in range(STEPS):
            random_actions(batch.states, batch.table, KEY, count, actions)
            count += 1
            start = clock()
            look(batch, masks)
            batch.step(actions, rewards)
            over = batch.status != 0
            if over.any():
                batch.start(ks=batch.ks + 1, rows=over)
            seconds += clock() - start
        return STEPS * games, seconds

    return case


def floats(games: int, preset_name: str) -> Case:
    """Return a case with masks and the full float32 observation."""
    rules = preset(preset_name)
    out = np.empty((games, layout(rules).size), np.float32)
    return batched(games, preset_name, lambda batch, masks: observe_acting(batch.states, batch.table, masks, out))


def packed(games: int, preset_name: str) -> Case:
    """Return a case with masks and the packed observation: the record as the seat knows it."""
    out = np.empty(games, STATE_DTYPE)

    def look(batch: Batch, masks: np.ndarray) -> None:
        batch.masks(masks)
        views_acting(batch.states, batch.table, out)

    return batched(games, preset_name, look)


def plain(games: int) -> Case:
    """Return a case of the plain game with masks and no observation, as the numpy peer plays it."""
    return batched(games, "gamelake", lambda batch, masks: batch.masks(masks))


def numpy_plain(games: int) -> Case:
    """Return the same in tuned numpy. Choosing the random cards is not timed; dealing is."""
    rng = np.random.default_rng(1)
    peer = NumpyGames(games, rng)

    def case() -> tuple[int, float]:
        seconds = 0.0
        for _ in range(STEPS):
            cards = (peer.masks() * rng.random((games, 40), np.float32)).argmax(axis=1)
            start = clock()
            peer.masks()
            peer.step(cards)
            if peer.played == 40:
                peer.deal()
            seconds += clock() - start
        return STEPS * games, seconds

    return case


def spades(fastest: bool, deals: int = 200) -> Case:
    """Return OpenSpiel's Spades from Python, observation and legal moves each step.

    As its documentation drives it: `observation_tensor` and `legal_actions_mask` made into arrays. `fastest`: its
    buffer observer (written in place) and the list of legal actions, no mask. Dealing is timed, as for ``batched``;
    drawing random numbers is not.
    """
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game("spades")
    observer = make_observation(game)
    rng = random.Random(1)

    def dealt(order: list[int]) -> Any:
        state = game.new_initial_state()
        for card in order:
            state.apply_action(card)
        return state

    def look_arrays(state: Any) -> None:
        np.array(state.observation_tensor(state.current_player()), np.float32)
        np.array(state.legal_actions_mask(), np.int8)

    def look_buffer(state: Any) -> None:
        observer.set_from(state, state.current_player())

    look = look_buffer if fastest else look_arrays

    def case() -> tuple[int, float]:
        orders = [rng.sample(range(52), 52) for _ in range(deals)]
        numbers = [rng.random() for _ in range(64 * deals)]
        decisions = 0
        start = clock()
        for order in orders:
            state = dealt(order)
            while not state.is_terminal():
                look(state)
                legal = state.legal_actions()
                state.apply_action(legal[int(numbers[decisions] * len(legal))])
                decisions += 1
        return decisions, clock() - start

    return case


def inside_kernel(preset_name: str, deals: int = 20_000) -> Case:
    """Return random self-play that never leaves the compiled loop, dealing included."""
    rules = preset(preset_name)
    table = rules.table("deal", "deal")
    states = np.zeros(1, STATE_DTYPE)
    return timed(lambda: int(play_random(states, table, 3, deals)))


def copies(games: int) -> Case:
    """Return copies of whole records, as a tree walk or a planner makes them."""
    batch = Batch(preset("tressette"), games, seeds=1)
    target = batch.states.copy()

    def work() -> int:
        for _ in range(200):
            target[:] = batch.states
        return 200 * games

    return timed(work)
