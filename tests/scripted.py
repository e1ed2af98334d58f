"""Players with known probabilities, for measures whose right answer is known."""

import numpy as np

from tressette_env.cards import from_bits
from tressette_env.engine.batch import masks_all


class Scripted:
    """Plays by a function of one view and its legal action ids: action -> probability."""

    def __init__(self, name, chances):
        self.name = name
        self._chances = chances

    def probabilities(self, views, table):
        masks = np.empty((len(views), int(table[0]["num_actions"])), np.int8)
        masks_all(views, table, masks)
        out = np.zeros(masks.shape)
        for i, view in enumerate(views):
            for action, chance in self._chances(view, np.flatnonzero(masks[i]).tolist()).items():
                out[i, action] += chance
        return out

    def actions(self, views, table, keys):
        chances = self.probabilities(views, table).cumsum(1)
        drawn = (np.asarray(keys, np.uint64) >> np.uint64(11)).astype(float) / 2**53
        return (chances <= drawn[:, None]).sum(1)

    def act(self, view, table, key):
        return int(self.actions(view, table, np.array([key], np.uint64))[0])


def hand_of(view):
    return from_bits(int(view["hands"][view["to_act"]]))


def rest_of(view, card):
    return sum(other != card and other // 10 == card // 10 for other in hand_of(view))


def even_cards(view, legal):
    cards = sorted({action % 40 for action in legal if action < 160})
    return dict.fromkeys(cards, 1 / len(cards))


def telling(say):
    """A player of random cards with the message that say(view, card) returns: its place, or 0 where that is illegal."""

    def chances(view, legal):
        if legal[0] >= 160:  # to declare or not
            return {legal[0]: 1.0}
        found = {}
        for card, chance in even_cards(view, legal).items():
            action = 40 * say(view, card) + card
            found[action if action in legal else card] = chance
        return found

    return Scripted("telling", chances)
