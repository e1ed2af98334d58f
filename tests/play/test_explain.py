"""What players say of a decision: probabilities that are theirs, values that are the search's, nothing hidden."""

import numpy as np
import pytest
import torch

from agents.checkpoint import save_policy
from agents.distill.judge import Judge
from agents.explain import Choice, Explanation, explain, explainer_of, first_explainer
from agents.networks import masked_log_probs, mlp
from agents.search.registry import make_search
from tressette_env.bots import BotError, make
from tressette_env.engine.game import Game
from tressette_env.observation import layout
from tressette_env.presets import preset


def saved_network(tmp_path, rules):
    torch.manual_seed(1)
    actor = mlp(layout(rules).size, (8,), rules.blocks.num_actions, 1.0)
    path = tmp_path / "step_1.safetensors"
    save_policy(path, actor, {"rules": rules.to_dict(), "hidden": [8], "canonical_suits": False, "decisions": 1})
    return path, actor


def test_a_network_tells_its_softmax_also_where_it_plays_the_likeliest(tmp_path):
    from agents.entries import resolve

    rules = preset("tressette")
    path, actor = saved_network(tmp_path, rules)
    game = Game(rules, seed=4)
    greedy = resolve(str(path), rules)
    assert greedy.greedy
    found = explain(game, explainer_of(greedy, rules))
    observation = np.zeros(layout(rules).size, np.float32)
    from tressette_env.engine.entry import observe_one

    observe_one(game.states, game.table, game.words, game.to_act, observation)
    logits = actor(torch.from_numpy(observation)[None])
    wanted = masked_log_probs(logits, torch.from_numpy(game.mask)[None]).exp()[0].detach().numpy()
    assert [choice.action for choice in found.choices] == game.legal_actions()
    for choice in found.choices:
        assert choice.probability == pytest.approx(float(wanted[choice.action]), abs=1e-5)
    assert 0 < max(choice.probability for choice in found.choices) < 1
    assert found.value is None  # a policy ships without a critic
    assert greedy.greedy, "the player itself stays as it was"


def test_deterministic_bots_put_everything_on_their_action():
    game = Game("tressette", seed=4)
    for name in ("heuristic", "simple"):
        found = explain(game, explainer_of(name, game.rules))
        taken = make(name).act(game.view(game.to_act), game.table, 0)
        assert {choice.action: choice.probability for choice in found.choices}[taken] == 1.0
        assert sum(choice.probability for choice in found.choices) == 1.0
        assert found.ranked[0].action == taken


def test_random_draws_evenly_among_what_it_allows_itself():
    game = Game("tressette", seed=4)
    legal = game.legal_actions()
    assert any(action >= 40 for action in legal)  # some may carry a signal
    everything = explain(game, explainer_of("random", game.rules))
    assert {choice.probability for choice in everything.choices} == {1 / len(legal)}
    silent = explain(game, explainer_of("random:signals=off", game.rules))
    plays = sum(action < 40 for action in legal)
    for choice in silent.choices:
        assert choice.probability == (1 / plays if choice.action < 40 else 0.0)


def test_mc_tells_the_values_it_compares():
    game = Game("tressette", seed=4)
    found = explain(game, explainer_of("mc:worlds=5", game.rules), key=9)
    actions, values = Judge("mc:worlds=5").judge(game.view(game.to_act), game.table, np.array([9], np.uint64))
    wanted = {int(a): float(v) for a, v in zip(actions[0], values[0], strict=True) if a >= 0}
    assert {choice.action: choice.value for choice in found.choices if choice.value is not None} == wanted
    assert found.value == max(wanted.values())
    assert found.ranked[0].action == make_search("mc:worlds=5").act(game.view(game.to_act), game.table, 9)
    assert {choice.probability for choice in found.choices} == {None}


def test_ismcts_tells_a_value_for_every_card():
    game = Game("mini_4p", seed=2)
    found = explain(game, explainer_of("ismcts:worlds=200", game.rules), key=9)
    assert {choice.action for choice in found.choices} == set(game.legal_actions())
    by_card = {}
    for choice in found.choices:  # a signal changes nothing in its tree
        by_card.setdefault(choice.action % 40, set()).add(choice.value)
    assert all(len(values) == 1 and None not in values for values in by_card.values())
    assert len({value for values in by_card.values() for value in values}) == len(by_card)


@pytest.mark.parametrize("name", ["mc:worlds=3", "ismcts:worlds=20", "heuristic"])
@pytest.mark.parametrize("rules", ["calabresella", "due", "bolognese"])
def test_every_decision_of_a_deal_can_be_explained(name, rules):
    game = Game(rules, seed=3)
    explainer = explainer_of(name, game.rules)
    while game.to_act >= 0:
        found = explain(game, explainer, key=len(game.actions))
        assert [choice.action for choice in found.choices] == game.legal_actions()
        game.step(found.ranked[0].action)


def test_who_explains_where_nobody_was_named():
    rules = preset("tressette")
    heuristic = make("heuristic")
    assert first_explainer([make("random"), heuristic], rules).name == "heuristic"
    assert first_explainer([make("random")], rules).name == "mc"

    class Quiet:
        name = "quiet"

    with pytest.raises(BotError, match="'quiet' tells neither probabilities nor values: explain by mc or a network"):
        explainer_of(Quiet(), rules)
    assert first_explainer([Quiet(), heuristic], rules).name == "heuristic"


def test_the_ranking_puts_the_likeliest_first_then_the_highest_value():
    choices = (Choice(1, 0.2, 5.0), Choice(2, 0.4, -1.0), Choice(3, 0.4, 2.0))
    assert [choice.action for choice in Explanation(0, "x", choices).ranked] == [3, 2, 1]
    valued = (Choice(1, None, -3.0), Choice(2), Choice(3, None, -1.0))
    assert [choice.action for choice in Explanation(0, "x", valued).ranked] == [3, 1, 2]
