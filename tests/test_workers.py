"""Several processes: every player answers alike however its deals are shared out, and what goes wrong is told."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from agents import workers as workers_module
from agents.arena import play_pair
from agents.cfr.policy import TablePolicy, save_table
from agents.checkpoint import load_policy, save_policy
from agents.entries import resolve
from agents.evaluate_cli import main
from agents.networks import mlp
from agents.playing import one_thread
from agents.regret import Regrets
from agents.schedule import FIRST_BLOCK, Pace, Task, in_order
from agents.tournament import evaluate
from agents.workers import Lineup, WorkerError, Workers
from tressette_env.bots import make
from tressette_env.observation import layout
from tressette_env.presets import preset
from tressette_env.records import read_records

ROOT = Path(__file__).resolve().parent.parent
RULES = preset("mini_4p")


def save_network(path, rules, hidden=(64, 64)):
    """An untrained network with weights large enough to have opinions."""
    torch.manual_seed(1)
    actor = mlp(layout(rules).size, hidden, rules.blocks.num_actions, 1.0)
    meta = {"rules": rules.to_dict(), "hidden": list(hidden), "canonical_suits": True, "decisions": 0, "commit": "none"}
    save_policy(path, actor, meta)
    return str(path)


def save_empty_table(path, rules):
    """A table that has seen nothing: it draws uniformly, by its keys."""
    table = TablePolicy(rules, np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0))
    save_table(path, table, {"rules": rules.to_dict(), "method": "none", "iterations": 0, "commit": "none"})
    return str(path)


# ---------------------------------------------------------------- one answer per key
BOTS = (
    "random",
    "simple",
    "heuristic",
    "heuristic:signals=off",
    "mc:worlds=4",
    "mc:worlds=4,trust=20",
    "cheat:exact=2",
)
BOTS += ("pimc:worlds=3,exact=2", "ismcts:worlds=20", "network", "network, mixed", "table")


@pytest.mark.parametrize("name", BOTS)
def test_every_player_answers_alike_in_any_company(name, tmp_path):
    """Nothing is kept between decisions, and none depends on those asked beside it."""

    def player():
        if name.startswith("network"):
            return load_policy(save_network(tmp_path / "n.safetensors", RULES), RULES, greedy="mixed" not in name)
        return resolve(save_empty_table(tmp_path / "t.safetensors", RULES) if name == "table" else name, RULES)

    whole = play_pair(player(), make("random"), RULES, 30, seed=7)
    alone = play_pair(player(), make("random"), RULES, 30, seed=7, block=1)
    pieces = play_pair(player(), make("random"), RULES, 30, seed=7, block=11, chunk=3)
    for other in (alone, pieces):
        assert whole.room_margins.tobytes() == other.room_margins.tobytes()
        assert whole.trick_margins.tobytes() == other.trick_margins.tobytes()
        assert whole.usage_a.signals == other.usage_a.signals and whole.usage_a.decisions == other.usage_a.decisions


def test_a_network_is_asked_in_whole_tiles_and_gives_the_same_bits(tmp_path):
    """Matrix products of few rows are summed in another order: small calls are filled up."""
    rules = preset("tressette")
    policy = load_policy(save_network(tmp_path / "n.safetensors", rules, (256, 256)), rules)
    asked = []

    class Watched:
        name = "watched"
        log_probs = policy.log_probs

        def actions(self, views, table, keys):
            with one_thread():
                asked.append(self.log_probs(views, table).numpy())
            return policy.actions(views, table, keys)

    bits = []
    for block in (4, 1):
        asked.clear()
        play_pair(Watched(), make("heuristic"), rules, 4, seed=3, block=block)
        assert {len(rows) % 64 for rows in asked} == {0}
        bits.append({row.tobytes() for rows in asked[1:] for row in rows})
    assert bits[0] == bits[1]


# ---------------------------------------------------------------- blocks
class Timed(float):
    seconds = property(float)


def test_tasks_come_back_in_order_with_some_ahead():
    begun = []

    def start(task):
        begun.append(task)
        return lambda: Timed(1.0)

    seen = []
    for task, _ in in_order(2, range(3, 13), Pace(4), start, ahead=3):
        seen.append((task, len(begun)))
    assert [task for task, _ in seen] == begun
    assert begun == [Task(p, a, b) for p in (0, 1) for a, b in ((3, 7), (7, 11), (11, 13))]
    assert [number for _, number in seen] == [3, 4, 5, 6, 6, 6]


def test_blocks_grow_to_what_takes_the_time_asked_for():
    pace = Pace(500, 2.0)
    assert pace.size(0) == FIRST_BLOCK
    pace.note(Task(0, 0, 4), 0.1)
    assert pace.size(0) == 80 and pace.size(1) == FIRST_BLOCK
    pace.note(Task(0, 4, 84), 0.0)
    assert pace.size(0) == 500
    pace.note(Task(0, 84, 86), 60.0)
    assert pace.size(0) == 1
    assert Pace(3, 2.0).size(0) == 3


# ---------------------------------------------------------------- processes
def untimed(path):
    data = json.loads(path.read_text())
    for player in data["players"]:
        del player["decisions_per_second"]
    return data


def test_two_workers_find_what_one_process_finds(tmp_path, capsys):
    """Bots, a network and a table, judged and recorded: every byte but the seconds."""
    network = save_network(tmp_path / "n.safetensors", preset("mini_2p"))
    table = save_empty_table(tmp_path / "t.safetensors", preset("mini_2p"))
    args = ["random", "heuristic", network, table, "--rules", "mini_2p", "--deals", "12", "--seed", "3"]
    args += ["--mixed", "--regret", "--regret-deals", "7"]
    for number in ("1", "2"):
        files = ["--json", str(tmp_path / f"{number}.json"), "--record", str(tmp_path / f"{number}.jsonl")]
        assert main([*args, "--workers", number, *files]) == 0
    assert untimed(tmp_path / "1.json") == untimed(tmp_path / "2.json")
    for kind in ("jsonl", "players.jsonl"):
        assert (tmp_path / f"1.{kind}").read_bytes() == (tmp_path / f"2.{kind}").read_bytes()


def lineup(*entries, **changed):
    usual = {"entries": entries, "names": entries, "hashes": (None,) * len(entries), "rules": RULES, "seed": 1}
    return Lineup(**usual | changed)


def test_ctrl_c_keeps_whole_blocks_and_ends_the_processes():
    found, seen = None, []

    def stop(pair):
        seen.append(pair.n)
        if len(seen) == 3:
            raise KeyboardInterrupt

    players = [make("random"), make("simple")]
    with Workers(2, lineup("random", "simple", regret_deals=5)) as workers:
        found = evaluate(players, RULES, 400, 1, block=10, on_progress=stop, regrets=Regrets(RULES, 5), workers=workers)
        processes = [worker.process for worker in workers._workers]
    assert found.interrupted and found.pairs[0].n == 30 and found.regrets.judged == 5
    assert not any(process.is_alive() for process in processes)
    alone = play_pair(*players, RULES, 30, 1)
    assert found.pairs[0].room_margins.tobytes() == alone.room_margins.tobytes()
    assert found.pairs[0].usage_a.decisions == alone.usage_a.decisions


def test_failures_of_a_worker_are_one_sentence(tmp_path):
    """A checkpoint that changed, an entry that is gone, and a process that is killed."""
    changed = lineup("random", save_network(tmp_path / "n.safetensors", RULES), hashes=(None, "0123456789ab"))
    with Workers(1, changed) as workers, pytest.raises(WorkerError, match="n.safetensors' changed meanwhile: name a"):
        workers.start(Task(0, 0, 1))()
    with Workers(1, lineup("random", "simple")) as workers:
        workers.start(Task(0, 0, 1))()
        os.kill(workers._workers[0].process.pid, signal.SIGKILL)
        with pytest.raises(WorkerError, match=r"a worker ended before its answer \(exit code -9\): was it killed"):
            workers.start(Task(0, 1, 2))()


class Pipe:
    """The other end of a worker's pipe, in this process."""

    def __init__(self, tasks):
        self.tasks, self.answers = list(tasks), []

    def recv(self):
        if not self.tasks:
            raise EOFError
        return self.tasks.pop(0)

    def send(self, answer):
        self.answers.append(answer)


def test_a_worker_says_what_went_wrong_and_ends_when_nobody_listens(monkeypatch):
    usual = signal.getsignal(signal.SIGINT)
    try:
        pipe = Pipe([Task(0, 0, 1), Task(7, 0, 1)])
        workers_module._serve(pipe, lineup("random", "simple"))
        (good, played), (bad, reason) = pipe.answers
        assert good and played.block.room_margins.shape == (1, 2)
        assert not bad and reason.startswith("a worker failed (IndexError: list index out of range): without --workers")
        pipe = Pipe([Task(0, 0, 1)])
        workers_module._serve(pipe, lineup("random", "simpel"))
        assert pipe.answers[0][0] is False and pipe.answers[0][1].startswith("unknown bot 'simpel'")
    finally:
        signal.signal(signal.SIGINT, usual)


@pytest.mark.parametrize("number", ["0", "-1", "513"])
def test_a_number_of_workers_that_cannot_be(number, capsys):
    assert main(["random", "simple", "--workers", number]) == 2
    assert f"--workers {number} is out of range: from 1 to 512" in capsys.readouterr().err


# ---------------------------------------------------------------- from the outside
def begin(tmp_path, *more):
    """A long evaluation in two processes, once it has written its first records; its files."""
    games = tmp_path / "games.jsonl"
    flags = ["--rules", "mini_4p", "--deals", "1000000", "--workers", "2", "--record", str(games), *more]
    running = subprocess.Popen(
        [sys.executable, ROOT / "evaluate.py", "random", "heuristic", *flags],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + 240
    while time.monotonic() < end and not (games.exists() and games.stat().st_size):
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.1)
    return running, games


def group_is_gone(group):
    """Whether all processes of a group end within some seconds."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.slow
def test_ctrl_c_for_the_whole_group_prints_what_is_done(tmp_path):
    running, games = begin(tmp_path, "--json", str(tmp_path / "out.json"))
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130 and "stopped early" in " ".join(out.split()) and err == ""
    assert group_is_gone(running.pid)
    n = json.loads((tmp_path / "out.json").read_text())["pairs"][0]["n"]
    assert len(list(read_records(games))) == 2 * n > 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_a_killed_evaluation(number, tmp_path):
    running, _ = begin(tmp_path)
    running.send_signal(number)
    running.wait(60)
    assert group_is_gone(running.pid)


@pytest.mark.slow
def test_a_killed_worker_is_one_sentence(tmp_path):
    running, games = begin(tmp_path)
    children = [int(pid) for pid in subprocess.check_output(["ps", "--ppid", str(running.pid), "-o", "pid="]).split()]
    os.kill(max(children), signal.SIGKILL)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 1 and len(err.strip().splitlines()) == 1
    assert "evaluate.py: a worker ended before its answer (exit code -9)" in err and group_is_gone(running.pid)
    assert len(list(read_records(games))) % 2 == 0
