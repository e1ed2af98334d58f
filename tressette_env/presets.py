"""The presets: one row of data each, and the one way to get a rules object from a name, mapping, file or object."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tressette_env.errors import RulesError, nearest
from tressette_env.rules import Rules

_OFF: dict[str, Any] = {"declare": "off", "signals": ()}
_MIN: dict[str, Any] = {"objective": "min", "cappotto": "shoot"}
_SOLO_3: dict[str, Any] = {"num_seats": 3, "sides": (0, 1, 2)}
_SOLO_4: dict[str, Any] = {"sides": (0, 1, 2, 3)}
_TWO: dict[str, Any] = {"num_seats": 2, "sides": (0, 1)}
_TOY = "4cKcAc3c 4dKdAd3d"
_TOY_SIGNALS: dict[str, Any] = {"declare": "off", "striscio_min_rest": 1}

# name -> (what it is in one line, what differs from the defaults of Rules)
PRESETS: dict[str, tuple[str, dict[str, Any]]] = {
    "tressette": ("four players in pairs, declarations, signals by the leader; Italian source", {}),
    "treseta": (
        "as tressette; anyone may signal, striscio tells a long suit; French source",
        {"signal_seat": "any", "striscio_min_rest": 3, "striscio_no_honours": False},
    ),
    "treseta_croatian": (
        "busso and striscio only, declarations at one's own first turn, to 41",
        {"signals": ("busso", "striscio"), "declare_when": "own_first_turn", "target": 41},
    ),
    "gamelake": ("plain tricks: no declarations, no signals, to 21", _OFF),
    "no_signals": ("as tressette without signals", {"signals": ()}),
    "bolognese": (
        "a hand below one point may call monte for a new deal (mechanics unverified), to 71",
        {"annul": "below_one_point", "target": 71},
    ),
    "briscola": ("the dealer's last card is exposed and its suit is trump", {"trump": "last_dealt"}),
    "due": (
        "two players, twenty cards in the stock, free play while it lasts",
        _OFF | _TWO | {"stock": 20, "follow": "free_while_stock"},
    ),
    "due_pagat": (
        "two players, suit followed throughout, drawn cards shown",
        _OFF | _TWO | {"stock": 20, "draw_shown": True},
    ),
    "a_tre": (
        "three players each for themselves, monte of four",
        {"signals": ()} | _SOLO_3 | {"hand_size": 12, "monte": 4},
    ),
    "calabresella": (
        "one against two after an auction, four cards exchanged",
        _OFF
        | {
            "num_seats": 3,
            "sides": "auction",
            "hand_size": 12,
            "monte": 4,
            "auction": "calabresella",
            "exchange_cards": 4,
        },
    ),
    "calabresella_two": (
        "one against two after an auction, two cards exchanged",
        _OFF
        | {
            "num_seats": 3,
            "sides": "auction",
            "hand_size": 12,
            "monte": 4,
            "auction": "calabresella",
            "exchange_cards": 2,
        },
    ),
    "chiamata": (
        "five players, the called card's holder is the secret partner",
        _OFF | {"num_seats": 5, "sides": "auction", "hand_size": 8, "auction": "chiamata"},
    ),
    "traversone": ("four players each for themselves, fewest points win", _OFF | _MIN | _SOLO_4),
    "traversone_italian": (
        "traversone, the last trick takes the rest",
        _OFF | _MIN | _SOLO_4 | {"remainder": "last_trick_takes_rest"},
    ),
    "ciapa_no": ("traversone to 41", _OFF | _MIN | _SOLO_4 | {"target": 41}),
    "traversone_pairs": ("four players in pairs, fewest points win, signals", _MIN | {"declare": "off"}),
    "traversone_3p": (
        "three players each for themselves, without 4b, fewest points win",
        _OFF | _MIN | _SOLO_3 | {"deck": tuple(c for c in range(40) if c != 30), "hand_size": 13},
    ),
    "traversone_2p": (
        "two players with a stock, fewest points win",
        _OFF | _MIN | _TWO | {"stock": 20, "follow": "free_while_stock"},
    ),
    "mini_2p": ("toy: two players, eight cards, two unseen", _OFF | _TWO | {"deck": _TOY, "hand_size": 3, "monte": 2}),
    "mini_due": ("toy: two players, eight cards, two drawn", _OFF | _TWO | {"deck": _TOY, "hand_size": 3, "stock": 2}),
    "mini_4p": ("toy: four players in pairs, eight cards, signals", _TOY_SIGNALS | {"deck": _TOY, "hand_size": 2}),
    "mini_4p_12": (
        "toy: four players in pairs, twelve cards, signals",
        _TOY_SIGNALS | {"deck": _TOY + " 4sKsAs3s", "hand_size": 3},
    ),
}


@cache
def _row(name: str) -> Rules:
    return Rules.from_dict({"name": name} | PRESETS[name][1])


def preset(name: str) -> Rules:
    """Return the rules of a preset. Raises ``RulesError`` for a name that is unknown.

    >>> preset("treseta_croatian").target
    41
    """
    if name not in PRESETS:
        raise RulesError(
            f"unknown rules preset {name!r}{nearest(name, list(PRESETS))}: the presets are {', '.join(PRESETS)}"
        )
    return _row(name)


def make_rules(spec: Any) -> Rules:
    """Return a rules object from a preset name, a mapping of overrides, a path to a YAML file, or a rules object.

    A mapping (or file) may name the row it starts from with the key ``preset`` (default ``tressette``).
    Raises ``RulesError`` for anything unknown or inconsistent.

    >>> make_rules({"preset": "tressette", "target": 31}).target
    31
    """
    if isinstance(spec, Rules):
        return spec
    if isinstance(spec, Mapping):
        return _overridden(spec)
    if isinstance(spec, (str, Path)):
        if str(spec).endswith((".yaml", ".yml")):
            return make_rules(_read_yaml(Path(spec)))
        return preset(str(spec))
    raise RulesError(f"rules = {spec!r} is not a preset name, a mapping, a path to a YAML file or a Rules object")


def _overridden(spec: Mapping[Any, Any]) -> Rules:
    values = {str(key): value for key, value in spec.items()}
    base = values.pop("preset", "tressette")
    if not isinstance(base, str) or base not in PRESETS:
        raise RulesError(
            f"unknown rules preset {base!r}{nearest(str(base), list(PRESETS))}: the presets are {', '.join(PRESETS)}"
        )
    row = {"name": base} | PRESETS[base][1]
    rules = Rules.from_dict(row | values)
    if "name" in values or rules == _row(base):
        return rules
    return replace(rules, name=f"{base}*")


def _read_yaml(path: Path) -> Mapping[Any, Any]:
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RulesError(f"cannot read the rules file {str(path)!r}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RulesError(f"the rules file {str(path)!r} is not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(values, Mapping):
        raise RulesError(f"the rules file {str(path)!r} must hold fields such as 'target: 31', not {values!r}")
    return values
