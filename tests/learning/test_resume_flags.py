"""What a resumed run may not change, and what a run folder keeps of its rules."""

import pytest

from agents.checkpoint import content_hash, latest, load_policy, load_tensors
from agents.cli import train_main
from agents.config import read_yaml, rules_spec
from tressette_env.presets import make_rules

SMALL = [
    "--total-decisions", "700", "--deals-per-iteration", "32", "--hidden", "16", "--critic-hidden", "16",
    "--final-eval-deals", "10", "--eval-every", "0", "--eval-opponents", "random", "--env.rules", "rules.yaml",
]  # fmt: skip


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Train a tiny run on rules from a file and return its folder; the file stands beside runs/."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.yaml").write_text("preset: mini_4p\ntarget: 31\nsignals: [busso]\n")
    assert train_main(["--name", "r", *SMALL]) == 0
    return tmp_path / "runs" / "r"


def test_a_rules_file_edited_later_does_not_change_the_run(run):
    (run.parent.parent / "rules.yaml").write_text("preset: mini_4p\ntarget: 500\nsignals: [volo]\n")
    assert train_main(["--resume", "r", "--total-decisions", "1200"]) == 0
    rules = make_rules(rules_spec(read_yaml(run / "config.yaml")["env"]["rules"]))
    assert (rules.target, rules.signals) == (31, ("busso",))
    _, meta = load_tensors(latest(run), "tressette-policy-1")
    assert (meta["rules"]["target"], meta["rules"]["signals"]) == (31, ["busso"])


def test_the_config_that_is_passed_over_on_resume_is_not_passed_over_in_silence(run, capsys):
    (run.parent.parent / "mine.yaml").write_text("seed: 7\nlearning_rate: 3e-4\n")
    assert train_main(["--resume", "r", "--config", "nope.yaml"]) == 2
    assert "no configuration 'nope.yaml'" in capsys.readouterr().err
    assert train_main(["--resume", "r", "--config", "mine.yaml"]) == 0
    assert "config.yaml decides, not mine.yaml, which differs in seed\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line,words",
    [
        ("name: no", "name = False must be text, in quotes"),
        ("hidden: [a]", "hidden = 'a' must be a whole number"),
        ("hidden: 8", "hidden = 8 must be a list in brackets, each item a whole number"),
        ("hidden: {a: 8}", "hidden = {'a': 8} must be a list"),
        ("eval_opponents: [no]", "eval_opponents = False must be text"),
        ("seed: yes", "seed = True must be a whole number"),
        ("epochs: 2.5", "epochs = 2.5 must be a whole number"),
        ("entropy: high", "entropy = 'high' must be a number"),
        ("bf16: 1", "bf16 = 1 must be true or false"),
        ("env: due", "'env' must hold keys, not 'due'"),
        ("env: {rules: 5}", "env.rules = 5 must be text"),
        (f"entropy: {'9' * 400}", "entropy = inf is not a finite number"),
        (f"total_decisions: {'9' * 5000}", "cannot read the configuration"),
    ],
)
def test_a_value_of_another_kind_in_a_file_names_key_and_kind(line, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(line + "\n")
    assert train_main(["--config", "mine.yaml"]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("DefaultCPUAllocator: not enough memory")])
def test_too_small_a_memory_is_one_sentence(error, capsys, tmp_path, monkeypatch):
    def full(*args):
        raise error

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("agents.ppo.run.Trainer.__init__", full)
    assert train_main(["--name", "x"]) == 1
    said = capsys.readouterr().err
    assert "the memory is too small: lower deals_per_iteration" in said and said.count("\n") == 1


@pytest.mark.parametrize("flag,value", [("--seed", "9"), ("--env.rules", "gamelake"), ("--hidden", "8")])
def test_a_flag_that_makes_it_another_run_is_refused(run, capsys, flag, value):
    kept = (run / "config.yaml").read_bytes()
    assert train_main(["--resume", "r", flag, value]) == 2
    error = capsys.readouterr().err
    assert "of the run to resume" in error and error.count("\n") == 1
    assert (run / "config.yaml").read_bytes() == kept


def test_the_hash_is_of_the_content_not_of_the_file(run):
    tensors, meta = load_tensors(latest(run), "tressette-policy-1")
    backwards = dict(reversed(tensors.items()))
    assert content_hash(backwards, dict(reversed(meta.items()))) == content_hash(tensors, meta)
    tensors["0.bias"] = tensors["0.bias"] + 1
    rules = make_rules({"preset": "mini_4p", "target": 31, "signals": ["busso"]})
    assert content_hash(tensors, meta) != load_policy(run, rules).hash


def test_the_hint_for_overridden_rules_names_a_way_that_works(run):
    with pytest.raises(ValueError, match=r"--rules FILE.yaml"):
        load_policy(run, make_rules("tressette"))


@pytest.mark.parametrize(
    "argv,words",
    [
        (["--resume", ""], "--resume is empty"),
        (["--entropy", "inf"], "entropy = inf is not a finite number"),
        (["--target-kl", "nan"], "target_kl = nan is not a finite number"),
        (["--threads", "100000000"], "threads = 100000000 is too large: give at most 1024"),
        (["--hidden", "1000000000"], "hidden = (1000000000,) must name 1 to 32 widths from 1 to 8192"),
        (["--critic-hidden", "0"], "critic_hidden = (0,) must name"),
        (["--hidden", *["8"] * 40], "hidden = 40 layers must name"),
        (["--hidden"], "hidden = () must name"),
        (["--deals-per-iteration", str(10**13)], f"deals_per_iteration = {10**13} is too large: give at most 1048576"),
        (["--minibatch", str(10**20)], f"minibatch = {10**20} is too large: give at most {2**30}"),
        (["--final-eval-deals", "1"], "final_eval_deals = 1 is too few for an interval: give at least 2"),
        (["--final-eval-deals", str(10**9)], "final_eval_deals = 1000000000 is too large: give at most 1000000"),
        (["--total-decisions", "9" * 400], "is too large: give at most 900000000000"),
        (["--total-decisions", "9" * 5000], "cannot read --total-decisions: "),
        (["--lerning-rate", "3"], "unknown flag '--lerning-rate' (did you mean '--learning-rate'?)"),
        (["--lr", "3"], "unknown flag '--lr' (did you mean '--learning-rate'?)"),
        (["--steps", "3"], "unknown flag '--steps': --help lists the flags"),
        (["--env.rule", "due"], "unknown flag '--env.rule' (did you mean '--env.rules'?)"),
        (["--confg", "ppo.yaml"], "unknown flag '--confg' (did you mean '--config'?)"),
        (["--config"], "argument --config: expected one argument"),
        (["--hidden", "a"], "cannot read --hidden: "),
        (["--entropy"], "missing value for argument '--entropy': expected 1 values (see train.py --help)"),
        (["--bf16", "no"], "unexpected argument 'no'"),
        (["--config", "n" * 5000], "File name too long"),
        (["--config", "bytes.yaml"], "cannot read the configuration"),
        (["--env.rules", "{preset: tressette,"], "is not a mapping"),
        (["--env.rules", "{preset: [a]}"], "unknown rules preset"),
        (["--env.rules", "{signals: [[1]]}"], "must be a list of different signals"),
        (["--env.rules", "bytes.yaml"], "is not YAML"),
    ],
)
def test_what_a_hostile_user_typed_gets_one_sentence(argv, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00\x80")
    assert train_main(["--name", "x", *argv]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_checkpoints_without_description_or_with_nan_are_refused(run):
    import torch
    from safetensors.torch import save_file

    from agents.checkpoint import save_tensors

    rules = make_rules({"preset": "mini_4p", "target": 31, "signals": ["busso"]})
    tensors, meta = load_tensors(latest(run), "tressette-policy-1")
    save_file(tensors, "bare.safetensors", {"format": "tressette-policy-1"})
    save_tensors(run / "half.safetensors", tensors, "tressette-policy-1", {"rules": meta["rules"]})
    nan = tensors | {"0.bias": torch.full_like(tensors["0.bias"], float("nan"))}
    save_tensors(run / "nan.safetensors", nan, "tressette-policy-1", meta)
    for path, words in (
        ("bare.safetensors", "lacks its"),
        (run / "half.safetensors", "hidden"),
        (run / "nan.safetensors", "NaN"),
    ):
        with pytest.raises(ValueError, match=words):
            load_policy(path, rules)


def test_an_exploded_policy_is_named_and_not_an_illegal_action(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.yaml").write_text("preset: mini_4p\n")
    wild = ["--learning-rate", "1e6", "--epochs", "1", "--minibatch", "100000", "--total-decisions", "5000"]
    assert train_main(["--name", "wild", *SMALL, *wild]) == 1
    error = capsys.readouterr().err
    assert "learning_rate" in error and "not legal" not in error and "Traceback" not in error
