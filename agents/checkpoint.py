"""Checkpoints: safetensors files written atomically, read without executing code, and turned back into policies."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from agents import policies
from agents.features import actor_features, to_engine_actions, to_engine_columns
from agents.networks import masked_log_probs
from agents.suit_network import make_actor, untied
from tressette_env.engine.randomness import draw
from tressette_env.errors import TressetteError
from tressette_env.files import replace_whole
from tressette_env.observation import layout
from tressette_env.presets import PRESETS
from tressette_env.rules import Rules

FORMAT = "tressette-policy-1"
TABLE_FORMAT = "tressette-table-1"  # probabilities per information set: cfr.policy
POLICY_FORMATS = (FORMAT, TABLE_FORMAT)
TRAINER_FORMAT = "tressette-trainer-1"


class CheckpointError(TressetteError):
    """A checkpoint that is missing, corrupt, or made for other rules."""


def write_atomic(path: Path, data: bytes) -> None:
    """Write a whole file or nothing: a temporary file beside it is flushed to disk, then renamed over it.

    Raises ``CheckpointError`` when the disk is full or not writable; the file that stood there before survives.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_whole(path, data)
    except OSError as error:
        raise CheckpointError(
            f"cannot save {str(path)!r} ({error.strerror}): free some space or choose another folder; "
            "the checkpoints saved before are intact"
        ) from None


def save_tensors(path: Path, tensors: Mapping[str, Tensor], kind: str, meta: Mapping[str, Any]) -> None:
    """Save tensors and plain metadata as one safetensors file, atomically."""
    plain = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    write_atomic(path, save(plain, {"format": kind, "meta": json.dumps(meta)}))


def load_tensors(path: Path, *kinds: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what ``save_tensors`` wrote as one of some kinds.

    Raises ``CheckpointError`` for a missing, corrupt or foreign file.
    """
    if not path.is_file():
        raise CheckpointError(f"no checkpoint at {str(path)!r}: give a run folder or a .safetensors file")
    try:
        with safe_open(path, "pt") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"the checkpoint {str(path)!r} is corrupt ({error}): use an earlier one") from None
    if header.get("format") not in kinds:
        wanted = " or ".join(repr(kind) for kind in kinds)
        raise CheckpointError(f"{str(path)!r} has format {header.get('format')!r}, not {wanted}: another kind of file")
    try:
        return tensors, json.loads(header["meta"])
    except (KeyError, ValueError):
        raise CheckpointError(f"the checkpoint {str(path)!r} lacks its description: use an earlier one") from None


def part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Return the tensors whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def optimiser_tensors(prefix: str, state: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return the moments in an optimiser's ``state_dict()`` under names that begin with a prefix."""
    return {
        f"{prefix}{index}.{key}": torch.as_tensor(value)
        for index, entry in state["state"].items()
        for key, value in entry.items()
    }


def optimiser_state(tensors: Mapping[str, Tensor], prefix: str, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return an optimiser's ``state_dict()`` with the moments that ``optimiser_tensors`` named."""
    moments: dict[int, dict[str, Tensor]] = {}
    for key, value in part(tensors, prefix).items():
        index, name = key.split(".", 1)
        moments.setdefault(int(index), {})[name] = value
    return {**state, "state": moments}


def latest(run: Path) -> Path:
    """Return the newest policy checkpoint of a run folder. Raises ``CheckpointError`` when there is none."""
    found = sorted((run / "checkpoints").glob("step_*.safetensors"))
    if not found:
        raise CheckpointError(f"the run folder {str(run)!r} has no checkpoint in checkpoints/: train it first")
    return found[-1]


class NetworkPolicy:
    """A policy network as a player: same protocol as the bots, sees only redacted records of the seats to act."""

    def __init__(self, actor: nn.Module, rules: Rules, name: str, canonical: bool, *, greedy: bool = True) -> None:
        self.actor = untied(actor.eval())
        self.rules = rules
        self.name = name
        self.hash = ""
        self.canonical = canonical
        self.greedy = greedy
        self.device = next(actor.parameters()).device
        self._size = layout(rules).size
        self._dtype = next(actor.parameters()).dtype

    @torch.no_grad()
    def log_probs(self, views: np.ndarray, table: np.ndarray) -> Tensor:
        """Return log-probabilities (B, A) in the networks' suit order."""
        rows = np.arange(len(views))
        obs = np.empty((len(views), self._size), np.float32)
        mask = np.empty((len(views), self.rules.blocks.num_actions), np.int8)
        actor_features(views, rows, table, self.canonical, obs, mask)
        logits = self.actor(torch.from_numpy(obs).to(self.device, self._dtype)).float().cpu()
        return masked_log_probs(logits, torch.from_numpy(mask))

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per view, int64 (B,); keys uint64 (B,) are the players' randomness."""
        log_probs = self.log_probs(views, table)
        if self.greedy:
            chosen = log_probs.argmax(1).numpy()
        else:
            uniform = np.array([draw(key, 0, 2**31) for key in keys]) / 2.0**31
            cumulative = log_probs.exp().double().cumsum(1).numpy()
            chosen = (cumulative / cumulative[:, -1:] <= uniform[:, None]).sum(1)
        out = np.empty(len(views), np.int64)
        to_engine_actions(views, np.arange(len(views)), table, self.canonical, chosen.astype(np.int64), out)
        return out

    def probabilities(self, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the probability of every action id for views, STATE_DTYPE (B,): float64 (B, A)."""
        own = self.log_probs(views, table).exp().double().numpy()
        if self.greedy:
            own = np.eye(own.shape[1])[own.argmax(1)]
        out = np.empty_like(own)
        to_engine_columns(views, table, self.canonical, own, out)
        return out

    def act(self, view: np.ndarray, table: np.ndarray, key: np.uint64) -> int:
        """Return one legal action id for one view, STATE_DTYPE (1,)."""
        return int(self.actions(view, table, np.array([key], np.uint64))[0])


def save_policy(path: Path, actor: nn.Module, meta: Mapping[str, Any]) -> None:
    """Save an actor's weights; ``meta`` holds rules, hidden, network, canonical_suits, decisions, commit."""
    save_tensors(path, actor.state_dict(), FORMAT, meta)


def content_hash(tensors: Mapping[str, Tensor], meta: Mapping[str, Any]) -> str:
    """Return twelve hex digits that depend on weights and description alone, not on the order of a file's header."""
    digest = hashlib.sha256(json.dumps(meta, sort_keys=True).encode())
    for name in sorted(tensors):
        digest.update(name.encode() + tensors[name].contiguous().numpy().tobytes())
    return digest.hexdigest()[:12]


def rules_hint(rules: Rules) -> str:
    """Return the flag that plays a checkpoint's own rules."""
    if rules.name in PRESETS:
        return f"--rules {rules.name}"
    return f"--rules FILE.yaml that holds the rules it was trained with ({json.dumps(rules.to_dict())})"


def _kind(file: Path) -> str:
    """Return the format of a checkpoint, empty where ``load_tensors`` will have something to say."""
    try:
        with safe_open(file, "pt") as opened:
            return str((opened.metadata() or {}).get("format", ""))
    except (SafetensorError, OSError):
        return ""


def load_actor(file: Path, rules: Rules) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the weights and the description in a network's checkpoint file, checked.

    Raises ``CheckpointError`` when it is missing, corrupt, not finite, or its shapes do not fit ``rules``.
    """
    tensors, meta = load_tensors(file, FORMAT)
    for key in ("rules", "hidden", "canonical_suits"):
        if key not in meta:
            raise CheckpointError(f"the description of the checkpoint {str(file)!r} lacks {key!r}: use an earlier one")
    if not all(bool(torch.isfinite(tensor).all()) for tensor in tensors.values()):
        raise CheckpointError(
            f"the checkpoint {str(file)!r} holds weights that are NaN or infinite: use an earlier one"
        )
    trained = Rules.from_dict(meta["rules"])
    if layout(trained) != layout(rules) or trained.blocks != rules.blocks:
        raise CheckpointError(
            f"the checkpoint {str(file)!r} was trained for the rules {trained.name!r} and does not fit {rules.name!r} "
            f"({layout(trained).size} inputs and {trained.blocks.num_actions} actions against {layout(rules).size} and "
            f"{rules.blocks.num_actions}): evaluate it with {rules_hint(trained)}"
        )
    return tensors, meta


def actor_tensors(path: str, rules: Rules, config: Any) -> dict[str, Tensor]:
    """Return the weights that a run begins with: of a run folder, a policy file or a shipped policy.

    config: the run's, with hidden, network and canonical_suits.

    Raises ``CheckpointError`` where they do not fit.
    """
    place = policies.find(path, rules).path if path in policies.names() else Path(path)
    file = latest(place) if place.is_dir() else place
    tensors, meta = load_actor(file, rules)
    for name, here, there in (
        ("network", config.network, meta.get("network", "mlp")),
        ("hidden", list(config.hidden), list(meta["hidden"])),
        ("canonical_suits", config.canonical_suits, meta["canonical_suits"]),
    ):
        if here != there:
            raise CheckpointError(f"init_from = {path!r} has {name} {there}, not {here}: set {name} to {there}")
    return tensors


def load_policy(path: str | Path, rules: Rules, device: str = "cpu", *, greedy: bool = True) -> Any:
    """Return the policy of a run folder (its newest checkpoint) or of a checkpoint file: a network or a table.

    Raises ``CheckpointError`` when it is missing, corrupt, or its shapes do not fit ``rules``.
    """
    path = Path(path)
    file = latest(path) if path.is_dir() else path
    name = path.name if path.is_dir() else f"{file.parent.parent.name}/{file.stem}"
    if _kind(file) == TABLE_FORMAT:
        from agents.cfr.policy import load_table

        return load_table(file, rules, name)
    tensors, meta = load_actor(file, rules)
    actor = make_actor(rules, tuple(meta["hidden"]), meta.get("network", "mlp"))
    try:
        actor.load_state_dict(tensors)
    except RuntimeError as error:
        raise CheckpointError(f"the checkpoint {str(file)!r} does not fit its own description: {error}") from None
    policy = NetworkPolicy(actor.to(device), rules, name, meta["canonical_suits"], greedy=greedy)
    policy.hash = content_hash(tensors, meta)
    return policy
