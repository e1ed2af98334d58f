"""Several processes train what one trains: same deals, same minibatches, same weights up to rounding."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from agents.checkpoint import latest, load_tensors
from agents.cli import train_main

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--env.rules", "mini_4p", "--hidden", "32", "--critic-hidden", "32", "--no-bf16", "--deals-per-iteration", "50",
    "--minibatch", "64", "--total-decisions", "1200", "--eval-every", "0", "--eval-opponents", "random",
    "--final-eval-deals", "10", "--threads", "1", "--augment-critic", "--magnet-kl", "0.1", "--magnet-every", "2",
    "--pool-size", "2", "--pool-every", "1",
]  # fmt: skip


def torchrun(folder, processes, flags, **keywords):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={processes}"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [*command, str(ROOT / "train.py"), *flags],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **keywords,
    )  # fmt: skip


def train(folder, processes, *flags):
    done = torchrun(folder, processes, flags)
    out, err = done.communicate(timeout=300)
    assert done.returncode == 0, err
    return out


def last_logs(run):
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return next(row for row in reversed(rows) if "losses/kl" in row)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def one(folder):
    here = Path.cwd()
    os.chdir(folder)
    try:
        assert train_main([*FLAGS, "--name", "one"]) == 0
    finally:
        os.chdir(here)
    return folder / "runs" / "one"


def assert_same_run(one, two):
    for kind, suffix in (("tressette-policy-1", ".safetensors"), ("tressette-trainer-1", ".trainer")):
        first, second = (load_tensors(latest(run).with_suffix(suffix), kind)[0] for run in (one, two))
        assert first.keys() == second.keys()
        for name, tensor in first.items():
            torch.testing.assert_close(second[name], tensor, atol=2e-6, rtol=2e-4, msg=lambda m, n=name: f"{n}: {m}")
    logs = [last_logs(run) for run in (one, two)]
    for tag, value in logs[0].items():
        if not tag.startswith("time/") and "per_second" not in tag:
            assert logs[1][tag] == pytest.approx(value, rel=1e-3, abs=1e-5), tag


@pytest.mark.slow
@pytest.mark.parametrize("processes", [2, 3])
def test_several_processes_train_what_one_trains(folder, one, processes):
    out = train(folder, processes, *FLAGS, "--name", f"of{processes}")
    assert out.count(f"of{processes}: 1,200 decisions") == 1, "one process speaks"
    assert_same_run(one, folder / "runs" / f"of{processes}")


@pytest.mark.slow
def test_a_run_of_one_process_goes_on_in_two(folder, one):
    train(folder, 1, *FLAGS, "--total-decisions", "400", "--name", "parts")
    out = train(folder, 2, "--resume", "parts", "--total-decisions", "1200")
    assert "1,200 decisions" in out
    # the schedules of the first stretch aimed at 400 decisions, so only what does not depend on them is compared
    assert last_logs(folder / "runs" / "parts")["decisions"] == last_logs(one)["decisions"]
    assert "is finished" in train(folder, 2, "--resume", "parts")


@pytest.mark.slow
def test_a_signal_to_one_process_ends_all_after_the_iteration(folder):
    running = torchrun(folder, 2, [*FLAGS, "--total-decisions", "100000000", "--name", "long"], start_new_session=True)
    metrics = folder / "runs" / "long" / "metrics.jsonl"
    end = time.monotonic() + 120
    while not (metrics.exists() and metrics.read_text().count("\n") > 2) and time.monotonic() < end:
        time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=120)
    assert list((folder / "runs" / "long" / "checkpoints").glob("step_*.safetensors")), out
    assert not (folder / "runs" / "long" / "summary.json").exists()


@pytest.mark.parametrize(
    ("environment", "flags", "code", "words"),
    [
        ({"WORLD_SIZE": "two"}, [], 2, "WORLD_SIZE = 'two' is not a whole number"),
        ({"WORLD_SIZE": "2"}, [], 1, "WORLD_SIZE = 2, but RANK is not set: start train.py by torchrun"),
        ({"WORLD_SIZE": "2"}, ["--config", "cfr.yaml"], 2, "trains in one process: start train.py without torchrun"),
    ],
)
def test_what_is_wrong_gets_one_sentence(monkeypatch, capsys, tmp_path, environment, flags, code, words):
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert train_main(flags) == code
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_fewer_deals_than_processes_are_refused(folder):
    done = torchrun(folder, 2, [*FLAGS, "--deals-per-iteration", "1", "--name", "few"])
    _, err = done.communicate(timeout=120)
    assert done.returncode != 0
    assert err.count("leaves some of 2 processes without a deal: give at least 2") == 1
