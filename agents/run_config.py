"""What the configurations of all kinds of runs share: the game, sizes that make sense, one error."""

import math
from dataclasses import dataclass
from typing import Any

from agents.arena import MAX_DEALS
from tressette_env.errors import TressetteError, nearest

# The most that whole numbers may be: by name, else MOST, which the names of checkpoints have room for.
MOST = 900_000_000_000
LIMITS = {
    "threads": 1024,
    "deals_per_iteration": 2**20,
    "traversals_per_iteration": 2**18,
    "value_deals": 2**18,
    "minibatch": 2**30,
    "eval_deals": MAX_DEALS,
    "final_eval_deals": MAX_DEALS,
}
MAX_WIDTH, MAX_LAYERS = 8192, 32
NETWORKS = ("mlp", "suits")
WIDTH_STEP = 32  # of the hidden layers of `suits`: an eighth is common, the rest is split evenly among four suits


class ConfigError(TressetteError):
    """A configuration key or value that cannot be used."""


@dataclass(frozen=True)
class EnvConfig:
    """The game that is played."""

    rules: str = "tressette"
    """Preset name, path of a YAML file, or a mapping of overrides such as "{preset: tressette, target: 31}"."""


def check_least(config: Any, least: float, names: tuple[str, ...]) -> None:
    """Raise ``ConfigError`` at the first of some values below what it must be at least."""
    for name in names:
        if getattr(config, name) < least:
            fix = "must not be negative" if least == 0 else f"must be at least {least}"
            raise ConfigError(f"{name} = {getattr(config, name)} {fix}")


def check_deals(config: Any, *names: str) -> None:
    """Raise ``ConfigError`` where an evaluation has too few deals for an interval."""
    for name in names:
        if getattr(config, name) < 2:
            raise ConfigError(f"{name} = {getattr(config, name)} is too few for an interval: give at least 2")


def check_positive(config: Any, names: tuple[str, ...]) -> None:
    """Raise ``ConfigError`` at the first of some values that is not above 0."""
    for name in names:
        if not getattr(config, name) > 0:
            raise ConfigError(f"{name} = {getattr(config, name)} must be above 0")


def check_shares(config: Any, names: tuple[str, ...]) -> None:
    """Raise ``ConfigError`` at the first of some values that is not between 0 and 1."""
    for name in names:
        if not 0 <= getattr(config, name) <= 1:
            raise ConfigError(f"{name} = {getattr(config, name)} must be between 0 and 1")


def check_common(config: Any) -> None:
    """Raise ``ConfigError`` for what is wrong in any configuration: seed, name, infinite or too large numbers."""
    for name, value in vars(config).items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{name} = {value} is not a finite number")
    if not 0 <= config.seed < 2**30:
        raise ConfigError(f"seed = {config.seed} is out of range: a whole number from 0 to {2**30 - 1}")
    name = config.name
    if name != name.strip() or any(letter in name for letter in "/\\\0") or name in (".", ".."):
        raise ConfigError(f"name = {name!r} is no folder name: leave out slashes and outer blanks")
    for name, value in vars(config).items():
        if isinstance(value, int) and value > LIMITS.get(name, MOST):
            raise ConfigError(f"{name} = {value} is too large: give at most {LIMITS.get(name, MOST)}")


def check_network(config: Any) -> None:
    """Raise ``ConfigError`` for an unknown kind of network or hidden layers that do not go with it."""
    if config.network not in NETWORKS:
        raise ConfigError(
            f"network = {config.network!r} is not known{nearest(config.network, list(NETWORKS))}: {', '.join(NETWORKS)}"
        )
    uneven = [width for width in config.hidden if width % WIDTH_STEP]
    if config.network == "suits" and uneven:
        raise ConfigError(
            f"hidden = {uneven[0]} cannot be split among the suits: with network = suits give multiples of {WIDTH_STEP}"
        )


def check_widths(config: Any, names: tuple[str, ...]) -> None:
    """Raise ``ConfigError`` for layers of a network that are too many, too wide or none."""
    for name in names:
        widths = getattr(config, name)
        if not 1 <= len(widths) <= MAX_LAYERS or not all(1 <= width <= MAX_WIDTH for width in widths):
            shown = widths if len(widths) <= MAX_LAYERS else f"{len(widths)} layers"
            raise ConfigError(f"{name} = {shown} must name 1 to {MAX_LAYERS} widths from 1 to {MAX_WIDTH}")
