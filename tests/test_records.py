"""Records: one line of JSON each, replayed bit for bit, refused at the first thing that does not fit."""

import copy
import itertools
import json
import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tressette_env import tressette_v0
from tressette_env.engine.game import Game
from tressette_env.errors import NotationError
from tressette_env.presets import PRESETS
from tressette_env.records import (
    checksum,
    format_record,
    observations,
    parse_record,
    read_records,
    replay,
    replay_file,
    replay_steps,
    write_records,
)

GIVEN = "2bAs7d4s3cJc5b6cKs6s | 6dKd5cAbCdCb2cJd4d3b | 5s6b3s3dCs4bKc4c2sCc | AcJb2dJsAd7s5d7cKb7b"
SHORT = {"preset": "mini_4p", "target": 5}
HOUSE = {"preset": "treseta", "name": "house", "target": 25, "striscio_min_rest": 2}


def played(rules="tressette", seed=1, plies=None, deals=None, **options):
    game = Game(rules, **options)
    game.reset(seed, deals)
    rng = random.Random(seed)
    while game.to_act >= 0 and (plies is None or len(game.actions) < plies):
        game.step(rng.choice(game.legal_actions()))
    return game


def forfeited(plies=7):
    game = played(plies=plies)
    game.forfeit()
    return game


# Records of every kind: whole, under way, of several deals, redealt, of given deals, cut short by an illegal action.
KINDS = {
    "deal": lambda: played(),
    "match": lambda: played(SHORT, episode="match", reward="match"),
    "under way": lambda: played(plies=9, reward="trick"),
    "first decision": lambda: played(plies=0),
    "illegal action": forfeited,
    "given deal": lambda: played(deals={"deal": GIVEN, "dealer": 2}),
    "given deal of a match": lambda: played(SHORT, episode="match", deals={"deal": ["3dAd | KcKd | 4c4d | 3cAc"]}),
    "redeals": lambda: played("bolognese", 29),
    "trump": lambda: played("briscola", 4),
    "stock": lambda: played("mini_due"),
    "auction": lambda: played("calabresella"),
    "secret partner": lambda: played("chiamata", 3, reward="trick"),
    "custom rules": lambda: played(HOUSE),
}


@pytest.fixture(scope="module")
def records():
    return {kind: make().record() for kind, make in KINDS.items()}


# ---------------------------------------------------------------- what replays
@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("options", [{}, {"episode": "match", "reward": "trick"}])
def test_replay_is_equal_in_every_byte(rules, options):
    for seed in range(3):
        game = played(rules, seed, **options)
        again = replay(parse_record(format_record(game.record())))
        assert again.get_state().tobytes() == game.get_state().tobytes()
        assert again.record() == game.record()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_record_replays(kind):
    game = KINDS[kind]()
    again = replay(parse_record(format_record(game.record())))
    assert again.get_state().tobytes() == game.get_state().tobytes()
    assert again.record() == game.record()


def test_the_kinds_are_what_they_say(records):
    assert len(records["match"]["deals"]) > 1 and records["match"]["status"] == "finished"
    assert [entry["given"] for entry in records["given deal"]["deals"]] == [True]
    assert [entry["given"] for entry in records["given deal of a match"]["deals"]][:2] == [True, False]
    assert len(records["redeals"]["deals"]) > len(records["redeals"]["results"])
    assert records["illegal action"]["illegal_seat"] is not None
    assert records["under way"]["status"] == "running"


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("options", [{}, {"episode": "match"}])
def test_observations_are_the_environments(rules, options):
    env = tressette_v0.raw_env(rules, **options)
    env.reset(seed=4)
    env.reset()  # deal 1 of the seed
    rng = random.Random(1)
    shown = []
    while env.game.to_act >= 0:
        seen = env.observe(env.agent_selection)
        action = rng.choice(env.legal_actions())
        shown.append((env.game.to_act, seen["observation"], seen["action_mask"], action))
        env.step(action)
    replayed = list(observations(parse_record(format_record(env.record()))))
    assert len(replayed) == len(shown)
    for found, wanted in zip(replayed, shown, strict=True):
        assert (found[0], found[3]) == (wanted[0], wanted[3])
        for one, other in zip(found[1:3], wanted[1:3], strict=True):
            assert one.dtype == other.dtype and one.tobytes() == other.tobytes()
    for one, other in itertools.pairwise(replayed):
        assert not np.shares_memory(one[1], other[1]) and not np.shares_memory(one[2], other[2])


def test_steps_rebuild_what_every_seat_saw():
    env, other = tressette_v0.raw_env(), tressette_v0.raw_env()
    env.reset(seed=4)
    rng = random.Random(1)

    def look(env):
        seen = [env.observe(agent)["observation"].tobytes() for agent in env.possible_agents]
        return seen + [env.information_state_string(agent) for agent in env.possible_agents]

    states, seen = [env.game.get_state()], [look(env)]
    while env.game.to_act >= 0:
        env.step(rng.choice(env.legal_actions()))
        states.append(env.game.get_state())
        seen.append(look(env))
    other.reset(seed=1)
    for game, state, looks in zip(replay_steps(env.record()), states, seen, strict=True):
        assert game.get_state().tobytes() == state.tobytes()
        other.game.set_state(game.get_state())
        assert look(other) == looks


def test_observations_check_the_end_too(records):
    record = copy.deepcopy(records["deal"])
    record["results"] = []
    seen = []
    with pytest.raises(NotationError, match="has 0 results, but play gives 1"):
        seen.extend(observations(record))
    assert not seen or len(seen) == len(record["actions"])
    with pytest.raises(NotationError, match="the record has format 'NoneType'"):
        next(observations(None))


def test_a_file_of_players_is_named_as_what_it_is():
    line = '{"checksum": "0a1b2c3d", "pair": ["a", "b"], "deal": 0, "room": 0, "players": ["a", "b", "a", "b"]}'
    with pytest.raises(NotationError, match=r"who sat where .* give the file of records beside this one"):
        parse_record(line)


# ---------------------------------------------------------------- files
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
    path.write_text(good + "\n\n" + good[:50] + "\n")
    for read in (read_records, replay_file):
        with pytest.raises(NotationError, match=r"games\.jsonl, line 3: the record is not JSON"):
            list(read(path))
    wrong = json.loads(good)
    wrong["results"][0]["points"][0] += 1
    path.write_text(good + "\n" + json.dumps(wrong) + "\n")
    with pytest.raises(NotationError, match=r"games\.jsonl, line 2: result 0 of the record"):
        list(replay_file(path))
    with pytest.raises(NotationError, match=r"games\.jsonl, line 2: the record's checksum"):
        list(read_records(path))
    path.write_bytes(good.encode() + b"\n\xff\xfe\n")
    with pytest.raises(NotationError, match=r"games\.jsonl, line 2: the record is not UTF-8"):
        list(read_records(path))


# ---------------------------------------------------------------- what is refused
def leaves(value, path=()):
    """Yield the path of every value inside a record, objects and lists too."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inside:
        yield from leaves(child, (*path, key))


def put(record, path, value):
    changed = copy.deepcopy(record)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return changed


def at(record, path):
    for key in path:
        record = record[key]
    return record


def edits_of(value):
    """Yield other values for one in a record: near ones of its kind, and of other kinds."""
    yield from (None, "x", 0.5, -1, True, [], {})
    if isinstance(value, bool):
        yield from (not value, int(value))
    elif isinstance(value, (int, float)):
        yield from (value + 1, value - 1, value + 2**40, 2**63, 2**80, float(value), bool(value), str(value))
    elif isinstance(value, str):
        yield from (value + " ", value.upper(), value[:-1], value[::-1], "monte", "bid pass", "none", "tressette")
        yield re.sub(r" (busso|volo|striscio)$", "", value)
        yield from (value + " busso", value.replace("c", "d"))
    elif isinstance(value, list):
        yield from (value[:-1], value[1:], value + value[-1:], value[::-1], value + [None], dict(enumerate(value)))
    elif isinstance(value, dict):
        yield value | {"extra": 1}
        yield from ({key: v for key, v in value.items() if key != left_out} for left_out in value)


def edited(record):
    """Yield (path, record with one value changed) for every value in it, of many actions for every ninth."""
    for path in leaves(record):
        if path[0] == "actions" and len(path) > 1 and path[1] % 9 and path[1] != len(record["actions"]) - 1:
            continue
        value = at(record, path)
        for other in edits_of(value):
            if json.dumps(other) != json.dumps(value):
                yield path, put(record, path, other)
    for key in record:
        yield (key,), {other: value for other, value in record.items() if other != key}
    yield ("extra",), record | {"extra": 1}


@pytest.mark.parametrize("kind", KINDS)
def test_every_edit_of_one_value_is_refused(kind, records):
    for path, wrong in edited(records[kind]):
        with pytest.raises(NotationError):
            parse_record(format_record(wrong))
            pytest.fail(f"the edit at {path} was read")
        with pytest.raises(NotationError):
            replay(wrong)
            pytest.fail(f"the edit at {path} was replayed")


# What play does not depend on, or not in every episode: there the checksum alone finds an edit.
SILENT = ("rules", "reward", "actions", "checksum")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("under way", "first decision")])
def test_what_play_shows_is_refused_without_the_checksum(kind, records):
    for path, wrong in edited(records[kind]):
        seat = path[0] == "actions" and len(path) == 3 and path[2] == 0
        whole = path[0] == "rules" and len(path) == 1
        of_given = kind == "given deal" and path in (("seed",), ("deals", 0, "k"))
        if of_given or (path[0] in SILENT and not seat and not whole):
            continue
        if "checksum" in wrong:
            wrong["checksum"] = checksum(wrong)
        with pytest.raises(NotationError):
            replay(wrong)
            pytest.fail(f"the edit at {path} was replayed")


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300)
@given(st.data(), JUNK, st.sampled_from(list(KINDS)))
def test_junk_anywhere_raises_a_notation_error(records, data, junk, kind):
    record = records[kind]
    path = data.draw(st.sampled_from(list(leaves(record))))
    wrong = put(record, path, junk)
    if json.dumps(wrong) != json.dumps(record):
        with pytest.raises(NotationError):
            replay(wrong)
        with pytest.raises(NotationError):
            parse_record(json.dumps(wrong))


@given(JUNK)
def test_junk_for_a_record_raises_a_notation_error(junk):
    for read in (replay, lambda value: parse_record(json.dumps(value))):
        with pytest.raises(NotationError):
            read(junk)


@pytest.mark.parametrize(
    ("kind", "path", "value", "message"),
    [
        ("deal", ("format",), 1, "the record has format 1: this version reads format 2"),
        ("deal", ("seed",), -3, "seed of the record is -3: it must be a whole number from 0"),
        ("deal", ("seed",), 2, "deal 0 of the record is '.*', but the seed 2 deals '"),
        ("deal", ("seed",), "1", "seed of the record is '1': it must be a whole number"),
        ("deal", ("rules", "target"), 0, "rules of the record: target = 0 is out of range"),
        ("deal", ("rules", "target"), 22, "the record's checksum is '.*', but its content has '"),
        ("deal", ("rules", "deck"), list(range(40)), "rules.deck of the record is .*: it must be written 40"),
        ("deal", ("rules", "tagret"), 21, "rules of the record has the unknown key 'tagret' .did you mean 'target'"),
        ("deal", ("episode",), "hand", "episode of the record is 'hand': it must be one of deal, match"),
        ("deal", ("reward",), "match", "the record cannot be played: reward = 'match' needs episode = 'match'"),
        ("deal", ("illegal_seat",), 2, "the record's illegal_seat is 2, but -1 is to act"),
        ("deal", ("status",), "truncated", "the record's status is 'truncated', but play ends 'finished'"),
        ("deal", ("deals",), [], "deals of the record is .*: it must be a list with at least the first deal"),
        ("deal", ("deals", 0, "deal"), "3c", "deal 0 of the record: the deal '3c' has 1 hands"),
        ("deal", ("deals", 0, "k"), 1, "deal 0 of the record is '.*', but the seed 1 deals '"),
        (
            "deal",
            ("deals", 0, "dealer"),
            9,
            r"deals\[0\].dealer of the record is 9: it must be a whole number",
        ),
        ("deal", ("deals", 0, "given"), True, "deal 0 of the record has given True, which must be False"),
        ("given deal", ("deals", 0, "given"), False, "deal 0 of the record is '.*', but the seed 1 deals '"),
        ("given deal", ("deals", 0, "deal"), GIVEN.lower(), "deal 0 of the record: "),
        ("given deal", ("deals", 0, "deal"), GIVEN, "deal 0 of the record has deal '.*', which must be '"),
        ("deal", ("actions", 3, 1), "9z", "action 3 of the record, '9z': unknown action"),
        ("deal", ("actions", 3), ["3c"], r"actions\[3\] of the record is \['3c'\]: it must be a list of a seat and"),
        ("deal", ("actions", 3, 0), 9, r"actions\[3\]\[0\] of the record is 9: it must be a whole number from 0 to 3"),
        ("deal", ("results",), [], "the record has 0 results, but play gives 1"),
        ("deal", ("results", 0, "totals"), [0, 0], "result 0 of the record is"),
        (
            "deal",
            ("results", 0, "points"),
            "8-3",
            r"results\[0\].points of the record is '8-3': it must be a list of",
        ),
        ("deal", ("checksum",), 5, "checksum of the record is 5: it must be a text of eight hex digits"),
        ("trump", ("deals", 0, "dealer"), 1, "trump of .* is not held by its dealer"),
    ],
)
def test_what_a_refusal_says(kind, path, value, message, records):
    with pytest.raises(NotationError, match=message):
        replay(put(records[kind], path, value))


def test_actions_that_do_not_fit(records):
    wrong = copy.deepcopy(records["deal"])
    seat, text = wrong["actions"][3]
    wrong["actions"][3][0] = (seat + 1) % 4
    with pytest.raises(NotationError, match=f"action 3 .* '{text}', is by seat .*, but seat {seat} is to act"):
        replay(wrong)
    wrong = copy.deepcopy(records["deal"])
    wrong["actions"][10] = wrong["actions"][10][:1] + wrong["actions"][9][1:]
    with pytest.raises(NotationError, match="action 10 of the record, .*is not legal for seat"):
        replay(wrong)
    wrong = copy.deepcopy(records["deal"])
    wrong["actions"].append([0, "3c"])
    with pytest.raises(NotationError, match="'3c', comes after the end"):
        replay(wrong)


def test_dealers_and_deals_of_a_match(records):
    record = records["match"]
    wrong = copy.deepcopy(record)
    wrong["deals"][1]["dealer"] = (wrong["deals"][1]["dealer"] + 1) % 4
    with pytest.raises(NotationError, match="deal 1 of the record has dealer . but play leads to|deal 1 .* has dealer"):
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
        (None, "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("9" * 10_000, "not JSON"),
        ("[]", "format 'list'"),
        ('{"format": 1}', "format 1: this version reads format 2"),
        ('{"format": true}', "format True: this version"),
        ('{"format": 2}', "lacks rules, episode"),
        ('{"format": 2, "format": 2}', "has the key 'format' twice"),
    ],
)
def test_refused_lines(line, message):
    with pytest.raises(NotationError, match=message):
        parse_record(line)


def test_a_record_made_by_hand_is_closed_with_a_checksum(records):
    record = copy.deepcopy(records["deal"])
    record["rules"]["name"] = "mine"
    with pytest.raises(NotationError, match=r"closed with records\.checksum\(record\)"):
        replay(record)
    record["checksum"] = checksum(record)
    assert replay(record).rules.name == "mine"
