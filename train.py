"""Train an agent: ``python train.py --config ppo.yaml``; any field by flag; ``--resume RUN`` goes on exactly."""

import sys

from agents.cli import train_main

if __name__ == "__main__":
    sys.exit(train_main(sys.argv[1:]))
