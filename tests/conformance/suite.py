"""Our conformance suite: what an AEC card environment must keep, as checks over a factory of raw environments.

PettingZoo's own tests finish one episode and never look at an idle seat; these do. `run(factory)` raises
`ConformanceError` with the name of the first check that fails. What a seat may know is judged by the slow reference.
"""

import random

import numpy as np
from engine_support import choose_text
from twins import Past, exchange, twin_of

MAX_PLIES = 200  # of an episode of one deal: abandoned deals, 40 plays, 32 declarations, and room
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


def equal_sides(rules):
    """Whether every side has as many seats as the others, so that the rewards of all seats sum to zero."""
    return rules.auction != "none" or len({rules.sides.count(side) for side in rules.sides}) == 1


def due_to(env, seat):
    """What the episode is worth to a seat, from its results alone (rules, section 7)."""
    rules, totals = env.rules, env.results[-1]["totals"]
    if rules.auction != "none":
        return totals[seat]
    sign = -1 if rules.objective == "min" else 1
    own = rules.sides[seat]
    others = [sign * total for side, total in enumerate(totals) if side != own]
    return sign * totals[own] - sum(others) / len(others)


def play(env, rng, on_ply=None, limit=MAX_PLIES):
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
        env.step(env.text_to_action(choose_text([env.action_to_text(action) for action in legal], rng, 0.2)))
        plies += 1
        for name, value in env.rewards.items():
            by_step[name] += value
        zero = abs(sum(env.rewards.values())) < 1e-9 or not equal_sides(env.rules)
        need(zero, "rewards sum to zero", env.rewards)
    return by_step, by_last


def check_agents(factory):
    """There is an agent for every seat that the deal names, each is asked, and all live to the end."""
    env = factory()
    env.reset(seed=0)
    name = "every seat is an agent"
    hands = env.deal_text().partition(" / ")[0].split(" | ")
    need(env.possible_agents == [f"player_{seat}" for seat in range(len(hands))], name, env.possible_agents)
    need(len(hands) == env.rules.num_seats, name, f"{len(hands)} hands")
    asked = set()

    def look(_):
        need(env.agents == env.possible_agents, name, env.agents)
        for kept in (env.rewards, env.terminations, env.truncations, env.infos):
            need(list(kept) == env.possible_agents, name, list(kept))
        asked.add(env.agent_selection)

    for seed in range(EPISODES):
        env.reset(seed=seed)
        play(env, random.Random(seed), look)
    need(asked == set(env.possible_agents), name, f"only {sorted(asked)} were asked")


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


def check_hidden(factory, deals=24):
    """Exchange cards that a seat does not know, where the reference says that it cannot tell: it is shown the same."""
    env, twin = factory(), factory()
    rng = random.Random(4)
    for seed in range(deals):
        env.reset(seed=seed)
        past = past_of(env)
        paid = dict.fromkeys(env.possible_agents, 0.0)
        while env.game.to_act >= 0 and len(env.record()["deals"]) == 1:  # a redeal has its own hidden cards
            if len(past.actions) % 3 == seed % 3:
                _compare_twins(env, twin, past, paid, rng)
            text = choose_text(env.legal_action_texts(), rng)
            past.actions.append((seat_of(env.agent_selection), text))
            env.step(env.text_to_action(text))
            for agent, reward in env.rewards.items():
                paid[agent] += reward


def past_of(env):
    """The deal under way in the form of the reference, nothing done yet."""
    body, *tails = env.deal_text().split(" / ")
    parts = dict(tail.split(" ", 1) for tail in tails)
    deal = {"hands": [sorted(_cards(hand)) for hand in body.split("|")]}
    deal |= {part: _cards(parts.get(part, "")) for part in ("stock", "monte")}
    if "trump" in parts:
        deal["trump_card"] = parts["trump"].strip()
    return Past(env.rules, deal, env.record()["deals"][-1]["dealer"], [])


def _cards(text):
    text = text.replace(" ", "")
    return [text[i : i + 2] for i in range(0, len(text), 2)]


def deal_text(deal):
    text = " | ".join("".join(hand) for hand in deal["hands"])
    for part in ("stock", "monte"):
        text += f" / {part} {' '.join(deal[part])}" if deal[part] else ""
    return text + (f" / trump {deal['trump_card']}" if "trump_card" in deal else "")


def _compare_twins(env, twin, past, paid, rng):
    game = past.reference()
    seat = rng.randrange(len(env.possible_agents))
    other = twin_of(past, game, seat, exchange(past, game, seat, rng, rng.choice((2, 4, 40))))
    if other is None:
        return
    twin.reset(seed=0, options={"deal": deal_text(other.deal), "dealer": other.dealer})
    also_paid = dict.fromkeys(paid, 0.0)
    for _, text in other.actions:
        twin.step(twin.text_to_action(text))
        for agent, reward in twin.rewards.items():
            also_paid[agent] += reward
    agent = env.possible_agents[seat]
    where = f"{agent} tells {past} from {other}"
    for part, value in env.observe(agent).items():
        same = value.tobytes() == twin.observe(agent)[part].tobytes()
        need(same, "observation hides others' cards", f"{part}: {where}")
    same = env.information_state_string(agent) == twin.information_state_string(agent)
    need(same, "information state hides others' cards", where)
    same = all(abs(paid[name] - also_paid[name]) < 1e-9 for name in paid)
    need(same, "rewards hide others' cards", f"{paid}, {also_paid}: {where}")


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
        for agent in env.possible_agents:
            due = due_to(env, seat_of(agent))
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
    check_agents,
    check_shapes,
    check_masks,
    check_illegal,
    check_buffers,
    check_observe_is_pure,
    check_rewards,
    check_seeding,
)


def run(factory, deals=24):
    """Run every check on environments that `factory()` makes. Raises `ConformanceError`.

    `deals`: how many deals hidden cards are exchanged in.
    """
    for check in CHECKS:
        check(factory)
    check_hidden(factory, deals)
