"""TorchRL: its PettingZooWrapper, a masked policy for all seats, and PPO on whole deals played against itself.

    python -m examples.torchrl_pettingzoo
    python -m examples.torchrl_pettingzoo --rules mini_4p_12 --iterations 60

Prints what one rollout holds, a line per few iterations, and a duplicate match against the random bot. About half a
minute, nearly all of it in the wrapper (two milliseconds a step); needs the extras `agents` and `examples`.

What to know about the wrapper on turn-based games:

* `use_mask=True` is required: `("players", "mask")` is true for the one seat that acts. The actor is asked for all
  seats at every step and the wrapper drops what the idle ones answer, so keep their rows out of the policy's loss.
* For idle seats the wrapper turns the all-zero action mask into all ones, since a distribution without any action is
  none. Their actions mean nothing.
* `observe` is valid for any seat at any time, so idle rows hold true observations; rewards are those of the step, for
  every seat, so the sum over a deal is right for seats that do not act last too.
* `group_map` puts all seats into one group, whose tensors are (steps, seats, ...); without it every seat has its own.
* The wrapper warns that it is tested with PettingZoo 1.24.3; `check_env_specs` passes with the ones named here.
"""

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import torch
from tensordict import NestedKey, TensorDictBase
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from agents.checkpoint import NetworkPolicy
from agents.networks import mlp
from agents.run_config import check_deals, check_least, check_positive
from examples.command import match, read_rules, run_command
from tressette_env import tressette_v0
from tressette_env.rules import Rules

GROUP = "players"


@dataclass(frozen=True)
class Options:
    """Self-play PPO with TorchRL."""

    rules: str = "mini_4p"
    """Preset, YAML file or "{preset: tressette, target: 31}"."""
    seed: int = 1
    iterations: int = 30
    deals_per_iteration: int = 32
    epochs: int = 8
    learning_rate: float = 2e-3
    eval_deals: int = 1000
    """Duplicate deals against the random bot."""

    def check(self) -> None:
        """Raise ``TressetteError`` at the first value out of range."""
        read_rules(self.rules)
        check_least(self, 0, ("seed",))
        check_least(self, 1, ("iterations", "deals_per_iteration", "epochs"))
        check_positive(self, ("learning_rate",))
        check_deals(self, "eval_deals")


def make_env(rules: Rules, seed: int) -> PettingZooWrapper:
    """Return the game with all seats in one group; the raw environment raises at an action that is not legal."""
    raw = tressette_v0.raw_env(rules)
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # see above
        env = PettingZooWrapper(raw, use_mask=True, group_map={GROUP: raw.possible_agents})
    env.set_seed(seed)
    return env


def actor_of(net: nn.Module, *group: str) -> ProbabilisticActor:
    """Return the policy over the keys of a group, or without one over the same keys at the top."""

    def key(*names: str) -> NestedKey:
        path = (*group, *names)
        return path if len(path) > 1 else path[0]

    return ProbabilisticActor(
        TensorDictModule(net, in_keys=[key("observation", "observation")], out_keys=[key("logits")]),
        in_keys={"logits": key("logits"), "mask": key("action_mask")},
        out_keys=[key("action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=key("action_log_prob"),
    )


def critic_of(net: nn.Module, *group: str) -> TensorDictModule:
    """Return the critic over the same keys as ``actor_of``."""
    value = (*group, "state_value") if group else "state_value"
    return TensorDictModule(net, in_keys=[(*group, "observation", "observation")], out_keys=[value])


def make_gae(critic_net: nn.Module) -> GAE:
    """Return the estimator of advantages for every seat at every step of whole deals.

    Lambda is 1, so that only values of the deciding seats count: those of idle seats are never trained.
    """
    gae = GAE(gamma=1.0, lmbda=1.0, value_network=critic_of(critic_net, GROUP))
    names = ("advantage", "value_target", "reward", "done", "terminated")
    gae.set_keys(value=(GROUP, "state_value"), **{name: (GROUP, name) for name in names})
    return gae


def decisions(deals: TensorDictBase) -> TensorDictBase:
    """Return the rows of the seats that acted, batch size (N,), from whole deals (steps,)."""
    return deals[GROUP][deals[GROUP, "mask"]]


def shapes(deals: TensorDictBase) -> str:
    """Return the tensors of the group, one a line, with their shapes."""
    leaves = deals[GROUP].flatten_keys(".").items()
    return "\n".join(f"  {name:24} {x.dtype!s:14} {tuple(x.shape)}" for name, x in sorted(leaves, key=itemgetter(0)))


def run(options: Options) -> None:
    """Train and print how far ahead of the random bot the policy is."""
    rules = read_rules(options.rules)
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # networks this small lose more time between threads than they gain
    env = make_env(rules, options.seed)
    size = env.observation_spec[GROUP, "observation", "observation"].shape[-1]
    actor_net = mlp(size, (64, 64), env.full_action_spec[GROUP, "action"].space.n, 0.01)
    critic_net = mlp(size, (64, 64), 1, 1.0)
    player, gae = actor_of(actor_net, GROUP), make_gae(critic_net)
    loss = ClipPPOLoss(actor_of(actor_net), critic_of(critic_net), entropy_coeff=0.01, normalize_advantage=True)
    loss.set_keys(sample_log_prob="action_log_prob", value="state_value")
    optimiser = torch.optim.Adam(loss.parameters(), lr=options.learning_rate)
    for iteration in range(options.iterations):
        with torch.no_grad():
            played = [env.rollout(1000, player) for _ in range(options.deals_per_iteration)]  # each to its end
            if iteration == 0:
                print(f"a rollout of one deal, {len(played[0])} steps:\n{shapes(played[0])}")
            rows = decisions(torch.cat([gae(deal) for deal in played]))
        for _ in range(options.epochs):
            parts = loss(rows)
            optimiser.zero_grad()
            sum(parts[name] for name in ("loss_objective", "loss_critic", "loss_entropy")).backward()
            optimiser.step()
        if (iteration + 1) % 10 == 0:
            print(f"iteration {iteration + 1}: entropy {parts['entropy']:.3f}, value loss {parts['loss_critic']:.3f}")
    policy = NetworkPolicy(actor_net, rules, "torchrl", canonical=False)
    print(match(policy, "random", rules, options.eval_deals, options.seed))


def main(args: Sequence[str] | None = None) -> int:
    """Run the example and return its exit code."""
    return run_command("torchrl_pettingzoo", Options, run, args)


if __name__ == "__main__":
    sys.exit(main())
