"""A run that begins with the actor of another: same weights, the critic learns first, a teacher that stays or fades."""

import json
import shutil

import pytest
import torch

from agents.checkpoint import latest, load_tensors
from agents.cli import train_main
from agents.ppo.trainer import Trainer

FLAGS = [
    "--env.rules", "mini_4p", "--hidden", "32", "--critic-hidden", "32", "--no-bf16", "--deals-per-iteration", "50",
    "--total-decisions", "800", "--eval-every", "0", "--eval-opponents", "random", "--final-eval-deals", "10",
    "--threads", "1",
]  # fmt: skip


@pytest.fixture
def first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert train_main([*FLAGS, "--name", "first"]) == 0
    return tmp_path / "runs" / "first"


def weights(file):
    return load_tensors(file, "tressette-policy-1")[0]


def test_while_the_critic_warms_up_the_actor_is_the_one_begun_with(first, tmp_path):
    assert train_main([*FLAGS, "--name", "second", "--init-from", "runs/first", "--critic-warmup", "2"]) == 0
    rows = [json.loads(line) for line in (tmp_path / "runs/second/metrics.jsonl").read_text().splitlines()]
    moved = [row["losses/kl"] for row in rows if "losses/kl" in row]
    assert len(moved) == 2
    assert moved == [0, 0]
    assert ["losses/policy_loss" in row for row in rows if "losses/value_loss" in row] == [False, False]
    begun, ended = weights(latest(first)), weights(latest(tmp_path / "runs/second"))
    assert all(torch.equal(begun[key], ended[key]) for key in begun)


def test_after_the_warmup_the_actor_learns(first, tmp_path):
    assert train_main([*FLAGS, "--name", "second", "--init-from", str(latest(first)), "--critic-warmup", "1"]) == 0
    begun, ended = weights(latest(first)), weights(latest(tmp_path / "runs/second"))
    assert not any(torch.equal(begun[key], ended[key]) for key in begun)


def test_a_teacher_stays_the_policy_begun_with(first, small, tmp_path):
    actor = weights(latest(first))
    config = small("mini_4p", init_from=str(first), magnet_kl=0.5, magnet_every=0, hidden=(32,))
    trainer = Trainer(config, tmp_path / "run")
    trainer.begin()
    for _ in range(3):
        trainer._iterate()
    magnet = trainer.learner.magnet.state_dict()
    assert all(torch.equal(actor[key], magnet[key]) for key in actor)
    assert not torch.equal(actor["0.weight"], trainer.learner.actor.state_dict()["0.weight"])


def test_a_teacher_that_fades_lets_go(small, tmp_path):
    """At the end of the run the weight is 0: the update is that of a run without a teacher."""

    def actor_after(**changes):
        trainer = Trainer(small(**changes), tmp_path)
        rollout = trainer._collect()
        trainer.learner.update(rollout, 1, 1.0)
        return trainer.learner.actor.state_dict()

    alone, fading = actor_after(), actor_after(magnet_kl=5.0, magnet_fades=True)
    assert all(torch.allclose(alone[key], fading[key], atol=1e-7) for key in alone)
    held = actor_after(magnet_kl=5.0)
    assert not all(torch.allclose(alone[key], held[key], atol=1e-7) for key in alone)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--hidden", "16"], "init_from = 'runs/first' has hidden [32], not [16]: set hidden to [32]"),
        (["--no-canonical-suits"], "has canonical_suits True, not False: set canonical_suits to True"),
        (["--env.rules", "mini_2p"], "was trained for the rules 'mini_4p' and does not fit 'mini_2p'"),
        (["--init-from", "runs/none"], "no checkpoint at 'runs/none'"),
    ],
)
def test_weights_that_do_not_fit_are_refused_before_a_folder_is_made(first, tmp_path, capsys, flags, says):
    assert train_main([*FLAGS, "--name", "second", "--init-from", "runs/first", *flags]) == 1
    assert says in capsys.readouterr().err
    assert not (tmp_path / "runs/second").exists()


def test_a_resumed_run_needs_the_first_no_more(first, tmp_path):
    assert train_main([*FLAGS, "--name", "second", "--init-from", "runs/first"]) == 0
    shutil.rmtree(first)
    assert train_main(["--resume", "runs/second", "--total-decisions", "1600"]) == 0
