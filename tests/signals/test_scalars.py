"""What a run logs about its signals."""

import pytest

from agents.ppo.config import PPOConfig
from agents.ppo.trainer import Trainer
from agents.run_config import EnvConfig
from agents.signals.scalars import signal_scalars
from tressette_env.bots import make
from tressette_env.presets import make_rules, preset


def test_a_bot_that_speaks_and_one_that_does_not():
    spoken = signal_scalars(make("heuristic"), preset("tressette"), 60, 1)
    quiet = signal_scalars(make("simple"), preset("tressette"), 60, 1)
    assert set(spoken) == set(quiet) and all(tag.startswith("signals/") for tag in spoken)
    assert spoken["signals/volo_rate"] > 0.1 < spoken["signals/influence"] and spoken["signals/entropy"] > 1.5
    assert not any(quiet.values())


@pytest.mark.parametrize("spec", ["no_signals", "due", "calabresella", {"preset": "tressette", "signal_sides": []}])
def test_rules_in_which_nobody_can_signal_log_nothing(spec):
    assert signal_scalars(make("heuristic"), make_rules(spec), 10, 1) == {}


def test_the_trainer_logs_them_where_it_evaluates(tmp_path):
    def results(**more):
        env = EnvConfig(rules="mini_4p")
        config = PPOConfig(env=env, hidden=(8,), critic_hidden=(8,), eval_opponents=("random",), threads=1, **more)
        return Trainer(config, tmp_path).evaluate(20, 1)

    assert "signals/influence" in results() and "signals/influence" not in results(eval_signals=False)
