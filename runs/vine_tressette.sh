#!/usr/bin/env bash
# The network `vine` for tressette: what `mc` thinks of 59,250 deals, distilled, then every likely action played out.
# About two hours of one core, the labels half of it; several label processes can share the folder (--start).
set -euo pipefail
label() { .venv/bin/python -m agents.distill --out data/mc --teacher mc:worlds=40 "$@"; }
label --deals 36250
label --start 50000 --deals 73000
wide=(--hidden 512 512 512)
.venv/bin/python train.py --config distill.yaml --name distilled-wide "${wide[@]}" --total-decisions 10_000_000 \
  --weight-decay 0.01 --eval-every 0
.venv/bin/python train.py --config vine_on.yaml --name vine-1 "${wide[@]}" --init-from runs/distilled-wide \
  --total-decisions 10_000_000
.venv/bin/python train.py --config vine_on.yaml --name vine-2 "${wide[@]}" --init-from runs/vine-1 \
  --total-decisions 9_000_000 --final-eval-deals 10000
