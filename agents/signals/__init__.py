"""The signal laboratory: what a signal tells, whom it moves, what the channel is worth, whose conventions agree.

Each measure is a function of its own, tested against a case with a known answer; ``python evaluate.py --signals``
prints them together. Sources and worked examples: docs/signals.md.
"""
