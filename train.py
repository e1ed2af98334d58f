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
    code = train_main(sys.argv[1:])
    if os.environ.get("RANK"):  # one of several processes
        # torch.distributed's threads may outlive the group, and one that wakes while the interpreter is taken down
        # aborts the process: leave without taking it down, everything is saved and closed.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
