"""The weights of the `heuristic` bot: a line each, a column per kind of play; their places for the kernels."""

import numpy as np

# In thirds of a point: found by hand, then tuned by matches of the bot against itself and weaker ones.
# Columns: two sides of pairs; everybody alone; two seats once a stock is gone, while it lasts, while it lasts and
# suit need not be followed; one against two.
PAIRS, ALONE, STOCK_GONE, STOCK, FREE, ONE_AGAINST_TWO = range(6)
TUNED = (
    ("keep_4", 0.00, -0.19, -0.27, -0.67, 0.10, -0.07),  # cost of spending a card, by strength
    ("keep_5", -0.23, -0.53, -0.32, -0.38, 0.00, 0.17),
    ("keep_6", -0.35, -0.36, -0.17, -0.78, 0.01, 0.29),
    ("keep_7", -0.35, -0.20, -0.02, -0.81, 0.43, 0.30),
    ("keep_J", -0.44, -0.50, -0.40, -0.46, -0.16, -0.23),
    ("keep_C", -0.35, -0.66, -0.53, 0.06, -0.19, -0.50),
    ("keep_K", -0.05, -0.23, -0.43, -0.95, 0.32, -0.06),
    ("keep_A", 0.63, -0.29, 0.19, 1.16, 0.22, 0.42),
    ("keep_2", 1.45, 1.36, 1.82, 1.86, 0.97, 0.83),
    ("keep_3", 3.47, 3.41, 5.63, 3.16, 3.87, 3.10),
    ("ace_safe", 0.78, 0.54, 0.76, 0.85, 0.45, 0.78),  # cost of spending an ace that nothing unseen beats
    # cost of spending a master, and the part that grows with cards left
    ("master", 1.00, 0.70, 1.42, 1.00, 0.98, 1.90),
    ("master_early", -0.05, 0.22, 0.14, -0.01, 0.40, 1.02),
    ("future", 0.61, 0.70, 1.92, 1.39, 0.06, 0.44),  # points each later player is expected to add to the trick
    # worth of winning the trick oneself: as such, per master held, near the end
    ("lead", -0.14, -0.23, 0.70, -0.02, 0.54, -0.38),
    ("lead_master", 0.13, -0.31, 0.53, -0.02, -0.30, -0.21),
    ("lead_late", 1.19, 2.09, 0.10, 1.08, 0.21, 1.17),
    ("unguard_ace", 0.55, 0.15, 0.90, 0.76, 0.42, 0.97),  # baring an ace or a two that is not master
    ("unguard_two", 1.38, 0.97, 2.44, 1.24, 1.60, 1.54),
    ("discard_length", 0.16, 0.21, -0.49, -0.42, -0.04, 0.43),  # per card of the suit thrown from
    # throwing from the suit the partner led or asked for
    ("discard_partner", -0.21, -0.21, -0.21, -0.21, -0.21, -0.25),
    ("busso", 12.00, 12.00, 12.00, 12.00, 12.00, 12.00),  # obeying the partner's busso
    ("suit_length", 0.40, -0.11, 0.48, -0.01, -0.25, -0.05),  # lead: per own card, per unseen card of the suit
    ("suit_unseen", -0.77, -0.74, -3.21, -0.95, -0.75, -0.75),
    ("suit_winners", -1.40, -2.53, -0.88, -0.88, -2.83, -2.20),  # lead: per master in a row at the top of the suit
    # lead: what is known of the partner and the opponents in the suit
    ("partner_led", 0.76, 0.76, 0.76, 0.76, 0.76, 0.67),
    ("partner_busso", 1.06, 1.06, 1.06, 1.06, 1.06, 1.06),
    ("partner_long", 1.52, 1.52, 1.52, 1.52, 1.52, 1.52),
    ("partner_void", -1.63, -1.63, -1.63, -1.63, -1.63, -1.57),
    ("partner_void_master", 2.94, 2.94, 2.94, 2.94, 2.94, 2.44),
    ("opponent_led", -0.34, -1.23, -1.31, -1.22, -1.64, -1.82),
    ("opponent_void", -0.18, 0.40, -0.75, -0.54, -0.75, 1.14),
    ("from_ace", 0.52, -0.59, 0.28, 1.13, 0.52, 1.06),  # lead: low from an ace, a two or a three that stays behind
    ("from_two", -0.17, -2.12, -0.83, -1.49, -2.01, -0.80),
    ("from_three", -1.34, -2.94, -2.47, -1.53, -1.78, -2.13),
    ("second", 0.65, 0.83, 0.31, 0.87, 1.06, 1.45),  # cost of spending a card that only one unseen card beats
    # worth of the partner winning the trick and leading next
    ("lead_partner", -0.38, -0.38, -0.38, -0.38, -0.38, -0.58),
    ("discard_void", -0.15, -0.59, -0.21, 0.10, 0.23, -0.63),  # throwing the last card of a suit
    ("opponent_busso", 0.04, 0.04, 0.04, 0.04, 0.04, 0.04),  # lead: an opponent has asked for the suit
    ("catch_ace", 0.47, 0.11, -0.27, -0.32, 0.16, -0.17),  # lead: a master while the ace of the suit is unseen
    # briscola: cost of spending a trump, leading trumps, leading where an opponent ruffs
    ("trump_kept", 0.05, 0.05, 0.05, 0.05, 0.05, 0.05),
    ("trump_lead", -1.02, -1.02, -1.02, -1.02, -1.02, -1.02),
    ("trump_void", -0.15, -0.15, -0.15, -0.15, -0.15, -0.15),
    # a low lead carries busso when the honours that stay behind sum to more than ask_least
    ("ask_ace", 1.37, 1.37, 1.37, 1.37, 1.37, 1.37),
    ("ask_two", 1.24, 1.24, 1.24, 1.24, 1.24, 1.24),
    ("ask_three", 1.02, 1.02, 1.02, 1.02, 1.02, 1.02),
    ("ask_least", 0.62, 0.62, 0.62, 0.62, 0.62, 0.62),
)
TAKING = np.array([values for _, *values in TUNED]).T.copy()
(
    KEEP_4, KEEP_5, KEEP_6, KEEP_7, KEEP_J, KEEP_C, KEEP_K, KEEP_A, KEEP_2, KEEP_3, ACE_SAFE, MASTER, MASTER_EARLY,
    FUTURE, LEAD, LEAD_MASTER, LEAD_LATE, UNGUARD_ACE, UNGUARD_TWO, DISCARD_LENGTH, DISCARD_PARTNER, BUSSO,
    SUIT_LENGTH, SUIT_UNSEEN, SUIT_WINNERS, PARTNER_LED, PARTNER_BUSSO, PARTNER_LONG, PARTNER_VOID,
    PARTNER_VOID_MASTER, OPPONENT_LED, OPPONENT_VOID, FROM_ACE, FROM_TWO, FROM_THREE, SECOND, LEAD_PARTNER,
    DISCARD_VOID, OPPONENT_BUSSO, CATCH_ACE, TRUMP_KEPT, TRUMP_LEAD, TRUMP_VOID, ASK_ACE, ASK_TWO, ASK_THREE,
    ASK_LEAST,
) = range(len(TUNED))  # fmt: skip

# The same where points are to be avoided. Columns: everybody alone; two sides of pairs; two seats; two seats while a
# stock is left and suit need not be followed.
LOW_ALONE, LOW_PAIRS, LOW_TWO, LOW_FREE = range(4)
TUNED_LOW = (
    ("rid_4", -0.67, -0.60, -1.40, -1.39),  # worth of being rid of a card, by strength
    ("rid_5", -0.64, -0.54, -1.17, -0.41),
    ("rid_6", -0.66, -0.61, -0.60, 0.04),
    ("rid_7", -0.61, -0.53, -0.20, -0.32),
    ("rid_J", 0.01, 0.06, -0.07, 0.93),
    ("rid_C", 0.15, 0.22, 0.10, 0.12),
    ("rid_K", 0.29, 0.34, 0.21, 0.44),
    ("rid_A", 1.20, 0.97, 1.54, 0.42),
    ("rid_2", 0.37, 0.27, 0.21, 0.29),
    ("rid_3", 0.43, 0.52, 0.71, -0.51),
    # worth of being rid of a card that may have to win, with no, one, two lower ones left
    ("danger_0", 1.47, 1.39, 4.17, 1.38),
    ("danger_1", 1.25, 1.13, 1.15, 1.67),
    ("danger_2", 0.46, 0.54, 0.41, 0.53),
    ("danger_ace", 0.34, 0.40, 0.12, 0.28),  # the same, more for an ace, near the end, for a master
    ("danger_late", -0.66, 0.08, 0.65, -0.61),
    ("danger_master", 0.39, -0.03, 0.38, -0.18),
    ("rid_last", 0.58, 1.03, 1.12, 0.73),  # throwing the last card, the second last card of a suit
    ("rid_second", 0.08, 0.42, 1.20, 0.65),
    ("give", -0.40, 0.15, 0.21, 0.87),  # points that a trick of the others gets with the card
    ("later", 1.17, 0.71, 1.53, 0.80),  # points that later seats add: those that may follow, those that may not
    ("later_void", 1.50, 2.10, 3.71, 0.91),
    # cost of leading next, near the end, by suits with a card below an unseen one, below all
    ("low_lead", 1.12, 2.06, 1.86, 3.27),
    ("low_lead_late", 0.08, 1.55, 1.24, 0.52),
    ("low_exit", -0.48, -0.78, -0.71, 0.20),
    ("low_sure_exit", 0.06, -0.01, -0.24, -0.60),
    ("low_length", -0.12, -0.16, 0.01, -0.09),  # lead: per own card, per unseen card, where nobody else has the suit
    ("low_unseen", 0.10, -0.04, 0.08, 0.19),
    ("low_nobody", 1.04, 0.57, 0.98, 0.77),
    # taking everything: hope at the start, per third taken, per card that may lose
    ("shoot", -3.00, -3.00, -3.28, -2.96),
    ("shoot_taken", 1.00, 1.00, 1.31, 0.62),
    ("shoot_loser", 1.00, 1.00, 1.45, 2.35),
    ("block_at", 20.00, 12.00, 12.24, 12.09),  # thirds in one hand from which its run is broken
    ("willing", 0.30, 0.30, 1.39, 0.48),  # how likely a seat that could beat a card or not does beat it
)
DUCKING = np.array([values for _, *values in TUNED_LOW]).T.copy()
(
    RID_4, RID_5, RID_6, RID_7, RID_J, RID_C, RID_K, RID_A, RID_2, RID_3, DANGER_0, DANGER_1, DANGER_2, DANGER_ACE,
    DANGER_LATE, DANGER_MASTER, RID_LAST, RID_SECOND, GIVE, LATER, LATER_VOID, LOW_LEAD, LOW_LEAD_LATE, LOW_EXIT,
    LOW_SURE_EXIT, LOW_LENGTH, LOW_UNSEEN, LOW_NOBODY, SHOOT, SHOOT_TAKEN, SHOOT_LOSER, BLOCK_AT, WILLING,
) = range(len(TUNED_LOW))  # fmt: skip

# Auctions. Logit of the declarer's win by kind of auction and bid (runs/fit_bids.py, of this bot against itself);
# columns: the features of `bidding.hand_features`.
BID_FEATURES = (
    "constant", "threes", "twos", "aces", "three_two", "three_two_ace", "two_ace_alone", "tops", "long_three",
    "long_three_two", "bare_ace", "figures", "voids", "longest",
)  # fmt: skip
NUM_FEATURES = len(BID_FEATURES)
BID_WEIGHTS = np.array(
    (
        (  # nothing exchanged: chiamo, solo, solissimo
            (-3.27, 0.66, 0.41, 0.18, -0.07, 0.20, 0.49, 0.19, 0.05, 0.05, -0.21, 0.05, 0.01, 0.18),
            (-5.37, 1.10, 0.49, 0.33, -0.03, 0.29, 0.01, 0.04, 0.07, 0.09, -0.17, 0.11, 0.09, 0.20),
            (-5.37, 1.10, 0.49, 0.33, -0.03, 0.29, 0.01, 0.04, 0.07, 0.09, -0.17, 0.11, 0.09, 0.20),
        ),
        (  # two cards exchanged
            (-2.47, 0.49, 0.45, 0.21, -0.04, 0.08, 0.30, 0.27, 0.03, -0.00, 0.25, 0.06, -0.04, 0.15),
            (-4.10, 0.94, 0.44, 0.29, 0.17, 0.15, 0.04, 0.04, 0.09, 0.07, 0.02, 0.10, 0.05, 0.13),
            (-4.10, 0.94, 0.44, 0.29, 0.17, 0.15, 0.04, 0.04, 0.09, 0.07, 0.02, 0.10, 0.05, 0.13),
        ),
        (  # four cards exchanged
            (-1.18, 0.27, 0.37, 0.17, 0.10, -0.05, 0.23, 0.35, 0.05, -0.10, -0.02, 0.05, 0.03, 0.04),
            (-2.97, 0.85, 0.29, 0.23, 0.36, 0.18, 0.01, 0.01, 0.08, 0.00, 0.03, 0.06, 0.08, 0.11),
            (-5.37, 1.10, 0.49, 0.33, -0.03, 0.29, 0.01, 0.04, 0.07, 0.09, -0.17, 0.11, 0.09, 0.20),
        ),
        (  # chiamata: chiamo, solo
            (-1.79, 0.68, 0.28, 0.22, 0.07, 0.03, -0.08, 0.18, -0.12, 0.25, -0.11, 0.03, 0.09, 0.17),
            (-6.90, 0.72, 0.21, 0.18, 0.12, -0.43, 0.78, 0.65, 0.66, 0.10, -0.08, -0.21, 0.67, 0.20),
            (0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00),
        ),
    )
)  # fmt: skip
# By kind as above. Call: per card of the suit, with its two, its ace; keeping a card: `bidding.keep_worth`; giving
# points away.
EXCHANGE_WEIGHTS = np.array(
    (
        (0.3, 6.2, 3.4, 1.6, -1.5, 3.7, 21.5, 4.3, -3.0, 5.3, -0.6, 3.6),
        (0.3, 6.2, 3.4, 1.6, -1.5, 3.7, 21.5, 4.3, -3.0, 5.3, -0.6, 3.6),
        (0.2, 4.5, 1.6, 1.4, -0.8, 3.1, 20.2, 4.3, -3.8, 4.5, -1.1, 8.6),
        (-1.1, 7.4, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    )
)
