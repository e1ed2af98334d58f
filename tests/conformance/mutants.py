"""Seven planted defects that PettingZoo's api_test and seed_test let through; our suite must catch each."""

import secrets

from tressette_env.envs.aec import TressetteAEC


class MaskLeak(TressetteAEC):
    """The mask of the seat to act is shown to every seat."""

    def observe(self, agent):
        return super().observe(agent) | {"action_mask": self.game.mask.copy()}


class ObservationLeak(TressetteAEC):
    """The last number of an observation depends on the hand of the next seat."""

    def observe(self, agent):
        seen = super().observe(agent)
        held = int(self.game.states[0]["hands"][(self._seat_of[agent] + 1) % 4])
        seen["observation"][-1] = float(held % 7 == 0)
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


MUTANTS = {
    MaskLeak: "idle masks are zero",
    ObservationLeak: "observation hides others' cards",
    AliasedBuffers: "arrays are fresh",
    IllegalAccepted: "illegal actions are refused",
    RewardsTwice: "rewards",
    SecondEpisodeUnseeded: "later episodes are seeded",
    NeverEnds: "episode ends",
}
