#!/usr/bin/env bash
# The network `vine` for tressette: what `mc` thinks of 59,250 deals, distilled, then every likely action played out.
# About two and a half hours of one core, the labels one of them; several label processes can share the folder (--start).
set -euo pipefail
label() { .venv/bin/python -m agents.distill --out data/mc --teacher mc:worlds=40 "$@"; }
label --deals 36250
label --start 50000 --deals 73000
train() {
  .venv/bin/python train.py --network suits --no-canonical-suits --hidden 1024 1024 1024 --eval-every 0 "$@"
}
train --config distill.yaml --name distilled-suits --total-decisions 9_000_000 --weight-decay 0.01
train --config vine_on.yaml --name vine-1 --init-from runs/distilled-suits --total-decisions 5_000_000 --judged 0.4
train --config vine_on.yaml --name vine-2 --init-from runs/vine-1 --total-decisions 5_000_000 --judged 0.4 \
  --learning-rate 2e-4 --temperature 0.04 --explore 0.02 --final-eval-deals 10000
