"""Planted defects that PettingZoo's api_test and seed_test let through; our suite must catch each."""

import secrets

from tressette_env.envs.aec import TressetteAEC


class MaskLeak(TressetteAEC):
    """The mask of the seat to act is shown to every seat."""

    def observe(self, agent):
        return super().observe(agent) | {"action_mask": self.game.mask.copy()}


class ObservationLeak(TressetteAEC):
    """The last number of an observation depends on the hand of the next seat."""

    def hidden(self, seat):
        return float(int(self.game.states[0]["hands"][(seat + 1) % self.rules.num_seats]) % 7 == 0)

    def observe(self, agent):
        seen = super().observe(agent)
        seen["observation"][-1] = self.hidden(self._seat_of[agent])
        return seen


class AliasedBuffers(TressetteAEC):
    """Observations are written into one buffer again and again."""

    def observe(self, agent):
        seen = super().observe(agent)
        if not hasattr(self, "_buffer"):
            self._buffer = seen["observation"].copy()
        self._buffer[:] = seen["observation"]
        return seen | {"observation": self._buffer}


class IllegalAccepted(TressetteAEC):
    """An illegal action is quietly replaced by a legal one."""

    def step(self, action):
        legal = self.game.legal_actions()
        super().step(action if action is None or action in legal else legal[0])


class RewardsTwice(TressetteAEC):
    """What the last action paid is counted twice, in both readings alike."""

    def step(self, action):
        super().step(action)
        if self.game.to_act < 0 and len(self.agents) == 4 and action is not None:
            self._accumulate_rewards()
            self.rewards = {agent: 2 * reward for agent, reward in self.rewards.items()}


class SecondEpisodeUnseeded(TressetteAEC):
    """A reset without a seed draws a new one from the system."""

    def reset(self, seed=None, options=None):
        super().reset(secrets.randbits(40) if seed is None else seed, options)


class NeverEnds(TressetteAEC):
    """When the deal is over another is dealt and nobody is told."""

    def _select(self):
        if self.game.to_act < 0:
            self.game.reset()
        super()._select()


# ---------------------------------------------------------------- of the whole family
def share(card):
    """A card id as a number that fits into an observation."""
    return (int(card) + 1) / 64


class PartnerLeak(ObservationLeak):
    """Every seat sees who holds the called card, from the call on."""

    def hidden(self, seat):
        return share(self.game.states[0]["partner"])


class PartnerPaidEarly(TressetteAEC):
    """With dense rewards the side of the declarer, partner inside, earns what its tricks take; sums stay right."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self._early = dict.fromkeys(self.agents, 0.0)

    def step(self, action):
        super().step(action)
        if action is None:
            return
        record, n = self.game.states[0], self.rules.num_seats
        declarers = [agent for agent, seat in self._seat_of.items() if record["side_of"][seat] == 0]
        if self.game.to_act < 0:
            change = {agent: -early for agent, early in self._early.items()}
        elif declarers and record["num_played"] and record["num_played"] % n == 0:
            gain = n - len(declarers)
            change = {agent: float(gain if agent in declarers else -len(declarers)) for agent in self.agents}
        else:
            change = dict.fromkeys(self.agents, 0.0)
        for agent, value in change.items():
            self._early[agent] += value
            self.rewards[agent] += value
            self._cumulative_rewards[agent] += value
        self._stale_rewards = True


class StockLeak(ObservationLeak):
    """Every seat sees the next card of the stock."""

    def hidden(self, seat):
        return share(self.game.states[0]["undealt"][self.game.states[0]["num_drawn"]])


class DrawLeak(ObservationLeak):
    """Every seat sees the card drawn last."""

    def hidden(self, seat):
        drawn = self.game.states[0]["num_drawn"]
        return share(self.game.states[0]["undealt"][drawn - 1]) if drawn else 0.0


class MonteLeak(ObservationLeak):
    """Every seat sees the first card of the monte."""

    def hidden(self, seat):
        return share(self.game.states[0]["undealt"][self.rules.stock])


class DiscardLeak(ObservationLeak):
    """Every seat sees the first discard."""

    def hidden(self, seat):
        return share(self.game.states[0]["discards"][0])


class SilenceLeak(TressetteAEC):
    """The information state tells how many seats have said `play on`."""

    def information_state_string(self, agent):
        said = int(self.game.states[0]["played_on"]).bit_count()
        return f"{super().information_state_string(agent)}; {said} played on"


class PayoffNotZeroSum(TressetteAEC):
    """The declarer is paid twice."""

    def step(self, action):
        super().step(action)
        if self.game.to_act < 0 and action is not None and self.game.results:
            agent = self.possible_agents[int(self.game.states[0]["declarer"])]
            self._cumulative_rewards[agent] += self.rewards[agent]
            self.rewards[agent] *= 2


class MissingAgent(TressetteAEC):
    """The last seat is no agent: the environment plays its cards."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.possible_agents = self.possible_agents[:-1]

    def _select(self):
        while self.game.to_act == len(self.possible_agents):
            self.game.step(self.game.legal_actions()[0])
        super()._select()


class InfosTell(TressetteAEC):
    """The infos name the partner beside the mask."""

    def _select(self):
        super()._select()
        for agent in self.agents:
            self.infos[agent]["partner"] = int(self.game.states[0]["partner"])


HIDES = "observation hides others' cards"
ANNUL = {"preset": "chiamata", "annul": "below_one_point", "deck": "4c5c6c7cAc 4d5d6d7dAd 4s5s6s7sAs 4b5b6b7b3b"}
# Mutant -> what it is made with, and the check that catches it.
MUTANTS = {
    MaskLeak: ({}, "idle masks are zero"),
    ObservationLeak: ({}, HIDES),
    AliasedBuffers: ({}, "arrays are fresh"),
    IllegalAccepted: ({}, "illegal actions are refused"),
    RewardsTwice: ({}, "rewards"),
    SecondEpisodeUnseeded: ({}, "later episodes are seeded"),
    NeverEnds: ({}, "episode ends"),
    PartnerLeak: ({"rules": "chiamata"}, HIDES),
    PartnerPaidEarly: ({"rules": "chiamata", "reward": "trick"}, "rewards hide others' cards"),
    StockLeak: ({"rules": "due_pagat"}, HIDES),
    DrawLeak: ({"rules": "due"}, HIDES),
    MonteLeak: ({"rules": "a_tre"}, HIDES),
    DiscardLeak: ({"rules": "calabresella"}, HIDES),
    SilenceLeak: ({"rules": ANNUL | {"hand_size": 4}}, "information state hides others' cards"),
    PayoffNotZeroSum: ({"rules": "calabresella"}, "rewards sum to zero"),
    MissingAgent: ({"rules": "a_tre"}, "every seat is an agent"),
    InfosTell: ({"rules": "chiamata"}, "infos"),
}
