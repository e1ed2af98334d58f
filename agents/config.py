"""Configuration: defaults in the dataclass < a YAML file < flags; unknown keys name the nearest right one."""

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from agents.ppo.config import ConfigError
from tressette_env.errors import nearest

CONFIGS = Path(__file__).resolve().parent.parent / "configs"
T = TypeVar("T")


def find_config(name: str) -> Path:
    """Return the path of a configuration: a path that exists, or a bare name in configs/."""
    for path in (Path(name), CONFIGS / name, CONFIGS / f"{name}.yaml"):
        if path.is_file():
            return path
    known = sorted(path.name for path in CONFIGS.glob("*.yaml"))
    raise ConfigError(f"no configuration {name!r}{nearest(name, known)}: the files in configs/ are {', '.join(known)}")


def read_yaml(path: Path) -> dict[str, Any]:
    """Return a YAML mapping, numbers such as 3e-4 read as numbers. Raises ``ConfigError``."""
    try:
        loaded = OmegaConf.load(path)
        values = OmegaConf.to_container(loaded)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, OmegaConfBaseException) as error:
        raise ConfigError(f"cannot read the configuration {str(path)!r}: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict):
        raise ConfigError(f"the configuration {str(path)!r} must hold keys such as 'seed: 1'")
    return {str(key): value for key, value in values.items()}


def build(cls: type[T], values: dict[str, Any]) -> T:
    """Return a config dataclass from plain values over its defaults. Raises ``ConfigError`` naming key and fix."""
    _check_keys(cls, values, "")
    values = _rules_as_text(values)
    try:
        merged = OmegaConf.merge(OmegaConf.structured(cls), values)
        built = OmegaConf.to_object(merged)
    except OmegaConfBaseException as error:
        key = getattr(error, "full_key", None) or "?"
        reason = str(error).splitlines()[0]
        raise ConfigError(f"the configuration value of {key!r} cannot be used: {reason}") from None
    assert isinstance(built, cls)
    return built


def _check_keys(cls: Any, values: dict[str, Any], prefix: str) -> None:
    known = {f.name: f for f in fields(cls)}
    for key, value in values.items():
        if key not in known:
            hint = nearest(key, list(known))
            raise ConfigError(f"unknown configuration key {prefix + key!r}{hint}: the keys are {', '.join(known)}")
        default = known[key].default_factory
        if is_dataclass(default):
            if not isinstance(value, dict):
                raise ConfigError(f"the configuration key {prefix + key!r} must hold keys, not {value!r}")
            _check_keys(default, value, f"{prefix}{key}.")


def _rules_as_text(values: dict[str, Any]) -> dict[str, Any]:
    """A mapping of rules overrides is kept as one line of YAML, so that a flag can replace it."""
    env = values.get("env")
    if isinstance(env, dict) and isinstance(env.get("rules"), dict):
        text = yaml.safe_dump(env["rules"], default_flow_style=True, width=10_000).strip()
        return values | {"env": env | {"rules": text}}
    return values


def rules_spec(text: str) -> Any:
    """Return what ``make_rules`` takes from the text of ``env.rules``: a name, a path, or an inline mapping."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        raise ConfigError(f"env.rules = {text!r} is not a mapping: write {{preset: tressette, target: 31}}") from None


def to_yaml(config: Any) -> str:
    """Return a config dataclass as YAML with every field."""
    return str(OmegaConf.to_yaml(OmegaConf.structured(config)))
