"""Kuhn poker as a state with OpenSpiel's methods: its value is known, -1/18 for who bets first."""

from itertools import permutations

PASS, BET = 0, 1
ENDS = {"pp": 1, "bp": 1, "bb": 2, "pbp": 1, "pbb": 2}  # what is at stake


class Kuhn:
    """Three cards, one each, one bet of 1."""

    def __init__(self, cards=None, history=""):
        self.cards = cards
        self.history = history

    def is_terminal(self):
        return self.history in ENDS

    def is_chance_node(self):
        return self.cards is None

    def chance_outcomes(self):
        return [(i, 1 / 6) for i in range(6)]

    def current_player(self):
        return len(self.history) % 2

    def legal_actions(self):
        return [PASS, BET]

    def child(self, action):
        if self.cards is None:
            return Kuhn(list(permutations(range(3), 2))[action])
        return Kuhn(self.cards, self.history + "pb"[action])

    def returns(self):
        stake = ENDS[self.history]
        if self.history in ("bp", "pbp"):
            winner = 0 if self.history == "bp" else 1
        else:
            winner = 0 if self.cards[0] > self.cards[1] else 1
        return [stake, -stake] if winner == 0 else [-stake, stake]

    def information_state_string(self):
        return f"{self.cards[self.current_player()]}{self.history}"
