"""OpenSpiel: its CFR+, exploitability and best responses on a toy deck, over the game `python_tressette`.

Shows how any rules become an OpenSpiel game, and that OpenSpiel's algorithms need nothing more.

    python -m examples.openspiel_solver                               # six cards, 90 deals, about ten seconds
    python -m examples.openspiel_solver --rules mini_2p --iterations 5   # minutes: this is OpenSpiel's Python code

Prints NashConv, what both players together could still gain, as CFR+ goes on, then what a best response to its average
strategy earns at each seat. `train.py --config cfr.yaml` solves the same toys thousands of times as fast. Needs the
extras `agents` (for the flags) and `openspiel`.
"""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspiel
import yaml
from open_spiel.python.algorithms import best_response, cfr, expected_game_score, exploitability

import tressette_env.openspiel  # noqa: F401  registers python_tressette
from agents.run_config import ConfigError, check_least
from examples.command import read_rules, run_command
from tressette_env.rules import Rules

SIX_CARDS = "{preset: mini_2p, name: six_cards, deck: KcAc3c KdAd3d, hand_size: 2}"


@dataclass(frozen=True)
class Options:
    """OpenSpiel's CFR+ on a toy for two."""

    rules: str = SIX_CARDS
    """Toy preset for two players, YAML file or a mapping."""
    iterations: int = 40
    report_every: int = 10
    """Iterations between two lines."""

    def check(self) -> None:
        """Raise ``TressetteError`` at the first value out of range."""
        check_least(self, 1, ("iterations", "report_every"))
        rules = read_rules(self.rules)
        if rules.num_seats != 2 or len(rules.deck) > 8:
            raise ConfigError(f"rules = {rules.name!r} is too large a game to walk: name mini_2p, mini_due or less")


def load_game(rules: Rules) -> Any:
    """Return the OpenSpiel game of any rules; parameters are texts, so rules that are no preset travel in a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rules.yaml"
        path.write_text(yaml.safe_dump(rules.to_dict()), encoding="utf-8")
        return pyspiel.load_game("python_tressette", {"rules": str(path), "chance": "deals"})


def run(options: Options) -> None:
    """Solve the toy and print how far from an equilibrium it is."""
    game = load_game(read_rules(options.rules))
    solver = cfr.CFRPlusSolver(game)
    for iteration in range(options.iterations + 1):
        if iteration % options.report_every == 0 or iteration == options.iterations:
            gap = exploitability.nash_conv(game, solver.average_policy())
            print(f"iteration {iteration:4d}: NashConv {gap:.5f} points", flush=True)
        if iteration < options.iterations:
            solver.evaluate_and_update_policy()
    average = solver.average_policy()
    root = game.new_initial_state()
    value = expected_game_score.policy_value(root, [average, average])[0]
    print(f"value of the deal for eldest hand: {value:+.5f} points")
    for seat in range(game.num_players()):
        reply = best_response.BestResponsePolicy(game, seat, average).value(root)
        print(f"best response at seat {seat}: {reply:+.5f} points")


def main(args: Sequence[str] | None = None) -> int:
    """Run the example and return its exit code."""
    return run_command("openspiel_solver", Options, run, args)


if __name__ == "__main__":
    sys.exit(main())
