"""Evaluation results as tables for people."""

from collections.abc import Iterator

from rich.table import Table

from agents.results import PairResult
from agents.rooms import num_rooms
from agents.search import registry
from agents.tournament import Evaluation
from tressette_env.bots import available
from tressette_env.presets import PRESETS


def tables(found: Evaluation) -> Iterator[Table]:
    """Yield the cross table, then the table of players."""
    yield cross_table(found)
    yield player_table(found)


def _margin(pair: PairResult, sign: int) -> str:
    low, high = pair.ci95
    return f"{sign * pair.mean:+.2f} ± {(high - low) / 2:.2f}" if pair.n > 1 else f"{sign * pair.mean:+.2f}"


def _rooms(found: Evaluation) -> str:
    rooms = num_rooms(found.rules)
    return f"{rooms} rooms a deal ({'places swapped' if rooms == 2 else 'each alone at every place'})"


def cross_table(found: Evaluation) -> Table:
    """Return points per deal, row minus column, with the half width of the 95 % interval and the win rate below."""
    played = sorted({pair.n for pair in found.pairs})
    deals = "no" if not played else str(played[0]) if len(played) == 1 else f"{played[0]} to {played[-1]}"
    table = Table(
        title=f"{found.rules.name}: points per deal, row minus column (95 % interval; win rate)",
        caption=f"{deals} duplicate deals a pair, {_rooms(found)}, seed {found.seed}"
        + (" (stopped early)" if found.interrupted else ""),
    )
    table.add_column("")
    for name in found.players:
        table.add_column(name, justify="right")
    cells = {}
    for pair in found.pairs:
        cells[pair.a, pair.b] = f"{_margin(pair, 1)}\n{100 * pair.win_rate:.1f} %"
        cells[pair.b, pair.a] = f"{_margin(pair, -1)}\n{100 * (1 - pair.win_rate):.1f} %"
    for row in found.players:
        table.add_row(row, *(cells.get((row, column), "" if row != column else "-") for column in found.players))
    return table


def player_table(found: Evaluation) -> Table:
    """Return one row per player: rating, decisions per second and signals per 100 cards it could signal with."""
    anyone = found.rules.signal_seat == "any"
    table = Table(title="players", caption=f"signals per 100 cards {'played' if anyone else 'led'}")
    for header in ("player", "rating", "decisions/s", *found.rules.offered_signals, "checkpoint"):
        table.add_column(header, justify="left" if header in ("player", "checkpoint") else "right")
    ratings = found.ratings()
    for name in sorted(found.players, key=lambda name: -ratings[name][0]):
        data = found.usage(name).to_dict()
        rates = data["signals_per_100_plays" if anyone else "signals_per_100_leads"]
        speed = data["decisions_per_second"]
        table.add_row(
            name,
            f"{ratings[name][0]:.1f} ± {ratings[name][1]:.1f}",
            f"{speed:,.0f}" if speed else "",
            *(f"{rates.get(kind, 0.0):.1f}" for kind in found.rules.offered_signals),
            (found.hashes[name] or "")[:12],
        )
    return table


def list_table() -> Iterator[Table]:
    """Yield the bots and the presets."""
    bots = Table(title="bots")
    bots.add_column("name")
    bots.add_column("what it is")
    for name, summary in (available() | registry.available()).items():
        bots.add_row(name, summary)
    yield bots
    presets = Table(title="presets")
    presets.add_column("name")
    presets.add_column("what it is")
    for name, (summary, _) in PRESETS.items():
        presets.add_row(name, summary)
    yield presets
