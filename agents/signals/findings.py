"""What the tasks of a laboratory came to, put together: estimates by player and by arm, and the same as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from agents.provenance import describe_commit, describe_machine
from agents.signals.beliefs import FEATURES, LISTENERS, Told, gained
from agents.signals.conventions import CrossPlay, summed_up
from agents.signals.information import Interval
from agents.signals.laboratory import OPPONENT, WORLDS, Arm, Laboratory, Spoken, Task
from agents.signals.population import population
from agents.signals.worth import ABLATIONS, Estimate, bootstrap


@dataclass
class ArmFound:
    """What one arm's players say, what the channel is worth to them, and how they get on with others."""

    arm: Arm
    spoken: dict[str, Spoken] = field(default_factory=dict)
    ablated: dict[str, Estimate] = field(default_factory=dict)
    cross: CrossPlay | None = None
    renamed: CrossPlay | None = None
    names: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    suits: Estimate | None = None  # own minus renamed, mean over the 23 other names
    ad_hoc: dict[str, float] = field(default_factory=dict)  # by bot
    held_out: Estimate | None = None
    others: Estimate | None = None
    retrained: dict[str, Estimate] = field(default_factory=dict)  # by the label of the arm without


@dataclass
class Report:
    """All that was found, and how it was measured."""

    lab: Laboratory
    arms: list[ArmFound]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON; infinite numbers are null."""
        lab = self.lab
        about = {"deals": lab.deals, "seed": lab.seed, "worlds": WORLDS, "opponent": OPPONENT, "greedy": lab.greedy}
        about |= {"commit": describe_commit(), "machine": describe_machine()}
        return {"signals": about | {"arms": [_arm_data(found) for found in self.arms]}}


def put_together(lab: Laboratory, answers: Mapping[Task, Any]) -> Report:
    """Return the report of a laboratory from the answers to all its tasks."""
    arms = [ArmFound(arm) for arm in lab.arms]
    for at, found in enumerate(arms):
        players = range(len(found.arm.names))

        def rows(what: str, at: int = at, players: range = players) -> list[Any]:
            return [answers[task] for player in players if (task := Task(what, at, player)) in answers]

        found.spoken = dict(zip(found.arm.names, rows("spoken"), strict=False))
        if parts := rows("ablated"):
            each = np.array(parts)
            found.ablated = {name: bootstrap(each[:, i]) for i, name in enumerate(ABLATIONS)}
        if parts := rows("teams"):
            found.cross = summed_up(np.array(parts))
        if parts := rows("renamed"):
            found.renamed = summed_up(_own_kept(np.array([scores for scores, _ in parts]), np.array(rows("teams"))))
            found.names = {(i, j): way for i, (_, ways) in enumerate(parts) for j, way in enumerate(ways) if i != j}
        if parts := rows("suits"):
            each = np.array(parts)
            found.suits = bootstrap((each[:, :1] - each[:, 1:]).mean(1))
        for what, half in (("held_out", True), ("others", False)):
            if parts := rows(what):
                each = np.array(parts)
                names = [name for name, _ in population(found.arm.rules, held_out=half)]
                found.ad_hoc |= dict(zip(names, each.mean((0, 2)).tolist(), strict=True))
                setattr(found, what, bootstrap(each.mean(1)))
        for other, against in enumerate(lab.arms):
            tasks = [Task("retrained", at, player, other) for player in players]
            if tasks[0] in answers:
                found.retrained[against.label] = bootstrap(np.array([answers[task] for task in tasks]))
    return Report(lab, arms)


def _own_kept(renamed: np.ndarray, plain: np.ndarray) -> np.ndarray:
    """Return scores with renamed signals, (S, S, N), the players with themselves as they are."""
    same = np.arange(len(plain))
    renamed[same, same] = plain[same, same]
    return renamed


# ---------------------------------------------------------------- plain data
def _arm_data(found: ArmFound) -> dict[str, Any]:
    arm = found.arm
    data: dict[str, Any] = {
        "label": arm.label,
        "rules": arm.rules.to_dict(),
        "players": dict(zip(arm.names, arm.hashes, strict=True)),
        "spoken": {name: _spoken_data(row, arm.rules.offered_signals) for name, row in found.spoken.items()},
        "ablated": {name: asdict(row) for name, row in found.ablated.items()},
        "retrained": {name: asdict(row) for name, row in found.retrained.items()},
        "cross_play": _cross_data(found.cross),
        "cross_play_renamed": _cross_data(found.renamed),
        "suits": asdict(found.suits) if found.suits else None,
        "ad_hoc": found.ad_hoc,
        "ad_hoc_held_out": asdict(found.held_out) if found.held_out else None,
        "ad_hoc_others": asdict(found.others) if found.others else None,
    }
    return data


def _spoken_data(row: Spoken, signals: Sequence[str]) -> dict[str, Any]:
    told = {
        who: {"decisions": found.decisions, "skipped": found.skipped}
        | {name: _told_data(found, name) for name in FEATURES}
        for who, found in row.told.items()
    }
    return {
        "rates": dict(zip(("silence", *signals), row.rates, strict=True)),
        "messages": row.messages,
        "entropy": row.entropy,
        "counted": {"bits": row.counted.raw, "shuffled": row.counted.shuffled},
        "told": told,
        "gain": {name: list(gain_of(row, name)) for name in FEATURES},
        "probe": {name: list(gain) for name, gain in row.probed.gain.items()},
        "influence": {name: _finite(value) for name, value in asdict(row.influence).items()},
        "effect": {name: _finite(value) for name, value in asdict(row.effect).items()},
    }


def gain_of(row: Spoken, name: str) -> Interval:
    """Return what the partner learns of a feature more than the opponents do, bits per message, with its interval."""
    partner, opponents = (row.told[who] for who in LISTENERS[1:])
    return gained(partner, opponents, name)


def _told_data(found: Told, name: str) -> dict[str, Any]:
    mean, low, high = found.interval(name)
    return {"bits": mean, "ci95": [low, high], "shuffled": found.bits[name].shuffled}


def _cross_data(cross: CrossPlay | None) -> dict[str, Any] | None:
    if cross is None:
        return None
    return {
        "matrix": cross.matrix.tolist(),
        "own": asdict(cross.own),
        "cross": asdict(cross.cross),
        "gap": asdict(cross.gap),
    }


def _finite(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
