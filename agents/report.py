"""Evaluation results as tables for people."""

from collections.abc import Iterator, Sequence

from rich.table import Table

from agents import policies
from agents.cfr.measure import Exploit
from agents.regret import Regrets
from agents.results import PairResult
from agents.rooms import num_rooms
from agents.search import registry
from agents.tournament import Evaluation
from tressette_env.bots import available
from tressette_env.presets import PRESETS, make_rules
from tressette_env.rules import Rules


def tables(found: Evaluation) -> Iterator[Table]:
    """Yield the cross table, the table of players and, where games were judged, what each player's cards lost."""
    yield cross_table(found)
    yield player_table(found)
    if found.regrets:
        yield regret_table(found.regrets)


def _margin(pair: PairResult, sign: int) -> str:
    low, high = pair.ci95
    return f"{sign * pair.mean:+.2f} ± {(high - low) / 2:.2f}" if pair.n > 1 else f"{sign * pair.mean:+.2f}"


def _rooms(found: Evaluation) -> str:
    rooms = num_rooms(found.rules)
    return f"{rooms} rooms a deal ({'places swapped' if rooms == 2 else 'each alone at every place'})"


def _share(found: Evaluation) -> str:
    if found.share is None:
        return ""
    return f", deals {found.share.start} to {found.share.stop - 1} of {found.deals}"


def cross_table(found: Evaluation) -> Table:
    """Return points per deal, row minus column, with the half width of the 95 % interval and the win rate below."""
    played = sorted({pair.n for pair in found.pairs})
    deals = "no" if not played else str(played[0]) if len(played) == 1 else f"{played[0]} to {played[-1]}"
    table = Table(
        title=f"{found.rules.name}: points per deal, row minus column (95 % interval; win rate)",
        caption=f"{deals} duplicate deals a pair, {_rooms(found)}, seed {found.seed}{_share(found)}"
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


def regret_table(regrets: Regrets) -> Table:
    """Return the points that each player's cards lost in a game against open-hand play, in all and trick by trick."""
    table = Table(
        title="points lost in a game against open-hand play, by trick",
        caption=f"judged: {regrets.judged} deals of every pair; all seats of the player count; "
        "nobody sees all hands: compare players, do not expect 0",
    )
    table.add_column("player")
    for header in ("games", "lost", "a card", *(str(1 + trick) for trick in range(regrets.rules.num_tricks))):
        table.add_column(header, justify="right")
    for name, lost in sorted(regrets.lost.items(), key=lambda item: item[1].per_game):
        data = lost.to_dict()
        tricks = ("" if points is None else f"{points:.2f}" for points in data["points_lost_by_trick"])
        means = (data["points_lost_per_game"], data["points_lost_per_card"])
        table.add_row(name, str(lost.games), *(f"{mean:.2f}" for mean in means), *tricks)
    return table


def exploit_table(rules: Rules, measured: Sequence[Exploit]) -> Table:
    """Return one row per player: what best responses gain against it, in points a deal, exact."""
    two = rules.num_seats == 2
    table = Table(
        title=f"{rules.name}: what could be gained against each player, points a deal, by exact best responses",
        caption="each player sits at all places, the last seat deals"
        + (
            "" if two else "; NashConv adds up what each seat alone could gain and says nothing about partners together"
        ),
    )
    table.add_column("player")
    headers = ["value of eldest hand", "exploitability" if two else "unilateral NashConv"]
    pairs = any(row.team_gains for row in measured)
    headers += [f"side {side} together" for side in (0, 1)] if pairs else []
    for header in headers:
        table.add_column(header, justify="right")
    for row in measured:
        main = row.exploitability if two else row.nash_conv
        cells = [f"{row.value:+.6f}", f"{main:.6f}", *(f"{gain:.6f}" for gain in row.team_gains or ())]
        table.add_row(row.name + (f" (estimated, {row.draws} draws)" if row.draws else ""), *cells)
    return table


def list_table() -> Iterator[Table]:
    """Yield the bots and the presets."""
    bots = Table(title="bots")
    bots.add_column("name")
    bots.add_column("what it is")
    for name, summary in (available() | registry.available()).items():
        bots.add_row(name, summary)
    for row in policies.shipped():
        bots.add_row(row.name, f"{row.summary} ({make_rules(row.rules).name})")
    yield bots
    presets = Table(title="presets")
    presets.add_column("name")
    presets.add_column("what it is")
    for name, (summary, _) in PRESETS.items():
        presets.add_row(name, summary)
    yield presets
