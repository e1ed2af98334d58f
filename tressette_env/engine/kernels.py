"""The rules in one place: begin a deal, legal actions, apply, score. Scalar numba kernels over one STATE record.

Everything that plays cards (single game, batch, search, regret walks) calls these functions and no other copy of the
rules. They never raise: `Game` and the environments check actions at the border. Their parts: `legal`, `phases`
(before the first card), `play` (tricks), `scoring`.
"""

import numba as nb

from tressette_env.engine.legal import (
    LEGAL_ANNUL,
    LEGAL_BIDS,
    LEGAL_CALL,
    LEGAL_DECLARATIONS,
    LEGAL_DISCARD,
    LEGAL_GIVE,
    NUM_WORDS,
    accepts,
    cards_on_table,
    following_cards,
    is_legal,
    led_suit,
    legal,
    must_follow,
    playable_cards,
    truthful_cards,
    undeclared,
)
from tressette_env.engine.phases import (
    answer_annul,
    begin,
    call_card,
    declare,
    discard_card,
    give_card,
    make_bid,
    monte_shown,
)
from tressette_env.engine.play import play
from tressette_env.engine.scoring import (
    competitor_of,
    deal_payoff,
    declarer_payoff,
    episode_over,
    points_to_win,
    seat_reward,
)

__all__ = [
    "LEGAL_ANNUL",
    "LEGAL_BIDS",
    "LEGAL_CALL",
    "LEGAL_DECLARATIONS",
    "LEGAL_DISCARD",
    "LEGAL_GIVE",
    "NUM_WORDS",
    "accepts",
    "apply",
    "begin",
    "cards_on_table",
    "competitor_of",
    "deal_payoff",
    "declarer_payoff",
    "episode_over",
    "following_cards",
    "is_legal",
    "led_suit",
    "legal",
    "monte_shown",
    "must_follow",
    "playable_cards",
    "points_to_win",
    "seat_reward",
    "truthful_cards",
    "undeclared",
]


@nb.njit(cache=True)
def apply(state, rules, action):
    """Carry out a legal action in place. Afterwards `phase` is OVER when the deal is, and `gain` is what it paid."""
    for competitor in range(rules["num_competitors"]):
        state["gain"][competitor] = 0
    if action < 40 * (1 + rules["num_signals"]):
        play(state, rules, action)
    elif action < rules["first_annul"]:
        declare(state, rules, action - rules["first_declaration"])
    elif action < rules["first_bid"]:
        answer_annul(state, rules, action - rules["first_annul"])
    elif action < rules["first_call"]:
        make_bid(state, rules, action - rules["first_bid"])
    elif action < rules["first_give"]:
        call_card(state, rules, action - rules["first_call"])
    elif action < rules["first_discard"]:
        give_card(state, rules, action - rules["first_give"])
    else:
        discard_card(state, rules, action - rules["first_discard"])
