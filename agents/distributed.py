"""The processes of one training run: who they are, what they add up, what they tell each other. One alone by default.

``torchrun`` starts the processes and says in the environment who is who; nothing here knows what is trained.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch import distributed as dist

from tressette_env.errors import TressetteError

T = TypeVar("T")
PATIENCE = timedelta(hours=24)  # the others wait while the first process evaluates


class GroupError(TressetteError):
    """The processes of a run cannot find, or have lost, each other."""


@dataclass(frozen=True)
class Group:
    """The processes that train together; ``rank`` is this one's number, 0 leads. Every method is called by all."""

    rank: int = 0
    world: int = 1
    local_rank: int = 0

    @property
    def leads(self) -> bool:
        """Whether this process is the one that evaluates, saves and prints."""
        return self.rank == 0

    def device(self, name: str) -> torch.device:
        """Return this process's device: ``cuda`` means one GPU for each process of a machine."""
        return torch.device(f"cuda:{self.local_rank}" if name == "cuda" and self.world > 1 else name)

    def gather(self, array: np.ndarray) -> np.ndarray:
        """Return the arrays (N_r, ...) of all processes one behind the other, in order of rank."""
        return np.concatenate(self.tell_all(array)) if self.world > 1 else array

    def tell_all(self, value: T) -> list[T]:
        """Return the values of all processes, in order of rank."""
        if self.world == 1:
            return [value]
        values: list[Any] = [None] * self.world
        self._together(lambda: dist.all_gather_object(values, value))
        return values

    def share(self, value: T) -> T:
        """Return the first process's value."""
        if self.world == 1:
            return value
        values: list[Any] = [value]
        self._together(lambda: dist.broadcast_object_list(values, src=0))
        return values[0]  # type: ignore[no-any-return]

    def any(self, flag: bool) -> bool:
        """Return whether the flag is set in any process."""
        return any(self.tell_all(bool(flag)))

    def add_gradients(self, network: nn.Module, sums: Tensor) -> Tensor:
        """Add up the gradients of a network over the processes, in place, and return the sums (K,) over them too."""
        if self.world == 1:
            return sums
        parts = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
        flat = torch.cat([*(part.reshape(-1) for part in parts), sums.to(parts[0].dtype)])
        self._together(lambda: dist.all_reduce(flat))
        at = 0
        for part in parts:
            part.copy_(flat[at : at + part.numel()].view_as(part))
            at += part.numel()
        return flat[at:]

    def _together(self, call: Callable[[], Any]) -> None:
        try:
            call()
        except RuntimeError as error:  # torch's, for a peer that is gone as for any other failure
            raise GroupError(
                f"process {self.rank} of {self.world} lost the others ({str(error).splitlines()[0]}): "
                "what was saved is intact, start all of them again with --resume"
            ) from None


ALONE = Group()


def num_processes() -> int:
    """Return how many processes the environment says train together; 1 without torchrun."""
    return _number("WORLD_SIZE", 1) or 1


def is_first() -> bool:
    """Return whether this process is the one that speaks."""
    return _number("RANK", 0) == 0


def _number(name: str, default: int) -> int:
    text = os.environ.get(name, "").strip()
    if text and not text.isdecimal():
        raise GroupError(f"{name} = {text!r} is not a whole number: unset it, or start train.py by torchrun")
    return int(text) if text else default


@contextmanager
def joined() -> Iterator[Group]:
    """Meet the other processes that the environment names, part at the end. Raises ``GroupError``."""
    world = num_processes()
    if world == 1:
        yield ALONE
        return
    missing = [name for name in ("RANK", "MASTER_ADDR", "MASTER_PORT") if not os.environ.get(name)]
    if missing:
        raise GroupError(
            f"WORLD_SIZE = {world}, but {missing[0]} is not set: start train.py by torchrun, or unset WORLD_SIZE"
        )
    group = Group(_number("RANK", 0), world, _number("LOCAL_RANK", 0))
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    if torch.cuda.is_available():
        torch.cuda.set_device(group.local_rank % torch.cuda.device_count())
    group._together(lambda: dist.init_process_group(backend, timeout=PATIENCE))
    try:
        yield group
    finally:
        dist.destroy_process_group()
