"""Our conformance suite: what an AEC card environment must keep, as checks over a factory of raw environments.

PettingZoo's own tests finish one episode and never look at an idle seat; these do. `run(factory)` raises
`ConformanceError` with the name of the first check that fails.
"""

import random

import numpy as np

MAX_PLIES_OF_A_DEAL = 120  # 40 plays, 32 declarations, 4 annul decisions, and room
EPISODES = 3


class ConformanceError(AssertionError):
    """A check that failed; `check` is its name."""

    def __init__(self, check, detail):
        super().__init__(f"{check}: {detail}")
        self.check = check


def need(condition, check, detail=""):
    if not condition:
        raise ConformanceError(check, detail)


def seat_of(agent):
    return int(agent.rsplit("_", 1)[1])


def play(env, rng, on_ply=None, limit=MAX_PLIES_OF_A_DEAL):
    """Play the episode under way with random legal actions; returns both readings of the rewards."""
    by_step = dict.fromkeys(env.possible_agents, 0.0)
    by_last = dict.fromkeys(env.possible_agents, 0.0)
    plies = 0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        by_last[agent] += reward
        if terminated or truncated:
            need(all(env.terminations[a] or env.truncations[a] for a in env.agents), "ends together", agent)
            env.step(None)
            continue
        need(plies < limit, "episode ends", f"{plies} plies and no end")
        if on_ply is not None:
            on_ply(plies)
        legal = np.flatnonzero(observation["action_mask"])
        need(legal.size, "mask of the seat to act", "no legal action")
        env.step(int(rng.choice(legal.tolist())))
        plies += 1
        for name, value in env.rewards.items():
            by_step[name] += value
        need(abs(sum(env.rewards.values())) < 1e-9, "rewards sum to zero", env.rewards)
    return by_step, by_last


def check_shapes(factory):
    """Spaces are one object, observations have two keys, right dtypes and lie in the space."""
    env = factory()
    env.reset(seed=1)
    name = "shapes"
    first = env.possible_agents[0]
    for agent in env.possible_agents:
        need(env.observation_space(agent) is env.observation_space(first), name, "observation space is not one object")
        need(env.action_space(agent) is env.action_space(first), name, "action space is not one object")

    def look(_):
        for agent in env.possible_agents:
            seen = env.observe(agent)
            need(list(seen) == ["observation", "action_mask"], name, list(seen))
            need(seen["action_mask"].dtype == np.int8 and seen["observation"].dtype == np.float32, name, "dtypes")
            need(env.observation_space(agent).contains(seen), name, f"{agent} outside its space")
        need(env.state_space.contains(env.state()), name, "state outside its space")

    play(env, random.Random(1), look)


def check_masks(factory):
    """Only the seat to act has a mask; infos hold the same; nothing else is in infos."""
    env = factory()
    env.reset(seed=2)

    def look(_):
        for agent in env.possible_agents:
            mask = env.observe(agent)["action_mask"]
            acts = agent == env.agent_selection
            need(mask.any() == acts, "idle masks are zero", f"{agent} has {mask.sum()} actions")
            need(list(env.infos[agent]) == ["action_mask"], "infos", list(env.infos[agent]))
            need((env.infos[agent]["action_mask"] == mask).all(), "infos", f"mask of {agent} differs")
        ids = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
        need(ids == env.legal_actions(), "mask of the seat to act", "differs from legal_actions()")

    play(env, random.Random(2), look)


def check_illegal(factory):
    """Every id outside the mask is refused and leaves the state untouched."""
    env = factory()
    env.reset(seed=3)
    name = "illegal actions are refused"

    def look(ply):
        if ply % 5:
            return
        before = env.get_state().tobytes()
        legal = set(env.legal_actions())
        for action in [-1, *range(env.action_space(env.agent_selection).n + 1)]:
            if action in legal:
                continue
            try:
                env.step(action)
            except ValueError:
                need(env.get_state().tobytes() == before, name, f"refusing {action} changed the state")
            else:
                need(False, name, f"{action} was accepted")

    play(env, random.Random(3), look)


def check_hidden(factory):
    """Exchange two hidden cards of two others: what a seat is shown stays the same byte for byte."""
    env, twin = factory(), factory()
    rng = random.Random(4)
    for seed in range(4):
        env.reset(seed=seed)
        history = []

        def look(ply, history=history):
            if ply % 3 == 0:
                _compare_twins(env, twin, history, rng)

        for _ in range(MAX_PLIES_OF_A_DEAL):
            if env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
                break
            look(len(history))
            text = rng.choice(env.legal_action_texts())
            history.append(text)
            env.step(env.text_to_action(text))
            if len(env.record()["deals"]) > 1:
                break  # the history of an abandoned deal belongs to other cards


def _compare_twins(env, twin, history, rng):
    record = env.record()
    hands = [hand.replace(" ", "") for hand in env.deal_text().partition(" / ")[0].split("|")]
    hands = [[hand[i : i + 2] for i in range(0, len(hand), 2)] for hand in hands]
    tail = env.deal_text().partition(" / ")[2]
    played = {text[:2] for text in history}
    for seat in range(len(hands)):
        one, two = rng.sample([other for other in range(len(hands)) if other != seat], 2)
        free = [[card for card in hands[other] if card not in played and card not in tail] for other in (one, two)]
        if not free[0] or not free[1]:
            continue
        mine, yours = rng.choice(free[0]), rng.choice(free[1])
        other_hands = [list(hand) for hand in hands]
        other_hands[one][other_hands[one].index(mine)] = yours
        other_hands[two][other_hands[two].index(yours)] = mine
        deal = " | ".join("".join(hand) for hand in other_hands) + (f" / {tail}" if tail else "")
        try:
            twin.reset(seed=0, options={"deal": deal, "dealer": record["deals"][-1]["dealer"], "history": history})
        except ValueError:
            continue  # the exchange breaks what the table has seen
        agent = env.possible_agents[seat]
        if (env.agent_selection == agent) != (twin.agent_selection == agent):
            continue  # another seat's private turn comes first; the next ply compares
        same = env.observe(agent)["observation"].tobytes() == twin.observe(agent)["observation"].tobytes()
        need(same, "observation hides others' cards", f"{agent} tells {mine} from {yours} after {history}")
        same = env.information_state_string(agent) == twin.information_state_string(agent)
        need(same, "observation hides others' cards", f"information state of {agent} after {history}")


def check_buffers(factory):
    """Arrays are fresh: nothing handed out changes later or shares memory with anything else handed out."""
    env = factory()
    env.reset(seed=5)
    name = "arrays are fresh"
    kept = []

    def look(_):
        for agent in env.possible_agents:
            first, second = env.observe(agent), env.observe(agent)
            arrays = [*first.values(), *second.values(), env.infos[agent]["action_mask"], env.state(), env.state()]
            for i, one in enumerate(arrays):
                for two in arrays[:i]:
                    need(not np.shares_memory(one, two), name, f"two arrays of {agent} share memory")
            kept.append((first, {key: value.copy() for key, value in first.items()}))
            second["action_mask"][:] = 1  # what a caller does to its own copy stays there
        mask = env.observe(env.agent_selection)["action_mask"]
        need(mask.sum() == len(env.legal_actions()), name, "mask was changed")

    play(env, random.Random(5), look)
    for now, then in kept:
        need(all((now[key] == then[key]).all() for key in now), name, "an old observation changed")


def check_observe_is_pure(factory):
    """Observing any seat changes nothing."""
    env = factory()
    env.reset(seed=6)

    def look(_):
        before = env.get_state().tobytes()
        for agent in env.possible_agents:
            env.observe(agent)
            env.information_state_string(agent)
        env.state()
        need(env.get_state().tobytes() == before, "observing is pure", "the state changed")

    play(env, random.Random(6), look)


def check_rewards(factory):
    """Both readings of the rewards agree and equal the difference of the points in the results."""
    env = factory()
    rng = random.Random(7)
    name = "rewards"
    for episode in range(EPISODES):
        env.reset(seed=7 + episode)
        by_step, by_last = play(env, rng)
        need(all(abs(by_step[a] - by_last[a]) < 1e-9 for a in by_step), name, f"{by_step} by step, {by_last} by last()")
        if not env.results:
            continue  # abandoned
        points = [sum(result["points"][side] for result in env.results) for side in (0, 1)]
        for agent in env.possible_agents:
            side = seat_of(agent) % 2
            due = points[side] - points[1 - side]
            need(abs(by_step[agent] - due) < 1e-9, name, f"{agent} got {by_step[agent]}, due {due}")


def check_seeding(factory):
    """Episodes after a seeded reset repeat, all differ, and global generators play no part."""
    runs = []
    for disturbance in (1, 2):
        env = factory()
        deals = []
        for episode in range(EPISODES):
            random.seed(disturbance * 100 + episode)
            np.random.seed(disturbance * 100 + episode)
            env.reset(seed=11 if episode == 0 else None)
            deals.append((env.deal_text(), env.agent_selection, env.observe("player_0")["observation"].tobytes()))
            play(env, random.Random(episode))
        runs.append(deals)
    need(runs[0] == runs[1], "later episodes are seeded", "two runs of one seed differ")
    need(len({deal for deal, _, _ in runs[0]}) == EPISODES, "later episodes are seeded", "a deal came twice")
    env = factory()
    env.reset(seed=12)
    need(env.deal_text() != runs[0][0][0], "later episodes are seeded", "two seeds give one deal")


CHECKS = (
    check_shapes,
    check_masks,
    check_illegal,
    check_hidden,
    check_buffers,
    check_observe_is_pure,
    check_rewards,
    check_seeding,
)


def run(factory):
    """Run every check on environments that `factory()` makes. Raises `ConformanceError`."""
    for check in CHECKS:
        check(factory)
