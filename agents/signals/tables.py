"""The report of a laboratory as tables for people."""

from collections.abc import Iterator
from math import isnan

from rich.table import Table

from agents.signals.beliefs import LISTENERS
from agents.signals.conventions import CrossPlay
from agents.signals.findings import ArmFound, Report, gain_of
from agents.signals.laboratory import OPPONENT
from agents.signals.population import CONVENTIONS
from agents.signals.worth import ABLATIONS, Estimate

_TITLES = {
    "mute": "against itself with the same cards, silent",
    "deaf": "against itself deaf to the partner",
    "misled": "against itself hearing random messages from the partner",
    "forbidden": "against itself without permission to signal",
}


def report_tables(report: Report) -> Iterator[Table]:
    """Yield what was found: what is said, whom it moves, what it is worth, whose conventions agree."""
    speaking = [found for found in report.arms if found.spoken]
    if speaking:
        yield _said(speaking)
        yield _told(speaking)
        yield _moved(speaking)
    yield _worth(report)
    for found in report.arms:
        if found.cross:
            yield _matrix(found, found.cross, "teams of every player (row) with every player (column)")
        if found.renamed:
            yield _matrix(found, found.renamed, "the same, the column's signals renamed as suits the row")
    yield _agreement(report)
    for found in report.arms:
        if found.ad_hoc:
            yield _strangers(found)


def _table(title: str, caption: str, *columns: str) -> Table:
    table = Table(title=title, caption=caption)
    for at, column in enumerate(columns):
        table.add_column(column, justify="right" if at else "left")
    return table


def _said(arms: list[ArmFound]) -> Table:
    signals = list(dict.fromkeys(kind for found in arms for kind in found.arm.rules.offered_signals))
    table = _table(
        "what is said: messages per 100 chances to signal",
        "entropy of the messages in bits; counted: what messages and the rest of the suit share, given trick and "
        "strength of the card, in bits (the same with the hands shuffled)",
        "player", "rules", "silence", *signals, "entropy", "counted (shuffled)",
    )  # fmt: skip
    for found in arms:
        kinds = found.arm.rules.offered_signals
        for name, row in found.spoken.items():
            rates = dict(zip(kinds, row.rates[1:], strict=True))
            table.add_row(
                name,
                found.arm.label,
                f"{100 * row.rates[0]:.1f}",
                *(f"{100 * rates[kind]:.1f}" if kind in rates else "" for kind in signals),
                f"{row.entropy:.2f}",
                f"{row.counted.raw:.3f} ({row.counted.shuffled:.3f})",
            )
    return table


def _told(arms: list[ArmFound]) -> Table:
    table = _table(
        "what it tells about the rest of the suit, bits per message",
        f"sampled beliefs, {_most_told(arms)} decisions (features shuffled among the worlds); gain: partner less "
        "opponents; probe: log-loss that a trained network saves the partner, with its 95 % interval",
        "player", "onlooker", "partner", "opponents", "gain", "probe: rest", "probe: 3, 2, A",
    )  # fmt: skip
    for found in arms:
        for name, row in found.spoken.items():
            each = [row.told[who] for who in LISTENERS]
            cells = [f"{_spread(found.interval('rest'), 2)} ({found.bits['rest'].shuffled:.2f})" for found in each]
            probed = [_spread(row.probed.gain[key], 2) for key in ("rest", "honours")]
            table.add_row(name, *cells, _spread(gain_of(row, "rest"), 2), *probed)
    return table


def _moved(arms: list[ArmFound]) -> Table:
    table = _table(
        "whom it moves: another message with the leader's card, all else as it was",
        "of the partner's next card: total variation, KL in bits, how often the likeliest card changes, mutual "
        "information with the message; points of the leader's side: as said minus otherwise, and size of the change",
        "player", "variation", "KL", "card changes", "causal bits", "points", "size",
    )  # fmt: skip
    for found in arms:
        for name, row in found.spoken.items():
            moved = row.influence
            table.add_row(
                name,
                _spread(moved.total_variation, 3),
                _spread(moved.kl, 3),
                _spread(moved.changed, 3),
                _spread(moved.causal, 4),
                _spread(row.effect.points, 2),
                _spread(row.effect.size, 2),
            )
    return table


def _worth(report: Report) -> Table:
    table = _table(
        "what the channel is worth, points per deal",
        f"{report.lab.deals} duplicate deals a pair; card points and last trick; intervals over seeds and deals",
        "rules", "margin", "points", "seeds",
    )  # fmt: skip
    for found in report.arms:
        for name in ABLATIONS if found.ablated else ():
            row = found.ablated[name]
            table.add_row(found.arm.label, _TITLES[name], str(row), str(row.seeds))
        for label, row in found.retrained.items():
            table.add_row(found.arm.label, f"against players trained without: {label}", str(row), str(row.seeds))
    return table


def _matrix(found: ArmFound, cross: CrossPlay, title: str) -> Table:
    gap = f"own {cross.own}, cross {cross.cross}, gap {cross.gap}"
    table = _table(f"{found.arm.label}: {title}", gap, "", *found.arm.names)
    for i, name in enumerate(found.arm.names):
        table.add_row(name, *(f"{value:+.2f}" for value in cross.matrix[i]))
    return table


def _agreement(report: Report) -> Table:
    table = _table(
        "whose conventions agree, points per deal",
        f"margins over {OPPONENT}; suits: lost when the partner's suits are renamed, mean over the 23 other names, "
        f"{report.lab.suit_deals} deals each",
        "rules", "own - cross", "own - cross, renamed", "suits", "strangers held out", "other strangers",
    )  # fmt: skip
    for found in report.arms:
        table.add_row(
            found.arm.label,
            str(found.cross.gap) if found.cross else "needs two players",
            _or_blank(found.renamed.gap if found.renamed else None),
            _or_blank(found.suits),
            _or_blank(found.held_out),
            _or_blank(found.others),
        )
    return table


def _strangers(found: ArmFound) -> Table:
    table = _table(
        f"{found.arm.label}: with scripted partners", "points per deal, mean of the players", "partner", "", "points"
    )
    for row in CONVENTIONS:
        if row.name in found.ad_hoc:
            half = "held out" if row.held_out else "other half"
            table.add_row(row.name, f"{row.summary} ({half})", f"{found.ad_hoc[row.name]:+.3f}")
    return table


def _most_told(arms: list[ArmFound]) -> int:
    return max(told.decisions for found in arms for row in found.spoken.values() for told in row.told.values())


def _spread(row: tuple[float, float, float], digits: int) -> str:
    mean, low, high = row
    if isnan(mean):
        return "-"
    return f"{mean:.{digits}f} ± {(high - low) / 2:.{digits}f}" if abs(mean) != float("inf") else "inf"


def _or_blank(row: Estimate | None) -> str:
    return str(row) if row else ""
