"""The wheel as a stranger gets it: what is in it, and that it plays beside nothing but its dependencies."""

import json
import subprocess
import sys
from importlib.metadata import PathDistribution
from pathlib import Path
from zipfile import Path as ZipPath
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow  # builds an environment and compiles every kernel anew: a minute or two

AEC = """
import json
from importlib.util import find_spec
from tressette_env import tressette_v0

env = tressette_v0.env()
env.reset(seed=42)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    over = terminated or truncated
    env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
print(json.dumps({
    "place": tressette_v0.__file__,
    "missing": [name for name in ("torch", "agents") if find_spec(name) is None],
    "agents_left": env.agents,
    "results": env.unwrapped.results,
}))
"""

GYMNASIUM = """
import gymnasium
import tressette_env

env = gymnasium.make("tressette/Tressette-v0")
observation, info = env.reset(seed=42)
over = False
while not over:
    action = int(info["action_mask"].argmax())
    observation, reward, terminated, truncated, info = env.step(action)
    assert env.observation_space.contains(observation)
    over = terminated or truncated
print(terminated)
"""


def run(*command, cwd):
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that pip builds from the repository."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", ROOT, "--no-deps", "--quiet", "--wheel-dir", folder, cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def play(wheel, tmp_path_factory):
    """Run a script in a new environment that has the wheel and its dependencies, far from the repository."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    python = folder / "venv/bin/python"
    run(python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", wheel, cwd=folder)
    return lambda script: run(python, "-I", "-c", script, cwd=folder)


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel):
    package = ROOT / "tressette_env"
    files = {str(path.relative_to(ROOT)) for path in package.rglob("*") if path.is_file()}
    expected = {name for name in files if "__pycache__" not in name}
    packed = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == expected


def test_the_wheel_says_that_it_is_typed(wheel):
    assert "tressette_env/py.typed" in ZipFile(wheel).namelist()  # else type checkers take all of it for Any


def test_the_wheel_asks_for_its_five_dependencies(wheel):
    (metadata,) = (path for path in ZipPath(wheel).iterdir() if path.name.endswith(".dist-info"))
    wanted = [line for line in PathDistribution(metadata).requires if "extra ==" not in line]
    assert {line.split(">=")[0] for line in wanted} == {"numpy", "numba", "gymnasium", "pettingzoo", "pyyaml"}


def test_a_random_deal_is_played_without_torch_and_without_the_repository(play, tmp_path_factory):
    found = json.loads(play(AEC))
    assert Path(found["place"]).is_relative_to(tmp_path_factory.getbasetemp())
    assert found["missing"] == ["torch", "agents"] and found["agents_left"] == []
    (result,) = found["results"]
    assert sum(result["captured_sixths"]) == 64  # 10 2/3 points in the deck


def test_gymnasium_makes_the_single_seat_view(play):
    assert play(GYMNASIUM).split() == ["True"]
