"""Training end to end on small budgets: resume, learning, saving, failures."""

import errno
import json
import math
import os
import re

import numpy as np
import pytest
import torch

from agents.checkpoint import CheckpointError, latest, load_policy, write_atomic
from agents.cli import train_main
from agents.ppo.trainer import Trainer
from agents.runlog import TAGS, Progress, RunLog
from agents.training import TrainingError
from tressette_env.presets import preset


def train(config, folder, resume=False):
    trainer = Trainer(config, folder)
    if resume:
        trainer.resume()
    folder.mkdir(exist_ok=True)
    log = RunLog(folder, trainer.decisions)
    trainer.train(log, Progress(config.total_decisions, 0))
    log.close()
    return trainer


def weights(trainer):
    return {
        k: v.clone() for net in (trainer.learner.actor, trainer.learner.critic) for k, v in net.state_dict().items()
    }


@pytest.mark.parametrize("changes", [{}, {"pool_size": 2, "pool_every": 2}, {"magnet_kl": 0.2, "magnet_every": 2}])
def test_a_resumed_run_equals_an_uninterrupted_one_bit_for_bit(small, tmp_path, changes):
    config = small(total_decisions=12_000, checkpoint_every=1, threads=2, **changes)
    whole = train(config, tmp_path / "whole")
    half = Trainer(config, tmp_path / "half")
    for _ in range(3):
        half._iterate()
    half.save()
    again = train(config, tmp_path / "half", resume=True)
    assert again.iteration == whole.iteration > 4
    assert again.decisions == whole.decisions
    for key, value in weights(whole).items():
        assert torch.equal(value, weights(again)[key]), key
    for name in ("actor_optimiser", "critic_optimiser"):
        one, two = (t.learner.state_dict()[name]["state"] for t in (whole, again))
        assert all(torch.equal(one[i][k], two[i][k]) for i in one for k in one[i])
    assert whole.learner.scale == again.learner.scale


def test_a_strong_magnet_holds_the_policy(small, tmp_path):
    """Pulled hard, the policy stays where it began; the magnet moves to it only when its time comes."""
    moved = {}
    for weight in (0.0, 1000.0):
        trainer = Trainer(small(magnet_kl=weight, magnet_every=3, target_kl=0.0, epochs=4), tmp_path)
        logs = [trainer._iterate() for _ in range(2)]
        moved[weight] = sum(log["losses/kl"] for log in logs)
        assert ("losses/magnet_kl" in logs[0]) == (weight > 0)
    assert moved[1000.0] < 0.1 * moved[0.0]
    before = {k: v.clone() for k, v in trainer.learner.magnet.state_dict().items()}
    assert any(not torch.equal(v, trainer.learner.actor.state_dict()[k]) for k, v in before.items())
    trainer._iterate()  # the third
    for key, value in trainer.learner.magnet.state_dict().items():
        assert torch.equal(value, trainer.learner.actor.state_dict()[key]), key


def test_exact_measures_of_a_toy(small, tmp_path):
    config = small("mini_2p", eval_exact=True, total_decisions=2000, eval_every=1000)
    trainer = train(config, tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    found = [row["eval/exploitability"] for row in rows if "eval/exploitability" in row]
    assert len(found) >= 1 and all(0 < value < 2 for value in found)
    assert trainer.evaluate(4, 1)["eval/exploitability"] > 0
    assert "eval/exploitability" not in Trainer(small("mini_2p"), tmp_path).evaluate(4, 1)


def test_one_and_two_threads_learn_the_same(small, tmp_path):
    one = train(small(threads=1), tmp_path / "one")
    two = train(small(threads=2), tmp_path / "two")
    for key, value in weights(one).items():
        assert torch.equal(value, weights(two)[key]), key


def test_a_two_card_toy_is_learned_in_seconds(small, tmp_path):
    """With two cards each, who leads should lead what wins and feed a partner: above random after 60 k decisions."""
    rates = {"learning_rate": 3e-3, "entropy": 0.01, "final_entropy": 0.001}
    config = small("mini_4p", total_decisions=60_000, deals_per_iteration=256, **rates)
    trainer = Trainer(config, tmp_path)
    before = trainer.evaluate(1000, 1)
    trainer.train(RunLog(tmp_path, 0), Progress(1, 0))
    after = trainer.evaluate(1000, 1)
    assert after["eval/random_points"] - after["eval/random_ci95"] > 0.1
    assert after["eval/random_points"] > before["eval/random_points"] + 0.1


def test_reloaded_policy_plays_the_same_and_tags_are_documented(small, tmp_path):

    trainer = train(small(), tmp_path)
    loaded = load_policy(tmp_path, trainer.rules)
    assert len(loaded.hash) == 12
    views = trainer.collector.collect(trainer.learner.actor, 9, 0).states
    keys = np.arange(len(views), dtype=np.uint64)
    table = trainer.rules.table()
    np.testing.assert_array_equal(loaded.actions(views, table, keys), trainer.policy().actions(views, table, keys))
    results = trainer.evaluate(5, 1)
    documented = {
        re.sub("(busso|volo|striscio)_rate", "<signal>_rate", tag.replace("random", "<bot>")) for tag in results
    }
    assert documented <= set(TAGS)
    logged = {tag for line in (tmp_path / "metrics.jsonl").read_text().splitlines() for tag in json.loads(line)}
    assert logged - {"decisions"} <= set(TAGS), "every logged tag is documented in TAGS"


def test_sampled_actions_follow_the_policy(small, tmp_path):
    trainer = train(small(), tmp_path)
    loaded = load_policy(tmp_path, trainer.rules, greedy=False)
    view = trainer.collector.collect(trainer.learner.actor, 9, 0).states[:1]
    many = np.repeat(view, 20_000)
    keys = np.random.default_rng(0).integers(0, 2**63, 20_000).astype(np.uint64)
    chosen = loaded.actions(many, trainer.rules.table(), keys)
    share = np.sort(np.bincount(chosen, minlength=168) / 20_000)
    expected = np.sort(loaded.log_probs(view, trainer.rules.table())[0].exp().numpy())
    np.testing.assert_allclose(share, expected, atol=0.012)


# ---------------------------------------------------------------- failures
def test_nan_stops_with_the_last_good_state_saved(small, tmp_path, monkeypatch):
    config = small()
    trainer = Trainer(config, tmp_path)
    trainer._iterate()
    good = weights(trainer)
    update = trainer.learner.update

    def poisoned(*args, **keywords):
        logs = update(*args)
        return logs | {"losses/policy_loss": math.nan}

    monkeypatch.setattr(trainer.learner, "update", poisoned)
    with pytest.raises(TrainingError, match="policy_loss became NaN.*lower learning_rate"):
        trainer._iterate()
    again = Trainer(config, tmp_path)
    again.resume()
    assert again.iteration == 1
    for key, value in good.items():
        assert torch.equal(value, weights(again)[key])


def test_full_disk_while_saving_keeps_the_last_good_checkpoint(small, tmp_path, monkeypatch):
    trainer = train(small(), tmp_path)
    kept = latest(tmp_path).read_bytes()
    trainer.decisions += 1

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match="No space left on device.*intact"):
        trainer.save()
    assert latest(tmp_path).read_bytes() == kept
    assert not [p for p in (tmp_path / "checkpoints").iterdir() if p.name.startswith(".")], "no half-written file stays"


def test_a_run_killed_while_saving_resumes_from_the_checkpoint_before(small, tmp_path):
    config = small(checkpoint_every=1, total_decisions=6_000)
    trainer = train(config, tmp_path)
    newest = sorted((tmp_path / "checkpoints").glob("step_*.trainer"))
    assert len(newest) > 1
    newest[-1].write_bytes(newest[-1].read_bytes()[:1000])
    again = Trainer(config, tmp_path)
    again.resume()
    assert 0 < again.decisions < trainer.decisions


def test_write_atomic_replaces_whole_files(tmp_path):
    write_atomic(tmp_path / "a", b"one")
    write_atomic(tmp_path / "a", b"two")
    assert (tmp_path / "a").read_bytes() == b"two"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_checkpoint_errors_name_the_file_and_the_fix(small, tmp_path):
    with pytest.raises(CheckpointError, match="no checkpoint at .*nowhere"):
        load_policy(tmp_path / "nowhere.safetensors", preset("tressette"))
    with pytest.raises(CheckpointError, match="has no checkpoint"):
        load_policy(tmp_path, preset("tressette"))
    train(small(), tmp_path / "run")
    with pytest.raises(CheckpointError, match="trained for the rules 'tressette'.*--rules tressette"):
        load_policy(tmp_path / "run", preset("gamelake"))
    path = latest(tmp_path / "run")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="corrupt"):
        load_policy(path, preset("tressette"))
    trainer_file = path.with_suffix(".trainer")
    with pytest.raises(CheckpointError, match="another kind of file"):
        load_policy(trainer_file, preset("tressette"))


@pytest.mark.parametrize(
    "argv,code,words",
    [
        (["--config", "pppo.yaml"], 2, "did you mean 'ppo.yaml'"),
        (["--resume", "nowhere"], 2, "no run folder 'nowhere'"),
        (["--env.rules", "tresette", "--name", "x"], 2, "did you mean 'tressette'"),
        (["--device", "cuda:77", "--name", "x"], 2, "try cpu"),
        (["--minibatch", "0"], 2, "minibatch = 0 must be at least 1"),
        (["--seed", "-5"], 2, "seed = -5 is out of range"),
        (["--name", "../up"], 2, "leave out slashes"),
        (["--eval-opponents", "heuristik", "--name", "x"], 2, "heuristic"),
    ],
)
def test_bad_flags_get_one_sentence(argv, code, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert train_main(argv) == code
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not (tmp_path / "runs").exists(), "nothing half-written"


def test_an_unknown_key_in_a_file_names_the_nearest(capsys, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("learning_rte: 1e-3\n")
    assert train_main(["--config", str(path)]) == 2
    assert "did you mean 'learning_rate'" in capsys.readouterr().err


def test_train_command_end_to_end_then_resume(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small_run = [
        "--name", "r", "--total-decisions", "4000", "--deals-per-iteration", "32", "--hidden", "16", "--critic-hidden",
        "16", "--final-eval-deals", "10", "--eval-every", "2000", "--eval-deals", "5",
    ]  # fmt: skip
    assert train_main(["--config", "ppo.yaml", *small_run]) == 0
    assert "points per deal" in capsys.readouterr().out
    run = tmp_path / "runs" / "r"
    for name in ("config.yaml", "metrics.jsonl", "summary.json", "curve.png"):
        assert (run / name).is_file(), name
    assert list(run.glob("events.out.tfevents*"))
    summary = json.loads((run / "summary.json").read_text())
    assert set(summary["results"]) >= {"eval/random_points", "eval/heuristic_points"}
    assert train_main(["--config", "ppo.yaml", *small_run]) == 1  # the folder exists
    assert "use --resume" in capsys.readouterr().err
    assert train_main(["--resume", "r", "--total-decisions", "6000"]) == 0
    assert json.loads((run / "summary.json").read_text())["decisions"] >= 6000
