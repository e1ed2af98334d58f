"""The folder of a run: one process at a time, going on from a checkpoint, runs that died or are finished, the log."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from agents import provenance
from agents.checkpoint import FORMAT, CheckpointError, latest, load_tensors
from agents.cli import train_main
from agents.ppo.trainer import Trainer
from agents.run_folder import RunError, trainer_states
from agents.runlog import RunLog

ROOT = Path(__file__).resolve().parents[2]
SMALL = [
    "--env.rules", "mini_4p", "--total-decisions", "2000", "--deals-per-iteration", "32", "--hidden", "16",
    "--critic-hidden", "16", "--eval-every", "0", "--final-eval-deals", "10", "--eval-opponents", "random",
    "--checkpoint-every", "1",
]  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A finished run of some checkpoints, trained once."""
    before = Path.cwd()
    where = tmp_path_factory.mktemp("trained")
    os.chdir(where)
    try:
        assert train_main(["--name", "r", *SMALL]) == 0
    finally:
        os.chdir(before)
    return where / "runs" / "r"


@pytest.fixture
def run(trained, tmp_path, monkeypatch):
    """A copy of that run as runs/r."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(trained, tmp_path / "runs" / "r")
    return Path("runs/r")


def steps(folder):
    return [json.loads(line)["decisions"] for line in (folder / "metrics.jsonl").read_text().splitlines()]


def weights(folder):
    return load_tensors(latest(folder), FORMAT)[0]


# ---------------------------------------------------------------- one process at a time
@pytest.fixture
def busy():
    """Return a function that starts a process which keeps a run folder to itself."""
    pytest.importorskip("fcntl")
    code = (
        "import sys, time; from pathlib import Path; from agents.run_folder import locked\n"
        "with locked(Path(sys.argv[1])): print('in', flush=True); time.sleep(600)"
    )
    started = []

    def start(folder):
        command = [sys.executable, "-c", code, str(folder.resolve())]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        started.append(process)
        assert process.stdout.readline() == "in\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_run_that_goes_on_elsewhere_is_not_resumed_until_that_process_is_gone(run, busy, capsys):
    other = busy(run)
    kept = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    assert train_main(["--resume", "r", "--total-decisions", "2500"]) == 1
    error = capsys.readouterr().err
    assert "another process is writing to the run folder 'runs/r'" in error and error.count("\n") == 1
    assert kept == {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert train_main(["--resume", "r", "--total-decisions", "2500"]) == 0


def test_of_two_starts_under_one_name_the_second_is_refused(tmp_path, monkeypatch, busy, capsys):
    monkeypatch.chdir(tmp_path)
    busy(Path("runs/twice"))
    assert train_main(["--name", "twice", *SMALL]) == 1
    assert "another process is writing to the run folder 'runs/twice'" in capsys.readouterr().err


# ---------------------------------------------------------------- from which checkpoint
def test_an_older_checkpoint_is_gone_on_from_in_a_new_run_only(run, capsys):
    older = trainer_states(run)[1]
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    assert train_main(["--resume", str(older)]) == 2
    error = capsys.readouterr().err
    assert "is older than" in error and "add --name NEW" in error and error.count("\n") == 1
    assert train_main(["--resume", str(older.with_suffix(".safetensors")), "--name", "new"]) == 0
    new = Path("runs/new")
    assert steps(new) == steps(run) and older.name in {path.name for path in trainer_states(new)}
    assert trainer_states(new)[0].name == trainer_states(run)[0].name
    assert all(torch.equal(value, weights(new)[key]) for key, value in weights(run).items())
    assert "name: new" in (new / "config.yaml").read_text()
    assert before == {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}


def test_a_new_run_from_another_does_not_fall_into_a_third(run, capsys):
    shutil.copytree(run, "runs/third")
    assert train_main(["--resume", "r", "--name", "third"]) == 1
    assert "the run folder 'runs/third' exists" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", [".trainer", ".safetensors"])
def test_the_newest_checkpoint_by_name_goes_on_in_its_folder(run, suffix):
    newest = trainer_states(run)[0].with_suffix(suffix)
    assert train_main(["--resume", f"r/checkpoints/{newest.name}", "--total-decisions", "2500"]) == 0
    assert json.loads((run / "summary.json").read_text())["decisions"] >= 2500


def test_a_policy_without_trainer_state_is_no_place_to_go_on_from(run, capsys):
    newest = trainer_states(run)[0]
    newest.unlink()
    assert train_main(["--resume", str(newest.with_suffix(".safetensors"))]) == 2
    assert "has no trainer state" in capsys.readouterr().err


def test_a_state_that_cannot_be_read_is_named_before_an_older_one_is_taken(run, capsys):
    newest, older = trainer_states(run)[:2]
    newest.write_bytes(newest.read_bytes()[:100])
    (run / "summary.json").unlink()
    assert train_main(["--resume", "r"]) == 0
    error = capsys.readouterr().err
    decisions = int(older.stem.removeprefix("step_"))
    assert f"{newest.name}' is corrupt" in error and f"going on from {decisions:,} decisions" in error


def test_what_a_kill_left_of_a_save_is_cleared_by_the_next(run):
    orphan, partial = run / "checkpoints" / "step_000000000001.trainer", run / "checkpoints" / ".step_1.trainer.x"
    for path in (orphan, partial):
        path.write_bytes(b"half")
    assert train_main(["--resume", "r", "--total-decisions", "2500", "--keep-checkpoints", "2"]) == 0
    assert not orphan.exists() and not partial.exists()
    names = {path.name.removesuffix(".trainer").removesuffix(".safetensors") for path in latest(run).parent.iterdir()}
    assert len(names) == 2 and len(list(latest(run).parent.iterdir())) == 4


# ---------------------------------------------------------------- finished, or dead before the first checkpoint
def test_a_finished_run_is_not_evaluated_again(run, capsys):
    kept = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    assert train_main(["--resume", "r"]) == 0
    streams = capsys.readouterr()
    assert "runs/r is finished at" in streams.out and "raise --total-decisions" in streams.out and streams.err == ""
    assert kept == {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}


@pytest.mark.parametrize("summary", ["", "5", "{}", '{"decisions": "all"}'])
def test_a_run_without_a_summary_that_can_be_read_is_summed_up(run, summary):
    (run / "summary.json").write_text(summary)
    assert train_main(["--resume", "r"]) == 0
    assert "results" in json.loads((run / "summary.json").read_text())


def test_a_name_whose_run_died_before_its_first_checkpoint_can_be_used_again(run, capsys):
    dead = Path("runs/dead")
    dead.mkdir()
    shutil.copy(run / "config.yaml", dead)
    (dead / "metrics.jsonl").write_text('{"decisions": 100, "charts/deals": 1.0}\n')
    (dead / "events.out.tfevents.1").write_bytes(b"")
    assert train_main(["--resume", "dead"]) == 1
    assert "has no checkpoint yet: start the run again with its --name" in capsys.readouterr().err
    assert train_main(["--name", "dead", *SMALL]) == 0
    assert steps(dead) == steps(run) and not (dead / "events.out.tfevents.1").exists()
    assert train_main(["--name", "dead", *SMALL]) == 1
    assert "choose another --name or use --resume runs/dead" in capsys.readouterr().err


# ---------------------------------------------------------------- stopped
@pytest.mark.parametrize("number,code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_stopped_saves_and_says_so_in_its_exit_code(tmp_path, monkeypatch, capsys, number, code):
    monkeypatch.chdir(tmp_path)
    iterate = Trainer._iterate
    monkeypatch.setattr(Trainer, "_iterate", lambda self: (signal.raise_signal(number), iterate(self))[1])
    assert train_main(["--name", "r", *SMALL]) == code
    assert "go on with: python train.py --resume runs/r" in capsys.readouterr().out
    assert trainer_states(Path("runs/r")) and not Path("runs/r/summary.json").exists()


def test_a_second_ctrl_c_leaves_at_once_with_the_checkpoints_intact(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def twice(self):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Trainer, "_iterate", twice)
    assert train_main(["--name", "r", *SMALL]) == 130
    assert "stopped at once" in capsys.readouterr().err


@pytest.mark.parametrize("script", ["train.py", "evaluate.py"])
@pytest.mark.parametrize("module", ["numba", "torch", "rich.progress"])
def test_ctrl_c_while_libraries_load_prints_no_traceback(script, module):
    if (script, module) == ("evaluate.py", "torch"):
        pytest.skip("evaluate.py loads torch for checkpoints only")
    code = f"""
import os, runpy, signal, sys
class Interrupting:
    def find_spec(self, name, *rest):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupting())
sys.argv = [{script!r}, "--help"]
sys.path.insert(0, ".")
runpy.run_path({script!r}, run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


# ---------------------------------------------------------------- the log
@pytest.mark.parametrize("line", [b"5", b"[]", b"nothing", b"\xff\xfe", b'{"deals": 5}', b'{"decisions": "x"}', b""])
def test_a_line_that_no_run_wrote_is_named(line, tmp_path):
    path = tmp_path / "metrics.jsonl"
    text = b'{"decisions": 1}\n' + line + b'\n{"decisions": 3}\n'
    path.write_bytes(text)
    with pytest.raises(RunError, match=r"line 2 of '.*metrics.jsonl' is no JSON object .*: delete that line"):
        RunLog(tmp_path, 3)
    assert path.read_bytes() == text


def test_a_log_with_a_bad_line_stops_a_resume_with_one_sentence(run, capsys):
    with (run / "metrics.jsonl").open("a") as file:
        file.write("5\n")
    config = (run / "config.yaml").read_bytes()
    assert train_main(["--resume", "r", "--total-decisions", "2500"]) == 1
    error = capsys.readouterr().err
    assert "is no JSON object" in error and error.count("\n") == 1
    assert (run / "config.yaml").read_bytes() == config


def test_a_line_cut_off_by_a_kill_and_lines_after_the_checkpoint_are_dropped(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(b'{"decisions": 1}\n{"decisions": 2}\n{"decisions": 3}\n{"decis')
    RunLog(tmp_path, 2).close()
    assert path.read_bytes() == b'{"decisions": 1}\n{"decisions": 2}\n'


def test_a_full_disk_on_resume_leaves_the_log_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(b'{"decisions": 1}\n{"decisions": 2}\n')

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match="No space left on device"):
        RunLog(tmp_path, 1)
    assert path.read_bytes() == b'{"decisions": 1}\n{"decisions": 2}\n'
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.jsonl"]


# ---------------------------------------------------------------- what it was made with
def test_commit_and_versions_that_are_not_there_are_said_to_be_unknown(tmp_path, monkeypatch):
    assert provenance.describe_versions(["no-such-package"]) == {"no-such-package": "not installed"}
    assert set(provenance.describe_machine(())) == {"cpu", "cores", "system", "python"}
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert provenance.describe_commit() == "unknown"


def test_the_commit_is_marked_when_the_code_differs_and_not_for_results(tmp_path, monkeypatch):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "a.py").write_text("")
    for args in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a"]):
        subprocess.run([*git, *args], cwd=tmp_path, check=True)
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    (tmp_path / "results.json").write_text("1")
    clean = provenance.describe_commit()
    assert len(clean) == 12
    (tmp_path / "agents" / "b.py").write_text("")
    assert provenance.describe_commit() == clean + "+"
