"""Configuration: defaults in the dataclass < a YAML file < flags; unknown keys name the nearest right one."""

import math
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from agents.run_config import ConfigError
from tressette_env.errors import nearest

CONFIGS = Path(__file__).resolve().parent.parent / "configs"
T = TypeVar("T")
WANTED = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "text, in quotes where YAML reads it as something else",
}


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
    except (OSError, ValueError, RecursionError, yaml.YAMLError, OmegaConfBaseException) as error:
        raise ConfigError(f"cannot read the configuration {str(path)!r}: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict):
        raise ConfigError(f"the configuration {str(path)!r} must hold keys such as 'seed: 1'")
    return {str(key): value for key, value in values.items()}


def build(cls: type[T], values: dict[str, Any]) -> T:
    """Return a config dataclass from plain values over its defaults. Raises ``ConfigError`` naming key and fix."""
    return _build(cls, _rules_as_text(values), "")


def _build(cls: type[T], values: dict[str, Any], prefix: str) -> T:
    kinds = get_type_hints(cls)
    known = [field.name for field in fields(cls)]  # type: ignore[arg-type]
    for key in values:
        if key not in known:
            hint = nearest(key, known)
            raise ConfigError(f"unknown configuration key {prefix + key!r}{hint}: the keys are {', '.join(known)}")
    return cls(**{key: _value(kinds[key], value, prefix + key) for key, value in values.items()})


def _value(kind: Any, value: Any, key: str) -> Any:
    """Return a value of a configuration as its field's type. Raises ``ConfigError`` where it is of another."""
    if isinstance(kind, type) and is_dataclass(kind):
        if isinstance(value, dict):
            return _build(kind, value, f"{key}.")
        raise ConfigError(f"the configuration key {key!r} must hold keys, not {value!r}")
    if isinstance(value, list) and get_origin(kind) is tuple:
        return tuple(_value(get_args(kind)[0], item, key) for item in value)
    if kind is float and type(value) is int:
        value = float(value) if abs(value) < 2**1023 else math.inf
    if type(value) is not kind:
        wanted = WANTED[kind] if kind in WANTED else f"a list in brackets, each item {WANTED[get_args(kind)[0]]}"
        raise ConfigError(f"the configuration value {key} = {value!r} must be {wanted}")
    return value


def _rules_as_text(values: dict[str, Any]) -> dict[str, Any]:
    """A mapping of rules overrides is kept as one line of YAML, so that a flag can replace it."""
    env = values.get("env")
    if isinstance(env, dict) and isinstance(env.get("rules"), dict):
        text = yaml.safe_dump(env["rules"], default_flow_style=True, width=10_000).strip()
        return values | {"env": env | {"rules": text}}
    return values


def rules_spec(text: str) -> Any:
    """Return what ``make_rules`` takes from the text of ``env.rules``: a name, a path, or an inline mapping.

    Raises ``ConfigError`` for a mapping that cannot be read.
    """
    if not text.lstrip().startswith("{"):
        return text
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):  # dates out of range, brackets beyond count
        raise ConfigError(f"env.rules = {text!r} is not a mapping: write {{preset: tressette, target: 31}}") from None


def to_yaml(config: Any) -> str:
    """Return a config dataclass as YAML with every field."""
    return str(OmegaConf.to_yaml(OmegaConf.structured(config)))
