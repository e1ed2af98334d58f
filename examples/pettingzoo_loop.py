"""The plain PettingZoo loop: a hand-written policy and a random one, every deal twice with the seats changed.

Shows `agent_iter`, `last`, the action mask, how to read an observation by the names of its sections, how to get the
same deal again, and drawing the table.

    python -m examples.pettingzoo_loop
    python -m examples.pettingzoo_loop --rules due --deals 500 --seed 3

Prints the mean points a deal of the hand-written policy's seats with a 95 % interval, then the last deal, all hands
open. About ten seconds; needs the environment and the extra `agents` (for the flags and the interval).
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from pettingzoo import AECEnv

from agents.results import interval
from agents.run_config import check_deals, check_least
from examples.command import read_rules, run_command
from tressette_env import tressette_v0
from tressette_env.cards import NUM_CARDS, NUM_RANKS
from tressette_env.observation import describe, globals_, planes
from tressette_env.rules import Rules

Choose = Callable[[np.ndarray, np.ndarray], int]  # (observation float32 (F,), action mask int8 (A,)) -> action id


@dataclass(frozen=True)
class Options:
    """A hand-written policy against a random one."""

    rules: str = "tressette"
    """Preset, YAML file or "{preset: tressette, target: 31}"."""
    deals: int = 200
    """Deals, each played twice."""
    seed: int = 1
    """Seed of the deals and of the random policy."""

    def check(self) -> None:
        """Raise ``TressetteError`` at the first value out of range."""
        read_rules(self.rules)
        check_deals(self, "deals")
        check_least(self, 0, ("seed",))


def random_policy(seed: int) -> Choose:
    """Return a policy that plays any legal action."""
    rng = np.random.default_rng(seed)
    return lambda observation, action_mask: int(rng.choice(np.flatnonzero(action_mask)))


def careful_policy(rules: Rules) -> Choose:
    """Return a policy that looks at one trick at a time and never signals.

    Where most points win it leads a card that nothing left can beat and takes a trick as cheaply as it can, else it
    plays low; where fewest points win it leads low and throws its strongest card that does not take the trick. Before
    play it takes the first legal id: it declares what it may and passes every auction.
    """
    where = {section.name: section.where for section in describe(rules)}

    def strength(card: int) -> int:
        return card % NUM_RANKS

    def choose(observation: np.ndarray, action_mask: np.ndarray) -> int:
        playable = np.flatnonzero(action_mask[:NUM_CARDS])  # the first ids are cards played without a signal
        if not playable.size:
            return int(action_mask.argmax())
        leads = not globals_(observation)[where["winning"]].any()
        strong = planes(observation)[..., where["master" if leads else "beats"]].reshape(NUM_CARDS)[playable] == 1
        wanted = strong if rules.objective == "max" else ~strong
        cards = playable[wanted] if wanted.any() else playable
        return int(min(cards, key=strength) if rules.objective == "max" or leads else max(cards, key=strength))

    return choose


def play_deal(env: AECEnv, seats: Sequence[Choose], deal: str, dealer: int) -> np.ndarray:
    """Play one deal and return what each seat was paid, float64 (seats,)."""
    env.reset(options={"deal": deal, "dealer": dealer})
    paid = np.zeros(len(seats))
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        seat = env.possible_agents.index(agent)
        paid[seat] += reward
        if terminated or truncated:
            env.step(None)  # every seat is selected once more to be told, and takes no action
        else:
            env.step(seats[seat](observation["observation"], observation["action_mask"]))
    return paid


def run(options: Options) -> None:
    """Play the deals and print what came of them."""
    rules = read_rules(options.rules)
    env = tressette_v0.env(rules, render_mode="ansi")
    careful, chance = careful_policy(rules), random_policy(options.seed)
    margins = []
    env.reset(seed=options.seed)
    for k in range(options.deals):
        deal, dealer = env.unwrapped.deal_text(), k % rules.num_seats
        rooms = []
        for first in (0, 1):  # the hand-written policy at every other seat, from seat 0 and then from seat 1
            own = np.arange(rules.num_seats) % 2 == first
            paid = play_deal(env, [careful if mine else chance for mine in own], deal, dealer)
            rooms.append(paid[own].mean() - paid[~own].mean())
        margins.append(np.mean(rooms) / 2)  # rewards sum to zero: half the difference is the points ahead
        last = env.render()
        env.reset()  # the next deal of the seed
    low, high = interval(np.array(margins))
    print(
        f"careful against random: {np.mean(margins):+.2f} points a deal, 95 % interval {low:+.2f} to {high:+.2f}, "
        f"{options.deals} duplicate deals of {rules.name}"
    )
    print(last)


def main(args: Sequence[str] | None = None) -> int:
    """Run the example and return its exit code."""
    return run_command("pettingzoo_loop", Options, run, args)


if __name__ == "__main__":
    sys.exit(main())
