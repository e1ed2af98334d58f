"""CFR+ on compiled trees against OpenSpiel's solvers: its Python one on our toy, its C++ one on its Leduc poker."""

from typing import Any

import pyspiel
from open_spiel.python.algorithms import cfr as their_cfr

import tressette_env.openspiel  # noqa: F401  registers python_tressette
from agents.cfr.tabular import CFRSolver
from agents.cfr.tree import GameTree, deal_tree, tree_of
from benchmarks.timing import Case, Speeds, interleave, timed
from tressette_env.presets import preset

TOY_ROUNDS = 3  # an iteration in Python takes many seconds


def leduc_tree() -> GameTree:
    """Return OpenSpiel's Leduc poker as a tree of ours."""
    return tree_of(pyspiel.load_game("leduc_poker").new_initial_state(), 2)


def ours(tree: GameTree, iterations: int) -> Case:
    """Return a case that runs so many iterations of our CFR+ on a tree."""
    solver = CFRSolver(tree, "cfr+")

    def work() -> int:
        solver.iterate(iterations)
        return iterations

    return timed(work)


def theirs(solver: Any, iterations: int) -> Case:
    """Return a case that runs so many iterations of an OpenSpiel solver."""

    def work() -> int:
        for _ in range(iterations):
            solver.evaluate_and_update_policy()
        return iterations

    return timed(work)


def rows(rounds: int) -> list[dict[str, Any]]:
    """Measure both pairs; the solvers of a pair walk the same tree, so iterations compare like visited nodes."""
    toy, toy_peer = "CFR+ on mini_2p", "OpenSpiel's Python CFR+ on the same game"
    cards, cards_peer = "CFR+ on Leduc poker", "OpenSpiel's C++ CFR+"
    mini = pyspiel.load_game("python_tressette(rules=mini_2p)")
    leduc = pyspiel.load_game("leduc_poker")
    on_toy = interleave(
        {toy: ours(deal_tree(preset("mini_2p")), 200), toy_peer: theirs(their_cfr.CFRPlusSolver(mini), 1)},
        min(rounds, TOY_ROUNDS),
        "cfr on the toy",
    )
    on_cards = interleave(
        {cards: ours(leduc_tree(), 500), cards_peer: theirs(pyspiel.CFRPlusSolver(leduc), 50)}, rounds, "cfr on Leduc"
    )
    return [_row(on_toy, toy, toy_peer, 50), _row(on_cards, cards, cards_peer, 1)]


def _row(speeds: Speeds, name: str, peer: str, target: float) -> dict[str, Any]:
    median, low, high = speeds.ratio(name, peer)
    row: dict[str, Any] = {"name": name, "unit": "iterations", "rate": speeds.median(name)}
    row |= {"peer": peer, "peer_rate": speeds.median(peer), "ratio": median, "ratio_range": [low, high]}
    return row | {"target": target, "met": median >= target}
