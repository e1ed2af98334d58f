#!/usr/bin/env bash
# The recorded longer run: default network and recipe, 36 million decisions, two cores: 26 minutes when they are quiet,
# up to an hour on a loaded machine (docs/results.md). Resumes where it stopped when run again.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -f runs/ppo_1h/config.yaml ]; then
  exec .venv/bin/python train.py --resume runs/ppo_1h
fi
exec .venv/bin/python train.py --config ppo.yaml --name ppo_1h --total-decisions 36000000 \
  --eval-every 2000000 --eval-deals 1000 --final-eval-deals 10000 --eval-opponents random simple heuristic
