"""The STATE record dtype: the schema of one game in the middle of one deal.

Bit sets of cards are signed 64-bit (bit = card id), so that kernels never mix signed and unsigned words.
Per-seat arrays have room for five seats. A competitor is what a match is played between: a side, or in auction games
a seat. Counts of points are in sixths. Everything here is the state of the cards on the table; seeds and future
deals live beside it, so a planner that holds a record cannot read the future.
"""

import numpy as np

from tressette_env.cards import NUM_CARDS
from tressette_env.rules import MAX_SEATS, SIGNALS

# Phases: whose decision is due and of which kind.
ANNUL, BID, CALL, GIVE, DISCARD, DECLARE, PLAY, OVER = range(8)
PHASES = ("annul", "bid", "call", "give", "discard", "declare", "play", "over")

MAX_UNDEALT = NUM_CARDS - 2  # two seats with one card each leave the most
MAX_EXCHANGE = 4
SPARE = 5
BY_MONTE, BY_PASSES = 1, 2  # why a deal was abandoned

NUM_COMBINATIONS = 7  # napoletana c d s b, rank sets A 2 3
DONE = 7  # index of `done` in the declaration block

STATE_DTYPE = np.dtype(
    [
        # bit sets of cards
        ("hands", "i8", MAX_SEATS),  # held now
        ("dealt", "i8", MAX_SEATS),  # held when the deal began
        ("played", "i8", MAX_SEATS),  # put down so far, by seat
        ("exposed", "i8", MAX_SEATS),  # publicly known to have been in this hand; those not played still are
        ("denied", "i8", MAX_SEATS),  # publicly known not to be in this hand
        ("signalled", "i8", len(SIGNALS)),  # played with the k-th signal of the rules
        ("led", "i8"),  # led to a trick
        ("table", "i8"),  # in the trick under way
        # sixths of a point
        ("captured", "i4", MAX_SEATS),  # by seat, without the last-trick bonus
        ("declared_sixths", "i4", MAX_SEATS),  # by seat
        ("points", "i4", MAX_SEATS),  # by side, of the finished deal, declarations inside
        ("totals", "i4", MAX_SEATS),  # by competitor, of the match, this deal inside once it is finished
        ("gain", "i4", MAX_SEATS),  # by competitor, utility paid by the last action (reward modes deal and trick)
        ("paid", "i4", MAX_SEATS),  # by competitor, utility paid so far in this deal
        # sequences
        ("order", "i1", NUM_CARDS),  # cards in the order played
        ("undealt", "i1", MAX_UNDEALT),  # as dealt: the stock, next drawn first, then the monte; -1 past the end
        ("declared", "i1", MAX_SEATS * NUM_COMBINATIONS),  # 0, or 1 + place in the seat's own sequence
        ("side_of", "i1", MAX_SEATS),  # in auction games 0 = declarer and partner, 1 = the rest, once that is settled
        ("bids", "i1", MAX_SEATS),  # by seat: 0 not asked, 1 pass, 1 + i the i-th bid
        ("discards", "i1", MAX_EXCHANGE),  # of the declarer, face down, in order; -1 past the end
        # scalars
        ("closed", "i1"),  # bit set of seats that said `done`
        ("played_on", "i1"),  # bit set of seats that said `play on`
        ("phase", "i1"),
        ("to_act", "i1"),  # seat, -1 when over
        ("dealer", "i1"),
        ("leader", "i1"),  # of the trick under way
        ("turn", "i1"),  # seat that plays the next card
        ("num_played", "i1"),  # cards played in the deal
        ("best_card", "i1"),  # winning the trick under way, -1 before the lead
        ("best_seat", "i1"),
        ("trump", "i1"),  # suit, -1 without
        ("trump_card", "i1"),  # the exposed card, -1 without
        ("redeals", "i1"),  # abandoned deals in a row before this one
        ("abandoned", "i1"),  # how this deal ended without a result: 1 monte called, 2 all passed; else 0
        ("last_trick_seat", "i1"),  # -1 before the end and after a revoke
        ("cappotto", "i1"),  # bit set of sides
        ("match_winner", "i1"),  # competitor, -1 before the end
        ("contenders", "i1"),  # bit set of competitors that can still win the match
        ("extra", "i1"),  # 1 while extra deals decide a match that was level at its target
        ("num_drawn", "i1"),  # cards drawn from the stock
        ("bid", "i1"),  # highest bid so far: 0 none, i the i-th
        ("declarer", "i1"),  # seat of the highest bid, -1 without
        ("partner", "i1"),  # of the declarer, by the called card; -1 without
        ("called", "i1"),  # card named by the declarer, -1 without
        ("called_from", "i1"),  # seat that handed the called card over, -1 without
        ("given", "i1"),  # card given back for it, -1 without
        ("exchanged", "i1"),  # cards of the monte that the declarer took
        ("discards_due", "i1"),  # cards that the declarer has still to discard
        ("spare", "i1", SPARE),  # named padding, so that equal records have equal bytes
    ],
    align=True,
)
