"""The single game: seeds and deals, options of reset, errors by type and message, saving at every ply."""

import copy
import pickle
import random

import numpy as np
import pytest
from family import NAMES, rules_of

from tressette_env.engine.batch import Batch
from tressette_env.engine.game import Game
from tressette_env.errors import GameOverError, IllegalActionError, NotationError, RulesError, TressetteError
from tressette_env.notation import parse_action
from tressette_env.presets import PRESETS


def play_out(game, seed=0):
    rng = random.Random(seed)
    while game.to_act >= 0:
        game.step(rng.choice(game.legal_actions()))
    return game


# ---------------------------------------------------------------- seeds and deals
def test_seeded_deals_are_those_of_the_batch():
    for k in range(3):
        batch = Batch(Game("tressette").rules, 4, seeds=40)
        batch.start(ks=k)
        for i in range(4):
            game = Game("tressette", seed=40 + i)
            for _ in range(k):
                game.reset()
            assert game.states[0] == batch.states[i]


def test_an_unseeded_reset_goes_on_with_the_next_deal():
    game = Game("tressette", seed=9)
    deals = [game.deal_text()]
    for _ in range(4):
        play_out(game, seed=len(deals))
        game.reset()
        deals.append(game.deal_text())
    assert game.k == 4 and len(set(deals)) == 5
    other = Game("tressette", seed=9)
    for deal in deals:
        assert other.deal_text() == deal
        other.reset()


def test_the_first_unseeded_game_draws_a_seed():
    assert Game("gamelake").deal_text() != Game("gamelake").deal_text()


def test_deals_of_a_match_do_not_depend_on_play():
    games = [play_out(Game("tressette", episode="match", seed=4), seed=s) for s in range(5)]
    deals = [[entry["deal"] for entry in game.record()["deals"]] for game in games]
    shortest = min(len(row) for row in deals)
    assert shortest >= 2
    assert all(row[:shortest] == deals[0][:shortest] for row in deals)


def test_the_deal_passes_on_and_totals_add_up():
    game = play_out(Game("tressette", episode="match", seed=6))
    record = game.record()
    dealers = [entry["dealer"] for entry in record["deals"]]
    assert dealers == [(dealers[0] + i) % 4 for i in range(len(dealers))]
    totals = [0, 0]
    for result in game.results:
        totals = [total + points for total, points in zip(totals, result["points"], strict=True)]
        assert result["totals"] == totals
        assert sum(result["points"]) - sum(result["declaration_points"]) == 11
        assert sum(result["captured_sixths"]) == 64
    assert max(totals) >= 21 and totals[0] != totals[1]
    assert all(max(result["totals"]) < 21 or len(set(result["totals"])) == 1 for result in game.results[:-1])


WEAK = "4c5c6c7c 4d5d6d7d 4s5s"  # worth nothing: its holder may call monte


def monte_deal():
    rest = [r + s for s in "cdsb" for r in "4567JCKA23" if r + s not in WEAK]
    return " | ".join([WEAK, "".join(rest[:10]), "".join(rest[10:20]), "".join(rest[20:])])


def test_redeals_keep_the_dealer_and_cut_the_episode_after_four():
    game = Game("bolognese", seed=3)
    game.reset(options={"deal": [monte_deal()] * 4, "dealer": 3})
    for redeals in range(4):
        assert game.states[0]["redeals"] == redeals and game.dealer == 3
        assert game.legal_action_texts() == ["monte", "play on"]
        game.step(game.legal_actions()[0])
    assert game.status == 2 and game.to_act == -1 and game.results == []
    assert not game.rewards.any()


def test_a_redeal_counts_in_k():
    game = Game("bolognese", seed=3)
    game.reset(seed=3, options={"deal": monte_deal(), "dealer": 3, "history": ["monte"]})
    assert game.k == 1
    other = Game("bolognese", seed=3)
    other.reset()
    assert game.deal_text() == other.deal_text()


def test_when_all_pass_the_next_dealer_deals_in_the_same_episode():
    game = Game("calabresella", seed=3)
    dealers, deals = [game.dealer], [game.deal_text()]
    for _ in range(6):
        game.step(parse_action("bid pass", game.rules))
        if len(game.actions) % 3 == 0:
            dealers.append(game.dealer)
            deals.append(game.deal_text())
    assert dealers == [(dealers[0] + i) % 3 for i in range(3)] and len(set(deals)) == 3
    assert game.states[0]["redeals"] == 2 and game.results == [] and game.k == 2
    play_out(game)
    assert game.status == 2 or len(game.results) == 1


@pytest.mark.parametrize("rules", ["calabresella", "chiamata"])
def test_a_match_of_auctions_is_won_by_a_seat_that_is_strictly_ahead(rules):
    extra = 0
    for seed in range(30):
        game = play_out(Game({"preset": rules, "target": 2}, episode="match", reward="match", seed=seed), seed)
        if game.status == 2:
            continue
        rows = [result["totals"] for result in game.results]
        reached = next(i for i, row in enumerate(rows) if max(row) >= 2)
        assert all(sum(row) == 0 for row in rows)
        assert [row.count(max(row)) > 1 for row in rows[reached:]] == [True] * (len(rows) - reached - 1) + [False]
        winner, n = rows[-1].index(max(rows[-1])), game.rules.num_seats
        assert game.rewards[:n] == pytest.approx([1 if seat == winner else -1 / (n - 1) for seat in range(n)])
        extra += len(rows) > reached + 1
    assert extra  # some match was level at its target and went on


# ---------------------------------------------------------------- reset options
def test_deal_dealer_and_history():
    source = Game("tressette", seed=8)
    played = play_out(source)
    record = played.record()
    again = Game("tressette")
    history = [text for _, text in record["actions"]]
    first = record["deals"][0]
    again.reset(options={"deal": first["deal"], "dealer": first["dealer"], "history": history})
    assert again.results == played.results
    assert not again.paid and not again.rewards.any()


@pytest.mark.parametrize("name", NAMES)
def test_a_given_deal_is_the_deal(name):
    source = Game(rules_of(name), seed=8)
    again = Game(rules_of(name), seed=1)
    again.reset(options={"deal": source.deal_text(), "dealer": source.dealer})
    assert again.deal_text() == source.deal_text()
    assert again.states[0] == source.states[0]


def test_a_list_of_deals_is_dealt_in_order():
    texts = [Game("tressette", seed=s).deal_text() for s in (1, 2)]
    game = Game("tressette", episode="match", seed=5)
    game.reset(options={"deal": texts})
    play_out(game)
    assert [entry["deal"] for entry in game.record()["deals"]][:2] == texts


def test_a_given_trump_tells_who_deals():
    text = Game("briscola", seed=2).deal_text()
    dealer = Game("briscola", seed=2).dealer
    game = Game("briscola")
    game.reset(options={"deal": text})
    assert game.dealer == dealer and game.deal_text() == text
    with pytest.raises(NotationError, match="is not held by its dealer"):
        game.reset(options={"deal": text, "dealer": (dealer + 1) % 4})


def test_a_second_deal_whose_trump_the_dealer_lacks_leaves_the_game_as_it_was():
    text = Game("briscola", seed=2).deal_text()
    game = Game({"preset": "briscola", "declare": "off"}, episode="match")
    game.reset(options={"deal": [text, text]})
    rng = random.Random(1)
    while len(game.actions) < 39:
        game.step(rng.choice(game.legal_actions()))
    before = game.get_state().tobytes()
    with pytest.raises(NotationError, match="is not held by its dealer"):
        game.step(game.legal_actions()[0])
    assert game.get_state().tobytes() == before


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"deal": "3c"}, NotationError, "has 1 hands: it takes 4"),
        ({"dealer": 4}, TressetteError, "dealer = 4 is not a seat: give a number from 0 to 3"),
        ({"dealer": "x"}, TressetteError, "dealer = 'x' is not a seat"),
        ({"deals": []}, TressetteError, r"unknown reset option 'deals' \(did you mean 'deal'\?\)"),
        ({"history": ["9z"]}, NotationError, "history action 0, '9z': unknown action '9z'"),
        ({"history": ["bid pass"]}, NotationError, "unknown action"),
    ],
)
def test_refused_options_leave_the_game_as_it_was(options, error, message):
    game = Game("tressette", seed=1)
    game.step(game.legal_actions()[0])
    before = game.get_state().tobytes()
    with pytest.raises(error, match=message):
        game.reset(options=options)
    assert game.get_state().tobytes() == before


def test_an_illegal_history_names_the_place():
    game = Game("gamelake", seed=1)
    deal = game.deal_text()
    first = game.legal_action_texts()[0]
    with pytest.raises(IllegalActionError, match="history action 1"):
        game.reset(options={"deal": deal, "dealer": game.dealer, "history": [first, first]})


@pytest.mark.parametrize("seed", [-1, 2**63, "x", 1.5])
def test_refused_seeds(seed):
    with pytest.raises(TressetteError, match="seed = "):
        Game("gamelake", seed=seed)


def test_refused_modes():
    with pytest.raises(RulesError, match="reward = 'match' needs episode = 'match'"):
        Game("gamelake", reward="match")
    with pytest.raises(RulesError, match="episode = 'hand' is not one of deal, match"):
        Game("gamelake", episode="hand")


# ---------------------------------------------------------------- errors
@pytest.mark.parametrize("rules", PRESETS)
def test_illegal_fuzz_leaves_the_state_untouched(rules):
    game = Game(rules, seed=2)
    rng = random.Random(3)
    while game.to_act >= 0:
        legal = game.legal_actions()
        before = game.get_state().tobytes()
        for action in (*rng.sample(range(game.num_actions), 20), -1, game.num_actions, 10**30):
            if action not in legal:
                with pytest.raises(IllegalActionError):
                    game.step(action)
        assert game.get_state().tobytes() == before
        game.step(rng.choice(legal))


def test_an_illegal_action_names_seat_action_choices_and_position():
    game = Game("gamelake", seed=1)
    seat, deal = game.to_act, game.deal_text()
    foreign = next(a for a in range(40) if a not in game.legal_actions())
    with pytest.raises(IllegalActionError) as caught:
        game.step(foreign)
    message = str(caught.value)
    for part in (f"action {foreign}", f"seat {seat}", ", ".join(game.legal_action_texts()), deal, "history []"):
        assert part in message
    for action in (None, "3c", 1.0):
        with pytest.raises(IllegalActionError, match="no action of these rules"):
            game.step(action)


def test_numpy_integers_are_actions():
    game = Game("gamelake", seed=1)
    for kind in (np.int8, np.int32, np.int64, np.uint8):
        game.step(kind(game.legal_actions()[0]))
    game.step(np.array(game.legal_actions()[0]))


def test_a_finished_game_takes_no_step():
    game = play_out(Game("gamelake", seed=1))
    with pytest.raises(GameOverError, match="the game is over") as caught:
        game.step(0)
    assert isinstance(caught.value, RuntimeError)
    with pytest.raises(GameOverError):
        game.forfeit()
    assert game.legal_actions() == []


def test_forfeit_is_zero_sum_on_the_offenders_side():
    for reward, stake in (("deal", 11), ("match", 1)):
        game = Game("gamelake", episode="match", reward=reward, seed=1)
        side = game.to_act % 2
        game.forfeit()
        assert game.rewards[:4].tolist() == [-stake if seat % 2 == side else stake for seat in range(4)]
        assert game.status == 1 and game.to_act == -1 and not game.mask.any() and game.results == []


# ---------------------------------------------------------------- saving
@pytest.mark.parametrize("rules", PRESETS)
def test_copies_at_every_ply_go_on_alike(rules):
    game = Game(rules, episode="match", reward="trick", seed=12)
    rng = random.Random(4)
    spare = Game(rules, episode="match", reward="trick", seed=99)
    for _ in range(90):
        if game.to_act < 0:
            break
        spare.set_state(game.get_state())
        copies = [spare, copy.deepcopy(game), pickle.loads(pickle.dumps(game))]
        action = rng.choice(game.legal_actions())
        before = game.get_state().tobytes()
        for other in copies:
            assert other.get_state().tobytes() == before
            other.step(action)
        assert game.get_state().tobytes() == before, "a copy shares memory with its source"
        game.step(action)
        for other in copies:
            assert other.get_state().tobytes() == game.get_state().tobytes()
            assert other.record() == game.record()
            assert other.legal_actions() == game.legal_actions()


def test_refused_states():
    game = Game("gamelake", seed=1)
    state = game.get_state()
    before = state.tobytes()
    with pytest.raises(TressetteError, match="saved under other rules"):
        Game("tressette").set_state(state)
    for wrong in (state[:-1], state[:10], state.astype(np.int64), np.zeros_like(state), state.reshape(1, -1)):
        with pytest.raises(TressetteError, match="from get_state"):
            game.set_state(wrong)
    assert game.get_state().tobytes() == before


def test_the_state_is_small():
    assert play_out(Game("tressette", seed=1)).get_state().nbytes < 4096


# ---------------------------------------------------------------- information states
@pytest.mark.parametrize("when", ["before_first_lead", "own_first_turn", "end_first_trick"])
def test_information_states_remember_everything(when):
    """A seat's own decisions and what it saw can be read off: two different pasts never share a text."""
    seen = {}
    rng = random.Random(5)
    for seed in range(60):
        game = Game({"declare_when": when}, seed=seed % 6)
        pasts = [[game.deal_text().split(" | ")[seat], game.dealer] for seat in range(4)]
        while game.to_act >= 0:
            actor = game.to_act
            action = rng.choice(game.legal_actions())

            game.step(action)
            text = game.record()["actions"][-1][1]
            for seat in range(4):
                if seat == actor or text != "done":
                    pasts[seat].append((actor, text))
                key = (seat, game.information_state_string(seat))
                assert seen.setdefault(key, list(pasts[seat])) == pasts[seat]


def test_silence_stays_private():
    game = next(g for g in (Game("tressette", seed=s) for s in range(50)) if "done" in g.legal_action_texts())
    others = [seat for seat in range(4) if seat != game.to_act and seat != game.states[0]["turn"]]
    before = [game.information_state_string(seat) for seat in others]
    actor = game.to_act
    game.step(game.rules.blocks.declarations[-1])
    assert "said done" in game.information_state_string(actor)
    for seat, text in zip(others, before, strict=True):
        if seat != game.to_act:
            assert game.information_state_string(seat) == text
