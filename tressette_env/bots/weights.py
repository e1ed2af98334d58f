"""The weights of the `heuristic` bot, one row each, and their places for the kernels."""

import numpy as np

# (name, value) of every weight, in thirds of a point; found by hand, then tuned by matches of the bot against itself.
TUNED = (
    ("keep_4", -0.68),  # cost of spending a card, by strength
    ("keep_5", -0.09),
    ("keep_6", -0.22),
    ("keep_7", -0.13),
    ("keep_J", -0.32),
    ("keep_C", -0.24),
    ("keep_K", -0.13),
    ("keep_A", 0.78),
    ("keep_2", 0.85),
    ("keep_3", 2.53),
    ("ace_safe", 0.72),  # cost of spending an ace that nothing unseen beats
    ("master", 0.88),  # cost of spending a master, and the part that grows with cards left
    ("master_early", 0.89),
    ("future", 0.70),  # points each later player is expected to add to the trick
    ("lead", 0.36),  # worth of winning the trick oneself: as such, per master held, near the end
    ("lead_master", 0.06),
    ("lead_late", 0.79),
    ("unguard_ace", 0.47),  # baring an ace or a two that is not master
    ("unguard_two", 0.95),
    ("discard_length", 0.14),  # per card of the suit thrown from
    ("discard_partner", 0.26),  # throwing from the suit the partner led or asked for
    ("busso", 12.00),  # obeying the partner's busso
    ("suit_length", 0.36),  # lead: per own card, per unseen card of the suit
    ("suit_unseen", -0.69),
    ("suit_winners", -1.22),  # lead: per master in a row at the top of the suit
    ("partner_led", 0.60),  # lead: what is known of the partner and the opponents in the suit
    ("partner_busso", 1.11),
    ("partner_long", 0.80),
    ("partner_void", -1.08),
    ("partner_void_master", 1.25),
    ("opponent_led", -0.50),
    ("opponent_void", 0.19),
    ("from_ace", 0.54),  # lead: low from an ace, a two or a three that stays behind
    ("from_two", 0.13),
    ("from_three", -1.03),
    ("second", 0.0),  # cost of spending a card that only one unseen card beats
    ("lead_partner", 0.0),  # worth of the partner winning the trick and leading next
    ("discard_void", 0.0),  # throwing the last card of a suit
    ("opponent_busso", 0.0),  # lead: an opponent has asked for the suit
    ("catch_ace", 0.0),  # lead: a master while the ace of the suit is unseen
    ("trump_kept", 0.0),  # briscola: cost of spending a trump, leading trumps, leading where an opponent ruffs
    ("trump_lead", 0.0),
    ("trump_void", 0.0),
    ("ask_ace", 1.0),  # a low lead carries busso when the honours that stay behind sum to more than ask_least
    ("ask_two", 1.0),
    ("ask_three", 1.0),
    ("ask_least", 0.5),
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
