"""Behaviour cloning by train.py: learns, resumes to the bit, plays in evaluate, one sentence for what is wrong."""

import json
import signal

import numpy as np
import pytest

from agents.checkpoint import FORMAT, TRAINER_FORMAT, latest, load_policy, load_tensors
from agents.cli import train_main
from agents.cloning.config import TAGS, BCConfig
from agents.cloning.trainer import BCTrainer
from agents.config import build, find_config, read_yaml
from agents.decisions.parquet import Writer
from agents.decisions.rows import Filter
from agents.decisions.selfplay import play_games
from agents.evaluate_cli import main as evaluate_main
from agents.ppo.config import PPOConfig
from agents.run_config import EnvConfig
from agents.run_folder import trainer_states
from agents.runlog import TAGS as COMMON_TAGS
from tressette_env.bots import make
from tressette_env.presets import preset

SMALL = [
    "--config", "bc.yaml", "--no-bf16", "--hidden", "32", "--minibatch", "64", "--eval-every", "0",
    "--final-eval-deals", "10", "--eval-opponents", "random", "--validation-fraction", "0.2",
]  # fmt: skip


def make_data(folder, rules, deals, seed=1, players=("simple",)):
    folder.mkdir(parents=True)
    rules = preset(rules)
    with Writer(folder, rules, Filter(players=("simple",)), {}, 100_000) as writer:
        writer.add(play_games([make(name) for name in players], rules, seed, 0, deals))
    return str(folder)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return make_data(tmp_path_factory.mktemp("bc") / "data", "mini_4p", 120)


@pytest.fixture
def small(data):
    return [*SMALL, "--env.rules", "mini_4p", "--data", data]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def states(here, *names):
    return [load_tensors(trainer_states(here / "runs" / name)[0], TRAINER_FORMAT) for name in names]


# ---------------------------------------------------------------- learning
@pytest.mark.parametrize("rules", ["mini_2p", "mini_4p"])
def test_a_bot_without_chance_is_learned_to_the_last_decision(here, rules):
    """Suits as they are: `simple` breaks ties by the order of the suits, which canonical suits forget."""
    data = make_data(here / "data", rules, 4000, players=("simple", "random"))
    flags = ["--no-canonical-suits", "--hidden", "64", "--learning-rate", "0.003", "--total-epochs", "10"]
    assert train_main([*SMALL, "--env.rules", rules, "--data", data, *flags, "--name", "r"]) == 0
    last = rows(here / "runs" / "r")[-2]
    assert last["charts/accuracy"] > 0.99 and last["losses/validation"] < 0.04
    policy, simple = load_policy(here / "runs" / "r", preset(rules)), make("simple")
    games = play_games([simple], preset(rules), 99, 0, 300)
    choices = np.flatnonzero(games.masks().sum(1) > 1)
    keys = np.zeros(len(choices), np.uint64)
    assert (policy.actions(games.states[choices], games.table, keys) == games.actions[choices]).mean() > 0.99


def test_smoothed_labels_leave_the_network_less_sure(here, small):
    losses = []
    for name, smoothing in (("sharp", "0"), ("smooth", "0.3")):
        flags = ["--label-smoothing", smoothing, "--total-epochs", "30", "--learning-rate", "0.01"]
        assert train_main([*small, *flags, "--name", name]) == 0
        losses.append(rows(here / "runs" / name)[-2]["losses/train"])
    assert losses[0] < 0.1 < 0.15 < losses[1]


def test_weight_decay_shrinks_the_weights(here, small):
    sizes = []
    for name, decay in (("free", "0"), ("bound", "0.5")):
        flags = ["--weight-decay", decay, "--total-epochs", "5", "--learning-rate", "0.01", "--schedule", "constant"]
        assert train_main([*small, *flags, "--name", name]) == 0
        tensors = states(here, name)[0][0]
        sizes.append(sum(float(tensor.square().sum()) for key, tensor in tensors.items() if key.startswith("actor.")))
    assert sizes[1] < 0.9 * sizes[0]


@pytest.mark.parametrize(
    ("schedule", "wanted"), [("constant", [1, 1, 1]), ("linear", [1, 0.505, 0.01]), ("cosine", [1, 0.505, 0.01])]
)
def test_the_step_size_falls_over_the_run(here, data, schedule, wanted):
    rates = {"schedule": schedule, "learning_rate": 1.0, "final_learning_rate": 0.01}
    trainer = BCTrainer(BCConfig(EnvConfig("mini_4p"), data=data, hidden=(8,), **rates), here)
    assert [trainer._rate(progress) for progress in (0.0, 0.5, 1.0)] == pytest.approx(wanted)
    assert (trainer._rate(0.25) > 0.8) == (schedule != "linear")


def test_the_run_ends_early_and_the_best_network_is_kept(here, small, capsys):
    flags = ["--learning-rate", "0.02", "--schedule", "constant", "--total-epochs", "200", "--patience", "3"]
    assert train_main([*small, *flags, "--name", "r"]) == 0
    losses = [row["losses/validation"] for row in rows(here / "runs" / "r") if "losses/validation" in row]
    best = int(np.argmin(losses))
    assert len(losses) == best + 4 < 200
    (tensors, meta), policy = states(here, "r")[0], load_tensors(latest(here / "runs" / "r"), FORMAT)[0]
    assert meta["lowest"] == losses[best] and meta["stale"] == 3
    assert all((policy[key] == tensors[f"best.{key}"]).all() for key in policy)
    assert any((policy[key] != tensors[f"actor.{key}"]).any() for key in policy)
    said = capsys.readouterr().out.replace("\n", " ")
    assert f"validation: loss {losses[best]:.4f}" in said and f"{200 - len(losses)} epochs early" in said


# ---------------------------------------------------------------- going on
def test_resume_goes_on_to_the_bit(here, small, monkeypatch):
    flags = [*small, "--total-epochs", "5"]
    assert train_main([*flags, "--name", "whole"]) == 0
    assert train_main([*small, "--total-epochs", "5", "--name", "parts", "--checkpoint-every", "100"]) == 0
    learn, taken = BCTrainer._learn, []

    def stopped(self, batch, rate):
        learn(self, batch, rate)
        taken.append(rate)
        if len(taken) == 9:  # of four an epoch
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(BCTrainer, "_learn", stopped)
    assert train_main([*flags, "--name", "cut"]) == 130
    meta = states(here, "cut")[0][1]
    assert (meta["epoch"], meta["done"]) == (2, 1)
    monkeypatch.undo()
    monkeypatch.chdir(here)
    assert train_main(["--resume", "cut"]) == 0
    whole, parts, cut = states(here, "whole", "parts", "cut")
    for other in (parts, cut):
        assert set(whole[0]) == set(other[0])
        for name, tensor in whole[0].items():
            np.testing.assert_array_equal(tensor.numpy(), other[0][name].numpy(), err_msg=name)
        assert whole[1] | {"seconds": 0} == other[1] | {"seconds": 0}
    timeless = [
        [{key: value for key, value in row.items() if "second" not in key} for row in rows(here / "runs" / name)]
        for name in ("whole", "cut")
    ]
    assert timeless[0] == timeless[1]


def test_other_data_are_not_gone_on_with(here, small, capsys):
    assert train_main([*small, "--total-epochs", "1", "--name", "r"]) == 0
    other = make_data(here / "other", "mini_4p", 100, seed=2)
    assert train_main(["--resume", "r", "--total-epochs", "2", "--data", other]) == 1
    assert "are not those that" in capsys.readouterr().err
    assert train_main(["--resume", "r", "--total-epochs", "2", "--seed", "3"]) == 2
    assert "seed = 3 differs from 1 of the run to resume" in capsys.readouterr().err


def test_a_state_that_does_not_fit_is_not_gone_on_with(here, small, capsys):
    assert train_main([*small, "--total-epochs", "1", "--name", "r"]) == 0
    config = here / "runs" / "r" / "config.yaml"
    config.write_text(config.read_text().replace("- 32", "- 16"))
    assert train_main(["--resume", "r", "--total-epochs", "2"]) == 1
    assert "does not fit its config.yaml" in capsys.readouterr().err


# ---------------------------------------------------------------- what comes out
def test_what_a_run_leaves_behind(here, small, capsys):
    flags = ["--total-epochs", "2", "--eval-every", "1", "--eval-deals", "4", "--name", "r"]
    assert train_main([*small, *flags]) == 0
    folder = here / "runs" / "r"
    logged = {tag for row in rows(folder) for tag in row} - {"epochs"}
    assert logged <= {tag.replace("<bot>", "random") for tag in COMMON_TAGS} | set(TAGS)
    assert set(TAGS) <= logged
    assert [row["epochs"] for row in rows(folder) if "eval/random_points" in row] == [1, 2, 2]
    assert (folder / "curve.png").is_file() and json.loads((folder / "summary.json").read_text())["epochs"] == 2
    tensors, meta = load_tensors(latest(folder), FORMAT)
    assert meta["rules"]["name"] == "mini_4p" and meta["hidden"] == [32] and meta["canonical_suits"]
    assert evaluate_main(["runs/r", "random", "--deals", "4", "--rules", "mini_4p"]) == 0
    capsys.readouterr()
    assert train_main(["--resume", "r"]) == 0
    assert "is finished at 2 epochs: raise --total-epochs" in capsys.readouterr().out


def test_ppo_begins_with_the_clone(here, small):
    assert train_main([*small, "--total-epochs", "2", "--name", "clone"]) == 0
    ppo = [
        "--config", "ppo.yaml", "--env.rules", "mini_4p", "--init-from", "runs/clone", "--critic-warmup", "9",
        "--hidden", "32", "--critic-hidden", "32", "--no-bf16", "--deals-per-iteration", "50", "--threads", "1",
        "--total-decisions", "400", "--eval-every", "0", "--eval-opponents", "random", "--final-eval-deals", "10",
    ]  # fmt: skip
    assert train_main([*ppo, "--name", "ppo"]) == 0  # so short that only the critic learns
    clone, begun = (load_tensors(latest(here / "runs" / name), FORMAT)[0] for name in ("clone", "ppo"))
    assert set(clone) == set(begun)
    for name, tensor in clone.items():
        np.testing.assert_array_equal(tensor.numpy(), begun[name].numpy(), err_msg=name)


def test_the_defaults_are_those_that_ppo_can_begin_with():
    for name in ("hidden", "canonical_suits"):
        assert getattr(BCConfig(), name) == getattr(PPOConfig(), name)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--data", "nowhere"], "no decisions in 'nowhere': make some with python -m agents.export --play heuristic"),
        (["--data", ""], "data is empty: name a folder of decisions"),
        (["--env.rules", "mini_2p"], "are of the rules 'mini_4p', not 'mini_2p': set env.rules to theirs"),
        (["--env.rules", "{preset: mini_4p, target: 5}"], "are of the rules 'mini_4p', not 'mini_4p*'"),
        (
            ["--schedule", "cosin"],
            "schedule = 'cosin' is unknown (did you mean 'cosine'?): use cosine, linear",
        ),
        (["--validation-fraction", "0"], "validation_fraction = 0.0 must be above 0 and below 1"),
        (["--validation-fraction", "1"], "validation_fraction = 1.0 must be above 0 and below 1"),
        (["--label-smoothing", "1"], "label_smoothing = 1.0 must be at least 0 and below 1"),
        (["--label-smoothing", "-0.1"], "label_smoothing = -0.1 must be at least 0 and below 1"),
        (["--weight-decay", "-1"], "weight_decay = -1.0 must not be negative"),
        (["--patience", "-1"], "patience = -1 must not be negative"),
        (["--total-epochs", "0"], "total_epochs = 0 must be at least 1"),
        (["--minibatch", "0"], "minibatch = 0 must be at least 1"),
        (["--learning-rate", "0"], "learning_rate = 0.0 must be above 0"),
        (["--final-learning-rate", "-1"], "final_learning_rate = -1.0 must not be negative"),
        (["--max-grad-norm", "0"], "max_grad_norm = 0.0 must be above 0"),
        (["--final-eval-deals", "1"], "final_eval_deals = 1 is too few for an interval"),
        (["--hidden", "0"], "hidden = (0,) must name 1 to"),
        (["--eval-opponents", "nobody"], "unknown bot 'nobody'"),
        (["--device", "tpu9"], "the device 'tpu9' cannot be used"),
        (["--total-decisions", "5"], "unknown flag '--total-decisions'"),
    ],
)
def test_what_is_wrong_gets_one_sentence(here, small, capsys, flags, said):
    assert train_main([*small, *flags]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert not (here / "runs").exists()


def test_a_step_size_that_spoils_the_weights_ends_the_run_with_a_sentence(here, small, capsys):
    assert train_main([*small, "--learning-rate", "1e38", "--total-epochs", "2", "--name", "r"]) == 1
    error = capsys.readouterr().err
    assert "became NaN or infinite in epoch 1" in error and "start again with a learning_rate below 1e+38" in error


def test_the_configuration_in_configs_is_sound():
    values = read_yaml(find_config("bc.yaml"))
    assert values.pop("algorithm") == "bc"
    build(BCConfig, values).check()
