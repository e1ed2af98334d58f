#!/usr/bin/env bash
# One change each to the default recipe at 2 million decisions, seed 1; the closing tables go to experiments.md.
set -euo pipefail
cd "$(dirname "$0")/.."
run() {
  .venv/bin/python train.py --config ppo.yaml --name "abl-$1" --total-decisions 2000000 --eval-every 0 \
    --final-eval-deals 10000 --eval-opponents simple heuristic "${@:2}"
}
run default
run as-dealt-suits --no-canonical-suits
run own-view-critic --no-central-critic
run augmented-critic --augment-critic
run pool --pool-size 5 --pool-every 5
