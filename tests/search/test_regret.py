"""What each card lost: against the value of every legal card, ply by ply, and in the sum over a deal."""

import json
from fractions import Fraction

import numpy as np
import pytest

from agents import regret as regret_module
from agents.evaluate_cli import main
from agents.regret import Regrets
from agents.search.openhand import SOLVER_DTYPE, card_values, solve
from agents.search.regret import SolverError, judge, losses
from agents.tournament import evaluate
from tressette_env.bots import make
from tressette_env.cards import CARD_TEXTS
from tressette_env.engine.batch import Batch, random_actions
from tressette_env.engine.game import Game
from tressette_env.engine.state import OVER, PLAY, STATE_DTYPE
from tressette_env.presets import make_rules


def played_out(rules, seed):
    """The records before each card of a random deal, and the one at its end."""
    games = Batch(rules, 1, seeds=seed)
    action = np.empty(1, np.int64)
    cards = []
    for ply in range(200):
        if games.states[0]["phase"] == OVER:
            return cards, games
        random_actions(games.states, games.table, np.uint64(seed), ply, action)
        if games.states[0]["phase"] == PLAY and action[0] < 40 * (1 + len(rules.offered_signals)):
            cards.append((games.states.copy(), int(action[0]) % 40))
        games.step(action)
    raise AssertionError("the deal does not end")


SMALL = [
    {"preset": "tressette", "deck": "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs", "hand_size": 4},
    {
        "preset": "tressette",
        "deck": "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs",
        "hand_size": 4,
        "declare_when": "end_first_trick",
    },
    {"preset": "briscola", "deck": "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs", "hand_size": 4},
    {"preset": "traversone_pairs", "deck": "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs", "hand_size": 4},
    {"preset": "mini_2p"},
    {"preset": "mini_due"},
    {"preset": "due", "deck": "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs", "hand_size": 5, "stock": 6},
    {"preset": "calabresella", "deck": "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs", "hand_size": 4, "monte": 4},
]


@pytest.mark.parametrize("spec", SMALL, ids=lambda spec: spec["preset"] + spec.get("declare_when", ""))
def test_losses_are_those_of_the_card_values(spec):
    rules = make_rules(spec)
    solver = np.zeros(1, SOLVER_DTYPE)[0]
    path = np.zeros(41, STATE_DTYPE)
    out = np.empty(40, np.int64)
    values = np.empty(40, np.int64)
    judged = 0
    for seed in range(25):
        cards, games = played_out(rules, seed)
        par = losses(solver, games.states, path, games.table[0], out)
        first = True
        for ply, (states, card) in enumerate(cards):
            if states[0]["num_drawn"] < rules.stock:
                assert out[ply] == -1
                continue
            card_values(solver, states[0], games.table[0], values)
            legal = values[values >= 0]
            high = (states[0]["side_of"][states[0]["to_act"]] == 0) != (rules.objective == "min")
            best = legal.max() if high else legal.min()
            assert out[ply] == abs(best - values[card]), (seed, ply)
            if first:
                assert par == best == solve(solver, states[0], games.table[0])
            first = False
            judged += 1
        assert (out[len(cards) :] == -1).all()
    assert judged > 50


# ---------------------------------------------------------------- for people
@pytest.mark.parametrize("rules", ["tressette", "due", "mini_4p_12"])
def test_a_record_is_judged_like_its_game(rules):
    game = Game(rules, seed=4)
    while game.to_act >= 0:
        game.step(game.legal_actions()[-1])
    deal = judge(game)[0]
    assert judge(game.record()) == [deal]
    lost = [deal.lost(seat) for seat in range(game.rules.num_seats)]
    side = game.rules.sides
    assert deal.taken == deal.par + sum(points if side[seat] else -points for seat, points in enumerate(lost))
    captured = Fraction(game.results[0]["captured_sixths"][0], 6)
    assert deal.taken == captured + (side[game.results[0]["last_trick_seat"]] == 0)
    played = [text.split()[0] for _, text in game.record()["actions"] if text[:2] in CARD_TEXTS]
    assert [card.card for card in deal.cards] == played


def test_a_match_is_judged_deal_by_deal():
    game = Game({"preset": "mini_4p", "target": 5}, episode="match", seed=1)
    while game.to_act >= 0:
        game.step(game.legal_actions()[0])
    assert len(judge(game)) == len(game.results) > 1


def test_what_has_no_value_is_not_judged(capsys):
    with pytest.raises(SolverError, match="'a_tre' have 3 sides"):
        judge(Game("a_tre", seed=1))
    assert main(["random", "simple", "--deals", "2", "--rules", "a_tre", "--regret"]) == 2
    assert "3 sides" in capsys.readouterr().err
    assert main(["random", "simple", "--deals", "2", "--regret", "--regret-deals", "0"]) == 2
    assert "--regret-deals 0 is too few" in capsys.readouterr().err


def test_evaluate_shows_what_the_cards_lost(capsys, tmp_path):
    path = tmp_path / "out.json"
    args = ["cheat:exact=20", "simple", "--deals", "30", "--rules", "mini_4p_12", "--seed", "2"]
    assert main([*args, "--regret", "--regret-deals", "20", "--json", str(path)]) == 0
    assert "points lost in a game against open-hand play" in capsys.readouterr().out
    found = json.loads(path.read_text())["regret"]
    assert found["deals_a_pair"] == 20
    cheat, simple = found["players"]["cheat:exact=20"], found["players"]["simple"]
    assert cheat["games"] == simple["games"] == 40
    assert cheat["points_lost_per_game"] == 0 < simple["points_lost_per_game"]
    assert sum(simple["points_lost_by_trick"]) == pytest.approx(simple["points_lost_per_game"])


def test_a_block_stopped_while_it_is_judged_leaves_nothing_behind(monkeypatch):
    rules = make_rules("mini_4p")
    real, seen = regret_module.losses, []

    def stop(*args):
        seen.append(1)
        if len(seen) == 7:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(regret_module, "losses", stop)
    found = evaluate([make("heuristic"), make("simple")], rules, 40, seed=1, block=2, regrets=Regrets(rules, 100))
    data = found.to_dict()
    assert found.interrupted and data["pairs"][0]["n"] in (2, 4)
    assert data["regret"]["deals_a_pair"] == 2
    assert {row["games"] for row in data["regret"]["players"].values()} == {4}
