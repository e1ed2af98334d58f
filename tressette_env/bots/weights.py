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
