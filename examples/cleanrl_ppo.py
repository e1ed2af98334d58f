"""PPO by self-play in one file, after CleanRL's (Huang et al. 2022): one network plays all seats of many AEC games.

Reads from top to bottom. What a card game for several seats asks for, beside CleanRL's own loop:

* masks: illegal actions get no probability, when playing and when learning;
* a seat's next decision comes several plies later, after the others have acted, so rewards and advantages run along
  each seat's own decisions (`play_deals`, `successors`);
* an iteration is whole deals, so that nothing is cut off and every chain ends with what the seat was paid.

    python -m examples.cleanrl_ppo                                        # a toy for four, about half a minute
    python -m examples.cleanrl_ppo --rules tressette --total-timesteps 500000
    python evaluate.py runs/RUN heuristic random                          # the folder that was printed
    tensorboard --logdir runs

Prints a line per evaluation and, at the end, a duplicate match against the random bot. Writes a folder
`runs/RULES__cleanrl_ppo__SEED__TIME` with TensorBoard events (`charts/`, `losses/`) and a checkpoint that evaluate.py
and the environments can play. Needs the extra `agents`.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from pettingzoo import AECEnv
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

from agents.checkpoint import NetworkPolicy, save_policy
from agents.networks import entropy, masked_log_probs, mlp, sample
from agents.returns import gae
from agents.run_config import check_deals, check_least, check_positive, check_shares, check_widths
from examples.command import match, read_rules, run_command
from tressette_env import tressette_v0
from tressette_env.rules import Rules


@dataclass(frozen=True)
class Args:
    """Self-play PPO in one file; the names are CleanRL's."""

    rules: str = "mini_4p_12"
    """Preset, YAML file or "{preset: tressette, target: 31}"."""
    seed: int = 1
    total_timesteps: int = 100_000
    """Decisions of all seats together; the deals under way are played out."""
    learning_rate: float = 1e-3
    anneal_lr: bool = True
    """Let the learning rate fall to zero."""
    num_envs: int = 64
    """Games in lock step, one deal of each per iteration."""
    gae_lambda: float = 0.95
    minibatch_size: int = 512
    update_epochs: int = 4
    clip_coef: float = 0.2
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    hidden: tuple[int, ...] = (128, 128)
    """Widths of the layers of both networks."""
    eval_every: int = 25
    """Iterations between two evaluations."""
    eval_deals: int = 400
    """Duplicate deals of an evaluation against the random bot."""

    def check(self) -> None:
        """Raise ``TressetteError`` at the first value out of range."""
        read_rules(self.rules)
        check_least(self, 0, ("seed", "ent_coef", "vf_coef"))
        check_least(self, 1, ("total_timesteps", "num_envs", "minibatch_size", "update_epochs", "eval_every"))
        check_positive(self, ("learning_rate", "max_grad_norm", "clip_coef"))
        check_shares(self, ("gae_lambda",))
        check_deals(self, "eval_deals")
        check_widths(self, ("hidden",))


class Agent(nn.Module):
    """The actor and the critic, two networks over the observation."""

    def __init__(self, rules: Rules, hidden: tuple[int, ...]) -> None:
        super().__init__()
        env = tressette_v0.raw_env(rules)
        size = env.observation_space("player_0")["observation"].shape[0]
        self.actor = mlp(size, hidden, int(env.action_space("player_0").n), 0.01)
        self.critic = mlp(size, hidden, 1, 1.0)


@dataclass(frozen=True)
class Batch:
    """The N decisions of an iteration in the order they were made: tensors, arrays where only numpy reads them."""

    observations: Tensor  # float32 (N, F)
    masks: Tensor  # int8 (N, A)
    actions: Tensor  # int64 (N,)
    log_probs: Tensor  # float32 (N,)
    values: np.ndarray  # float32 (N,)
    rewards: np.ndarray  # float32 (N,): what the seat got until its next decision or the end
    successors: np.ndarray  # int64 (N,): the same seat's next decision, -1 after its last one


def make_envs(rules: Rules, args: Args) -> list[AECEnv]:
    """Return the environments, each with a seed of its own; later resets go on with the next deals of that seed."""
    envs = [tressette_v0.raw_env(rules) for _ in range(args.num_envs)]
    for e, env in enumerate(envs):
        env.reset(seed=args.seed * args.num_envs + e)
    return envs


@torch.no_grad()
def play_deals(envs: Sequence[AECEnv], agent: Agent, reward_scale: float) -> Batch:
    """Play one deal in every environment, all seats by the agent, and return the decisions."""
    rewards: list[float] = []
    successors: list[int] = []
    latest: list[dict[str, int]] = [{} for _ in envs]  # of every seat: its last decision
    steps = []
    for env in envs:
        env.reset()
    running = list(range(len(envs)))
    while running:
        shown = []
        for e in running:
            seat = envs[e].agent_selection
            observation, reward, *_ = envs[e].last()
            if seat in latest[e]:
                rewards[latest[e][seat]] = reward * reward_scale
                successors[latest[e][seat]] = len(rewards)
            latest[e][seat] = len(rewards)
            rewards.append(0.0)
            successors.append(-1)
            shown.append((observation["observation"], observation["action_mask"]))
        observations, masks = (torch.from_numpy(np.stack(column)) for column in zip(*shown, strict=True))
        log_probs = masked_log_probs(agent.actor(observations), masks)
        actions = sample(log_probs, torch.rand(log_probs.shape))
        picked = log_probs.gather(1, actions[:, None])[:, 0]
        steps.append((observations, masks, actions, picked, agent.critic(observations)[:, 0]))
        for e, action in zip(running, actions.tolist(), strict=True):
            envs[e].step(action)
        for e in running:
            _end_deal(envs[e], latest[e], rewards, reward_scale)
        running = [e for e in running if envs[e].agents]
    *tensors, values = (torch.cat(column) for column in zip(*steps, strict=True))
    return Batch(*tensors, values.numpy(), np.array(rewards, np.float32), np.array(successors))


def _end_deal(env: AECEnv, latest: dict[str, int], rewards: list[float], reward_scale: float) -> None:
    """Where the deal is over, book what each seat was paid since its last decision; all seats end at once."""
    while env.agents and (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
        seat = env.agent_selection
        if seat in latest:  # a seat may be paid without having decided anything
            rewards[latest[seat]] = env.last(observe=False)[1] * reward_scale
        env.step(None)


def update(batch: Batch, agent: Agent, optimizer: torch.optim.Optimizer, args: Args) -> dict[str, float]:
    """Learn from an iteration's decisions; return means over the minibatches by their TensorBoard tags."""
    advantages = np.empty_like(batch.values)
    gae(batch.rewards, batch.values, batch.successors, 1.0, args.gae_lambda, advantages)
    targets, gains = torch.from_numpy(advantages + batch.values), torch.from_numpy(advantages)
    logged = []
    for _ in range(args.update_epochs):
        for rows in torch.randperm(len(gains)).split(args.minibatch_size):
            log_probs = masked_log_probs(agent.actor(batch.observations[rows]), batch.masks[rows])
            log_ratio = log_probs.gather(1, batch.actions[rows, None])[:, 0] - batch.log_probs[rows]
            ratio = log_ratio.exp()
            gain = (gains[rows] - gains[rows].mean()) / (gains[rows].std(correction=0) + 1e-8)
            clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            policy_loss = -torch.minimum(ratio * gain, clipped * gain).mean()
            value_loss = 0.5 * (agent.critic(batch.observations[rows])[:, 0] - targets[rows]).square().mean()
            spread = entropy(log_probs).mean()
            optimizer.zero_grad()
            (policy_loss - args.ent_coef * spread + args.vf_coef * value_loss).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
            optimizer.step()
            outside = ((ratio - 1).abs() > args.clip_coef).float().mean()
            logged.append((policy_loss, value_loss, spread, (ratio - 1 - log_ratio).mean(), outside))
    means = torch.tensor([[value.item() for value in row] for row in logged]).mean(0).tolist()
    tags = ("policy_loss", "value_loss", "entropy", "approx_kl", "clipfrac")
    unexplained = float(np.var(advantages) / max(float(np.var(advantages + batch.values)), 1e-12))
    return {f"losses/{tag}": mean for tag, mean in zip(tags, means, strict=True)} | {
        "losses/explained_variance": 1 - unexplained
    }


def train(args: Args) -> None:
    """Train, log, save, and print how far ahead of the random bot the agent is."""
    rules = read_rules(args.rules)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # networks this small lose more time between threads than they gain
    agent = Agent(rules, args.hidden)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    player = NetworkPolicy(agent.actor, rules, "cleanrl_ppo", canonical=False)
    envs = make_envs(rules, args)
    folder = Path("runs") / f"{rules.name.strip('*')}__cleanrl_ppo__{args.seed}__{int(time.time())}"
    iteration = timesteps = 0
    start = time.perf_counter()
    with SummaryWriter(str(folder)) as writer:
        writer.add_text("hyperparameters", "\n".join(f"    {name}: {value}" for name, value in asdict(args).items()))
        while timesteps < args.total_timesteps:
            rate = args.learning_rate * (1 - timesteps / args.total_timesteps if args.anneal_lr else 1)
            optimizer.param_groups[0]["lr"] = rate
            batch = play_deals(envs, agent, 1 / rules.whole_total)
            logged = update(batch, agent, optimizer, args)
            iteration, timesteps = iteration + 1, timesteps + len(batch.values)
            logged["charts/learning_rate"] = rate
            logged["charts/SPS"] = timesteps / (time.perf_counter() - start)
            for tag, value in logged.items():
                writer.add_scalar(tag, value, timesteps)
            if iteration % args.eval_every == 0:
                line = match(player, "random", rules, args.eval_deals, args.seed)
                print(f"{timesteps:9,} decisions, {logged['charts/SPS']:6.0f} a second: {line}", flush=True)
    about = {"rules": rules.to_dict(), "hidden": list(args.hidden), "canonical_suits": False, "decisions": timesteps}
    save_policy(folder / "checkpoints" / f"step_{timesteps:012d}.safetensors", agent.actor, about)
    print(f"saved in {folder}\n{match(player, 'random', rules, 2000, args.seed + 1)}")


def main(args: Sequence[str] | None = None) -> int:
    """Run the example and return its exit code."""
    return run_command("cleanrl_ppo", Args, train, args)


if __name__ == "__main__":
    sys.exit(main())
