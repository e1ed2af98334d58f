"""Compare bots and checkpoints on duplicate deals: a cross table, ratings and the same as JSON.

python evaluate.py random heuristic --deals 2000 --rules tressette --seed 7 --json out.json
python evaluate.py runs/NAME heuristic
python evaluate.py --list
"""

import os
import signal
import sys
from types import FrameType


def _stop(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)


def main() -> int:
    """Run the command and return its exit code."""
    # While the libraries load, Ctrl-C leaves at once: an exception would surface somewhere inside them.
    usual = signal.signal(signal.SIGINT, _stop)
    from agents.evaluate_cli import main as evaluate_main

    signal.signal(signal.SIGINT, usual)
    return evaluate_main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
