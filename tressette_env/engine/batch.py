"""Many games at once: loops over the scalar kernels, no rules of its own.

Shape letters: B games, S = 5 seats of room, A actions, F features. Arrays are (B, ...); row i never depends on row j.
"""

from typing import Any

import numba as nb
import numpy as np

from tressette_env.encoding import SCRATCH_WORDS, encode
from tressette_env.engine.bits import count, index_of_lowest
from tressette_env.engine.dealing import deal, pass_deal, start_episode
from tressette_env.engine.kernels import (
    LEGAL_ANNUL,
    LEGAL_BIDS,
    LEGAL_CALL,
    LEGAL_DECLARATIONS,
    LEGAL_DISCARD,
    LEGAL_GIVE,
    NUM_WORDS,
    accepts,
    apply,
    episode_over,
    legal,
    seat_reward,
)
from tressette_env.engine.randomness import draw, key_of
from tressette_env.engine.state import OVER, STATE_DTYPE
from tressette_env.engine.view import redact
from tressette_env.errors import IllegalActionError
from tressette_env.rules import MAX_SEATS, Rules

RUNNING, FINISHED, TRUNCATED = 0, 1, 2  # status of a game after a step
_BYTE = np.array([[(b >> i) & 1 for i in range(8)] for b in range(256)], np.int8)


# ---------------------------------------------------------------- scalar helpers shared with the single game
@nb.njit(cache=True, forceinline=True)
def write_mask(words, rules, out):
    """Write legal-action bit sets as an int8 row (A,) of 0 and 1."""
    for k in range(rules["num_signals"] + 1):
        for byte in range(5):
            _write_byte(words[k] >> (8 * byte), out, 40 * k + 8 * byte)
    at = rules["first_declaration"]
    if rules["declare"] == 1:
        _write_byte(words[LEGAL_DECLARATIONS], out, at)
    if rules["annul"]:
        _write_bits(words[LEGAL_ANNUL], 2, out, rules["first_annul"])
    if rules["num_actions"] > rules["first_bid"]:
        _write_bits(words[LEGAL_BIDS], rules["first_call"] - rules["first_bid"], out, rules["first_bid"])
        _write_bits(words[LEGAL_CALL], rules["first_give"] - rules["first_call"], out, rules["first_call"])
        _write_bits(words[LEGAL_GIVE], rules["first_discard"] - rules["first_give"], out, rules["first_give"])
        _write_bits(words[LEGAL_DISCARD], rules["num_actions"] - rules["first_discard"], out, rules["first_discard"])


@nb.njit(cache=True, forceinline=True)
def _write_byte(bits, out, at):
    """Write eight flags. Unsigned indices: no wrap-around tests, so that it becomes one eight-byte store."""
    start = np.uint64(at)
    row = np.uint64(bits & 255)
    for i in range(8):
        out[start + np.uint64(i)] = _BYTE[row, np.uint64(i)]


@nb.njit(cache=True, forceinline=True)
def _write_bits(bits, width, out, at):
    for i in range(width):
        out[np.uint64(at + i)] = (bits >> i) & 1


@nb.njit(cache=True, forceinline=True)
def count_legal(words):
    """Return how many actions the bit sets hold."""
    total = 0
    for i in range(NUM_WORDS):
        total += count(words[i])
    return total


@nb.njit(cache=True, forceinline=True)
def nth_legal(words, rules, index):
    """Return the index-th legal action id, in rising order (-1 past the end)."""
    for word in range(NUM_WORDS):
        here = count(words[word])
        if index >= here:
            index -= here
            continue
        first = 40 * word
        if word == LEGAL_DECLARATIONS:
            first = rules["first_declaration"]
        elif word == LEGAL_ANNUL:
            first = rules["first_annul"]
        elif word == LEGAL_BIDS:
            first = rules["first_bid"]
        elif word == LEGAL_CALL:
            first = rules["first_call"]
        elif word == LEGAL_GIVE:
            first = rules["first_give"]
        elif word == LEGAL_DISCARD:
            first = rules["first_discard"]
        bits = words[word]
        for _ in range(index):
            bits &= bits - 1
        return first + index_of_lowest(bits)
    return -1


# ---------------------------------------------------------------- loops
@nb.njit(cache=True, nogil=True)
def start_rows(states, rules, seeds, ks, dealers, rows):
    """Start an episode in the rows where `rows` is true."""
    for i in range(states.shape[0]):
        if rows[i]:
            start_episode(states[i], rules[0], seeds[i], ks[i], dealers[i])


@nb.njit(cache=True, nogil=True)
def masks_all(states, rules, out):
    """Write the acting seat's mask of every row, int8 (B, A); a finished row is all zeros."""
    words = np.empty(NUM_WORDS, np.int64)
    for i in range(states.shape[0]):
        legal(states[i], rules[0], words)
        write_mask(words, rules[0], out[i])


@nb.njit(cache=True, nogil=True)
def encode_rows(states, rules, rows, seats, full, out):
    """Write the observation of seats[j] in states[rows[j]] to out[j], float32 (R, F); `full`: the central state."""
    words = np.empty(SCRATCH_WORDS, np.int64)
    scratch = states[:1].copy()
    for j in range(rows.shape[0]):
        scratch[0] = states[rows[j]]
        if not full:
            redact(scratch[0], rules[0], seats[j])
        encode(scratch[0], rules[0], seats[j], full, words, out[j])


@nb.njit(cache=True, nogil=True)
def encode_acting(states, rules, full, out):
    """Write the acting seat's observation of every row (seat 0's where finished), float32 (B, F)."""
    words = np.empty(SCRATCH_WORDS, np.int64)
    scratch = states[:1].copy()
    for i in range(states.shape[0]):
        seat = max(states[i]["to_act"], 0)
        scratch[0] = states[i]
        if not full:
            redact(scratch[0], rules[0], seat)
        encode(scratch[0], rules[0], seat, full, words, out[i])


@nb.njit(cache=True, nogil=True)
def observe_acting(states, rules, masks, out):
    """Write mask, int8 (B, A), and observation, float32 (B, F), of the acting seats, in one pass."""
    words = np.empty(SCRATCH_WORDS, np.int64)
    legal_words = np.empty(NUM_WORDS, np.int64)
    scratch = states[:1].copy()
    for i in range(states.shape[0]):
        seat = max(states[i]["to_act"], 0)
        scratch[0] = states[i]
        legal(scratch[0], rules[0], legal_words)
        write_mask(legal_words, rules[0], masks[i])
        redact(scratch[0], rules[0], seat)
        encode(scratch[0], rules[0], seat, False, words, out[i])


@nb.njit(cache=True, nogil=True)
def views_acting(states, rules, out):
    """Write the acting seat's redacted record of every row to out, STATE_DTYPE (B,): the packed observation."""
    for i in range(states.shape[0]):
        out[i] = states[i]
        redact(out[i], rules[0], max(states[i]["to_act"], 0))


@nb.njit(cache=True, nogil=True)
def step_all(states, rules, actions, seeds, ks, rewards, status):
    """Apply actions[i] to every unfinished row, laying the next deal inside a match.

    rewards float64 (B, S) and status int8 (B,) are written for every row; a finished row gets zero rewards.
    Returns the first row whose action is illegal (nothing of any row is changed then), or -1.
    """
    for i in range(states.shape[0]):
        if states[i]["phase"] != OVER and not accepts(states[i], rules[0], actions[i]):
            return i
    n = rules[0]["num_seats"]
    pays_early = rules[0]["reward_mode"] == 1
    for i in range(states.shape[0]):
        state = states[i]
        for seat in range(n):
            rewards[i, seat] = 0.0
        if state["phase"] == OVER:
            continue
        apply(state, rules[0], actions[i])
        if state["phase"] == OVER or pays_early:
            for seat in range(n):
                rewards[i, seat] = seat_reward(state, rules[0], seat)
        status[i] = episode_over(state, rules[0])
        if state["phase"] == OVER and status[i] == 0:
            ks[i] += 1
            pass_deal(state, rules[0])
            deal(state, rules[0], seeds[i], ks[i])
    return -1


@nb.njit(cache=True, nogil=True)
def random_actions(states, rules, key, counter, out):
    """Write a uniformly random legal action for every row (0 where finished), int64 (B,)."""
    words = np.empty(NUM_WORDS, np.int64)
    for i in range(states.shape[0]):
        legal(states[i], rules[0], words)
        total = count_legal(words)
        out[i] = nth_legal(words, rules[0], draw(key, counter * states.shape[0] + i, total)) if total else 0


@nb.njit(cache=True, nogil=True)
def play_random(states, rules, seed, episodes):
    """Play whole random episodes inside the kernel in the first record; return the number of decisions made."""
    words = np.empty(NUM_WORDS, np.int64)
    state = states[0]
    decisions = 0
    k = 0
    key = key_of(seed, 0, 2)
    for _ in range(episodes):
        start_episode(state, rules[0], seed, k, -1)
        while True:
            legal(state, rules[0], words)
            apply(state, rules[0], nth_legal(words, rules[0], draw(key, decisions, count_legal(words))))
            decisions += 1
            if state["phase"] == OVER:
                k += 1
                if episode_over(state, rules[0]):
                    break
                pass_deal(state, rules[0])
                deal(state, rules[0], seed, k)
    return decisions


# ---------------------------------------------------------------- the object
class Batch:
    """B games of one set of rules, stepped together; buffers are the caller's own after each call.

    Row i plays the deals k = 0, 1, ... of ``seeds[i]``, exactly as a single game seeded with that number does.
    """

    def __init__(
        self, rules: Rules, num_games: int, *, seeds: Any = 0, episode: str = "deal", reward: str = "deal"
    ) -> None:
        self.rules = rules
        self.table = rules.table(episode, reward)
        self.num_games = num_games
        self.num_actions = rules.blocks.num_actions
        self.states = np.zeros(num_games, STATE_DTYPE)
        self.seeds = np.empty(num_games, np.int64)
        self.seeds[:] = seeds if np.ndim(seeds) else np.arange(num_games) + int(seeds)
        self.ks = np.zeros(num_games, np.int64)
        self.status = np.zeros(num_games, np.int8)
        self.dealers = np.full(num_games, -1, np.int64)
        self.start()

    def start(self, *, ks: Any = 0, dealers: Any = -1, rows: np.ndarray | None = None) -> None:
        """Begin an episode in every row (or where ``rows``, bool (B,), is true) with deal ``ks`` of its seed.

        ``dealers``: seat of the first dealer, -1 draws it from (seed, k).
        """
        chosen = np.ones(self.num_games, np.bool_) if rows is None else rows
        self.ks[chosen] = ks if np.ndim(ks) == 0 else np.asarray(ks)[chosen]
        self.dealers[chosen] = dealers if np.ndim(dealers) == 0 else np.asarray(dealers)[chosen]
        self.status[chosen] = RUNNING
        start_rows(self.states, self.table, self.seeds, self.ks, self.dealers, chosen)

    @property
    def to_act(self) -> np.ndarray:
        """Seat to act in every row, int8 (B,), -1 where the episode is over (a view of the records)."""
        return self.states["to_act"]

    def masks(self, out: np.ndarray | None = None) -> np.ndarray:
        """Return the acting seats' legal-action masks, int8 (B, A), 1 = legal."""
        out = np.empty((self.num_games, self.num_actions), np.int8) if out is None else out
        masks_all(self.states, self.table, out)
        return out

    def step(self, actions: np.ndarray, rewards: np.ndarray | None = None) -> np.ndarray:
        """Apply one action per row and return the rewards in points, float64 (B, 5); see ``status`` for finished rows.

        Raises ``IllegalActionError`` at the first illegal action; no row is changed then.
        """
        rewards = np.zeros((self.num_games, MAX_SEATS)) if rewards is None else rewards
        actions = np.ascontiguousarray(actions, np.int64)  # a strided array would have the kernel compiled anew
        bad = step_all(self.states, self.table, actions, self.seeds, self.ks, rewards, self.status)
        if bad >= 0:
            seat = int(self.states["to_act"][bad])
            raise IllegalActionError(
                f"action {int(actions[bad])} of row {bad} is not legal for seat {seat}: use an id whose mask is 1"
            )
        return rewards
