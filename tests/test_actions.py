"""Kind and arguments of action ids, both ways."""

import pytest

from tressette_env.actions import KINDS, Action, decode, encode
from tressette_env.errors import NotationError
from tressette_env.notation import format_action
from tressette_env.presets import PRESETS, preset
from tressette_env.rules import Rules

ALL = [Rules.from_dict({"name": name} | values) for name, (_, values) in PRESETS.items()]


@pytest.mark.parametrize("rules", ALL, ids=lambda rules: rules.name)
def test_encode_undoes_decode(rules):
    for action in range(rules.blocks.num_actions):
        parts = decode(action, rules)
        assert parts.kind in KINDS
        assert encode(parts, rules) == action


def test_blocks_come_in_the_order_of_the_interface():
    rules = Rules()
    assert [decode(action, rules).signal for action in (0, 40, 80, 120)] == ["", "busso", "volo", "striscio"]
    assert decode(160, rules) == Action("declare", combination="napoletana c")
    assert [decode(action, rules).combination for action in (164, 165, 166)] == ["A", "2", "3"]
    assert decode(167, rules) == Action("done")
    bolognese = preset("bolognese")
    assert [decode(a, bolognese).kind for a in bolognese.blocks.annul] == ["monte", "play_on"]


def test_absent_blocks():
    assert preset("gamelake").blocks.num_actions == 40
    assert Rules(declare="automatic").blocks.num_actions == 160
    own_turn = Rules(declare_when="own_first_turn")
    assert format_action(own_turn.blocks.declarations[-1], own_turn) == "done"


def test_refusals():
    with pytest.raises(NotationError, match="there is no action 40"):
        decode(40, preset("gamelake"))
    with pytest.raises(NotationError, match="no action under the rules 'gamelake'"):
        encode(Action("play", card=9, signal="busso"), preset("gamelake"))
