"""Games as arrays: what was seen, decided and paid, from records and from bots that play."""

import numpy as np
import pytest
from recorded import bot_records, random_game

from agents.decisions.games import ABANDONED, PLAYED, UNFINISHED, joined, record_games
from agents.decisions.selfplay import play_games
from tressette_env.bots import make
from tressette_env.engine.game import Game
from tressette_env.errors import NotationError
from tressette_env.presets import PRESETS, make_rules, preset
from tressette_env.records import observations, write_records

TAKE_ALL = {"preset": "traversone", "name": "take all", "revoke": "take_all"}
FLAT = {"preset": "traversone_pairs", "name": "flat", "revoke": "flat_11", "declare": "off"}
ARRAYS = ("states", "actions", "deal_of", "episode", "number", "seed", "k", "outcome", "ends")


def same(one, other):
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in ARRAYS)


def paid_later(rules, seed, episode):
    """Return what the reward ``trick`` paid each decision's seat from it to the end of its deal."""
    game = random_game(rules, seed, plies=0, episode=episode, reward="trick")
    played = random_game(rules, seed, episode=episode, reward="trick")
    who, paid = [], []
    for seat, action in played.actions:
        who.append((seat, game.num_deals))
        game.step(action)
        paid.append(game.rewards.copy() if game.paid else np.zeros(5))
    return [
        sum(paid[later][seat] for later in range(place, len(who)) if who[later][1] == deal)
        for place, (seat, deal) in enumerate(who)
    ]


@pytest.mark.parametrize("rules", [*PRESETS, TAKE_ALL, FLAT], ids=str)
@pytest.mark.parametrize(("episode", "reward"), [("deal", "deal"), ("match", "match")])
def test_records_give_what_was_seen_decided_and_paid(rules, episode, reward):
    records = [random_game(rules, seed, episode=episode, reward=reward).record() for seed in range(2)]
    (games,) = record_games(records)
    wanted = [row for record in records for row in observations(record)]
    shown, masks = games.observations()
    assert len(wanted) == len(shown)
    for place, (seat, observation, mask, action) in enumerate(wanted):
        assert (seat, action) == (games.seats[place], games.actions[place])
        assert observation.tobytes() == shown[place].tobytes() and mask.tobytes() == masks[place].tobytes()
    returns = [value for seed in range(2) for value in paid_later(rules, seed, episode)]
    np.testing.assert_allclose(games.returns, returns, atol=1e-9)
    np.testing.assert_allclose(games.payoffs.sum(1), 0, atol=1e-9)
    assert games.number.tolist() == [deal for record in records for deal in range(len(record["deals"]))]


def test_plies_count_within_a_deal():
    (games,) = record_games(bot_records("mini_4p", 2, episode="match"))
    assert len(games.outcome) > 4
    assert (games.counts == 8).all() and (games.plies.reshape(-1, 8) == np.arange(8)).all()


def test_deals_without_an_end_and_deals_dealt_again():
    running = random_game("mini_4p", 1, plies=5)
    foul = random_game("mini_4p", 1, plies=5)
    foul.forfeit()
    again = random_game("bolognese", 29)
    assert again.num_deals > len(again.results)
    outcomes = [next(record_games([game.record()])) for game in (running, foul, again)]
    assert outcomes[0].outcome.tolist() == outcomes[1].outcome.tolist() == [UNFINISHED]
    assert len(outcomes[0].actions) == len(outcomes[1].actions) == 5
    assert np.isnan(outcomes[0].returns).all()
    games = outcomes[2]
    assert games.outcome.tolist() == [ABANDONED] * (again.num_deals - 1) + [PLAYED]
    assert (games.returns[games.outcome[games.deal_of] == ABANDONED] == 0).all()
    assert (games.payoffs[:-1] == 0).all() and (games.payoffs[-1] != 0).any()


def test_a_long_file_comes_in_pieces_of_whole_episodes_of_the_same_rules():
    records = bot_records("mini_4p", 7) + bot_records("mini_2p", 2) + bot_records("mini_4p", 1, reward="trick")
    pieces = list(record_games(records, decisions=17))
    assert [np.unique(games.episode).tolist() for games in pieces] == [[0, 1, 2], [3, 4, 5], [6], [7, 8], [9]]
    assert [games.rules.name for games in pieces] == ["mini_4p"] * 3 + ["mini_2p", "mini_4p"]
    assert [games.episode[0] for games in record_games(records, first=8)] == [8, 9]


def test_the_first_record_that_does_not_fit_is_named(tmp_path):
    records = bot_records("mini_4p", 3)
    records[1]["actions"][2][1] = "4s"
    with pytest.raises(NotationError, match="^record 2: action 2 of the record, '4s': "):
        list(record_games(records))
    path = tmp_path / "games.jsonl"
    write_records(path, records)
    with pytest.raises(NotationError, match=r"games.jsonl, line 2: the record's checksum"):
        list(record_games(path))


# ---------------------------------------------------------------- names
def named(tmp_path, *lines):
    path = tmp_path / "games.jsonl"
    write_records(path, bot_records("mini_2p", 2))
    (tmp_path / "games.players.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return path


ANN = '{"players": ["ann", "bob"]}'


def test_players_are_told_beside_the_records(tmp_path):
    checksum = bot_records("mini_2p", 2)[1]["checksum"]
    second = f'{{"checksum": "{checksum}", "pair": ["ann", "bob"], "players": ["bob", "ann"]}}'
    (games,) = record_games(named(tmp_path, ANN, second))
    assert games.players == [("ann", "bob"), ("bob", "ann")]
    (tmp_path / "games.players.jsonl").unlink()
    (games,) = record_games(tmp_path / "games.jsonl")
    assert games.players == [None, None]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([ANN, '{"a": 1}'], "games.players.jsonl, line 2 tells no names: write"),
        ([ANN, "ann"], "line 2 tells no names: write"),
        (['["ann", "bob"]'], "line 1 tells no names: write"),
        (['{"players": ["ann", 2]}'], "line 1 tells no names: write"),
        ([ANN], "games.players.jsonl ends before record 2 of "),
        ([ANN, '{"players": ["ann"]}'], "line 2 names 1 players for 2 seats: name each"),
        (['{"players": ["ann", "bob"], "checksum": "00"}'], "line 1 is of another record, whose checksum is '00'"),
    ],
)
def test_names_that_do_not_fit(tmp_path, lines, said):
    with pytest.raises(NotationError) as error:
        list(record_games(named(tmp_path, *lines)))
    assert said in str(error.value)


# ---------------------------------------------------------------- bots that play
@pytest.mark.parametrize("name", PRESETS)
def test_a_game_of_bots_is_one_of_the_engine_whatever_the_blocks(name):
    players, rules = [make("heuristic"), make("random")], preset(name)
    games = play_games(players, rules, 7, 0, 24)
    parts = [play_games(players, rules, 7, first, end) for first, end in ((0, 5), (5, 24))]
    assert same(games, joined(parts)) and games.players == joined(parts).players
    for episode in range(4):
        rows = np.flatnonzero(games.episode[games.deal_of] == episode)
        game = Game(name, seed=int(games.seed[games.deal_of[rows[0]]]))
        for row in rows:
            assert game.states[:1].tobytes() == games.states[row : row + 1].tobytes()
            game.step(int(games.actions[row]))
        last = games.deal_of[rows[-1]]
        assert game.to_act < 0 and game.num_deals == games.number[last] + 1
        assert games.outcome[last] != PLAYED or game.states[:1].tobytes() == games.ends[last : last + 1].tobytes()


def test_bots_deal_again_until_a_deal_is_played_out():
    games = play_games([make("random")], preset("bolognese"), 3, 0, 300)
    assert set(games.outcome.tolist()) == {PLAYED, ABANDONED}
    last = np.append(np.diff(games.episode) > 0, True)
    assert (games.outcome[last] == PLAYED).all() and (games.outcome[~last] == ABANDONED).all()


def test_players_sit_everywhere_and_meet_themselves():
    games = play_games([make("simple"), make("random")], preset("tressette"), 1, 0, 400)
    assert all(names[:2] == names[2:] for names in games.players)  # partners are one player
    counts = {names[:2]: games.players.count(names) for names in set(games.players)}
    assert len(counts) == 4 and min(counts.values()) > 70
    free = play_games([make("simple"), make("random")], make_rules("calabresella"), 1, 0, 100)
    assert len(set(free.players)) == 8
