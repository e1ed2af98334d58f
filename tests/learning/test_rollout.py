"""The tagged batch: every row of a rollout carries its own game, seat, action and reward through the whole update."""

import numpy as np
import pytest
import torch

from agents.features import actor_features
from agents.networks import masked_log_probs
from tressette_env.engine.batch import Batch
from tressette_env.engine.symmetry import canonical_perm, permute_action


@pytest.mark.parametrize("rules", ["tressette", "treseta_croatian", "bolognese", "briscola", "mini_4p"])
def test_rows_replayed_one_game_at_a_time_give_the_same_rewards_and_links(collected, rules):
    _, made, _, collector, rollout = collected(rules, deals_per_iteration=12)
    seeds = np.concatenate([batch.seeds for batch in collector.batches])
    for game in range(12):
        rows = np.flatnonzero(rollout.games == game)
        single = Batch(made, 1, seeds=seeds[game : game + 1], reward="trick")
        owed = np.zeros(len(rows))
        latest: dict[int, int] = {}
        links = np.full(len(rows), -1)
        at = 0
        while single.status[0] == 0:
            mask = single.masks()[0]
            legal = np.flatnonzero(mask)
            action = legal[0]
            if len(legal) > 1:
                row = rows[at]
                assert rollout.states[row].tobytes() == single.states[0].tobytes()
                seat = int(single.to_act[0])
                perm, inverse = np.empty(4, np.int64), np.empty(4, np.int64)
                canonical_perm(single.states[0]["dealt"][seat], perm, inverse)
                taken = int(rollout.legal[row, rollout.choices[row]])
                action = permute_action(taken, single.table[0], inverse)
                if seat in latest:
                    links[latest[seat]] = row
                latest[seat] = at
                at += 1
            paid = single.step(np.array([action]))[0]
            for seat, mine in latest.items():
                owed[mine] += paid[seat]
        assert at == len(rows)
        np.testing.assert_allclose(rollout.rewards[rows], owed, atol=1e-12)
        np.testing.assert_array_equal(rollout.successors[rows], links)


def test_every_row_is_the_acting_seats_observation_and_its_ratio_starts_at_one(collected):
    config, made, learner, _, rollout = collected()
    n = len(rollout.choices)
    obs = np.empty((n, rollout.observations.shape[1]), np.float32)
    mask = np.empty((n, made.blocks.num_actions), np.int8)
    actor_features(rollout.states, np.arange(n), learner.table, config.canonical_suits, obs, mask)
    np.testing.assert_array_equal(rollout.observations.numpy(), obs)
    for row in range(0, n, 17):
        listed = rollout.legal[row][rollout.valid[row]]
        np.testing.assert_array_equal(listed, np.flatnonzero(mask[row]))
    shuffled = torch.from_numpy(np.random.default_rng(0).permutation(n))
    with torch.no_grad():
        log_probs = masked_log_probs(learner.actor(rollout.observations[shuffled]), torch.from_numpy(mask)[shuffled])
    taken = rollout.legal.gather(1, rollout.choices[:, None])[shuffled]
    again = log_probs.gather(1, taken).squeeze(1)
    torch.testing.assert_close(again, rollout.log_probs[shuffled], atol=1e-5, rtol=1e-5)


def test_relabelled_suits_are_one_input(collected):
    from tressette_env.engine.symmetry import all_perms, permute_record

    config, made, learner, _, rollout = collected(deals_per_iteration=4)
    states = rollout.states[::7].copy()
    size, width = rollout.observations.shape[1], made.blocks.num_actions
    first = np.empty((len(states), size), np.float32)
    mask = np.empty((len(states), width), np.int8)
    actor_features(states, np.arange(len(states)), learner.table, True, first, mask)
    distinct = [len({(int(s["dealt"][s["to_act"]]) >> (10 * i)) & 1023 for i in range(4)}) == 4 for s in states]
    assert sum(distinct) > 10
    for perm in all_perms()[1:]:
        spun = states.copy()
        for i in range(len(spun)):
            permute_record(spun[i], learner.table[0], perm)
        again = np.empty_like(first)
        actor_features(spun, np.arange(len(states)), learner.table, True, again, mask)
        np.testing.assert_array_equal(again[distinct], first[distinct])


def test_pool_rows_are_left_out_of_the_actors_data(collected):
    import copy

    config, _, learner, collector, _ = collected()
    pool = copy.deepcopy(learner.actor)
    rollout = collector.collect(learner.actor, 1, 1, pool, 0.25)
    sides = rollout.states["side_of"][np.arange(len(rollout.states)), rollout.states["to_act"]]
    by_pool = (rollout.games % 4 == 3) & (sides == rollout.games // 4 % 2)
    np.testing.assert_array_equal(rollout.learner, ~by_pool)
    before = {k: v.clone() for k, v in pool.state_dict().items()}
    learner.update(rollout, 0, 0.0)
    for key, value in pool.state_dict().items():
        assert torch.equal(value, before[key]), "a pool member must stay frozen while the learner steps"
