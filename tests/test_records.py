"""Records: one line of JSON each, replayed bit for bit, refused at the first thing that does not fit."""

import copy
import json
import random

import pytest

from tressette_env import tressette_v0
from tressette_env.engine.game import Game
from tressette_env.errors import NotationError, TressetteError
from tressette_env.presets import playable
from tressette_env.records import (
    format_record,
    parse_record,
    read_records,
    replay,
    replay_file,
    replay_steps,
    write_records,
)


def played(rules="tressette", seed=1, **options):
    game = Game(rules, seed=seed, **options)
    rng = random.Random(seed)
    while game.to_act >= 0:
        game.step(rng.choice(game.legal_actions()))
    return game


@pytest.mark.parametrize("rules", playable())
@pytest.mark.parametrize("options", [{}, {"episode": "match", "reward": "trick"}])
def test_replay_is_equal_in_every_byte(rules, options):
    for seed in range(3):
        game = played(rules, seed, **options)
        again = replay(parse_record(format_record(game.record())))
        assert again.get_state().tobytes() == game.get_state().tobytes()
        assert again.record() == game.record()


def test_replay_rebuilds_every_observation():
    env, other = tressette_v0.raw_env(), tressette_v0.raw_env()
    env.reset(seed=4)
    env.reset()
    rng = random.Random(1)
    states, seen = [env.game.get_state()], []

    def look(env):
        return [env.observe(agent)["observation"].tobytes() for agent in env.possible_agents]

    seen.append(look(env))
    while env.game.to_act >= 0:
        env.step(rng.choice(env.legal_actions()))
        states.append(env.game.get_state())
        seen.append(look(env))
    other.reset(seed=1)
    for game, state, observations in zip(replay_steps(env.record()), states, seen, strict=True):
        assert game.get_state().tobytes() == state.tobytes()
        other.game.set_state(game.get_state())
        assert look(other) == observations


def test_records_under_way_and_with_an_illegal_end():
    game = Game("tressette", seed=2)
    for _ in range(7):
        game.step(game.legal_actions()[0])
    assert replay(game.record()).get_state().tobytes() == game.get_state().tobytes()
    game.forfeit()
    record = game.record()
    assert record["illegal_seat"] is not None
    assert replay(record).get_state().tobytes() == game.get_state().tobytes()


def test_files_of_records(tmp_path):
    games = [played(seed=seed) for seed in range(3)]
    path = tmp_path / "games.jsonl"
    write_records(path, [game.record() for game in games])
    assert len(path.read_text().splitlines()) == 3
    assert list(read_records(path)) == [game.record() for game in games]
    for again, game in zip(replay_file(path), games, strict=True):
        assert again.results == game.results


def test_a_broken_line_is_named(tmp_path):
    path = tmp_path / "games.jsonl"
    good = format_record(played().record())
    path.write_text(good + "\n" + good[:50] + "\n")
    with pytest.raises(NotationError, match=r"games\.jsonl, line 2: the record is not JSON"):
        list(read_records(path))
    wrong = json.loads(good)
    wrong["results"][0]["points"][0] += 1
    path.write_text(good + "\n" + json.dumps(wrong) + "\n")
    with pytest.raises(NotationError, match=r"games\.jsonl, record 2: result 0 of the record"):
        list(replay_file(path))


def change(path, value):
    def changed(record):
        *keys, last = path
        for key in keys:
            record = record[key]
        record[last] = value

    return changed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (change(["actions", 3, 1], "9z"), "action 3 of the record, '9z': unknown action"),
        (change(["actions", 3, 0], 9), "action 3 of the record, .*, is by seat 9"),
        (change(["deals", 0, "deal"], "3c"), "has 1 hands"),
        (change(["deals"], []), "the record has no deals"),
        (change(["seed"], -3), "seed = -3 is out of range"),
        (change(["results"], []), "the record has 0 results, but play gives 1"),
        (change(["results", 0, "totals"], [0, 0]), "result 0 of the record is"),
        (change(["rules", "target"], 0), "target = 0 is out of range"),
        (change(["rules", "tagret"], 21), "unknown rules field 'tagret'"),
        (change(["episode"], "hand"), "episode = 'hand'"),
        (change(["illegal_seat"], 2), "illegal_seat is 2"),
    ],
)
def test_replay_fails_at_the_first_misfit(change, message):
    record = copy.deepcopy(played().record())
    change(record)
    with pytest.raises(TressetteError, match=message):
        replay(record)


def test_replay_checks_dealers_and_deals_of_a_match():
    record = played(episode="match").record()
    assert len(record["deals"]) > 1
    wrong = copy.deepcopy(record)
    wrong["deals"][1]["dealer"] = (wrong["deals"][1]["dealer"] + 1) % 4
    with pytest.raises(NotationError, match="deal 1 of the record says"):
        replay(wrong)
    wrong = copy.deepcopy(record)
    del wrong["deals"][-1]
    with pytest.raises(NotationError, match="its actions lead to one more"):
        replay(wrong)
    wrong = copy.deepcopy(record)
    wrong["deals"].append(wrong["deals"][-1])
    with pytest.raises(NotationError, match="its actions reach only"):
        replay(wrong)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[]", "format 'list'"),
        ('{"format": 2}', "format 2: this version reads format 1"),
        ('{"format": 1}', "lacks rules, episode"),
    ],
)
def test_refused_lines(line, message):
    with pytest.raises(NotationError, match=message):
        parse_record(line)
