#!/usr/bin/env bash
# The policies that docs/signals.md measures: the default recipe at 6 million decisions, five seeds each, with truthful
# signals, with a channel that nobody may use, and with free signals. About seven minutes a run on one core; goes on
# where it stopped when run again.
set -euo pipefail
cd "$(dirname "$0")/.."
train() {
  local name="signals-$1-$2"
  if [ -f "runs/$name/summary.json" ]; then return; fi
  if [ -f "runs/$name/config.yaml" ]; then .venv/bin/python train.py --resume "runs/$name"; return; fi
  .venv/bin/python train.py --config ppo.yaml --name "$name" --seed "$2" --env.rules "$3" --threads 1 \
    --total-decisions 6000000 --eval-every 0 --eval-opponents simple heuristic
}
for seed in 1 2 3 4 5; do
  train truthful "$seed" tressette
  train silent "$seed" '{preset: tressette, signal_sides: []}'
  train free "$seed" '{preset: tressette, signal_mode: free}'
done
