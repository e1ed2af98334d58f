"""Labels of a search: repeatable, replayed to the same positions; a network learns them; runs go on to the bit."""

import json

import numpy as np
import pytest

from agents.checkpoint import latest, load_tensors
from agents.cli import train_main
from agents.distill.__main__ import main as label
from agents.distill.judge import Judge
from agents.distill.labels import LabelsError, block_paths, label_deals, load_block, positions, save_block
from agents.distill.targets import spread
from agents.features import actor_features
from agents.search.registry import make_search
from tressette_env.bots import BotError
from tressette_env.engine.batch import Batch, views_acting
from tressette_env.observation import layout
from tressette_env.presets import preset

TOY = ["--rules", "mini_4p_12", "--teacher", "mc:worlds=10", "--deals", "120", "--block", "20"]


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    assert label([*TOY, "--out", str(folder)]) == 0
    return folder


def test_the_judge_agrees_with_the_bot_it_is_made_of():
    rules = preset("tressette")
    batch = Batch(rules, 6, seeds=np.arange(6))
    batch.start(ks=0)
    keys = np.arange(6, dtype=np.uint64)
    for _ in range(12):
        views = batch.states.copy()
        views_acting(batch.states, batch.table, views)
        actions, values = Judge("mc:worlds=8").judge(views, batch.table, keys)
        best = np.where(np.isnan(values), -np.inf, values).argmax(1)
        chosen = make_search("mc:worlds=8").actions(views, batch.table, keys)
        np.testing.assert_array_equal(actions[np.arange(6), best], chosen)
        batch.step(chosen)


@pytest.mark.parametrize(
    ("text", "words"),
    [("ismcts", "has no value for every action"), ("mc:ms=5", "leave ms out"), ("heuristic", "unknown")],
)
def test_other_teachers_are_refused(text, words):
    with pytest.raises(BotError, match=words):
        Judge(text)


def test_labels_do_not_depend_on_the_block(labels):
    whole = label_deals(Judge("mc:worlds=10"), preset("mini_4p_12"), 5, 6, 0.3)
    parts = [label_deals(Judge("mc:worlds=10"), preset("mini_4p_12"), 5 + first, 3, 0.3) for first in (0, 3)]
    np.testing.assert_array_equal(whole.played, np.concatenate([part.played for part in parts], axis=1))


def test_a_block_is_played_again_to_the_positions_that_were_judged(labels):
    rules = preset("mini_4p_12")
    block, about = load_block(block_paths(labels)[0])
    assert about["teacher"] == "mc:worlds=10" and about["explore"] == 0.1
    seen = 0
    for states, places in positions(block, rules):
        masks = np.empty((len(states), rules.blocks.num_actions), np.int8)
        obs = np.empty((len(states), layout(rules).size), np.float32)
        actor_features(states, np.arange(len(states)), rules.table(), False, obs, masks)
        for row, place in enumerate(places):
            listed = block.actions[place][block.actions[place] >= 0]
            assert masks[row, listed].all() and masks[row].sum() > 1
        seen += len(places)
    assert seen == len(block.rows) > 20 * 4


def test_targets_follow_the_values():
    rules = preset("mini_4p")
    batch = Batch(rules, 1, seeds=np.array([2]))
    batch.start(ks=0)
    targets, worth = (
        np.empty((1, rules.blocks.num_actions), np.float32),
        np.empty((1, rules.blocks.num_actions), np.float32),
    )
    actions, values = np.array([[7, 17, -1]], np.int16), np.array([[1.0, 2.0, np.nan]], np.float32)
    spread(batch.states, rules.table(), False, actions, values, 0.5, targets, worth)
    assert targets[0, 17] == pytest.approx(1 / (1 + np.exp(-2))) and targets[0].sum() == pytest.approx(1)
    assert worth[0, 7] == worth[0, 47] == -1 and worth[0, 17] == 0 and np.isnan(worth[0, 3])
    alone = np.array([[7, -1, -1]], np.int16), np.full((1, 3), np.nan, np.float32)
    spread(batch.states, rules.table(), False, *alone, 0.5, targets, worth)
    assert targets[0, 7] == 1 and worth[0, 7] == 0


def test_a_network_learns_the_teacher_and_goes_on_to_the_bit(labels, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    flags = [
        "--config", "distill.yaml", "--env.rules", "mini_4p_12", "--labels", str(labels), "--hidden", "32", "--no-bf16",
        "--minibatch", "64", "--chunk-blocks", "2", "--validation-blocks", "1", "--eval-every", "0",
        "--eval-opponents", "random", "--final-eval-deals", "50", "--learning-rate", "0.01",
        "--final-learning-rate", "0.01",
    ]  # fmt: skip
    assert train_main([*flags, "--name", "whole", "--total-decisions", "6000"]) == 0
    rows = [json.loads(line) for line in (tmp_path / "runs/whole/metrics.jsonl").read_text().splitlines()]
    lost = [row["charts/teacher_loss"] for row in rows if "charts/teacher_loss" in row]
    assert lost[-1] < 0.6 * lost[0]
    assert train_main([*flags, "--name", "parts", "--total-decisions", "6000", "--checkpoint-every", "1"]) == 0
    states = sorted((tmp_path / "runs/parts/checkpoints").glob("*.trainer"))
    assert train_main(["--resume", str(states[0]), "--name", "again"]) == 0
    whole, again = (
        load_tensors(latest(tmp_path / "runs" / name).with_suffix(".trainer"), "tressette-trainer-1")[0]
        for name in ("whole", "again")
    )
    assert all((whole[key] == again[key]).all() for key in whole)


def test_processes_can_share_a_folder(tmp_path):
    common = ["--teacher", "mc:worlds=2", "--rules", "mini_4p_12", "--deals", "20", "--block", "10"]
    assert label(["--out", str(tmp_path / "whole"), *common]) == 0
    assert label(["--out", str(tmp_path / "shared"), *common, "--start", "10"]) == 0
    assert [path.name for path in block_paths(tmp_path / "shared")] == ["deals-00000010.npz"]
    assert label(["--out", str(tmp_path / "shared"), *common]) == 0
    for one, other in zip(block_paths(tmp_path / "whole"), block_paths(tmp_path / "shared"), strict=True):
        assert one.name == other.name and one.read_bytes() == other.read_bytes()


def test_what_is_wrong_gets_one_sentence(labels, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    flags = ["--config", "distill.yaml", "--labels"]
    for argv, code, words in (
        ([*flags, "nowhere"], 2, "no labelled deals in 'nowhere'"),
        ([*flags, str(labels)], 1, "are of other rules than 'tressette'"),
        ([*flags, str(labels), "--validation-blocks", "6"], 1, "label more deals"),
        ([*flags, str(labels), "--temperature", "0"], 2, "temperature = 0"),
    ):
        assert train_main(argv) == code
        assert words in capsys.readouterr().err
    assert label(["--out", "x", "--start", "3"]) == 2 and "start = 3 is not a multiple" in capsys.readouterr().err
    assert label(["--out", "x", "--explore", "2"]) == 2 and "explore = 2" in capsys.readouterr().err
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/deals-00000000.npz").write_bytes(b"no")
    with pytest.raises(LabelsError, match="cannot be read"):
        load_block(tmp_path / "bad/deals-00000000.npz")
    block, about = load_block(block_paths(labels)[0])
    save_block(tmp_path / "again.npz", block, about)
    assert (tmp_path / "again.npz").read_bytes() == block_paths(labels)[0].read_bytes()
