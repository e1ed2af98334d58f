"""From what a person writes on the command line to a policy: a bot's name, a run folder or a checkpoint file."""

from pathlib import Path
from typing import Any

from agents import policies
from agents.search.registry import NETSEARCH, SEARCH_BOTS, make_search
from tressette_env.bots import BOTS, make
from tressette_env.bots.base import BotError
from tressette_env.errors import TressetteError, nearest
from tressette_env.rules import Rules


class DeviceError(TressetteError):
    """A torch device that cannot be used here."""


def is_bot(text: str) -> bool:
    """Return whether an entry begins with the name of a bot."""
    name = text.strip().partition(":")[0]
    return name in (*BOTS, *SEARCH_BOTS, NETSEARCH) or name in policies.names()


def checkpoint_path(text: str) -> Path | None:
    """Return the path that an entry means, there or not: a run folder or a checkpoint file; None for a bot."""
    if is_bot(text):
        return None
    if text.endswith(".safetensors") or "/" in text or "\\" in text or Path(text).exists():
        return Path(text)
    run = Path("runs") / text
    return run if run.is_dir() else None


def resolve(text: str, rules: Rules, device: str = "cpu", *, greedy: bool = True) -> Any:
    """Return the policy that an entry names: ``heuristic``, ``mc:worlds=20``, ``ppo``, ``runs/NAME`` or a checkpoint.

    Raises ``BotError`` for an unknown bot or option, ``CheckpointError`` for a checkpoint that is missing, corrupt or
    made for other rules, ``ShippedError`` for a name without a network for the rules, ``DeviceError`` for a device that
    cannot be used.

    >>> from tressette_env.presets import preset
    >>> resolve("heuristic", preset("tressette")).name
    'heuristic'
    """
    path = checkpoint_path(text)
    if path is not None:
        from agents.checkpoint import load_policy

        check_device(device)
        return load_policy(path, rules, device, greedy=greedy)
    name = text.strip().partition(":")[0]
    if name in policies.names():
        return _shipped(text, rules, device, greedy)
    if name == NETSEARCH:
        from agents.netsearch.player import make_netsearch

        return make_netsearch(text, lambda entry: resolve(entry, rules, device))
    if name in BOTS:
        return make(text)
    if name in SEARCH_BOTS:
        return make_search(text)
    known = [*BOTS, *SEARCH_BOTS, NETSEARCH, *policies.names()]
    raise BotError(
        f"unknown bot {name!r}{nearest(name, known)}: name one of {', '.join(known)}, "
        "a run folder such as runs/NAME, or a .safetensors file"
    )


def _shipped(text: str, rules: Rules, device: str, greedy: bool) -> Any:
    """Return the network that comes with the repository under a name."""
    name, colon, options = text.strip().partition(":")
    if colon:
        raise BotError(f"{name!r} takes no options, not {options!r}: write {name} alone")
    row = policies.find(name, rules)
    from agents.checkpoint import load_policy

    check_device(device)
    policy = load_policy(row.path, rules, device, greedy=greedy)
    policy.name = name
    return policy


def check_device(device: str) -> None:
    """Raise ``DeviceError`` if numbers cannot be put on a torch device and read back."""
    import torch

    try:
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, ImportError) as error:
        reason = str(error).splitlines()[0]
        raise DeviceError(f"the device {device!r} cannot be used, try cpu: {reason}") from None
