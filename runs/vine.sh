#!/usr/bin/env bash
# A network for any rules, from nothing, in two stages on one core (about ten minutes): runs/vine.sh NAME RULES [SEED [FLAGS]]
# FLAGS go to the second stage, which goes on from the first.
# The networks `vine` of agents/policies for no_signals, traversone, due and free signals were made so.
set -euo pipefail
name=$1 rules=$2 seed=${3:-1}
shift $(($# < 3 ? $# : 3))
train() { .venv/bin/python train.py --seed "$seed" --env.rules "$rules" --eval-every 0 --final-eval-deals 10000 "$@"; }
train --config vine.yaml --name "$name-first"
train --config vine_on.yaml --name "$name" --init-from "runs/$name-first" "$@"
