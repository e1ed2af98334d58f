#!/usr/bin/env bash
# How much a learned team gains on a frozen one: runs/best_response.sh VICTIM [DECISIONS [FLAGS]]
# One network for both attackers begins as the network `vine` and learns from its own decisions against VICTIM (a bot, a
# shipped name or a run), everybody playing on as they do. What it gains is a lower bound of what can be gained. The
# curve is in the run's metrics; the last line is a match on deals that were used for nothing else.
set -euo pipefail
victim=$1 decisions=${2:-3_000_000}
shift $(($# < 2 ? $# : 2))
name=response-${victim//\//-}
.venv/bin/python train.py --config vine_on.yaml --name "$name" --init-from vine --network suits \
  --no-canonical-suits --hidden 1024 1024 1024 --opponents "$victim" \
  --playouts policy --judged 0.5 --total-decisions "$decisions" --eval-every 250_000 --eval-deals 2000 \
  --eval-opponents "$victim" --final-eval-deals 10000 "$@"
.venv/bin/python evaluate.py "runs/$name" "$victim" --deals 10000 --seed 4004
