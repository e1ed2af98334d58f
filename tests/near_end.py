"""Games put just before their last trick, so that worked examples of counting are played to the end on the engine."""

import numpy as np
from engine_support import legal_ids

from tressette_env.cards import RANK_SIXTHS, parse_cards, to_bits
from tressette_env.engine.dealing import clear, new_match, pass_deal, start_episode
from tressette_env.engine.entry import result_of_record
from tressette_env.engine.kernels import apply, begin, seat_reward
from tressette_env.engine.state import PLAY, STATE_DTYPE
from tressette_env.notation import parse_action
from tressette_env.presets import make_rules


def worth(cards):
    """Sixths of a point in some cards."""
    return sum(RANK_SIXTHS[card % 10] for card in cards)


class NearEnd:
    """A match of some rules, of whose deals only the last trick is played.

    `row` is the engine's record, `result` the entry of the last finished deal, `rewards` what it paid to each seat.
    """

    def __init__(self, spec, totals=()):
        self.rules = make_rules(spec)
        self.table = self.rules.table("match")
        self.seats = range(self.rules.num_seats)
        self.states = np.zeros(1, STATE_DTYPE)
        self.row = self.states[0]
        self.result = None
        new_match(self.row, self.table[0], self.seats[-1])
        self.row["totals"][: len(totals)] = [6 * points for points in totals]

    def lay(self, monte=""):
        """Begin the next deal, with hands that are not looked at."""
        if self.result is not None:
            pass_deal(self.row, self.table[0])
        clear(self.row, self.table[0])
        undealt = parse_cards(monte)
        self.row["undealt"][: len(undealt)] = undealt
        begin(self.row, self.table[0])
        return self

    def bid(self, bids, seed=0):
        """Deal from a seed, bid from seat 0 on, and take first legal actions until the cards are played."""
        start_episode(self.row, self.table[0], seed, 0, self.seats[-1])
        for bid in bids.split(", "):
            apply(self.row, self.table[0], parse_action(f"bid {bid}", self.rules))
        while self.row["phase"] != PLAY:
            apply(self.row, self.table[0], int(legal_ids(self.row, self.table)[0]))
        return self

    def left_over(self):
        """Sixths in the discards and in what is left of the monte."""
        rest = self.row["undealt"][self.rules.stock + int(self.row["exchanged"]) : self.rules.stock + self.rules.monte]
        return worth(card for card in [*rest.tolist(), *self.row["discards"].tolist()] if card >= 0)

    def hold(self, hands, captured, leader=0):
        """Give each seat the cards that it still holds, and the sixths that it has captured so far."""
        row = self.row
        for seat, hand in zip(self.seats, hands, strict=True):
            row["hands"][seat] = to_bits(parse_cards(hand))
        row["num_played"] = len(self.seats) * (self.rules.num_tricks - len(parse_cards(hands[0])))
        row["captured"][: len(self.seats)] = captured
        row["leader"] = row["turn"] = row["to_act"] = leader
        return self

    def play(self, cards):
        """Play cards in turn; afterwards, if the deal is over, `result` and `rewards` are set."""
        for card in parse_cards(cards):
            assert card in legal_ids(self.row, self.table)
            apply(self.row, self.table[0], card)
        if self.row["to_act"] < 0:
            self.result = result_of_record(self.row, self.rules)
            self.rewards = [seat_reward(self.row, self.table[0], seat) for seat in self.seats]
        return self

    def last_trick(self, captured, cards, leader=0, declared=()):
        """Play the last trick `cards` from `leader` on; the seats have captured and declared so much before."""
        texts = [cards[i : i + 2] for i in range(0, len(cards), 2)]
        hands = [texts[(seat - leader) % len(texts)] for seat in self.seats]
        assert sum(captured) + worth(parse_cards(cards)) + self.left_over() == worth(self.rules.deck)
        self.row["declared_sixths"][: len(declared)] = [6 * points for points in declared]
        return self.hold(hands, captured, leader).play(cards)
