"""Rooms of a duplicate deal: who sits where, whose result counts, and matches of every kind of sides."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from agents.arena import play_pair, trick_margins
from agents.results import PairResult, Usage
from agents.rooms import competitors, deal_means, num_rooms, seating
from tressette_env.bots import make
from tressette_env.engine.batch import Batch, masks_all, views_acting
from tressette_env.engine.state import BID, PLAY, STATE_DTYPE
from tressette_env.presets import preset
from tressette_env.rules import Rules

PLAIN = {"declare": "off", "signals": ()}
SOLO_4 = Rules(**PLAIN, sides=(0, 1, 2, 3))
SOLO_5 = Rules(**PLAIN, name="five", num_seats=5, sides=(0, 1, 2, 3, 4), hand_size=8)
ONE_PAIR = Rules(**PLAIN, name="one pair", sides=(0, 1, 2, 1))
REVOKES = Rules(**PLAIN, name="revokes", sides=(0, 1, 2, 3), objective="min", cappotto="shoot", revoke="take_all")
EVERY_KIND = [
    *map(preset, ["tressette", "traversone", "traversone_3p", "traversone_pairs", "traversone_2p", "due", "a_tre"]),
    *map(preset, ["calabresella", "calabresella_two", "chiamata", "bolognese", "mini_2p", "mini_due"]),
    *(SOLO_4, SOLO_5, ONE_PAIR, REVOKES),
]
every_kind = pytest.mark.parametrize("rules", EVERY_KIND, ids=lambda rules: rules.name)


class Ordered:
    """A deterministic player: the legal action at a fixed share of the list (0 = the lowest id, 1 = the highest)."""

    def __init__(self, share):
        self.name = f"at {share}"
        self.share = share
        self.seen = []
        self.keys = []

    def actions(self, views, table, keys):
        masks = np.zeros((len(views), int(table[0]["num_actions"])), np.int8)
        masks_all(views, table, masks)
        self.seen.append(views.copy())
        self.keys.append(keys.copy())
        legal = [np.flatnonzero(mask) for mask in masks]
        return np.array([ids[round(self.share * (len(ids) - 1))] for ids in legal])

    def act(self, view, table, key):
        return int(self.actions(view, table, np.array([key], np.uint64))[0])


# ---------------------------------------------------------------- who sits where
def test_competitors_are_sides_or_in_an_auction_seats():
    assert competitors(Rules()).tolist() == [0, 1, 0, 1]
    assert competitors(ONE_PAIR).tolist() == [0, 1, 2, 1]
    assert competitors(preset("calabresella")).tolist() == [0, 1, 2]
    assert competitors(preset("chiamata")).tolist() == [0, 1, 2, 3, 4]


def test_number_of_rooms():
    rooms = {rules.name: num_rooms(rules) for rules in EVERY_KIND}
    assert rooms["tressette"] == rooms["due"] == rooms["traversone_pairs"] == 2
    assert rooms["a_tre"] == rooms["calabresella"] == rooms["one pair"] == 6
    assert rooms["traversone"] == 8 and rooms["chiamata"] == rooms["five"] == 10


@every_kind
def test_both_players_take_every_place_equally_often(rules):
    seats = seating(rules, 3, 5)
    rooms = num_rooms(rules)
    assert seats.deals.tolist() == [3] * rooms + [4] * rooms and seats.rooms.tolist() == 2 * list(range(rooms))
    owners = np.stack([seats.owner(np.full(2 * rooms, seat)) for seat in range(rules.num_seats)], axis=1)
    assert owners.sum() * 2 == owners.size
    counted = {(int(competitors(rules)[s]), int(sign)) for s, sign in zip(seats.seat, seats.sign, strict=True)}
    if rooms == 2:
        assert owners[0].tolist() == [1 - owner for owner in owners[1]] and owners[0, 0] == 0
        assert counted == {(0, 1), (1, 1)}
        return
    for game, owner in enumerate(owners):
        lone = competitors(rules) == competitors(rules)[seats.seat[game]]
        player = 0 if seats.sign[game] == 1 else 1
        assert (owner[lone] == player).all() and (owner[~lone] == 1 - player).all()
    assert counted == set(product(range(rooms // 2), (1, -1)))


# ---------------------------------------------------------------- arithmetic by hand
def test_margin_is_the_lone_players_utility_minus_the_mean_of_the_others():
    margins = seating(SOLO_4, 0, 1).margins(np.tile([4, 2, 2, 1], (8, 1)))
    by_hand = [4 - 5 / 3, 2 - 7 / 3, 2 - 7 / 3, 1 - 8 / 3]
    np.testing.assert_allclose(margins, by_hand + [-x for x in by_hand])
    pairs = seating(Rules(), 0, 1).margins(np.array([[8, 3], [9, 2]]))
    assert pairs.tolist() == [5, -7]


def test_deal_mean_is_the_mean_of_its_rooms():
    rooms = np.arange(16.0).reshape(2, 8)
    np.testing.assert_allclose(deal_means(rooms), [3.5, 11.5])
    thirds = np.array([[1 / 3, 2 / 3, 1.1, -1 / 3, -2 / 3, -1.1]])
    assert deal_means(thirds)[0] == 0 and deal_means(thirds[:, [1, 2, 0, 4, 3, 5]]) == -deal_means(-thirds)


def test_win_rate_counts_rooms_and_halves_of_level_ones():
    rooms = np.array([[1.0, 0, -1, 2, 0, 0], [0.5, 0.5, -3, -3, -3, 0]])
    result = PairResult("a", "b", SOLO_4, 0, rooms.mean(1), rooms.mean(1), rooms, Usage(), Usage())
    assert result.win_rate == pytest.approx((2 + 3 / 2 + 2 + 1 / 2) / 12)


def hand_made(captured, last_trick_seat):
    states = np.zeros(8, STATE_DTYPE)
    states["captured"][:, :4] = captured
    states["last_trick_seat"] = last_trick_seat
    return states


def test_trick_margins_by_hand():
    """Worked example 6: 13, 8, 8 and 6 thirds, the last trick's 3 among seat 0's."""
    paid = np.arange(8.0)
    states = hand_made([20, 16, 16, 12], 0)
    by_hand = np.array([13 - 22 / 3, 8 - 9, 8 - 9, 6 - 29 / 3]) / 3
    margins = trick_margins(states, SOLO_4, seating(SOLO_4, 0, 1), paid)
    np.testing.assert_allclose(margins, [*by_hand, *-by_hand])
    fewest = preset("traversone")
    np.testing.assert_allclose(trick_margins(states, fewest, seating(fewest, 0, 1), paid), [*-by_hand, *by_hand])
    half = Rules(**PLAIN, sides=(0, 1, 2, 3), last_trick_bonus=0.5)
    assert trick_margins(states, half, seating(half, 0, 1), paid)[0] == pytest.approx((11.5 - 22 / 3) / 3)


def test_deals_that_cards_alone_do_not_settle_count_as_paid():
    paid = np.arange(8.0)
    states = hand_made([20, 16, 16, 12], -1)  # a revoke, or a deal cut after too many redeals
    assert trick_margins(states, REVOKES, seating(REVOKES, 0, 1), paid).tolist() == paid.tolist()
    auction = preset("chiamata")
    states = np.zeros(10, STATE_DTYPE)
    states["captured"][:, 2] = 64
    assert trick_margins(states, auction, seating(auction, 0, 1), paid).tolist() == paid.tolist()


# ---------------------------------------------------------------- matches
@every_kind
def test_swapped_players_give_the_exact_opposite(rules):
    ab = play_pair(Ordered(0), Ordered(0.7), rules, 12, seed=3)
    ba = play_pair(Ordered(0.7), Ordered(0), rules, 12, seed=3)
    half = num_rooms(rules) // 2
    np.testing.assert_array_equal(ab.room_margins, -np.roll(ba.room_margins, half, axis=1))
    np.testing.assert_array_equal(ab.margins, -ba.margins)
    np.testing.assert_array_equal(ab.trick_margins, -ba.trick_margins)
    assert ab.win_rate == pytest.approx(1 - ba.win_rate)
    assert ab.margins.any() and ab.trick_margins.any()
    assert ab.room_margins.shape == (12, num_rooms(rules))


@every_kind
def test_equal_players_without_randomness_are_exactly_level(rules):
    result = play_pair(Ordered(0.3), Ordered(0.3), rules, 12, seed=4)
    assert result.room_margins.any()
    assert not result.margins.any() and not result.trick_margins.any() and result.win_rate == 0.5


@every_kind
def test_without_rounding_cards_are_all_that_is_paid(rules):
    """Stock and monte included: unrounded points and trick margins must agree where nothing else is paid."""
    exact = replace(rules, remainder="exact", declare="off", cappotto="none")
    result = play_pair(Ordered(0.2), Ordered(0.9), exact, 12, seed=5)
    np.testing.assert_allclose(result.margins, result.trick_margins, atol=1e-9)


@every_kind
def test_rooms_are_what_single_games_of_the_same_players_give(rules):
    """Each room again, one game at a time: the cards, the players' places and the counted seat written out here."""
    players = Ordered(0.2), Ordered(0.9)
    deals, seed = 3, 11
    result = play_pair(*players, rules, deals, seed)
    places = list(range(rules.num_seats)) if rules.sides == "auction" else list(rules.sides)
    count = max(places) + 1
    alone = [(place, 0) for place in range(count)] + [(place, 1) for place in range(count)]
    stride = rules.num_seats if rules.annul != "off" or rules.auction != "none" else 1
    for deal in range(deals):
        for room, (place, player) in enumerate(alone[: 2 if count == 2 else None]):
            at = [player if places[seat] == place else 1 - player for seat in range(rules.num_seats)]
            rewards = single_game(rules, [players[p] for p in at], seed, deal * stride, deal % rules.num_seats)
            mine = rewards[places.index(place)]
            assert result.room_margins[deal, room] == pytest.approx(mine if player == 0 else -mine)


def single_game(rules, players, seed, k, dealer):
    """Return the rewards of one deal, one player per seat."""
    batch = Batch(rules, 1, seeds=np.array([seed]))
    batch.start(ks=k, dealers=dealer)
    total = np.zeros(5)
    while batch.status[0] == 0:
        view = np.empty_like(batch.states)
        views_acting(batch.states, batch.table, view)
        action = players[int(batch.to_act[0])].act(view, batch.table, 0)
        total += batch.step(np.array([action]))[0]
    return total


@pytest.mark.parametrize("name", ["traversone", "calabresella", "chiamata"])
def test_blocks_and_chunks_do_not_matter(name):
    rules = preset(name)
    whole = play_pair(make("random"), make("simple"), rules, 30, seed=2)
    pieces = play_pair(make("random"), make("simple"), rules, 30, seed=2, block=7, chunk=3)
    np.testing.assert_array_equal(whole.room_margins, pieces.room_margins)
    np.testing.assert_array_equal(whole.trick_margins, pieces.trick_margins)


@pytest.mark.parametrize("rules", [SOLO_5, preset("chiamata")], ids=lambda rules: rules.name)
def test_no_two_decisions_share_their_randomness(rules):
    players = Ordered(0), Ordered(0.5)
    play_pair(*players, rules, 6, seed=1)
    keys = np.concatenate([key for player in players for key in player.keys[1:]])  # the first call warms up
    assert len(np.unique(keys)) == len(keys) >= 6 * 10 * 40


def test_usage_of_the_lone_and_of_the_rest():
    result = play_pair(make("simple"), make("random"), SOLO_4, 5, seed=1)
    assert result.usage_a.plays == result.usage_b.plays == 5 * 10 * (4 * 1 + 4 * 3)


# ---------------------------------------------------------------- redeals
class Passes(Ordered):
    """Never bids."""

    def __init__(self):
        super().__init__(0)
        self.hands = []

    def actions(self, views, table, keys):
        assert (views["phase"] == BID).all()
        seats = views["to_act"].astype(int)
        self.hands += zip(seats.tolist(), views["dealt"][np.arange(len(views)), seats].tolist(), strict=True)
        return super().actions(views, table, keys)


@pytest.mark.parametrize("name", ["calabresella", "chiamata"])
def test_a_deal_cut_after_too_many_redeals_counts_nothing(name):
    rules = preset(name)
    players = Passes(), Passes()
    result = play_pair(*players, rules, 20, seed=6)
    assert result.n == 20 and not result.room_margins.any() and not result.trick_margins.any()
    assert result.win_rate == 0.5
    # All seats passed on num_seats sets of cards a deal, and no two deals of the match shared one.
    assert len({*players[0].hands, *players[1].hands}) == 20 * rules.num_seats**2


def test_auctions_are_played_out():
    player = Ordered(1)
    play_pair(player, Ordered(0.5), preset("calabresella"), 20, seed=1)
    phases = set(np.concatenate(player.seen)["phase"].tolist())
    assert {BID, PLAY} <= phases
