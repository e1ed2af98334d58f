"""Bots and checkpoints play deals against each other on the batched engine; every decision is kept."""

from collections.abc import Sequence

import numba as nb
import numpy as np

from agents.arena import sees_all
from agents.decisions.games import ABANDONED, PLAYED, Games, stacked
from agents.rooms import competitors
from tressette_env.bots.base import Policy
from tressette_env.engine.batch import FINISHED, RUNNING, Batch, views_acting
from tressette_env.engine.randomness import draw, key_of
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.errors import IllegalActionError
from tressette_env.rules import Rules

DEALS = 512  # of a block: the observations of a full game are some seventy megabytes
_WHO, _CHOICE = 8, 9  # streams of a deal's key


@nb.njit(cache=True)
def _draw_players(seeds, number, out):
    """Write which of so many players takes each competitor's place, int64 (G, C)."""
    for i in range(out.shape[0]):
        for competitor in range(out.shape[1]):
            out[i, competitor] = draw(key_of(seeds[i], competitor, _WHO), 0, number)


@nb.njit(cache=True)
def _choice_keys(seeds, time, out):
    """Write the randomness of a decision in each row, uint64 (R,)."""
    for i in range(out.shape[0]):
        out[i] = key_of(seeds[i], time, _CHOICE)


def play_games(players: Sequence[Policy], rules: Rules, seed: int, first: int, end: int) -> Games:
    """Return the deals first..end-1 of a seed as the players play them, a deal again until it is played out.

    Who sits where is drawn for each deal and place (side, in auction games seat), so players also meet themselves.
    A deal is a function of (seed, its number) and the players alone, but for how a network's sums round in batches of
    another size. Raises ``IllegalActionError`` for a player whose choice is not legal.
    """
    # Training deals live above 2**32, so that no evaluation seed below it ever meets one of them.
    seeds = ((seed + 1) << 32) + np.arange(first, end)
    batch = Batch(rules, end - first, seeds=seeds)
    sitting = np.empty((end - first, rules.num_competitors), np.int64)
    _draw_players(seeds, len(players), sitting)
    by_seat = sitting[:, competitors(rules)]
    log: list[tuple[np.ndarray, ...]] = []
    while (running := np.flatnonzero(batch.status == RUNNING)).size:
        actions = _decide(players, batch, by_seat, running, len(log))
        log.append((batch.states[running], actions[running], running, batch.ks[running]))
        try:
            batch.step(actions)
        except IllegalActionError as error:
            raise IllegalActionError(f"one of {', '.join(p.name for p in players)} played foul: {error}") from None
    names = np.array([player.name for player in players])[by_seat]
    return _games(batch, log, first, [tuple(row) for row in names.tolist()])


def _decide(players: Sequence[Policy], batch: Batch, by_seat: np.ndarray, rows: np.ndarray, time: int) -> np.ndarray:
    """Return an action for every game, int64 (G,), 0 where it is over."""
    views = np.empty_like(batch.states)
    views_acting(batch.states, batch.table, views)
    keys = np.empty(batch.num_games, np.uint64)
    _choice_keys(batch.seeds, time, keys)
    owner = by_seat[rows, batch.to_act[rows]]
    actions = np.zeros(batch.num_games, np.int64)
    for place, player in enumerate(players):
        part = rows[owner == place]
        if len(part):
            shown = batch.states if sees_all(player) else views
            actions[part] = player.actions(shown[part], batch.table, keys[part])
    return actions


def _games(batch: Batch, log: list[tuple[np.ndarray, ...]], first: int, names: list[tuple[str, ...]]) -> Games:
    """Return what was logged in the order of episodes; every deal of a game but its last was abandoned."""
    states, *others = zip(*log, strict=True)
    actions, games, ks = (np.concatenate(column) for column in others)
    order = np.argsort(games, kind="stable")
    firsts = np.cumsum(batch.ks + 1) - (batch.ks + 1)
    game = np.repeat(np.arange(batch.num_games), batch.ks + 1)
    number = np.arange(len(game)) - firsts[game]
    played = (number == batch.ks[game]) & (batch.status[game] == FINISHED)
    ends = np.zeros(len(game), STATE_DTYPE)
    ends[played] = batch.states[game[played]]
    return Games(
        rules=batch.rules,
        table=batch.table,
        states=stacked(states)[order],
        actions=actions[order],
        deal_of=(firsts[games] + ks)[order],
        episode=first + game,
        number=number,
        seed=batch.seeds[game],
        k=number.copy(),
        outcome=np.where(played, PLAYED, ABANDONED).astype(np.int8),
        ends=ends,
        players=[names[i] for i in game],
    )
