"""From what a person writes on the command line to a policy: a bot's name, a run folder or a checkpoint file."""

from pathlib import Path
from typing import Any

from tressette_env.bots import BOTS, make
from tressette_env.bots.base import BotError
from tressette_env.errors import TressetteError, nearest
from tressette_env.rules import Rules


def is_path(text: str) -> bool:
    """Return whether an entry means a file or folder rather than a bot."""
    return text.endswith(".safetensors") or "/" in text or "\\" in text or Path(text).exists()


def resolve(text: str, rules: Rules, device: str = "cpu") -> Any:
    """Return the policy that an entry names: ``heuristic``, ``random:signals=off``, ``runs/NAME`` or a checkpoint file.

    Raises ``BotError`` for an unknown bot or option, ``CheckpointError`` for a checkpoint that is missing, corrupt or
    made for other rules, ``TressetteError`` for a device that cannot be used.

    >>> from tressette_env.presets import preset
    >>> resolve("heuristic", preset("tressette")).name
    'heuristic'
    """
    name = text.partition(":")[0]
    if name in BOTS:
        return make(text)
    if is_path(text):
        from agents.checkpoint import load_policy

        _check_device(device)
        return load_policy(Path(text), rules, device)
    run = Path("runs") / text
    if run.is_dir():
        return resolve(str(run), rules, device)
    raise BotError(
        f"unknown bot {name!r}{nearest(name, list(BOTS))}: name one of {', '.join(BOTS)}, "
        "a run folder such as runs/NAME, or a .safetensors file"
    )


def _check_device(device: str) -> None:
    import torch

    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise TressetteError(f"the device {device!r} cannot be used, try cpu: {reason}") from None
