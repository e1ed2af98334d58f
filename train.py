"""Train an agent: ``python train.py --config ppo.yaml``; any field by flag; ``--resume RUN`` goes on exactly."""

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
    from agents.cli import train_main

    signal.signal(signal.SIGINT, usual)
    return train_main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
