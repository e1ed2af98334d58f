"""Prints the rules of a preset in sentences, from the fields of its rules alone: docs/rules/<preset>.md."""

from collections.abc import Iterator
from dataclasses import fields

from docs.markdown import span, table, yaml_text
from docs.sentences import sentences
from tressette_env.cards import format_hand
from tressette_env.errors import TressetteError
from tressette_env.observation import layout
from tressette_env.presets import PRESETS, preset
from tressette_env.rules import Rules

ITALIAN = "an Italian description of Tressette"
FRENCH = "a French description of Treseta (also in Portuguese)"
GAMELAKE = "GameLake's French rules of Tressette"
TRAVERSONE = "a French description of Traversone"
OURS = "made for this project: small enough to be solved exactly"

# What each row was written from; where sources are silent or disagree: "Rulings" in docs/rules.md.
SOURCES = {
    "tressette": ITALIAN,
    "treseta": FRENCH,
    "treseta_croatian": f"{FRENCH}; Croatian Wikipedia",
    "gamelake": GAMELAKE,
    "no_signals": FRENCH,
    "bolognese": f"{FRENCH}, which names the variant; how *monte* works is unverified",
    "briscola": FRENCH,
    "due": f"{GAMELAKE}; {ITALIAN}",
    "due_pagat": "rules at pagat.com",
    "a_tre": FRENCH,
    "calabresella": f"{ITALIAN}; rules at pagat.com",
    "calabresella_two": ITALIAN,
    "chiamata": f"{ITALIAN}; the payoffs follow Quintiglio",
    "traversone": TRAVERSONE,
    "traversone_italian": f"{TRAVERSONE}; Italian Wikipedia",
    "ciapa_no": f"{FRENCH}; {TRAVERSONE}",
    "traversone_pairs": TRAVERSONE,
    "traversone_3p": TRAVERSONE,
    "traversone_2p": TRAVERSONE,
    "mini_2p": OURS,
    "mini_due": OURS,
    "mini_4p": OURS,
    "mini_4p_12": OURS,
}


def field_text(rules: Rules, name: str) -> str:
    """Return the value of a field as one writes it in YAML."""
    held = getattr(rules, name)
    return format_hand(held) if name == "deck" and len(held) < 40 else yaml_text(held)


def differences(rules: Rules, base: Rules) -> str:
    """Return the fields in which rules differ from others, as a table."""
    rows = [
        (f"`{name}`", f"`{field_text(rules, name)}`", f"`{field_text(base, name)}`")
        for name in (field.name for field in fields(Rules))
        if name != "name" and getattr(rules, name) != getattr(base, name)
    ]
    return table(("field", f"`{rules.name}`", f"`{base.name}`"), rows) if rows else "Nothing."


def encoding(rules: Rules) -> Iterator[str]:
    """Yield the sizes of actions and observation."""
    blocks = {name: span(getattr(rules.blocks, name)) for name in rules.blocks.__dataclass_fields__}
    ids = ", ".join(f"{name} {ids}" for name, ids in blocks.items() if ids)
    shown = layout(rules)
    yield f"{rules.blocks.num_actions} actions: {ids} ([actions](../actions.md))."
    yield f"An observation has {shown.size} floats, {shown.num_planes} card planes ([observation](../observation.md))."


def source(name: str) -> str:
    """Return what a preset was written from. Raises ``TressetteError`` where that is not said."""
    if name not in SOURCES:
        raise TressetteError(f"the preset {name!r} has no source: add it to SOURCES in docs/rule_pages.py")
    return SOURCES[name][0].upper() + SOURCES[name][1:]


def page(name: str) -> str:
    """Return the rules page of a preset. Raises ``TressetteError`` where its source is not said."""
    rules = preset(name)
    parts = [
        f"# {name}",
        "<!-- printed by `make docs` from the fields of the preset; edit docs/rule_pages.py instead -->",
        f"{PRESETS[name][0][0].upper()}{PRESETS[name][0][1:]}. What all variants share: [the rules](../rules.md).",
        *sentences(rules),
        f"**Encoding.** {' '.join(encoding(rules))}",
        f"**Source.** {source(name)}.",
        "**What differs from `tressette`.**",
        differences(rules, preset("tressette")),
    ]
    return "\n\n".join(parts) + "\n"
