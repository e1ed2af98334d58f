"""How long the open-hand solver takes, by tricks left: CPU milliseconds and nodes over positions after random play."""

import sys
from typing import Any

import numpy as np

from agents.search.openhand import SOLVER_DTYPE, solve
from benchmarks.timing import clock
from tressette_env.engine.batch import Batch, random_actions
from tressette_env.presets import make_rules

TARGETS_MS = {6: 1.0, 9: 30.0, 10: 100.0}
POSITIONS = {4: 200, 5: 200, 6: 200, 7: 200, 8: 200, 9: 100, 10: 100}


def positions(rules: Any, tricks: int, number: int) -> Batch:
    """Return games of random play with this many tricks left, from the deals 0, 1, ... of seed 7."""
    games = Batch(rules, number, seeds=np.full(number, 7))
    games.start(ks=np.arange(number))
    actions = np.empty(number, np.int64)
    for ply in range(rules.num_seats * (rules.num_tricks - tricks)):
        random_actions(games.states, games.table, np.uint64(tricks), ply, actions)
        games.step(actions)
    return games


def rows(rounds: int) -> list[dict[str, Any]]:
    """Measure every number of tricks left: the fastest of the rounds of a position, each with an empty table."""
    rules = make_rules({"preset": "no_signals", "declare": "off"})
    found = []
    for tricks, number in POSITIONS.items():
        print(f"solver: {tricks} tricks left", file=sys.stderr)
        games = positions(rules, tricks, number)
        times = np.full(number, np.inf)
        nodes = np.zeros(number)
        for _ in range(rounds):
            for i in range(number):
                solver = np.zeros(1, SOLVER_DTYPE)[0]
                solver["table"][:] = 0  # the memory is there before the clock starts
                start = clock()
                solve(solver, games.states[i], games.table[0])
                times[i] = min(times[i], clock() - start)
                nodes[i] = solver["nodes"]
        median = 1e3 * float(np.median(times))
        row = {"name": f"open-hand solver, {tricks} tricks left", "unit": "ms", "rate": median}
        row |= {"p95": 1e3 * float(np.quantile(times, 0.95)), "nodes": float(nodes.mean()), "positions": number}
        if tricks in TARGETS_MS:
            row |= {"target": TARGETS_MS[tricks], "met": median <= TARGETS_MS[tricks]}
        found.append(row)
    return found
