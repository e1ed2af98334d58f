"""What a run logs about its signals at each evaluation: a small sample of the laboratory's measures."""

import numpy as np

from agents.signals.beliefs import hidden_rows
from agents.signals.games import SignalError, answers, chances, check_rules
from agents.signals.influence import influence
from agents.signals.information import miller_madow, plug_in
from agents.signals.laboratory import public_context
from agents.signals.players import Mute
from agents.signals.speaking import speaker_of
from agents.signals.worth import margins
from tressette_env.bots.base import Policy
from tressette_env.rules import Rules


def signal_scalars(policy: Policy, rules: Rules, deals: int, seed: int) -> dict[str, float]:
    """Return scalars by tag, empty for rules in which nobody can signal to a partner. Tags: ``runlog.TAGS``."""
    try:
        check_rules(rules)
    except SignalError:
        return {}
    own = chances(policy, rules, deals, seed)
    if not len(own):
        return {}
    counts = np.bincount(own.messages, minlength=1 + len(rules.offered_signals))
    rows = np.empty((len(own), 2), np.int64)
    hidden_rows(own.states, own.cards, rows)
    found = {f"signals/{kind}_rate": counts[1 + k] / len(own) for k, kind in enumerate(rules.offered_signals)}
    found |= {
        "signals/entropy": miller_madow(counts),
        "signals/information": plug_in(public_context(own), rows[:, 0], own.messages).net,
        "signals/worth": float(margins(policy, Mute(policy), rules, deals, seed).mean()),
    }
    moved = influence(speaker_of(policy), answers(policy, rules, deals, seed))
    if not moved.interventions:
        return found
    return found | {"signals/influence": moved.total_variation[0], "signals/causal": moved.causal[0]}
