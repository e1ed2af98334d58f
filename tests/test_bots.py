"""The bots: legal everywhere, blind to what is hidden, repeatable, and sensible on positions made by hand."""

import numpy as np
import pytest

from agents.arena import play_pair
from tressette_env import bots
from tressette_env.bots.heuristic import heuristic_action
from tressette_env.engine.batch import RUNNING, Batch, views_acting
from tressette_env.engine.game import Game
from tressette_env.engine.kernels import NUM_WORDS
from tressette_env.engine.randomness import key_of
from tressette_env.errors import RulesError
from tressette_env.notation import format_action
from tressette_env.presets import PRESETS, make_rules

VARIANTS = (
    {},
    {"signal_mode": "off"},
    {"signal_mode": "free"},
    {"signal_mode": "free", "signal_seat": "any"},
    {"signal_mode": "truthful", "signal_seat": "any", "signal_sides": [1]},
    {"signals": ["striscio_lungo", "volo", "striscio_corto", "busso"], "signal_seat": "any"},
    {"declare_when": "own_first_turn"},
    {"declare_when": "end_first_trick"},
    {"declare": "automatic", "declare_when": "before_first_lead"},
    {"annul": "below_one_point"},
    {"revoke": "take_all"},
    {"revoke": "flat_11", "cappotto": "ends_match"},
    {"stock": 12, "hand_size": 7, "draw_shown": True, "declare": "off"},
    {"monte": 4, "hand_size": 9},
    {"exchange_cards": 0},
)
BOTS = ("random", "random:signals=off", "simple", "heuristic", "heuristic:signals=off")


def cases():
    """Rules of every preset with every variant that goes with it."""
    for preset in PRESETS:
        for variant in VARIANTS:
            try:
                yield make_rules({"preset": preset} | variant)
            except RulesError:
                assert variant, preset


def play_out(rules, policy, games, seed, check=None):
    """Play games to the end with one policy in all seats; return the number of decisions."""
    batch = Batch(rules, games, seeds=seed)
    views = np.empty_like(batch.states)
    decisions = ply = 0
    while (batch.status == RUNNING).any():
        views_acting(batch.states, batch.table, views)
        keys = np.array([key_of(seed, i, ply) for i in range(games)], np.uint64)
        actions = policy.actions(views, batch.table, keys)
        if check:
            check(batch, actions)
        decisions += int((batch.status == RUNNING).sum())
        batch.step(actions)  # raises at an illegal action
        ply += 1
    return decisions


def legal_decisions(games):
    total = 0
    for rules in cases():
        for name in BOTS:
            total += play_out(rules, bots.make(name), games, seed=11)
    return total


def test_every_bot_is_legal_in_every_preset_and_mode():
    assert len(list(cases())) > 150
    assert legal_decisions(games=2) > 10_000


@pytest.mark.parametrize("preset", PRESETS)
def test_the_heuristic_beats_random_play_on_every_preset(preset):
    rules = make_rules(preset)
    deals = 400 if preset.startswith("mini") else 100
    assert play_pair(bots.make("heuristic"), bots.make("random"), rules, deals, seed=31).ci95[0] > 0


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_the_heuristic_beats_the_beginner_on_every_preset(preset):
    """Auctions inside, where the beginner never bids."""
    deals = 3000 if preset.startswith("mini") else 1000
    assert play_pair(bots.make("heuristic"), bots.make("simple"), make_rules(preset), deals, seed=32).ci95[0] > 0


@pytest.mark.slow
def test_every_bot_is_legal_in_a_hundred_thousand_decisions():
    assert legal_decisions(games=40) > 100_000


@pytest.mark.parametrize("name", BOTS)
def test_actions_depend_on_view_and_key_alone(name):
    rules = make_rules({"preset": "treseta", "signal_mode": "free"})
    policy = bots.make(name)
    batch = Batch(rules, 64, seeds=5)
    views = np.empty_like(batch.states)
    keys = np.arange(64).astype(np.uint64)
    for _ in range(20):
        views_acting(batch.states, batch.table, views)
        before = views.copy()
        actions = policy.actions(views, batch.table, keys)
        assert views.tobytes() == before.tobytes()
        order = np.random.default_rng(0).permutation(64)
        np.testing.assert_array_equal(policy.actions(views[order], batch.table, keys[order]), actions[order])
        assert policy.act(views[7:8], batch.table, 7) == actions[7]
        batch.step(actions)


@pytest.mark.parametrize("preset", PRESETS)
def test_heuristic_reads_nothing_hidden(preset):
    """On the full record it does what it does on the redacted view, so hidden cards cannot matter to it."""
    rules = make_rules(preset)
    words = np.empty(NUM_WORDS, np.int64)
    policy = bots.make("heuristic")

    def check(batch, actions):
        for i in np.flatnonzero(batch.status == RUNNING):
            assert heuristic_action(batch.states[i], batch.table[0], words, np.uint64(0)) == actions[i]

    play_out(rules, policy, 20, 3, check)


def test_random_uses_its_key():
    rules = make_rules("gamelake")
    batch = Batch(rules, 400, seeds=np.full(400, 2))
    views = np.empty_like(batch.states)
    views_acting(batch.states, batch.table, views)
    actions = bots.make("random").actions(views, batch.table, np.arange(400).astype(np.uint64))
    counts = np.bincount(actions)
    assert (counts > 0).sum() == 10 and counts.max() < 80  # ten legal cards, about 40 each


def heuristic_text(rules, deal, history=(), dealer=3, name="heuristic"):
    """The heuristic's next action as text, after some actions from a deal."""
    game = Game(rules, seed=0)
    game.reset(0, {"deal": deal, "dealer": dealer, "history": list(history)})
    view = np.atleast_1d(game.view(game.to_act))
    return format_action(bots.make(name).act(view, game.table, 0), game.rules)


# Seat 0 leads; seat 2 is its partner.
DEAL = "3c2cAc 4d5d 6s7s 4b5b6b | 4c5c6c 6d7dJd 4s5s 7bJb | 7cJcCc AdKdCd Js Ab2b Cb | Kc 3d2d 3s2sAsKsCs 3bKb"


def test_declares_before_anything_else():
    assert heuristic_text("tressette", DEAL) == "declare napoletana c"
    assert heuristic_text("treseta_croatian", DEAL).startswith("declare")


def test_never_says_done_while_something_is_left():
    deals = 0

    def check(batch, actions):
        nonlocal deals
        block = batch.rules.blocks.declarations
        masks = batch.masks()
        for i in np.flatnonzero(masks[:, block.start : block.stop - 1].any(axis=1)):
            deals += 1
            assert block.start <= actions[i] < block.stop - 1

    for when in ("before_first_lead", "own_first_turn", "end_first_trick"):
        rules = make_rules({"preset": "tressette", "declare_when": when})
        play_out(rules, bots.make("heuristic"), 60, 4, check)
    assert deals > 50


def test_cashes_a_master_before_a_loser_at_the_end():
    """On lead with two cards left, one of them an ace that nothing beats, it takes the ace home first."""
    cashed = chances = 0

    def check(batch, actions):
        nonlocal cashed, chances
        states = batch.states
        for i in np.flatnonzero((states["num_played"] == 32) & (batch.status == RUNNING)):
            hand = int(states["hands"][i][batch.to_act[i]])
            unseen = (1 << 40) - 1 & ~hand & ~int(np.bitwise_or.reduce(states["played"][i]))
            masters = [c for c in range(40) if hand >> c & 1 and not (unseen >> c & (1 << (10 - c % 10)) - 1)]
            if len(masters) == 1 and masters[0] % 10 == 7:
                chances += 1
                cashed += int(actions[i]) % 40 == masters[0]

    play_out(make_rules("gamelake"), bots.make("heuristic"), 1500, 6, check)
    assert chances > 5 and cashed == chances


def test_feeds_the_ace_to_a_partner_who_surely_wins():
    # Seat 2 leads the three of denari; its partner, seat 0, holds the ace and low cards.
    hands = [
        "Ad4d5d 4c5c6c 4s5s 4b5b",
        "6d7d 7cJcCc 6s7s 6b7bJb",
        "3d2d KcAc JsCs CbKb Ab2s",
        "JdCdKd 2c3c KsAs3s 2b3b",
    ]
    assert heuristic_text("gamelake", " | ".join(hands), ["3d", "Jd"], dealer=1) == "Ad"


def test_does_not_give_the_ace_to_an_opponent_who_surely_wins():
    # Seat 3 leads the three of denari and seat 0 may play low.
    hands = [
        "Ad4d5d 4c5c6c 4s5s 4b5b",
        "6d7d 7cJcCc 6s7s 6b7bJb",
        "JdCdKd KcAc JsCs CbKb Ab",
        "3d2d 2c3c KsAs2s3s 2b3b",
    ]
    assert heuristic_text("gamelake", " | ".join(hands), ["3d"], dealer=2) in ("4d", "5d")


def test_takes_a_rich_trick_as_last_player():
    # Seat 1 leads the ace of denari; seat 0 plays last and holds the three.
    hands = [
        "3d4d5d 4c5c6c 4s5s 4b5b",
        "Ad6d 7cJcCc 6s7s 6b7bJb",
        "JdCdKd KcAc JsCs CbKb Ab",
        "2d7d 2c3c KsAs2s3s 2b3b",
    ]
    assert heuristic_text("gamelake", " | ".join(hands), ["Ad", "Jd", "7d"], dealer=0) == "3d"


def test_obeys_busso():
    # Seat 2 asks with a low denaro; seat 0 answers with its highest although a lower card would do as well.
    hands = [
        "3d7d5d 4c5c6c 4s5s 4b5b",
        "Jd6d 7cJcCc 6s7s 6b7bJb",
        "4d2dAdKd KcAc JsCs CbKb",
        "Cd 2c3c KsAs2s3s 2b3bAb",
    ]
    assert heuristic_text({"declare": "off"}, " | ".join(hands), ["4d busso", "Cd"], dealer=1) == "3d"


def test_signals_are_true_in_free_mode():
    """In the free mode it gives the signals that the truthful mode would allow, and no others."""
    free = make_rules({"preset": "treseta", "signal_mode": "free"})
    true = make_rules("treseta")
    policy = bots.make("heuristic")
    sent = 0

    def check(batch, actions):
        nonlocal sent
        other = Batch(true, batch.num_games)
        other.states[:] = batch.states
        masks = other.masks()
        running = np.flatnonzero(batch.status == RUNNING)
        assert masks[running, actions[running]].all()
        sent += int(((actions >= 40) & (actions < 160)).sum())

    play_out(free, policy, 60, 9, check)
    assert sent > 100


def test_silent_option_sends_nothing():
    def check(batch, actions):
        block = batch.rules.blocks.plays
        assert not ((actions >= 40) & (actions < block.stop)).any()

    play_out(make_rules("treseta"), bots.make("heuristic:signals=off"), 20, 1, check)
    play_out(make_rules("treseta"), bots.make("random:signals=off"), 20, 1, check)


# Seat 0 bids first: three suits from the top, and nothing.
SOLOIST = "3c2cAcKcCc 3d2dAd 3s2sAs 4b | 4c5c6c7cJc 4d5d6d7d 4s5s6s | 7sJsCsKs JdCdKd 5b6b7bJbCb / monte Kb Ab 2b 3b"
BEGGAR = "4c5c6c7c 4d5d6d7d 4s5s6s7s | 3c2cAcKc 3d2dAdKd 3s2sAsKs | 4b5b6b7bJbCbKb JcCc JdCd Js / monte Cs Ab 2b 3b"


def test_bids_by_strength():
    assert heuristic_text("calabresella", SOLOIST, dealer=2) == "bid solissimo"
    assert heuristic_text("calabresella", BEGGAR, dealer=2) == "bid pass"
    assert heuristic_text("calabresella", BEGGAR, ["bid pass"], dealer=2) == "bid solissimo"  # seat 1 has it all


def test_gives_back_a_worthless_card_and_discards_losers():
    before = ["bid chiamo", "bid pass", "bid pass"]
    deal = "2cAcKcCcJc 3d2dAd 3s2s 4b5b | 3c4c5c6c 4d5d6d7d 4s5s6s7s | JdCdKd AsKsCsJs CbKbAb2b3b / monte 7c 6b 7b Jb"
    assert heuristic_text("calabresella", deal, before, dealer=2) == "call 3c"
    gift = heuristic_text("calabresella", deal, [*before, "call 3c"], dealer=2)
    assert gift in ("give 4b", "give 5b")
    history = [*before, "call 3c", gift]
    game = Game("calabresella", seed=0)
    game.reset(0, {"deal": deal, "dealer": 2, "history": history})
    put_away = []
    for _ in range(4):
        view = np.atleast_1d(game.view(0))
        action = bots.make("heuristic").act(view, game.table, 0)
        put_away.append(format_action(action, game.rules).removeprefix("discard "))
        game.step(action)
    assert not set(put_away) & {"3c", "2c", "Ac", "3d", "2d", "Ad", "3s", "2s"}


def test_ducks_where_points_are_to_be_avoided():
    rules = {"preset": "traversone", "deck": "4c7cAc3c 4d7dAd3d", "hand_size": 2}
    deal = "7c4d | 4cAc | 7d3c | Ad3d"
    assert heuristic_text(rules, deal, ["7c"], dealer=3) == "4c"  # below the card led, not the ace above it
    assert heuristic_text(rules, deal, ["7c", "4c", "3c"], dealer=3) == "Ad"  # the trick is another's: give it points


@pytest.mark.parametrize("name", ["heuristic", "simple"])
@pytest.mark.parametrize("preset", [name for name in PRESETS if make_rules(name).objective == "min"])
def test_never_revokes(preset, name):
    """Where every card is legal it plays one that would be legal if revokes were not."""
    bare = make_rules(preset)
    checked = 0

    def check(batch, actions):
        nonlocal checked
        masked = Batch(bare, batch.num_games)
        masked.states[:] = batch.states
        running = np.flatnonzero(batch.status == RUNNING)
        allowed = masked.masks()[running]
        assert allowed[np.arange(len(running)), actions[running]].all()
        checked += int((batch.masks()[running].sum(axis=1) > allowed.sum(axis=1)).sum())

    play_out(make_rules({"preset": preset, "revoke": "take_all"}), bots.make(name), 20, 5, check)
    assert checked > 20


def test_breaks_the_run_of_a_side_that_took_everything():
    """Against takers, who pay nothing once they have every point, pure ducking lets them in nearly half the deals."""
    rules = make_rules("traversone_pairs")
    batch = Batch(rules, 300, seeds=8)
    views = np.empty_like(batch.states)
    keys = np.zeros(300, np.uint64)
    ducks, takes = bots.make("heuristic"), bots.make("simple")
    while (batch.status == RUNNING).any():
        views_acting(batch.states, batch.table, views)
        even = batch.to_act % 2 == 0
        batch.step(np.where(even, ducks.actions(views, batch.table, keys), takes.actions(views, batch.table, keys)))
    assert (batch.states["cappotto"] & 2 != 0).mean() < 0.15


def test_the_secret_partner_helps_the_declarer():
    deal = "2cAcKcCc 3d2dAd 3s | 3cJc 4d5d6d7d 4s5s | 4c5c JdCd 6s7sJs 4b | 6c Kd CsKsAs2s 5b6b | 7c 7bJbCbKbAb2b3b"
    called = ["bid chiamo", *["bid pass"] * 4, "call 3c"]
    assert heuristic_text("chiamata", deal, [*called, "2c"], dealer=4) == "Jc"  # not the 3 on the partner's master


def test_calls_monte_with_every_hand_that_may():
    """A hand below one point loses on average even with two high cards, so a new deal is better (measured)."""
    called = 0

    def check(batch, actions):
        nonlocal called
        block = batch.rules.blocks.annul
        called += int((actions == block.start).sum())
        assert not (actions == block.start + 1).any()

    play_out(make_rules("bolognese"), bots.make("heuristic"), 1000, 1, check)
    assert called > 5


def test_names_options_and_hints():
    assert set(bots.available()) == {"random", "simple", "heuristic"}
    assert bots.make("heuristic: signals = off").actions is not None
    for text, said in (
        ("heuristc", "did you mean 'heuristic'"),
        ("", "the bots are random"),
        ("heuristic:signal=on", "did you mean 'signals'"),
        ("heuristic:signals", "write key=value"),
        ("heuristic:signals=maybe", "not on or off"),
        ("simple:x=1", "its options are none"),
    ):
        with pytest.raises(bots.BotError, match=said):
            bots.make(text)


def test_number_options_are_read_as_numbers():
    from tressette_env.bots.base import parse_options

    assert parse_options("worlds=20, temperature=0.5", {"worlds": 1, "temperature": 1.0}, "x") == {
        "worlds": 20,
        "temperature": 0.5,
    }
    with pytest.raises(bots.BotError, match="'many' of x is not a whole number"):
        parse_options("worlds=many", {"worlds": 1}, "x")
