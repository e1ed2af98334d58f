"""The slow, obvious second implementation of the rules of the Tressette family, for tests only.

Cards are texts ("3c"), hands are lists of texts, a state is a handful of lists. Nothing here is fast and nothing
is shared with the engine: the two are only ever compared. Section numbers are those of docs/RULES.md; a comment
that starts with "Ruling" marks a place where the text allows more than one reading.

Counts of captured cards are in sixths of a point (an ace is 6, a 3 is 2, a last trick is up to 6).

* `whole_total`, `score_tricks`, `score_revoke`, `settle_match`: pure scoring, no cards on a table.
* `combinations`: what a hand may declare.
* `ReferenceGame`: one deal.
* `ReferenceMatch`: deal after deal, with redeals, ties and the winner.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain

SUITS = "cdsb"
WEAK_TO_STRONG = "4567JCKA23"
STRONG_TO_WEAK = "32AKCJ7654"
HONOURS = "32A"
SIXTHS = {"A": 6, "3": 2, "2": 2, "K": 2, "C": 2, "J": 2, "7": 0, "6": 0, "5": 0, "4": 0}
BIDS = {"calabresella": ["chiamo", "solo", "solissimo"], "chiamata": ["chiamo", "solo"]}  # rising, 6.2 and 6.3


# ---------------------------------------------------------------------------------------------- cards


def card_text(card_id):
    """Text of a card id, `10 * suit + strength`: 0 -> "4c", 39 -> "3b"."""
    return WEAK_TO_STRONG[card_id % 10] + SUITS[card_id // 10]


def card_id(card):
    """Id of a card text: "4c" -> 0, "3b" -> 39."""
    return 10 * SUITS.index(card[1]) + WEAK_TO_STRONG.index(card[0])


def deck_texts(rules):
    """The cards in play, as texts."""
    return [card_text(c) for c in rules.deck]


def rank(card):
    return card[0]


def suit(card):
    return card[1]


def strength(card):
    return WEAK_TO_STRONG.index(rank(card))


def cards_of_suit(cards, wanted):
    return [card for card in cards if suit(card) == wanted]


def worth(cards):
    """Sixths of a point in some cards (section 2: A = 1 point, 3 2 K C J = 1/3)."""
    return sum(SIXTHS[rank(card)] for card in cards)


def trick_winner(plays, trump):
    """Seat that wins `plays`, a list of (seat, card) in order of play (section 2)."""
    wanted = suit(plays[0][1])
    if trump is not None and any(suit(card) == trump for _, card in plays):
        wanted = trump
    candidates = [(strength(card), seat) for seat, card in plays if suit(card) == wanted]
    return max(candidates)[1]


# ---------------------------------------------------------------------------------------------- noise on signals


def mix(word):
    """SplitMix64's finaliser."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % 2**64
    return word ^ (word >> 31)


def draw(key, counter, bound):
    """The counter-th random number below `bound` of a key."""
    return (mix((key + (counter + 1) * 0x9E3779B97F4A7C15) % 2**64) >> 32) * bound >> 32


def noise_key(dealt):
    """The key of a deal's noise: for each suit who was dealt which strengths, whatever the suits are called."""
    total = 0
    for s in SUITS:
        word = 0
        for hand in dealt:
            word = word * 1024 + sum(2 ** strength(card) for card in cards_of_suit(hand, s))
        total += mix(word % 2**64)
    return mix(total % 2**64)


# ---------------------------------------------------------------------------------------------- declarations


def combinations(hand):
    """What a hand may declare: {action text: (points, what the table hears)} (section 3, C8).

    The table hears the suit of a napoletana and the missing suit of a triple; "" when all four are held.
    """
    found = {}
    for s in SUITS:
        if all(r + s in hand for r in HONOURS):
            found[f"declare napoletana {s}"] = (3, s)
    for r in "A23":
        held = [s for s in SUITS if r + s in hand]
        if len(held) == 4:
            found[f"declare {r}"] = (4, "")  # four, never four and three
        elif len(held) == 3:
            missing = next(s for s in SUITS if s not in held)
            found[f"declare {r}"] = (3, missing)
    return found


# ---------------------------------------------------------------------------------------------- scoring


def bonus_sixths(rules):
    """The last trick, in sixths: 0, 3 or 6."""
    return int(6 * Fraction(rules.last_trick_bonus))


def whole_total(rules):
    """The deal's whole total, "11" in the full game: floor(all card points + bonus) (section 2)."""
    return (worth(deck_texts(rules)) + bonus_sixths(rules)) // 6


def score_tricks(rules, captured_sixths, last_trick_side, declaration_points):
    """Score of a deal that was played out: (points per side, cappotto per side).

    `captured_sixths` per side holds tricks, monte and discards without the last-trick bonus.
    """
    sides = range(len(captured_sixths))
    whole = whole_total(rules)
    taken = list(captured_sixths)
    taken[last_trick_side] += bonus_sixths(rules)  # before flooring
    floors = [Fraction(sixths // 6) for sixths in taken]

    # C4, field `remainder`.
    if rules.remainder == "exact":
        points = [Fraction(sixths, 6) for sixths in taken]
    else:
        points = list(floors)
        if rules.remainder == "last_trick_takes_rest":
            others = sum(floors[side] for side in sides if side != last_trick_side)
            points[last_trick_side] = whole - others
    # Ruling: whole points are the points after the remainder rule, floors only where that rule leaves fractions.
    whole_points = floors if rules.remainder == "exact" else list(points)

    # Field `cappotto`: recorded always, paid only if the field says so (C11, C17).
    if rules.objective == "max":
        cappotto = [whole_points[side] == 0 for side in sides]
        not_capotted = [side for side in sides if not cappotto[side]]
        if len(not_capotted) == 1:
            winner = not_capotted[0]
            if rules.cappotto == "double":
                points[winner] *= 2
            elif rules.cappotto == "plus_one":
                points[winner] = Fraction(whole + 1)
    else:
        # Ruling: where the whole total is 0 (toy decks) nobody takes "everything".
        cappotto = [whole > 0 and whole_points[side] == whole for side in sides]
        if any(cappotto) and rules.cappotto in ("shoot", "ends_match"):
            points = [Fraction(0) if cappotto[side] else Fraction(whole) for side in sides]

    return [points[side] + declaration_points[side] for side in sides], cappotto


def score_revoke(rules, captured_sixths, offender_side, declaration_points):
    """Score of a deal that a revoke ended: (points per side, cappotto per side) (section 5, field `revoke`)."""
    points = []
    for side, sixths in enumerate(captured_sixths):
        if side == offender_side:
            points.append(Fraction(whole_total(rules)))
        elif rules.revoke == "take_all":
            points.append(Fraction(0))
        elif rules.remainder == "exact":
            points.append(Fraction(sixths, 6))
        else:  # Ruling: there is no last trick, so no rest to take: every other side is floored.
            points.append(Fraction(sixths // 6))
    points = [p + declared for p, declared in zip(points, declaration_points, strict=True)]
    # Ruling: shoot and revoke never invert each other, so nobody is recorded as having taken everything.
    return points, [False] * len(points)


def auction_payoffs(rules, bid, declarer, partner, declarer_side_points):
    """Payoff of each seat after an auction (6.2, 6.3)."""
    # "At least 6 of 11": more than half of the whole total.
    won = declarer_side_points >= whole_total(rules) // 2 + 1
    stake = {
        "calabresella": {"chiamo": 1, "solo": 2, "solissimo": 3},
        "chiamata": {"chiamo": 1, "solo": 2},
    }[rules.auction][bid]
    payoffs = [Fraction(-stake)] * rules.num_seats
    if partner is not None:
        payoffs[partner] = Fraction(stake)
    payoffs[declarer] = Fraction(0)
    payoffs[declarer] = -sum(payoffs)  # +2, +4, +6 against two; +2 with a partner; +8 against four
    return payoffs if won else [-payoff for payoff in payoffs]


def settle_match(rules, totals, contenders, shooters=()):
    """What a finished deal decides: (winner or None, contenders for the next deal or None).

    `totals` per competitor (side, or seat in auction games); `contenders` are those who can still win once the
    target was reached and the top was level, None before; `shooters` took everything in a `min` game.
    """
    everybody = tuple(range(len(totals)))
    eligible = everybody if contenders is None else tuple(contenders)

    if rules.objective == "min" and rules.cappotto == "ends_match":
        for side in shooters:
            if side in eligible:  # C16: only a contender can win
                return side, None

    # Ruling: once level at the target, extra deals decide even if a total fell below it (auctions pay negatives).
    if contenders is None and max(totals) < rules.target:
        return None, None
    pick = max if rules.objective == "max" else min
    best = pick(totals[side] for side in eligible)
    tied = tuple(side for side in eligible if totals[side] == best)
    if len(tied) == 1:
        return tied[0], None
    # C16 narrows a `min` match to the tied; Ruling: in a `max` match any side may still come out strictly ahead.
    return None, (tied if rules.objective == "min" else everybody)


# ---------------------------------------------------------------------------------------------- one deal


class ReferenceGame:
    """One deal, from the cards as dealt to its result.

    Attributes to read: `to_act`, `rewards` (of the last step, per seat), `returns` (their sums), `result`,
    `abandoned` with `abandoned_by` ("monte" or "all passed"), `hands`, `stock`, `monte`, `discards`.
    """

    def __init__(
        self,
        rules,
        hands,
        dealer,
        *,
        stock=(),
        monte=(),
        trump_card=None,
        totals=None,
        reward="deal",
        contenders=None,
    ):
        self.rules = rules
        self.dealer = dealer
        self.eldest = (dealer + 1) % rules.num_seats
        self.dealt = [list(hand) for hand in hands]
        self.hands = [list(hand) for hand in hands]
        self.stock = list(stock)
        self.monte = list(monte)
        self.reward = reward
        self.contenders = None if contenders is None else tuple(contenders)
        self._check_deal()

        auction = rules.auction != "none"
        self.num_sides = 2 if auction else max(rules.sides) + 1
        competitors = rules.num_seats if auction else self.num_sides
        self.totals_before = [Fraction(0)] * competitors if totals is None else [Fraction(t) for t in totals]

        # C13: the dealer's last card is shown to all, its suit is trump, and it stays in the hand.
        self.trump_card = None
        self.trump = None
        if rules.trump == "last_dealt":
            self.trump_card = self.dealt[dealer][-1] if trump_card is None else trump_card
            if self.trump_card not in self.dealt[dealer]:
                raise ValueError(f"trump card {self.trump_card} is not in the dealer's hand")
            self.trump = suit(self.trump_card)

        self.phase = None
        self.to_act = None
        self.waiting = []  # seats still to be asked in this phase
        self.log = []  # (event, seat that knows it or None for all, what the others hear or None)

        self.bid = None
        self.declarer = None
        self.partner = None
        self.called = None
        self.called_from = None
        self.discards = []
        self.discards_due = 0

        self.declared = [[] for _ in range(rules.num_seats)]
        self.declared_points = [0] * rules.num_seats

        self.table = []  # (seat, card) of the trick in progress
        self.leader = self.eldest
        self.tricks = []  # (winner, plays) of the finished tricks
        self.captured = [[] for _ in range(rules.num_seats)]  # cards taken in tricks, per seat

        self.abandoned = False
        self.abandoned_by = None
        self.result = None
        self.returns = [Fraction(0)] * rules.num_seats
        self.rewards = [Fraction(0)] * rules.num_seats

        self._start_annul()

    def _check_deal(self):
        rules = self.rules
        if len(self.hands) != rules.num_seats or any(len(hand) != rules.hand_size for hand in self.hands):
            raise ValueError("the hands do not have the size that the rules ask for")
        if len(self.stock) != rules.stock or len(self.monte) != rules.monte:
            raise ValueError("the stock or the monte does not have the size that the rules ask for")
        everything = [*chain(*self.hands), *self.stock, *self.monte]
        if sorted(everything) != sorted(deck_texts(rules)):
            raise ValueError("the deal does not hold each card of the deck once")

    # ------------------------------------------------------------------ seats and sides

    def _in_order_from(self, first):
        n = self.rules.num_seats
        return [(first + i) % n for i in range(n)]

    def side_of(self, seat):
        """Side of a seat; in auction games 0 is the declarer with partner, 1 the rest, once that is settled."""
        if self.rules.auction == "none":
            return self.rules.sides[seat]
        return 0 if seat in (self.declarer, self.partner) else 1

    # ------------------------------------------------------------------ what is known to whom

    def _tell_all(self, *event):
        self.log.append((event, None, None))

    def _tell_each(self, events):
        self.log.append((tuple(events), "each", None))

    def _tell_one(self, seat, *event, others=None):
        self.log.append((event, seat, others))

    def public_view(self, seat):
        """All that a seat knows of this deal, with perfect recall, as a tuple that can be compared and hashed.

        Silence stays private (section 3): another seat's `done` or `play on`, its being passed over and whose
        turn it is to declare or to be asked are not in here. Neither is the turn of any seat but this one.
        """
        events = []
        for event, only, others in self.log:
            if only == "each":
                events.append(event[seat])
            elif only is None or only == seat:
                events.append(event)
            elif others is not None:
                events.append(others)
        acting = self.to_act == seat
        return (
            ("seat", seat),
            ("dealer", self.dealer),
            ("totals", tuple(self.totals_before)),
            ("contenders", self.contenders),
            ("trump card", self.trump_card),
            ("hand as dealt", tuple(sorted(self.dealt[seat], key=card_id))),
            ("hand", tuple(sorted(self.hands[seat], key=card_id))),
            ("events", tuple(events)),
            ("to act", acting),
            ("legal", tuple(sorted(self.legal())) if acting else ()),
            ("result", self._result_as_tuple()),
        )

    def _result_as_tuple(self):
        if self.result is None:
            return None
        return tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in sorted(self.result.items()))

    # ------------------------------------------------------------------ the two calls of a player

    def legal(self):
        """Action texts of the seat to act; empty when the deal is over."""
        if self.to_act is None:
            return set()
        if self.phase == "annul":
            return {"monte", "play on"}
        if self.phase == "bid":
            return {"bid pass"} | {f"bid {bid}" for bid in self._higher_bids()}
        if self.phase == "call":
            return {f"call {card}" for card in self._callable_cards()}
        if self.phase == "give":
            return {f"give {card}" for card in self.hands[self.to_act] if card != self.called}
        if self.phase == "discard":
            return {f"discard {card}" for card in self.hands[self.to_act]}
        if self.phase == "declare":
            return set(self._undeclared(self.to_act)) | {"done"}
        return self._legal_in_play(self.to_act)

    def step(self, text):
        """Apply one action of the seat to act; returns this step's reward of each seat. ValueError if not legal."""
        if text not in self.legal():
            raise ValueError(f"{text!r} is not legal for seat {self.to_act}: {sorted(self.legal())}")
        self.rewards = [Fraction(0)] * self.rules.num_seats
        seat = self.to_act
        if text in ("monte", "play on"):
            self._answer_annul(seat, text)
        elif text.startswith("bid "):
            self._make_bid(seat, text.split()[1])
        elif text.startswith("call "):
            self._make_call(seat, text.split()[1])
        elif text.startswith("give "):
            self._give(seat, text.split()[1])
        elif text.startswith("discard "):
            self._discard(seat, text.split()[1])
        elif text == "done":
            self._done(seat)
        elif text.startswith("declare "):
            self._declare(seat, text)
        else:
            card, _, signal = text.partition(" ")
            self._play(seat, card, signal)
        self.returns = [a + b for a, b in zip(self.returns, self.rewards, strict=True)]
        return self.rewards

    # ------------------------------------------------------------------ annul (field `annul`)

    def _start_annul(self):
        # Asked from the eldest, only of seats whose hand is worth less than 1 point.
        self.phase = "annul"
        self.waiting = []
        if self.rules.annul == "below_one_point":
            self.waiting = [seat for seat in self._in_order_from(self.eldest) if worth(self.dealt[seat]) < 6]
        self._ask_next_annul()

    def _ask_next_annul(self):
        if self.waiting:
            self.to_act = self.waiting[0]
        else:
            self._start_auction()

    def _answer_annul(self, seat, text):
        self.waiting.pop(0)
        if text == "monte":  # the first monte ends the asking
            self._tell_all("monte", seat)
            self._abandon("monte")
        else:
            self._tell_one(seat, "play on", seat)
            self._ask_next_annul()

    def _abandon(self, why):
        self.abandoned = True
        self.abandoned_by = why
        self.phase = "over"
        self.to_act = None

    # ------------------------------------------------------------------ auction (6.2, 6.3)

    def _start_auction(self):
        # Ruling: where both exist, annul comes before the auction.
        if self.rules.auction == "none":
            self._start_declarations()
            return
        self.phase = "bid"
        self.waiting = self._in_order_from(self.eldest)  # one round
        self.to_act = self.waiting[0]

    def _higher_bids(self):
        bids = BIDS[self.rules.auction]
        return bids if self.bid is None else bids[bids.index(self.bid) + 1 :]

    def _make_bid(self, seat, bid):
        self._tell_all("bid", seat, bid)
        self.waiting.pop(0)
        if bid != "pass":
            self.bid = bid
            self.declarer = seat
        if not self._higher_bids():  # once the top bid is made nobody else is asked
            self.waiting = []
        if self.waiting:
            self.to_act = self.waiting[0]
        elif self.declarer is None:
            self._abandon("all passed")
        elif self.bid == "chiamo":
            self.phase = "call"
            self.to_act = self.declarer
        else:
            self._start_exchange()

    def _callable_cards(self):
        """Cards not held, of the highest rank of which at least one is missing."""
        for r in STRONG_TO_WEAK:
            missing = [
                card for card in deck_texts(self.rules) if rank(card) == r and card not in self.hands[self.declarer]
            ]
            if missing:
                return missing
        return []

    def _make_call(self, seat, card):
        self.called = card
        self._tell_all("call", seat, card)
        holder = next((s for s in range(self.rules.num_seats) if card in self.hands[s]), None)
        if self.rules.auction == "chiamata":
            self.partner = holder  # secret: nothing is said
            self._start_exchange()
        elif holder is None:  # it lies in the monte: no second call
            self._start_exchange()
        else:
            self.hands[holder].remove(card)
            self.hands[seat].append(card)
            self._tell_all("hand over", holder, card)
            self.called_from = holder
            self.phase = "give"
            self.to_act = seat

    def _give(self, seat, card):
        self.hands[seat].remove(card)
        self.hands[self.called_from].append(card)
        self._tell_all("give", seat, card)  # face up
        self._start_exchange()

    def _start_exchange(self):
        count = self.rules.exchange_cards if self.rules.auction == "calabresella" else 0
        # Solissimo leaves the monte alone.
        # Ruling: with two cards, "after every bid" (6.2) includes the solissimo.
        if count == 4 and self.bid == "solissimo":
            count = 0
        if count == 0:
            self._start_declarations()
            return
        drawn = self.monte[:count]
        self.monte = self.monte[count:]
        if count == 4 and self.bid == "chiamo":
            self._tell_all("monte", *drawn)  # turned face up
        else:
            self._tell_one(self.declarer, "monte", *drawn)
        self.hands[self.declarer] += drawn
        self.discards_due = count
        self.phase = "discard"
        self.to_act = self.declarer

    def _discard(self, seat, card):
        self.hands[seat].remove(card)
        self.discards.append(card)
        self._tell_one(seat, "discard", seat, card, others=("discard", seat, None))  # face down
        self.discards_due -= 1
        if self.discards_due == 0:
            self._start_declarations()

    # ------------------------------------------------------------------ declarations (section 3)

    def _start_declarations(self):
        if self.rules.declare == "automatic":
            for seat in self._in_order_from(self.eldest):
                for text in combinations(self.dealt[seat]):
                    self._record_declaration(seat, text)
        if self._asked_in("before_first_lead"):
            self._ask_for_declarations()
        else:
            self._start_tricks()

    def _asked_in(self, when):
        """Whether seats decide about their declarations, and do so at this moment of the deal (C5, C6)."""
        return self.rules.declare == "voluntary" and self.rules.declare_when == when

    def _ask_for_declarations(self):
        self.phase = "declare"
        self.waiting = self._in_order_from(self.eldest)
        self._ask_next_declarer()

    def _ask_next_declarer(self):
        # Nothing (left) to declare: passed over, or done without saying so.
        while self.waiting and not self._undeclared(self.waiting[0]):
            self.waiting.pop(0)
        if self.waiting:
            self.to_act = self.waiting[0]
        else:
            self._start_tricks()

    def _undeclared(self, seat):
        return [text for text in combinations(self.dealt[seat]) if text not in self.declared[seat]]

    def _record_declaration(self, seat, text):
        points, heard = combinations(self.dealt[seat])[text]
        self.declared[seat].append(text)
        self.declared_points[seat] += points
        self._tell_all("declare", seat, text.split()[1], heard)
        return points

    def _declare(self, seat, text):
        points = self._record_declaration(seat, text)
        self._pay_dense(self.side_of(seat), Fraction(points))
        if self.phase == "declare":
            self._ask_next_declarer()
        # In `own_first_turn` the seat stays to act: it still has to play.

    def _done(self, seat):
        self._tell_one(seat, "done", seat)
        self.waiting.pop(0)
        self._ask_next_declarer()

    # ------------------------------------------------------------------ tricks (section 2)

    def _start_tricks(self):
        self.phase = "play"
        self.to_act = self.leader

    def _must_follow(self):
        if not self.table:
            return False
        return not (self.rules.follow == "free_while_stock" and self.stock)

    def _followers(self, seat):
        """Cards that follow the led suit, where following is asked for."""
        return cards_of_suit(self.hands[seat], suit(self.table[0][1])) if self._must_follow() else []

    def _legal_in_play(self, seat):
        texts = set()
        if self._asked_in("own_first_turn") and not self._has_played(seat):
            texts |= set(self._undeclared(seat))
        cards = self.hands[seat]
        if self.rules.revoke == "masked":
            cards = self._followers(seat) or cards
        for card in cards:
            texts.add(card)
            texts |= {f"{card} {signal}" for signal in self.rules.signals if self._may_signal(seat, card, signal)}
        return texts

    def _has_played(self, seat):
        return bool(self.tricks) or any(player == seat for player, _ in self.table)

    def _play(self, seat, card, signal):
        revoked = bool(self._followers(seat)) and card not in self._followers(seat)
        self.hands[seat].remove(card)
        self.table.append((seat, card))
        place = sum(len(plays) for _, plays in self.tricks) + len(self.table) - 1
        self._tell_each(
            ("play", seat, card, self._heard(seat, signal, place, other)) for other in range(self.rules.num_seats)
        )
        if card == self.called and self.rules.auction == "chiamata":
            # Ruling: the play tells whether its player is the partner; who drew the card after the call is not.
            self._tell_all("partner", self.partner)
        if revoked:
            self._tell_all("revoke", seat)
            self._finish_by_revoke(seat)
        elif len(self.table) < self.rules.num_seats:
            self.to_act = (seat + 1) % self.rules.num_seats
        else:
            self._finish_trick()

    def _finish_trick(self):
        winner = trick_winner(self.table, self.trump)
        cards = [card for _, card in self.table]
        self.tricks.append((winner, self.table))
        self.captured[winner] += cards
        self.table = []
        self.leader = winner
        self._tell_all("trick", winner)
        if self.rules.auction == "none":
            self._pay_dense(self.side_of(winner), self._utility(Fraction(worth(cards), 6)))
        self._draw()
        if not any(self.hands):
            self._finish_deal()
        elif len(self.tricks) == 1 and self._asked_in("end_first_trick"):
            self._ask_for_declarations()
        else:
            self.to_act = winner

    def _draw(self):
        """6.1: the winner draws first, then the others in order of play, until the stock is empty."""
        for seat in self._in_order_from(self.leader):
            if self.stock:
                card = self.stock.pop(0)
                self.hands[seat].append(card)
                hidden = ("draw", seat, None)
                if self.rules.draw_shown:
                    self._tell_all("draw", seat, card)
                else:
                    self._tell_one(seat, "draw", seat, card, others=hidden)

    # ------------------------------------------------------------------ signals (section 4)

    def _may_signal(self, seat, card, signal):
        rules = self.rules
        leading = not self.table
        left = [other for other in self.hands[seat] if other != card]
        if rules.signal_mode == "off":
            return False
        if rules.signal_sides is not None and self.side_of(seat) not in rules.signal_sides:
            return False
        if not left:  # C15
            return False
        if signal == "busso" and not leading:  # C9, in every mode
            return False
        if rules.signal_seat == "leader" and not leading:
            return False
        if rules.signal_mode == "free":
            return True
        return self._is_true(signal, cards_of_suit(left, suit(card)))

    def _heard(self, speaker, signal, place, listener):
        """What a listener hears of a signal on the card at a place; "" for nothing."""
        rules = self.rules
        if not signal or listener == speaker:
            return signal
        if rules.signal_heard_by == "partner" and self.side_of(speaker) != self.side_of(listener):
            return ""
        key = noise_key(self.dealt)
        if draw(key, 2 * place, 100) >= rules.signal_noise:
            return signal
        if rules.signal_noise_kind == "drop":
            return ""
        leading = len(self.table) == 1
        others = [name for name in rules.signals if name != signal and (leading or name != "busso")]
        return others[draw(key, 2 * place + 1, len(others))] if others else ""

    def _is_true(self, signal, rest):
        rules = self.rules
        if signal == "busso":
            return len(rest) >= rules.busso_min_rest
        if signal == "volo":
            return len(rest) == 0
        if signal == "striscio":
            honours = [card for card in rest if rank(card) in HONOURS]
            return len(rest) >= rules.striscio_min_rest and not (rules.striscio_no_honours and honours)
        if signal == "striscio_corto":  # "3 <= rest <= 4": up to where the long one begins
            return rules.striscio_corto_min_rest <= len(rest) < rules.striscio_lungo_min_rest
        if signal == "striscio_lungo":
            return len(rest) >= rules.striscio_lungo_min_rest
        raise ValueError(f"unknown signal {signal!r}")

    # ------------------------------------------------------------------ end of the deal

    def _side_sums(self, per_seat):
        sums = [0] * self.num_sides
        for seat, amount in enumerate(per_seat):
            sums[self.side_of(seat)] += amount
        return sums

    def _finish_deal(self):
        # The monte (or what is left of it) and the discards go to the winner of the last trick (6.2, `a_tre`).
        last_trick_seat = self.leader
        self.captured[last_trick_seat] += self.monte + self.discards
        captured = self._side_sums([worth(cards) for cards in self.captured])
        declared = self._side_sums(self.declared_points)
        points, cappotto = score_tricks(self.rules, captured, self.side_of(last_trick_seat), declared)
        self._close(captured, declared, points, cappotto, last_trick_seat)

    def _finish_by_revoke(self, offender):
        # The cards on the table count for nobody; no monte, no bonus.
        captured = self._side_sums([worth(cards) for cards in self.captured])
        declared = self._side_sums(self.declared_points)
        points, cappotto = score_revoke(self.rules, captured, self.side_of(offender), declared)
        self._close(captured, declared, points, cappotto, None)

    def _close(self, captured, declared, points, cappotto, last_trick_seat):
        if self.rules.auction == "none":
            won = points
            deal_rewards = [self._against_the_others(points, seat) for seat in range(self.rules.num_seats)]
        else:
            won = auction_payoffs(self.rules, self.bid, self.declarer, self.partner, points[0])
            deal_rewards = won
        self.result = {
            "captured_sixths": captured,
            "declaration_points": declared,
            "points": points,
            "totals": [before + now for before, now in zip(self.totals_before, won, strict=True)],
            "last_trick_seat": last_trick_seat,
            "cappotto": cappotto,
        }
        if self.reward in ("deal", "trick"):  # section 7; in `trick` this corrects the rounding
            self.rewards = [due - paid for due, paid in zip(deal_rewards, self.returns, strict=True)]
        self.phase = "over"
        self.to_act = None

    # ------------------------------------------------------------------ rewards (section 7)

    def _utility(self, points):
        return points if self.rules.objective == "max" else -points

    def _against_the_others(self, points_per_side, seat):
        """u(own side) - mean of u(other sides)."""
        own = self.side_of(seat)
        others = [self._utility(p) for side, p in enumerate(points_per_side) if side != own]
        return self._utility(points_per_side[own]) - sum(others) / Fraction(len(others))

    def _pay_dense(self, side, utility):
        """`reward = trick`: `utility` has just come to a side."""
        if self.reward != "trick":
            return
        for seat in range(self.rules.num_seats):
            if self.side_of(seat) == side:
                self.rewards[seat] += utility
            else:
                self.rewards[seat] -= utility / (self.num_sides - 1)


# ---------------------------------------------------------------------------------------------- a match


class ReferenceMatch:
    """An episode: one deal (`episode="deal"`) or deals until the match is won (`episode="match"`), with redeals.

    `deals(k)` gives the k-th deal as a dict with "hands" and, where the rules have them, "stock", "monte" and
    "trump_card" (a card, or one card per seat of which the dealer's counts, since the dealer depends on play).
    Attributes to read: `game` (the deal in progress or the last one), `games` (all), `dealer`, `totals`, `results`,
    `contenders`, `finished`, `truncated`, `winner` (a side, or a seat in auction games), `rewards`, `returns`.
    """

    def __init__(self, rules, deals, dealer, *, episode="match", reward="deal", totals=None, first_k=0):
        self.rules = rules
        self.deals = deals
        self.dealer = dealer
        self.episode = episode
        self.reward = reward
        self.k = first_k
        self.totals = totals
        self.contenders = None
        self.results = []
        self.games = []
        self.redeals_in_a_row = 0
        self.finished = False
        self.truncated = False
        self.winner = None
        self.returns = [Fraction(0)] * rules.num_seats
        self.rewards = [Fraction(0)] * rules.num_seats
        self._deal()

    def _deal(self):
        deal = dict(self.deals(self.k))
        self.k += 1  # redeals count in k
        trump_card = deal.get("trump_card")
        if trump_card is not None and not isinstance(trump_card, str):
            trump_card = trump_card[self.dealer]
        self.game = ReferenceGame(
            self.rules,
            deal["hands"],
            self.dealer,
            stock=deal.get("stock") or (),
            monte=deal.get("monte") or (),
            trump_card=trump_card,
            totals=self.totals,
            reward=self.reward,
            contenders=self.contenders,
        )
        self.totals = list(self.game.totals_before)
        self.games.append(self.game)

    @property
    def to_act(self):
        """Seat to act, None when the episode is over."""
        return None if self.finished else self.game.to_act

    def legal(self):
        """Action texts of the seat to act; empty when the episode is over."""
        return set() if self.finished else self.game.legal()

    def public_view(self, seat):
        """All that a seat knows of the episode: its view of every deal so far, the current one last."""
        return tuple(game.public_view(seat) for game in self.games)

    def step(self, text):
        """Apply one action; returns this step's reward of each seat. ValueError if not legal."""
        if self.finished:
            raise ValueError("the episode is over")
        self.rewards = list(self.game.step(text))
        if self.game.abandoned:
            self._redeal()
        elif self.game.result is not None:
            self._after_deal()
        self.returns = [a + b for a, b in zip(self.returns, self.rewards, strict=True)]
        return self.rewards

    def _next_dealer(self):
        self.dealer = (self.dealer + 1) % self.rules.num_seats

    def _redeal(self):
        self.redeals_in_a_row += 1
        # Ruling: the num_seats-th abandoned deal in a row ends the episode.
        if self.redeals_in_a_row == self.rules.num_seats:
            self.finished = True
            self.truncated = True
            return
        if self.game.abandoned_by == "all passed":
            self._next_dealer()  # after monte the same dealer redeals
        self._deal()

    def _after_deal(self):
        result = self.game.result
        self.redeals_in_a_row = 0
        self.results.append(result)
        self.totals = list(result["totals"])
        if self.episode == "deal":
            self.finished = True
            return
        shooters = [side for side, shot in enumerate(result["cappotto"]) if shot]
        self.winner, self.contenders = settle_match(self.rules, self.totals, self.contenders, shooters)
        if self.winner is None:
            self._next_dealer()
            self._deal()
            return
        self.finished = True
        if self.reward == "match":
            self.rewards = self._match_rewards()

    def _match_rewards(self):
        competitors = len(self.totals)
        lost = Fraction(-1) if competitors == 2 else Fraction(-1, competitors - 1)
        seats = range(self.rules.num_seats)
        own = list(seats) if self.rules.auction != "none" else [self.rules.sides[seat] for seat in seats]
        return [Fraction(1) if own[seat] == self.winner else lost for seat in seats]
