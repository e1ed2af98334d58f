"""Interventions on messages: nothing for who does not listen, the right numbers for listeners that are known."""

import numpy as np
import pytest
from scripted import Scripted, even_cards

from agents.signals.games import answers, batch_from, play_on
from agents.signals.influence import effect, influence, other_messages
from agents.signals.information import by_deal, mutual_information
from agents.signals.speaking import speaker_of
from tressette_env.bots import make
from tressette_env.bots.base import BotError
from tressette_env.presets import make_rules, preset

TRUTHFUL = preset("tressette")
FREE = make_rules({"preset": "tressette", "signal_mode": "free", "declare": "off"})
OBEYS, ELSE = 0.9, 0.25


def partner_message(view):
    """What the own partner said with the lead of this trick."""
    on_table = [c for c in range(40) if int(view["table"]) >> c & int(view["led"]) >> c & 1]
    return next((k + 1 for k in range(3) for c in on_table if int(view["signalled"][k]) >> c & 1), 0)


def obedient(view, legal):
    """Highest card of those legal with one chance after busso, with another otherwise, else the lowest; silent."""
    cards = sorted(even_cards(view, legal), key=lambda card: (card % 10, card))
    if len(cards) == 1:
        return {cards[0]: 1.0}
    high = OBEYS if partner_message(view) == 1 else ELSE
    return {cards[-1]: high, cards[0]: 1 - high}


LISTENER = Scripted("obedient", obedient)


@pytest.fixture(scope="module")
def free_answers():
    return answers(make("heuristic"), FREE, 20, 4)


@pytest.mark.parametrize("rules", [TRUTHFUL, FREE])
def test_who_does_not_listen_is_not_moved(rules):
    simple = make("simple")
    found = answers(simple, rules, 60, 1)
    moved, result = influence(speaker_of(simple), found, speaker_of(make("random"))), effect(simple, found)
    assert moved.interventions > 200
    for row in (moved.total_variation, moved.kl, moved.changed, moved.causal, result.points, result.size, result.moved):
        assert row == (0, 0, 0)


def test_every_other_message_that_was_legal_is_tried(free_answers):
    rows, given, instead = other_messages(free_answers)
    assert len(rows) == 3 * len(free_answers), "in free talk there are three others"
    assert (given != instead).all() and set(instead) == {0, 1, 2, 3}
    found = answers(make("heuristic"), TRUTHFUL, 40, 4)
    rows, _, instead = other_messages(found)
    assert (np.bincount(rows) <= 2).all(), "volo is true with nothing left of the suit, busso and striscio with some"


def test_a_scripted_listener_is_moved_by_the_known_amount(free_answers):
    moved = influence(LISTENER, free_answers)
    rows, given, instead = other_messages(free_answers)
    to_or_from = (given == 1) != (instead == 1)
    towards = (given[to_or_from] == 1).mean()
    assert moved.total_variation[0] == pytest.approx(to_or_from.mean() * (OBEYS - ELSE))

    def kl(p, q):
        return p * np.log2(p / q) + (1 - p) * np.log2((1 - p) / (1 - q))

    expected = to_or_from.mean() * (towards * kl(OBEYS, ELSE) + (1 - towards) * kl(ELSE, OBEYS))
    assert moved.kl[0] == pytest.approx(expected)
    assert moved.changed[0] == pytest.approx(to_or_from.mean()), "the likelier card of two is the other one"


def test_causal_influence_of_a_scripted_pair_is_the_known_amount(free_answers):
    """A speaker who says busso half of the time makes a channel of two inputs and two outputs."""
    half = Scripted(
        "half", lambda view, legal: {c + 40 * m: p / 2 for c, p in even_cards(view, legal).items() for m in (0, 1)}
    )
    joint = np.array([[OBEYS, 1 - OBEYS], [ELSE, 1 - ELSE]]) / 2
    moved = influence(LISTENER, free_answers, half)
    assert moved.causal[0] == pytest.approx(float(mutual_information(joint)))


def test_where_no_other_message_is_possible_there_is_nothing_to_say():
    rules = make_rules({"preset": "mini_4p", "signals": ["striscio_corto", "striscio_lungo"]})
    heuristic = make("heuristic")
    found = answers(heuristic, rules, 40, 1)
    moved, result = influence(speaker_of(heuristic), found), effect(heuristic, found)
    assert moved.interventions == result.interventions == 0
    assert np.isnan(moved.kl).all() and np.isnan(result.points).all()


def test_a_certain_change_of_mind_has_infinite_kl():
    heuristic = make("heuristic")
    moved = influence(speaker_of(heuristic), answers(heuristic, TRUTHFUL, 60, 1))
    assert moved.kl[0] == float("inf") and moved.total_variation[0] == moved.changed[0] > 0.05


def test_paired_rollouts_equal_games_played_from_there():
    """The effect of every intervention, played out one by one by the engine."""
    heuristic = make("heuristic")
    found = answers(heuristic, TRUTHFUL, 12, 8)
    rows, given, instead = other_messages(found)
    from agents.signals.hearing import intervene

    table, differences = TRUTHFUL.table(), []
    for row, message, other in zip(rows, given, instead, strict=True):
        results = []
        for said in (message, other):
            changed = np.empty(1, found.states.dtype)
            intervene(found.states[row : row + 1], table, found.cards[row : row + 1], np.array([said]), changed)
            batch = batch_from(TRUTHFUL, changed)
            paid = play_on(heuristic, batch, found.deals[row : row + 1], 0)
            results.append(paid[0, int(changed[0]["leader"])])
        differences.append(results[0] - results[1])
    assert effect(heuristic, found).points[0] == pytest.approx(np.mean(differences))
    assert np.any(differences)


def test_the_message_given_changes_nothing():
    found = answers(make("heuristic"), TRUTHFUL, 30, 2)
    from agents.signals.games import messages_with
    from agents.signals.hearing import intervene

    given, out = np.empty(len(found), np.int64), np.empty_like(found.states)
    messages_with(found.states, TRUTHFUL.table(), found.cards, given)
    intervene(found.states, TRUTHFUL.table(), found.cards, given, out)
    assert out.tobytes() == found.states.tobytes()


def test_answers_are_of_partners_with_a_choice():
    found = answers(make("heuristic"), TRUTHFUL, 40, 3)
    assert ((found.states["leader"] + 2) % 4 == found.states["to_act"]).all()
    assert (found.before["to_act"] == found.states["leader"]).all()
    for state, card in zip(found.states, found.cards, strict=True):
        assert int(state["table"]) >> card & 1 and int(state["led"]) >> card & 1


def test_intervals_take_the_decisions_of_a_deal_together():
    values = np.tile([0.0, 1.0], 50)
    alone = by_deal(values, np.arange(100))
    together = by_deal(np.repeat([0.0, 1.0], 50), np.repeat([0, 1], 50))
    assert alone[0] == together[0] == 0.5
    assert together[2] - together[1] > 10 * (alone[2] - alone[1])


def test_players_that_search_are_refused():
    from agents.entries import resolve

    with pytest.raises(BotError, match="does not tell its probabilities"):
        speaker_of(resolve("mc:worlds=5", TRUTHFUL))


def test_random_draws_evenly():
    found = answers(make("random"), TRUTHFUL, 5, 3)
    from tressette_env.engine.batch import masks_all, views_acting

    views = np.empty_like(found.states)
    views_acting(found.states, TRUTHFUL.table(), views)
    masks = np.empty((len(views), TRUTHFUL.blocks.num_actions), np.int8)
    masks_all(views, TRUTHFUL.table(), masks)
    chances = speaker_of(make("random")).probabilities(views, TRUTHFUL.table())
    assert np.array_equal(chances > 0, masks > 0) and chances.sum(1) == pytest.approx(1)
    quiet = speaker_of(make("random:signals=off")).probabilities(found.before, TRUTHFUL.table())
    assert not quiet[:, 40:160].any() and quiet.sum(1) == pytest.approx(1)
