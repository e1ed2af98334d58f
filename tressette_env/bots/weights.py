"""The weights of the `heuristic` bot, one row each, and their places for the kernels."""

import numpy as np

# (name, value) of every weight, in thirds of a point; found by hand, then tuned by matches of the bot against itself.
TUNED = (
    ("keep_4", 0.00),  # cost of spending a card, by strength
    ("keep_5", -0.23),
    ("keep_6", -0.35),
    ("keep_7", -0.35),
    ("keep_J", -0.44),
    ("keep_C", -0.35),
    ("keep_K", -0.05),
    ("keep_A", 0.63),
    ("keep_2", 1.45),
    ("keep_3", 3.47),
    ("ace_safe", 0.78),  # cost of spending an ace that nothing unseen beats
    ("master", 1.00),  # cost of spending a master, and the part that grows with cards left
    ("master_early", -0.05),
    ("future", 0.61),  # points each later player is expected to add to the trick
    ("lead", -0.14),  # worth of winning the trick oneself: as such, per master held, near the end
    ("lead_master", 0.13),
    ("lead_late", 1.19),
    ("unguard_ace", 0.55),  # baring an ace or a two that is not master
    ("unguard_two", 1.38),
    ("discard_length", 0.16),  # per card of the suit thrown from
    ("discard_partner", -0.21),  # throwing from the suit the partner led or asked for
    ("busso", 12.00),  # obeying the partner's busso
    ("suit_length", 0.40),  # lead: per own card, per unseen card of the suit
    ("suit_unseen", -0.77),
    ("suit_winners", -1.40),  # lead: per master in a row at the top of the suit
    ("partner_led", 0.76),  # lead: what is known of the partner and the opponents in the suit
    ("partner_busso", 1.06),
    ("partner_long", 1.52),
    ("partner_void", -1.63),
    ("partner_void_master", 2.94),
    ("opponent_led", -0.34),
    ("opponent_void", -0.18),
    ("from_ace", 0.52),  # lead: low from an ace, a two or a three that stays behind
    ("from_two", -0.17),
    ("from_three", -1.34),
    ("second", 0.65),  # cost of spending a card that only one unseen card beats
    ("lead_partner", -0.38),  # worth of the partner winning the trick and leading next
    ("discard_void", -0.15),  # throwing the last card of a suit
    ("opponent_busso", 0.04),  # lead: an opponent has asked for the suit
    ("catch_ace", 0.47),  # lead: a master while the ace of the suit is unseen
    ("trump_kept", 0.05),  # briscola: cost of spending a trump, leading trumps, leading where an opponent ruffs
    ("trump_lead", -1.02),
    ("trump_void", -0.15),
    ("ask_ace", 1.37),  # a low lead carries busso when the honours that stay behind sum to more than ask_least
    ("ask_two", 1.24),
    ("ask_three", 1.02),
    ("ask_least", 0.62),
)
WEIGHTS = np.array([value for _, value in TUNED])
(
    KEEP_4, KEEP_5, KEEP_6, KEEP_7, KEEP_J, KEEP_C, KEEP_K, KEEP_A, KEEP_2, KEEP_3, ACE_SAFE, MASTER, MASTER_EARLY,
    FUTURE, LEAD, LEAD_MASTER, LEAD_LATE, UNGUARD_ACE, UNGUARD_TWO, DISCARD_LENGTH, DISCARD_PARTNER, BUSSO,
    SUIT_LENGTH, SUIT_UNSEEN, SUIT_WINNERS, PARTNER_LED, PARTNER_BUSSO, PARTNER_LONG, PARTNER_VOID,
    PARTNER_VOID_MASTER, OPPONENT_LED, OPPONENT_VOID, FROM_ACE, FROM_TWO, FROM_THREE, SECOND, LEAD_PARTNER,
    DISCARD_VOID, OPPONENT_BUSSO, CATCH_ACE, TRUMP_KEPT, TRUMP_LEAD, TRUMP_VOID, ASK_ACE, ASK_TWO, ASK_THREE,
    ASK_LEAST,
) = range(len(TUNED))  # fmt: skip

# The same where points are to be avoided: everybody alone, then in two sides.
TUNED_LOW = (
    ("rid_4", -0.67, -0.60),  # worth of being rid of a card, by strength
    ("rid_5", -0.64, -0.54),
    ("rid_6", -0.66, -0.61),
    ("rid_7", -0.61, -0.53),
    ("rid_J", 0.01, 0.06),
    ("rid_C", 0.15, 0.22),
    ("rid_K", 0.29, 0.34),
    ("rid_A", 1.20, 0.97),
    ("rid_2", 0.37, 0.27),
    ("rid_3", 0.43, 0.52),
    ("danger_0", 1.47, 1.39),  # worth of being rid of a card that may have to win, with no, one, two lower ones left
    ("danger_1", 1.25, 1.13),
    ("danger_2", 0.46, 0.54),
    ("danger_ace", 0.34, 0.40),  # the same, more for an ace, near the end, for a master
    ("danger_late", -0.66, 0.08),
    ("danger_master", 0.39, -0.03),
    ("rid_last", 0.58, 1.03),  # throwing the last card, the second last card of a suit
    ("rid_second", 0.08, 0.42),
    ("give", -0.40, 0.15),  # points that a trick of the others gets with the card
    ("later", 1.17, 0.71),  # points that later seats add: those that may follow, those that may not
    ("later_void", 1.50, 2.10),
    ("low_lead", 1.12, 2.06),  # cost of leading next, near the end, by suits with a card below an unseen one, below all
    ("low_lead_late", 0.08, 1.55),
    ("low_exit", -0.48, -0.78),
    ("low_sure_exit", 0.06, -0.01),
    ("low_length", -0.12, -0.16),  # lead: per own card, per unseen card, where nobody else has the suit
    ("low_unseen", 0.10, -0.04),
    ("low_alone", 1.04, 0.57),
    ("shoot", -3.00, -3.00),  # taking everything: hope at the start, per third taken, per card that may lose
    ("shoot_taken", 1.00, 1.00),
    ("shoot_loser", 1.00, 1.00),
    ("block_at", 20.00, 12.00),  # thirds in one hand from which its run is broken
    ("willing", 0.30, 0.30),  # how likely a seat that could beat a card or not does beat it
)
LOW_ALONE_WEIGHTS = np.array([alone for _, alone, _ in TUNED_LOW])
LOW_SIDES_WEIGHTS = np.array([sides for _, _, sides in TUNED_LOW])
(
    RID_4, RID_5, RID_6, RID_7, RID_J, RID_C, RID_K, RID_A, RID_2, RID_3, DANGER_0, DANGER_1, DANGER_2, DANGER_ACE,
    DANGER_LATE, DANGER_MASTER, RID_LAST, RID_SECOND, GIVE, LATER, LATER_VOID, LOW_LEAD, LOW_LEAD_LATE, LOW_EXIT,
    LOW_SURE_EXIT, LOW_LENGTH, LOW_UNSEEN, LOW_ALONE, SHOOT, SHOOT_TAKEN, SHOOT_LOSER, BLOCK_AT, WILLING,
) = range(len(TUNED_LOW))  # fmt: skip

# Auctions. Logit of the declarer's win by kind of auction and bid, fitted to 32,000 deals of this bot against itself;
# columns: the features of `bidding.hand_features`.
BID_FEATURES = (
    "constant", "threes", "twos", "aces", "three_two", "three_two_ace", "two_ace_alone", "tops", "long_three",
    "long_three_two", "bare_ace", "figures", "voids", "longest",
)  # fmt: skip
NUM_FEATURES = len(BID_FEATURES)
BID_WEIGHTS = np.array(
    (
        (  # nothing exchanged: chiamo, solo, solissimo
            (-3.79, 0.71, 0.43, 0.25, -0.08, -0.06, 0.17, 0.24, 0.04, -0.02, -0.09, 0.01, 0.33, 0.19),
            (-5.12, 0.85, 0.41, 0.39, -0.10, -0.20, 0.23, 0.23, -0.10, 0.02, -0.13, 0.04, 0.50, 0.14),
            (-5.12, 0.85, 0.41, 0.39, -0.10, -0.20, 0.23, 0.23, -0.10, 0.02, -0.13, 0.04, 0.50, 0.14),
        ),
        (  # two cards exchanged
            (-3.04, 0.73, 0.41, 0.20, 0.14, 0.05, 0.23, 0.15, 0.02, -0.02, 0.05, 0.02, 0.06, 0.18),
            (-4.41, 0.90, 0.37, 0.34, 0.22, -0.05, 0.18, 0.06, -0.01, -0.02, 0.15, 0.06, 0.15, 0.17),
            (-4.41, 0.90, 0.37, 0.34, 0.22, -0.05, 0.18, 0.06, -0.01, -0.02, 0.15, 0.06, 0.15, 0.17),
        ),
        (  # four cards exchanged
            (-2.08, 0.80, 0.38, 0.23, 0.32, 0.26, 0.14, 0.02, 0.01, -0.00, -0.07, 0.04, 0.00, 0.10),
            (-3.12, 0.70, 0.27, 0.27, 0.30, -0.03, 0.14, 0.11, -0.04, -0.02, 0.04, 0.04, 0.05, 0.12),
            (-5.12, 0.85, 0.41, 0.39, -0.10, -0.20, 0.23, 0.23, -0.10, 0.02, -0.13, 0.04, 0.50, 0.14),
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
