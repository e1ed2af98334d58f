"""A game as one small array of bytes and back: what `Game.get_state` and `set_state` call."""

import zlib
from typing import TYPE_CHECKING

import numpy as np

from tressette_env.engine.state import STATE_DTYPE
from tressette_env.errors import TressetteError
from tressette_env.rules import MAX_SEATS

if TYPE_CHECKING:
    from tressette_env.engine.game import Game

_VERSION = 3
_SEAL = 4  # bytes of the checksum at the end
_HEADER = np.dtype(
    [(name, "i8") for name in ("version", "rules", "seed", "k", "status", "paid", "illegal_seat", "deal_start")]
    + [(name, "i8") for name in ("laid", "finished", "given", "actions")]
    + [("rewards", "f8", MAX_SEATS)]
)
_ACTION = np.dtype([("seat", "i1"), ("action", "i2")])


def _fingerprint(game: "Game") -> int:
    return zlib.crc32(game.table.tobytes())


def seal(raw: bytes) -> np.ndarray:
    """Return bytes with their checksum behind them, uint8 (N,).

    The kernels index by what a record says, unchecked, so a damaged state must never reach them.
    """
    return np.frombuffer(raw + zlib.crc32(raw).to_bytes(_SEAL, "little"), np.uint8).copy()


def unseal(state: np.ndarray) -> bytes:
    """Return the bytes that ``seal`` was given. Raises ``TressetteError`` for anything else."""
    data = np.asarray(state)
    if data.dtype != np.uint8 or data.ndim != 1 or data.size < _SEAL:
        raise TressetteError(f"the state of dtype {data.dtype} and shape {data.shape} does not come from get_state()")
    raw = data.tobytes()
    if zlib.crc32(raw[:-_SEAL]).to_bytes(_SEAL, "little") != raw[-_SEAL:]:
        raise TressetteError(f"the state of {len(raw)} bytes is damaged or not from get_state(): save it again")
    return raw[:-_SEAL]


def pack(game: "Game") -> np.ndarray:
    """Return the bytes, uint8 (N,): header, current record, laid, finished and given records, their k, actions."""
    header = np.zeros(1, _HEADER)
    row = header[0]
    row["version"], row["rules"] = _VERSION, _fingerprint(game)
    row["seed"] = -1 if game.seed is None else game.seed
    row["k"], row["status"], row["paid"] = game.k, game.status, game.paid
    row["illegal_seat"], row["deal_start"] = game.illegal_seat, game._deal_start
    row["laid"], row["finished"], row["given"] = len(game._laid), len(game._finished), len(game._given)
    row["actions"], row["rewards"] = len(game.actions), game.rewards
    records = [game.states[:1], *(record for _, record in game._laid), *game._finished, *game._given]
    ks = np.array([k for k, _ in game._laid], np.int64)
    parts = [header, *records, ks, np.array(game.actions, _ACTION)]
    return seal(b"".join(part.tobytes() for part in parts))


def unpack(game: "Game", state: np.ndarray) -> None:
    """Set a game from bytes; nothing is changed when they do not fit. Raises ``TressetteError``."""
    raw = unseal(state)
    if len(raw) < _HEADER.itemsize:
        raise TressetteError(f"the state of {len(raw)} bytes is too short to come from get_state()")
    row = np.frombuffer(raw, _HEADER, 1)[0]
    laid, finished, given = int(row["laid"]), int(row["finished"]), int(row["given"])
    count = 1 + laid + finished + given
    size = _HEADER.itemsize + count * STATE_DTYPE.itemsize + 8 * laid + int(row["actions"]) * _ACTION.itemsize
    if row["version"] != _VERSION or size != len(raw):
        raise TressetteError(f"the state of {len(raw)} bytes is not from get_state() of version {_VERSION}")
    if row["rules"] != _fingerprint(game):
        raise TressetteError("the state was saved under other rules, episode or reward: make the game with those")
    at = _HEADER.itemsize
    records = np.frombuffer(raw, STATE_DTYPE, count, at).copy()
    at += count * STATE_DTYPE.itemsize
    ks = np.frombuffer(raw, np.int64, laid, at).tolist()
    actions = np.frombuffer(raw, _ACTION, int(row["actions"]), at + 8 * laid)
    game.states[0] = records[0]
    split = [records[i : i + 1].copy() for i in range(1, count)]
    game._laid = list(zip(ks, split[:laid], strict=True))
    game._finished, game._given = split[laid : laid + finished], split[laid + finished :]
    game.actions = list(zip(actions["seat"].tolist(), actions["action"].tolist(), strict=True))
    game.seed = int(row["seed"]) if row["seed"] >= 0 else None
    game.k, game.status, game.paid = int(row["k"]), int(row["status"]), bool(row["paid"])
    game.illegal_seat, game._deal_start = int(row["illegal_seat"]), int(row["deal_start"])
    game.rewards[:] = row["rewards"]
