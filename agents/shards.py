"""Shares of an evaluation's deals, played apart, and their exact merge.

A part is the JSON of an evaluation of its share, with what a merge needs under the key ``shard``: the margins of every
deal in every room, counts and sums as whole numbers. A merge puts the deals in their order and computes as ever, so
that what it finds equals the evaluation in one go in every digit; only seconds differ.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from agents.provenance import describe_commit
from agents.regret import Losses, Lost, Regrets
from agents.results import Block, PairResult, Tally, Usage
from agents.rooms import num_rooms
from agents.tournament import Evaluation
from tressette_env.errors import TressetteError
from tressette_env.rules import Rules

FORMAT = "tressette-shard-1"


class ShardError(TressetteError):
    """A shard that cannot be, or parts that do not fit together."""


@dataclass(frozen=True)
class Shard:
    """Number ``index`` of ``of`` shares of an evaluation's deals, counted from 1."""

    index: int
    of: int

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    def deals(self, total: int) -> range:
        """Return its share of ``total`` deals: neighbours, and all shares as equal in size as can be.

        >>> [Shard(i, 3).deals(10) for i in (1, 2, 3)]
        [range(0, 3), range(3, 6), range(6, 10)]
        """
        return range((self.index - 1) * total // self.of, self.index * total // self.of)


def parse_shard(text: str, deals: int) -> Shard:
    """Return the shard that a text such as ``2/3`` names. Raises ``ShardError``, also where it would be empty.

    >>> str(parse_shard("2/3", deals=100))
    '2/3'
    """
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    shard = Shard(int(found[1]), int(found[2])) if found else None
    if shard is None or not 1 <= shard.index <= shard.of:
        raise ShardError(f"--shard {text!r} is not a share: write i/n with i from 1 to n, such as 1/3, 2/3 and 3/3")
    if shard.of > deals:
        raise ShardError(f"--shard {text} leaves shares of {deals} deals empty: give at most {deals} shares")
    return shard


# ---------------------------------------------------------------- writing
def part_of(found: Evaluation, shard: Shard, *, mixed: bool) -> dict[str, Any]:
    """Return a share's evaluation as plain data that ``merge`` reads; ``mixed``: networks drew their actions."""
    about = {
        "format": FORMAT,
        "index": shard.index,
        "of": shard.of,
        "commit": describe_commit(),
        "mixed": mixed,
        "regret_deals": found.regrets.deals if found.regrets else None,
    }
    pairs = [_written(pair, found.regrets) for pair in found.pairs]
    return found.to_dict() | {"shard": about | {"pairs": pairs}}


def _written(pair: PairResult, regrets: Regrets | None) -> dict[str, Any]:
    lost = regrets.pairs[pair.a, pair.b] if regrets else None
    return {
        "room_margins": pair.room_margins.tolist(),
        "trick_margins": pair.trick_margins.tolist(),
        "usage": [asdict(pair.usage_a), asdict(pair.usage_b)],
        "lost": {"judged": lost.judged, "a": _plain(lost.a), "b": _plain(lost.b)} if lost else None,
    }


def _plain(lost: Lost) -> dict[str, Any]:
    return {"sixths": lost.sixths.tolist(), "cards": lost.cards.tolist(), "games": lost.games}


# ---------------------------------------------------------------- reading
@dataclass(frozen=True)
class _Part:
    """One part as read; blocks and losses by pair."""

    path: Path
    shard: Shard
    commit: str
    rules: Rules
    deals: int
    seed: int
    players: tuple[str, ...]
    hashes: tuple[str | None, ...]
    mixed: bool
    regret_deals: int | None
    interrupted: bool
    blocks: tuple[Block, ...]
    losses: tuple[Losses, ...]


MUST_AGREE = {
    "rules": "rules",
    "deals": "--deals",
    "seed": "--seed",
    "players": "players",
    "hashes": "checkpoints",
    "mixed": "--mixed",
    "regret_deals": "--regret and --regret-deals",
}


def _read(path: Path) -> _Part:
    """Return the part in a file. Raises ``ShardError``."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ShardError(f"cannot read the part {str(path)!r} ({error.strerror}): name files of --shard") from None
    except (ValueError, RecursionError):
        raise ShardError(f"{str(path)!r} is not JSON: name files that --shard wrote with --json") from None
    about = data.get("shard") if isinstance(data, Mapping) else None
    if not isinstance(about, Mapping) or about.get("format") != FORMAT:
        raise ShardError(f"{str(path)!r} is no part of an evaluation: name files that --shard wrote with --json")
    try:
        part = _parsed(path, data, about)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ShardError(f"the part {str(path)!r} is damaged ({error}): play the shard again") from None
    if part.interrupted or any(len(block.room_margins) < len(part.shard.deals(part.deals)) for block in part.blocks):
        raise ShardError(f"the part {str(path)!r} was stopped early: play the shard {part.shard} again to its end")
    return part


def _parsed(path: Path, data: Mapping[str, Any], about: Mapping[str, Any]) -> _Part:
    """Return a part. Raises what Python raises where something lacks or has another form."""
    deals = int(data["deals"])
    shard = parse_shard(f"{about['index']}/{about['of']}", deals)
    rules = Rules.from_dict(data["rules_values"])
    players = tuple(data["entries"])
    regret_deals = about["regret_deals"]
    blocks = tuple(_block(pair, rules, shard.deals(deals)) for pair in about["pairs"])
    if len(blocks) != len(players) * (len(players) - 1) // 2 and not data["interrupted"]:
        raise ValueError(f"{len(blocks)} pairs of {len(players)} players")
    return _Part(
        path=path,
        shard=shard,
        commit=about["commit"],
        rules=rules,
        deals=deals,
        seed=int(data["seed"]),
        players=players,
        hashes=tuple(row["checkpoint_hash"] for row in data["players"]),
        mixed=about["mixed"],
        regret_deals=regret_deals,
        interrupted=data["interrupted"],
        blocks=blocks,
        losses=() if regret_deals is None else tuple(_losses(pair["lost"], rules) for pair in about["pairs"]),
    )


def _block(pair: Mapping[str, Any], rules: Rules, share: range) -> Block:
    rooms, tricks = np.array(pair["room_margins"], float), np.array(pair["trick_margins"], float)
    if rooms.shape != (len(tricks), num_rooms(rules)) or not 1 <= len(tricks) <= len(share):
        raise ValueError(f"margins of shapes {rooms.shape} and {tricks.shape}")
    if not (np.isfinite(rooms).all() and np.isfinite(tricks).all()):
        raise ValueError("margins that are not finite")
    usage_a, usage_b = (_usage(plain) for plain in pair["usage"])
    return Block(share.start, rooms, tricks, (usage_a, usage_b))


def _usage(plain: Mapping[str, Any]) -> Usage:
    signals = {kind: int(times) for kind, times in plain["signals"].items()}
    return Usage(int(plain["decisions"]), float(plain["seconds"]), int(plain["plays"]), int(plain["leads"]), signals)


def _losses(lost: Mapping[str, Any], rules: Rules) -> Losses:
    def read(plain: Mapping[str, Any]) -> Lost:
        sixths, cards = np.array(plain["sixths"], np.int64), np.array(plain["cards"], np.int64)
        if sixths.shape != (rules.num_tricks,) or cards.shape != sixths.shape:
            raise ValueError(f"losses of shapes {sixths.shape} and {cards.shape}")
        return Lost(sixths, cards, int(plain["games"]))

    return Losses(read(lost["a"]), read(lost["b"]), int(lost["judged"]))


# ---------------------------------------------------------------- merging
def merge(paths: Sequence[Path]) -> tuple[Evaluation, list[str]]:
    """Return the evaluation that some files are all parts of, and warnings, a sentence each.

    Raises ``ShardError`` where a file is no part, or the parts do not make up one whole evaluation.
    """
    parts = sorted((_read(path) for path in paths), key=lambda part: part.shard.index)
    first = parts[0]
    for part in parts[1:]:
        _check_agrees(first, part)
    _check_complete(parts)
    commits = {part.commit: part for part in parts}
    warnings = []
    if len(commits) > 1:
        each = ", ".join(f"{commit} in {str(part.path)!r}" for commit, part in commits.items())
        warnings.append(f"the parts were played by different code ({each}): they may not be of one kind")
    return _merged(parts), warnings


def _check_agrees(first: _Part, part: _Part) -> None:
    what = f"{str(first.path)!r} and {str(part.path)!r}"
    for name, shown in MUST_AGREE.items():
        one, other = getattr(first, name), getattr(part, name)
        if one != other:
            if isinstance(one, Rules):
                one, other = _difference(one, other)
            raise ShardError(f"{what} differ in {shown} ({one!r} and {other!r}): merge parts of one evaluation")
    if first.shard.of != part.shard.of:
        raise ShardError(f"{what} are the shards {first.shard} and {part.shard}: merge shares of the same number")


def _difference(one: Rules, other: Rules) -> tuple[str, str]:
    """Return the first field in which two rules differ, with its two values."""
    both = zip(one.to_dict().items(), other.to_dict().values(), strict=True)
    name, a, b = next((name, a, b) for (name, a), b in both if a != b)
    return f"{name}: {a}", f"{name}: {b}"


def _check_complete(parts: Sequence[_Part]) -> None:
    by_index: dict[int, _Part] = {}
    for part in parts:
        if part.shard.index in by_index:
            other = by_index[part.shard.index]
            raise ShardError(f"{str(other.path)!r} and {str(part.path)!r} are both the shard {part.shard}: give one")
        by_index[part.shard.index] = part
    missing = [str(Shard(i, parts[0].shard.of)) for i in range(1, parts[0].shard.of + 1) if i not in by_index]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise ShardError(f"the merge lacks the shard {', '.join(missing[:5])}{more}: give all parts")


def _merged(parts: Sequence[_Part]) -> Evaluation:
    first = parts[0]
    hashes = dict(zip(first.players, first.hashes, strict=True))
    regrets = Regrets(first.rules, first.regret_deals) if first.regret_deals is not None else None
    found = Evaluation(first.rules, first.deals, first.seed, list(first.players), hashes, regrets=regrets)
    for place, names in enumerate(combinations(first.players, 2)):
        tally = Tally(*names, first.rules, first.seed, range(first.deals))
        for part in parts:
            tally.add(part.blocks[place])
            if regrets:
                regrets.add(names, part.losses[place])
        found.pairs.append(tally.result())
    return found
