#!/usr/bin/env bash
# The table of README.md: the network `vine` on test deals (seed 4004, tests/test_test_deals.py), which chose nothing.
# About ten minutes on two cores, most of it the search of the opponents.
set -euo pipefail
against() { .venv/bin/python evaluate.py vine "$1" --deals "$2" --seed 4004 --workers 2; }
against random 2000
against simple 2000
against heuristic 2000
against mc:worlds=100 2000
against mc:worlds=300 2000
