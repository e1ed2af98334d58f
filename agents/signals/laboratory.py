"""The measures of some players, task by task, so that processes can share them; the same answers in every process.

An arm is the players under equal rules: independently trained seeds of one experiment.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agents.entries import resolve
from agents.playing import one_thread
from agents.signals.beliefs import LISTENERS, Told, hidden_rows, told
from agents.signals.conventions import ad_hoc, renamed_scores, suit_scores, team_scores
from agents.signals.games import Chances, answers, chances
from agents.signals.influence import Effect, Influence, effect, influence
from agents.signals.information import Bits, miller_madow, plug_in
from agents.signals.probe import Probed, probe
from agents.signals.speaking import speaker_of
from agents.signals.worth import ablated, retrained
from agents.workers import WorkerError
from tressette_env.bots.base import Policy
from tressette_env.rules import Rules

WORLDS = 512  # for each decision
MOST_TOLD = 1000  # decisions of a player for which worlds are drawn
MOST_PLAYED_OUT = 8000  # interventions of a player whose deals are played out
OPPONENT = "heuristic"  # of all teams
MOST_DEALS = 20_000  # the positions of so many fill about a gigabyte
LEAST_DEALS = 100  # below, the intervals over deals would say more than is known
SUIT_SHARE = 8  # of the deals, one in so many is played under each of the 24 names of the suits


class Task(NamedTuple):
    """One measure: what, of which player of which arm, and against which other arm (``retrained`` alone)."""

    what: str
    arm: int
    player: int
    other: int = -1


@dataclass(frozen=True)
class Arm:
    """Players under equal rules: their names, what names them, and the checkpoints' hashes."""

    label: str
    rules: Rules
    names: tuple[str, ...]
    entries: tuple[str, ...]
    hashes: tuple[str | None, ...]

    @property
    def speaks(self) -> bool:
        """Whether anybody may signal."""
        return self.rules.signal_sides == "all" or bool(self.rules.signal_sides)


@dataclass(frozen=True)
class Spoken:
    """What one player says, tells and moves. ``rates``: of each message per chance to give one, silence first."""

    rates: tuple[float, ...]
    entropy: float
    messages: int
    counted: Bits
    told: dict[str, Told]
    probed: Probed
    influence: Influence
    effect: Effect


@dataclass(frozen=True)
class Laboratory:
    """All arms and how much is played. ``deals``: of every match and of each player's own games."""

    arms: tuple[Arm, ...]
    deals: int
    seed: int
    device: str = "cpu"
    greedy: bool = True

    def table(self) -> "Bench":
        """Return the players at hand. Raises ``TressetteError`` for an entry that is not what it was any more."""
        return Bench(self)

    @property
    def suit_deals(self) -> int:
        """Deals played under each of the 24 names of the suits."""
        return max(LEAST_DEALS, self.deals // SUIT_SHARE)

    def tasks(self) -> list[Task]:
        """Return every measure that the arms allow."""
        found: list[Task] = []
        silent = [at for at, arm in enumerate(self.arms) if not arm.speaks]
        for at, arm in enumerate(self.arms):
            players = range(len(arm.names))
            whats = ["spoken", "ablated"] if arm.speaks else []
            whats += ["teams"] if len(arm.names) > 1 else []
            whats += ["renamed"] if arm.speaks and len(arm.names) > 1 and arm.rules.signal_mode == "free" else []
            whats += ["suits"] + (["held_out", "others"] if arm.speaks else [])
            found += [Task(what, at, player) for what in whats for player in players]
            if arm.speaks:
                others = [other for other in silent if comparable(arm.rules, self.arms[other].rules)]
                found += [Task("retrained", at, player, other) for other in others for player in players]
        return found


class Bench:
    """The players of all arms, and what answers a task."""

    def __init__(self, lab: Laboratory) -> None:
        self._lab = lab
        self._players: dict[int, list[Policy]] = {}
        self._usual: dict[tuple[int, int], Chances] = {}

    def players(self, arm: int) -> list[Policy]:
        """Return an arm's players."""
        if arm not in self._players:
            lab, about = self._lab, self._lab.arms[arm]
            found = [resolve(entry, about.rules, lab.device, greedy=lab.greedy) for entry in about.entries]
            for entry, player, wanted in zip(about.entries, found, about.hashes, strict=True):
                if getattr(player, "hash", None) != wanted:
                    raise WorkerError(f"the checkpoint {entry!r} changed meanwhile: name a file that is not written to")
            self._players[arm] = found
        return self._players[arm]

    def play(self, task: Task) -> Any:
        """Return what a task comes to."""
        with one_thread():
            return getattr(self, f"_{task.what}")(task)

    def _about(self, task: Task) -> tuple[Policy, list[Policy], Rules]:
        players = self.players(task.arm)
        return players[task.player], players, self._lab.arms[task.arm].rules

    def _chances(self, task: Task) -> Chances:
        player, _, rules = self._about(task)
        return chances(player, rules, self._lab.deals, self._lab.seed)

    # ---- the tasks ----
    def _spoken(self, task: Task) -> Spoken:
        player, _, rules = self._about(task)
        lab, speaker, own = self._lab, speaker_of(player), self._chances(task)
        size = 1 + len(rules.offered_signals)
        counts = np.bincount(own.messages, minlength=size)
        rows = np.empty((len(own), 2), np.int64)
        hidden_rows(own.states, own.cards, rows)
        some = own.some(np.unique(np.linspace(0, len(own) - 1, min(lab.deals // 2, MOST_TOLD), dtype=np.int64)))
        asked = answers(player, rules, lab.deals, lab.seed)
        return Spoken(
            rates=tuple(counts / counts.sum()),
            entropy=miller_madow(counts),
            messages=len(own),
            counted=plug_in(public_context(own), rows[:, 0], own.messages),
            told={who: told(speaker, some, who, worlds=WORLDS, seed=lab.seed) for who in LISTENERS},
            probed=probe(own, seed=lab.seed),
            influence=influence(speaker, asked),
            effect=effect(player, asked, most=min(4 * lab.deals, MOST_PLAYED_OUT), seed=lab.seed),
        )

    def _ablated(self, task: Task) -> np.ndarray:
        player, _, rules = self._about(task)
        return ablated(player, self._chances(task), rules, self._lab.deals, self._lab.seed)

    def _teams(self, task: Task) -> np.ndarray:
        player, players, rules = self._about(task)
        return team_scores(player, players, resolve(OPPONENT, rules), rules, self._lab.deals, self._lab.seed)

    def _renamed(self, task: Task) -> tuple[np.ndarray, list[tuple[int, ...]]]:
        player, players, rules = self._about(task)
        return renamed_scores(player, players, resolve(OPPONENT, rules), rules, self._lab.deals, self._lab.seed)

    def _suits(self, task: Task) -> np.ndarray:
        player, _, rules = self._about(task)
        return suit_scores(player, resolve(OPPONENT, rules), rules, self._lab.suit_deals, self._lab.seed)

    def _held_out(self, task: Task) -> np.ndarray:
        player, _, rules = self._about(task)
        return ad_hoc(player, resolve(OPPONENT, rules), rules, self._lab.deals, self._lab.seed, held_out=True)

    def _others(self, task: Task) -> np.ndarray:
        player, _, rules = self._about(task)
        return ad_hoc(player, resolve(OPPONENT, rules), rules, self._lab.deals, self._lab.seed, held_out=False)

    def _retrained(self, task: Task) -> np.ndarray:
        player, _, rules = self._about(task)
        return retrained(player, self.players(task.other), rules, self._lab.deals, self._lab.seed)


_CHANNEL = ("name", "target", "signal_mode", "signal_sides", "signal_heard_by", "signal_noise", "signal_noise_kind")


def comparable(one: Rules, other: Rules) -> bool:
    """Return whether two sets of rules are one game with the same spaces, whatever their channels."""
    games = [{key: value for key, value in rules.to_dict().items() if key not in _CHANNEL} for rules in (one, other)]
    return games[0] == games[1] and one.blocks == other.blocks


def public_context(own: Chances) -> np.ndarray:
    """Return the public context that counted information is given, int64 (N,): trick and strength of the card."""
    tricks = own.states["num_played"].astype(np.int64) // own.rules.num_seats
    return tricks * 10 + own.cards % 10


def label_of(rules: Rules) -> str:
    """Return a short name for how the signals of some rules work.

    >>> from tressette_env.presets import make_rules
    >>> label_of(make_rules({"preset": "tressette", "signal_heard_by": "partner", "signal_noise": 10}))
    'tressette, truthful, to partners, 10 % dropped'
    """
    words = [rules.name.rstrip("*"), rules.signal_mode]
    if rules.signal_sides != "all":
        words[1] = "silent" if not rules.signal_sides else f"{words[1]}, side {rules.signal_sides[0]} only"
    if rules.signal_heard_by == "partner":
        words.append("to partners")
    if rules.signal_noise:
        words.append(f"{rules.signal_noise} % {'dropped' if rules.signal_noise_kind == 'drop' else 'replaced'}")
    return ", ".join(words)


def arms_of(
    entries: Sequence[str], players: Sequence[Policy], names: Sequence[str], rules: Sequence[Rules]
) -> tuple[Arm, ...]:
    """Return players grouped by equal rules, in the order of their first; arms of one label are numbered."""
    grouped: dict[Rules, list[int]] = {}
    for at, row in enumerate(rules):
        grouped.setdefault(row, []).append(at)
    arms: list[Arm] = []
    for row, members in grouped.items():
        label = label_of(row)
        again = sum(arm.label.split(" #")[0] == label for arm in arms)
        arms.append(
            Arm(
                label=f"{label} #{again + 1}" if again else label,
                rules=row,
                names=tuple(names[at] for at in members),
                entries=tuple(entries[at] for at in members),
                hashes=tuple(getattr(players[at], "hash", None) for at in members),
            )
        )
    return tuple(arms)
