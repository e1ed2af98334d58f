"""What a deal and a match come to: points, payoffs, cappotto, the winner, rewards. Numba kernels, scalar, in sixths."""

import numba as nb

from tressette_env.engine.bits import card_sixths
from tressette_env.engine.state import OVER


# ---------------------------------------------------------------- the deal
@nb.njit(cache=True)
def finish_deal(state, rules, offender):
    """Score the deal (offender: side that revoked, or -1), pay what is due and settle the match."""
    sides = rules["num_sides"]
    last_side = -1
    for side in range(sides):
        state["points"][side] = 0
    if offender < 0:
        _take_what_is_left(state, rules)
        last_side = state["side_of"][state["last_trick_seat"]]
        state["points"][last_side] += rules["bonus_sixths"]
    for seat in range(rules["num_seats"]):
        state["points"][state["side_of"][seat]] += state["captured"][seat]
    _round(state, rules, last_side)
    if offender >= 0:
        for side in range(sides):
            if side == offender:
                state["points"][side] = rules["whole_total_sixths"]
            elif rules["revoke"] == 1:
                state["points"][side] = 0
    else:
        _cappotto(state, rules)
    if rules["declare"]:
        for seat in range(rules["num_seats"]):
            state["points"][state["side_of"][seat]] += state["declared_sixths"][seat]
    if rules["auction"]:
        _pay_auction(state, rules)
    else:
        _pay_points(state, rules)
    state["phase"] = OVER
    state["to_act"] = -1
    _settle_match(state, rules)


@nb.njit(cache=True)
def _take_what_is_left(state, rules):
    """Give what the monte still holds and the discards to the winner of the last trick."""
    winner = state["last_trick_seat"]
    for i in range(state["exchanged"], rules["monte"]):
        state["captured"][winner] += card_sixths(int(state["undealt"][rules["stock"] + i]))
    for i in range(state["exchanged"]):
        state["captured"][winner] += card_sixths(int(state["discards"][i]))


@nb.njit(cache=True)
def _round(state, rules, last_side):
    """Turn captured sixths into points (still in sixths) by the remainder rule."""
    if rules["remainder"] == 2:
        return
    floors = 0
    for side in range(rules["num_sides"]):
        state["points"][side] -= state["points"][side] % 6
        floors += state["points"][side]
    if rules["remainder"] == 1 and last_side >= 0:
        state["points"][last_side] += rules["whole_total_sixths"] - floors


@nb.njit(cache=True)
def _cappotto(state, rules):
    """Record who took nothing (max) or everything (min) in whole points, and pay it as the field says."""
    sides = rules["num_sides"]
    whole = rules["whole_total_sixths"]
    flags = 0
    others = 0
    for side in range(sides):
        points = state["points"][side]
        everything = whole > 0 and points - points % 6 == whole
        if everything if rules["objective"] else points < 6:
            flags |= 1 << side
        else:
            others += 1
    state["cappotto"] = flags
    mode = rules["cappotto"]
    if mode == 0 or flags == 0:
        return
    for side in range(sides):
        flagged = (flags >> side) & 1
        if rules["objective"] == 1:
            state["points"][side] = 0 if flagged else whole
        elif others == 1 and not flagged:
            state["points"][side] = 2 * state["points"][side] if mode == 1 else whole + 6


# ---------------------------------------------------------------- payment
@nb.njit(cache=True)
def pay(state, competitor, sixths):
    """Book utility that has just come to a competitor."""
    state["gain"][competitor] += sixths
    state["paid"][competitor] += sixths


@nb.njit(cache=True)
def _pay_points(state, rules):
    """Add the deal's points to the totals and pay what of their utility has not been paid yet."""
    for side in range(rules["num_sides"]):
        state["totals"][side] += state["points"][side]
        if rules["reward_mode"] < 2:
            utility = -state["points"][side] if rules["objective"] else state["points"][side]
            pay(state, side, utility - state["paid"][side])


@nb.njit(cache=True)
def points_to_win(rules):
    """Return the points with which the declarer's side wins: more than half of the deal's whole total (6 of 11)."""
    return rules["whole_total_sixths"] // 12 + 1


@nb.njit(cache=True)
def declarer_payoff(rules, bid, helped):
    """Return what the declarer wins or loses with a bid (1, 2, ...), in points, `helped` by a partner or alone.

    Each opponent stakes the number of the bid; a partner wins as much as one of them stakes, the declarer the rest.
    """
    others = rules["num_seats"] - 1
    return bid * (others - 2 if helped else others)


@nb.njit(cache=True)
def _pay_auction(state, rules):
    """Add the payoffs of an auction to the totals of the seats and pay them."""
    bid = int(state["bid"])
    sign = 6 if state["points"][0] >= 6 * points_to_win(rules) else -6
    for seat in range(rules["num_seats"]):
        if seat == state["declarer"]:
            payoff = sign * declarer_payoff(rules, bid, state["partner"] >= 0)
        else:
            payoff = sign * bid if seat == state["partner"] else -sign * bid
        state["totals"][seat] += payoff
        if rules["reward_mode"] < 2:
            pay(state, seat, payoff)


@nb.njit(cache=True)
def seat_reward(state, rules, seat):
    """Return the reward in points that the last action paid to a seat.

    Own utility minus the mean of the others'; in auction games the payoff of the seat.
    """
    if rules["reward_mode"] == 2:
        if state["match_winner"] < 0 or state["phase"] != OVER:
            return 0.0
        own = competitor_of(state, rules, seat)
        return 1.0 if state["match_winner"] == own else -1.0 / (rules["num_competitors"] - 1)
    return _over_the_others(state["gain"], state, rules, seat)


@nb.njit(cache=True)
def deal_payoff(state, rules, seat):
    """Return what a seat was paid in this deal so far, in points: its rewards added up, except in the mode `match`."""
    return _over_the_others(state["paid"], state, rules, seat)


@nb.njit(cache=True)
def _over_the_others(sixths, state, rules, seat):
    """Return what a seat gets of utilities by competitor, in points; see ``seat_reward``."""
    if rules["auction"]:
        return sixths[seat] / 6.0
    sides = rules["num_sides"]
    own = state["side_of"][seat]
    others = 0
    for side in range(sides):
        if side != own:
            others += sixths[side]
    return sixths[own] / 6.0 - others / (6.0 * (sides - 1))


@nb.njit(cache=True)
def competitor_of(state, rules, seat):
    """Return the competitor that a seat plays for: its side, in auction games itself."""
    return seat if rules["auction"] else int(state["side_of"][seat])


# ---------------------------------------------------------------- the match
@nb.njit(cache=True)
def _settle_match(state, rules):
    """Set `match_winner` when the match is decided; a tie at the target asks for extra deals.

    After a tie of a `min` game only the tied can still win; in a `max` game everybody can.
    """
    competitors = rules["num_competitors"]
    low = rules["objective"] == 1
    if low and rules["cappotto"] == 4 and state["cappotto"]:
        for side in range(competitors):
            if (state["cappotto"] >> side) & 1 and (state["contenders"] >> side) & 1:
                state["match_winner"] = side
                return
    best = 0
    ties = 0
    reached = state["extra"] == 1
    for competitor in range(competitors):
        total = state["totals"][competitor]
        if total >= 6 * rules["target"]:
            reached = True
        if not (state["contenders"] >> competitor) & 1:
            continue
        value = -total if low else total
        if ties == 0 or value > best:
            best = value
            ties = 1 << competitor
        elif value == best:
            ties |= 1 << competitor
    if not reached:
        return
    state["extra"] = 1
    if ties & (ties - 1) == 0:
        for competitor in range(competitors):
            if ties == 1 << competitor:
                state["match_winner"] = competitor
    elif low:
        state["contenders"] = ties


@nb.njit(cache=True)
def episode_over(state, rules):
    """Return 0 while the episode goes on, 1 when it has ended, 2 when it is cut after too many redeals."""
    if state["phase"] != OVER:
        return 0
    if state["abandoned"]:
        return 2 if state["redeals"] + 1 >= rules["num_seats"] else 0
    if rules["match_episode"] and state["match_winner"] < 0:
        return 0
    return 1
