"""Whom a signal moves: the message is changed where everything else stays, and what follows is compared.

Sources: Lowe et al. 2019 (positive listening, causal influence of communication); Jaques et al. 2019 (social influence
as an intervention); Pearl's do-operator. The hands, the cards on the table and all earlier messages stay as they were;
the table hears another message with the card that the leader put down, and its partner is asked in the same trick.
"""

from dataclasses import dataclass

import numpy as np

from agents.signals.beliefs import spoken
from agents.signals.games import Answers, batch_from, messages_with, play_on
from agents.signals.hearing import intervene
from agents.signals.information import Interval, by_deal, mutual_information
from agents.signals.speaking import Speaker
from tressette_env.bots.base import Policy
from tressette_env.engine.batch import masks_all, views_acting


@dataclass(frozen=True)
class Influence:
    """What other messages do to the partner's next card; means over interventions, standard errors by deal.

    total_variation: of the partner's distributions over cards. kl: KL(as heard || instead), bits; infinite where the
    partner then rules out what it might have done. changed: how often the likeliest card is another. causal: mutual
    information of the message, drawn as the leader would say it, and the partner's card, bits ("causal influence of
    communication"); each with its 95 % interval.
    """

    total_variation: Interval
    kl: Interval
    changed: Interval
    causal: Interval
    interventions: int


def other_messages(found: Answers) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return interventions: row of the answer, the message given, another that could have been; int64 (I,) each.

    What could have been is what was legal with that card: true signals where they must be true, and silence.
    """
    table = found.rules.table()
    size = 1 + len(found.rules.offered_signals)
    given = np.empty(len(found), np.int64)
    messages_with(found.states, table, found.cards, given)
    masks = np.empty((len(found), found.rules.blocks.num_actions), np.int8)
    masks_all(found.before, table, masks)
    legal = np.take_along_axis(masks, found.cards[:, None] + 40 * np.arange(size), 1) > 0
    legal[np.arange(len(found)), given] = False
    rows, instead = np.nonzero(legal)
    return rows, given[rows], instead


def answers_to(listener: Speaker, found: Answers, rows: np.ndarray, messages: np.ndarray) -> np.ndarray:
    """Return the partner's distribution over cards, float64 (R, 40), had a message come with the leader's card."""
    table = found.rules.table()
    changed = np.empty_like(found.states[rows])
    intervene(found.states[rows], table, found.cards[rows], messages, changed)
    views = np.empty_like(changed)
    views_acting(changed, table, views)
    chances = listener.probabilities(views, table)
    size = 1 + len(found.rules.offered_signals)
    cards: np.ndarray = chances[:, : 40 * size].reshape(len(rows), size, 40).sum(1)
    return cards


def influence(listener: Speaker, found: Answers, speaker: Speaker | None = None) -> Influence:
    """Return what other messages of the leader do to its partner's next card.

    speaker: who draws the messages for the causal influence, by default the listener itself.

    All is nan where no other message was possible anywhere.
    """
    rows, given, instead = other_messages(found)
    plain = answers_to(listener, found, rows, given)
    other = answers_to(listener, found, rows, instead)
    variation = np.abs(plain - other).sum(1) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        kl = np.where(plain > 0, plain * (np.log2(plain) - np.log2(other)), 0.0).sum(1)
    changed = (plain.argmax(1) != other.argmax(1)).astype(float)
    deals = found.deals[rows]
    return Influence(
        by_deal(variation, deals),
        by_deal(kl, deals),
        by_deal(changed, deals),
        by_deal(*_causal(listener, found, speaker or listener)),
        len(rows),
    )


def _causal(listener: Speaker, found: Answers, speaker: Speaker) -> tuple[np.ndarray, np.ndarray]:
    """Return I(message; partner's card) of every answer, the message drawn as spoken with that card, and the deals."""
    size = 1 + len(found.rules.offered_signals)
    said = spoken(speaker, found.before, found.cards, found.rules.table())
    rows, messages = np.nonzero(said > 0)
    joint = np.zeros((len(found), size, 40))
    joint[rows, messages] = said[rows, messages, None] * answers_to(listener, found, rows, messages)
    return mutual_information(joint), found.deals


# ---------------------------------------------------------------- results
@dataclass(frozen=True)
class Effect:
    """What other messages do to the result, in points for the leader's side: as said minus instead, mean and interval.

    size: the mean without its sign; moved: the share of interventions after which the result was another.
    """

    points: Interval
    size: Interval
    moved: Interval
    interventions: int


def effect(policy: Policy, found: Answers, *, most: int = 20_000, seed: int = 0) -> Effect:
    """Return what changed messages do to the result when one policy plays on at all seats, both times with its keys.

    The game goes on from the partner's decision. most: interventions played out, drawn evenly from all that there are.
    """
    rows, given, instead = other_messages(found)
    if len(rows) > most:
        some = np.sort(np.random.default_rng(seed).permutation(len(rows))[:most])
        rows, given, instead = rows[some], given[some], instead[some]
    difference = _played_out(policy, found, rows, given, seed) - _played_out(policy, found, rows, instead, seed)
    deals = found.deals[rows]
    return Effect(
        by_deal(difference, deals),
        by_deal(np.abs(difference), deals),
        by_deal((difference != 0).astype(float), deals),
        len(rows),
    )


def _played_out(policy: Policy, found: Answers, rows: np.ndarray, messages: np.ndarray, seed: int) -> np.ndarray:
    """Return what the leader's side wins by, float64 (R,), had some messages come with the leaders' cards."""
    rules = found.rules
    changed = np.empty_like(found.states[rows])
    intervene(found.states[rows], rules.table(), found.cards[rows], messages, changed)
    paid = play_on(policy, batch_from(rules, changed), found.deals[rows], seed, first_ply=1000)
    seats = changed["leader"].astype(np.int64)
    margins: np.ndarray = paid[np.arange(len(rows)), seats]
    return margins
