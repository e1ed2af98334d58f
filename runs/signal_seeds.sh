#!/usr/bin/env bash
# The policies that docs/signals.md measures: the default recipe at 6 million decisions, five seeds each, with truthful
# signals, with a channel that nobody may use, with free signals, and with truthful signals that only the partner hears.
# About seven minutes a run on one core; goes on where it stopped when run again. Arguments: the arms, all four without.
set -euo pipefail
cd "$(dirname "$0")/.."
train() {
  local name="signals-$1-$2"
  if [ -f "runs/$name/summary.json" ]; then return; fi
  if [ -f "runs/$name/config.yaml" ]; then .venv/bin/python train.py --resume "runs/$name"; return; fi
  .venv/bin/python train.py --config ppo.yaml --name "$name" --seed "$2" --env.rules "$3" --threads 1 \
    --total-decisions 6000000 --eval-every 0 --eval-opponents simple heuristic
}
declare -A rules=(
  [truthful]=tressette
  [silent]='{preset: tressette, signal_sides: []}'
  [free]='{preset: tressette, signal_mode: free}'
  [partner]='{preset: tressette, signal_heard_by: partner}'
)
[ $# -gt 0 ] || set -- truthful silent free partner
for arm in "$@"; do
  for seed in 1 2 3 4 5; do train "$arm" "$seed" "${rules[$arm]}"; done
done
