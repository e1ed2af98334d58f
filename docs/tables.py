"""Prints the tables and rules pages of the documents from code: `make docs` rewrites them, tests/docs compares.

A table stands between ``<!-- table: NAME -->`` and ``<!-- end of table -->`` in a document.
"""

import ast
import inspect
import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import rate_text
from docs import signals_found
from docs.markdown import NUMBERS, span, table, yaml_text
from docs.rule_pages import field_text, page
from tressette_env.actions import action_texts
from tressette_env.deals import Dealing
from tressette_env.errors import TressetteError
from tressette_env.observation import layout, table_text
from tressette_env.presets import PRESETS, make_rules, preset
from tressette_env.rules import DOMAINS, INT_RANGES, Blocks, Rules

FOLDER = Path(__file__).resolve().parent
BLOCK = re.compile(r"(<!-- table: ([a-z_ ]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)

FIELD_MEANING = {
    "name": "what the rules are called in texts and records",
    "num_seats": "seats at the table",
    "sides": "the side of each seat, or `auction` where bids decide",
    "deck": "the cards in play: 40, or a text such as `4cKcAc3c`",
    "hand_size": "cards dealt to each seat",
    "stock": "cards drawn after tricks",
    "monte": "cards set aside",
    "follow": "must the led suit be followed, always or only once the stock is gone",
    "draw_shown": "are drawn cards shown to all",
    "trump": "no trump, or the suit of the last card dealt, which lies open",
    "declare": "are combinations declared: never, if the seat wishes, or all at once for everyone",
    "declare_when": "when they may be declared",
    "signals": "the signals that exist, in the order of their action ids",
    "signal_seat": "who may signal: the leader of a trick only, or anyone (busso: the leader only)",
    "signal_mode": "no signals, only true ones, or any (cheap talk)",
    "signal_sides": "which sides may signal",
    "signal_heard_by": "who hears a signal; partner: only the own side (for research)",
    "signal_noise": "per cent of signals that are not heard as given (for research)",
    "signal_noise_kind": "what is heard then: nothing, or another signal",
    "busso_min_rest": "cards of the suit left for a true busso",
    "striscio_min_rest": "cards of the suit left for a true striscio",
    "striscio_no_honours": "a true striscio leaves no 3, 2, A of the suit",
    "striscio_corto_min_rest": "cards of the suit left for a true striscio corto",
    "striscio_lungo_min_rest": "cards of the suit left for a true striscio lungo",
    "last_trick_bonus": "points for the last trick",
    "remainder": "what becomes of thirds: each side's are dropped, the last trick takes what is missing, or counted",
    "objective": "most or fewest points win",
    "cappotto": "what is paid when a side takes nothing (max) or everything (min)",
    "annul": "may a hand worth less than a point ask for a new deal",
    "auction": "which auction decides the sides",
    "exchange_cards": "cards the soloist exchanges with the monte",
    "revoke": "may suit be broken, and what it costs",
    "target": "points that end a match",
}


def presets_table() -> str:
    """Return one line per preset, with its page."""
    rows = []
    for name, (what, differs) in PRESETS.items():
        changed = ", ".join(f"`{key}: {field_text(preset(name), key)}`" for key in differs)
        rows.append((f"[`{name}`](rules/{name}.md)", what, changed or "the defaults"))
    return table(("preset", "what it is", "what differs from the defaults"), rows)


def seats_table() -> str:
    """Return the names of the presets by who plays against whom."""
    groups: dict[str, list[str]] = {}
    for name in PRESETS:
        groups.setdefault(_table_of(preset(name)), []).append(f"`{name}`")
    return table(("at the table", "presets"), ((who, ", ".join(names)) for who, names in groups.items()))


def _table_of(rules: Rules) -> str:
    if rules.auction != "none":
        who = "sides by auction"
    else:
        who = "each alone" if rules.num_sides == rules.num_seats else "in pairs"
    return f"{NUMBERS[rules.num_seats]}, {who}{', fewest points' if rules.objective == 'min' else ''}"


def fields_table() -> str:
    """Return one line per field of the rules object."""
    rows = []
    for field in fields(Rules):
        if field.name in DOMAINS:
            accepted = ", ".join(DOMAINS[field.name])
        elif field.name in INT_RANGES:
            accepted = "{}..{}".format(*INT_RANGES[field.name])
        else:
            accepted = {"last_trick_bonus": "0, 0.5, 1", "exchange_cards": "0, 2, 4"}.get(field.name, "")
        if isinstance(field.default, bool):
            accepted = "true, false"
        rows.append((f"`{field.name}`", FIELD_MEANING[field.name], accepted, yaml_text(field.default)))
    return table(("field", "meaning", "accepted", "default"), rows)


def action_blocks_table() -> str:
    """Return the blocks of action ids of every preset."""
    names = list(Blocks.__dataclass_fields__)
    rows = []
    for name in PRESETS:
        blocks = preset(name).blocks
        rows.append((f"`{name}`", *(span(getattr(blocks, block)) for block in names), blocks.num_actions))
    return table(("preset", *names, "actions"), rows)


def action_ids_table(name: str) -> str:
    """Return the ids and texts of a preset's actions, the forty cards of a kind to a line."""
    blocks, texts = preset(name).blocks, action_texts(preset(name))
    rows: list[tuple[Any, str]] = []
    for block in (getattr(blocks, kind) for kind in Blocks.__dataclass_fields__):
        if len(block) % 40:
            rows += [(i, f"`{texts[i]}`") for i in block]
            continue
        for first in block[::40]:
            shown = f"`{texts[first]}`, `{texts[first + 1]}`, ... `{texts[first + 39]}`"
            rows.append((f"{first}..{first + 39}", shown))
    return table(("id", "text"), rows)


def sizes_table() -> str:
    """Return the lengths of the observation of every preset."""
    rows = []
    for name in PRESETS:
        shown = layout(preset(name))
        rows.append((f"`{name}`", shown.size, shown.num_planes, shown.size - 40 * shown.num_planes))
    return table(("preset", "floats", "planes F of (4, 10, F)", "globals"), rows)


def _field_texts(cls: type) -> dict[str, str]:
    """Return the docstring that stands below each field of a dataclass."""
    body = ast.parse(inspect.getsource(cls)).body[0]
    assert isinstance(body, ast.ClassDef)
    texts = {}
    for line, after in zip(body.body, body.body[1:], strict=False):
        if isinstance(line, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            texts[ast.unparse(line.target)] = " ".join(str(after.value.value).split())
    return texts


def _config_rows(config: Any, prefix: str) -> list[tuple[str, str, str]]:
    rows = []
    texts = _field_texts(type(config))
    for field in fields(config):
        value = getattr(config, field.name)
        if is_dataclass(value):
            rows += _config_rows(value, f"{prefix}{field.name}.")
            continue
        shown = yaml_text(value) if value != "" else "empty"
        rows.append((f"`{prefix}{field.name}`", f"`{shown}`", texts[field.name].replace("|", "\\|")))
    return rows


def ppo_config_table() -> str:
    """Return one line per field of a PPO run."""
    from agents.ppo.config import PPOConfig

    return table(("field", "default", "meaning"), _config_rows(PPOConfig(), ""))


def tags_table() -> str:
    """Return one line per tag that a run logs."""
    from agents.runlog import TAGS

    return table(("tag", "meaning"), ((f"`{tag}`", meaning) for tag, meaning in TAGS.items()))


def vine_config_table() -> str:
    """Return one line per field of a vine run."""
    from agents.vine.config import VineConfig

    return table(("field", "default", "meaning"), _config_rows(VineConfig(), ""))


def vine_tags_table() -> str:
    """Return one line per tag that only vine runs log."""
    from agents.vine.config import TAGS

    return table(("tag", "meaning"), ((f"`{tag}`", meaning) for tag, meaning in TAGS.items()))


def speed_table() -> str:
    """Return the recorded benchmark run."""
    result = json.loads((FOLDER.parent / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    rows = []
    for row in result["rows"]:
        ratio, peer = (f"{row['ratio']:.1f}x", row["peer"]) if "ratio" in row else ("", "")
        rows.append((row["name"], rate_text(row), peer, ratio))
    return table(("measured", "rate", "peer", "ratio"), rows)


def search_table() -> str:
    """Return the bots that search with their options."""
    from agents.search.registry import described

    rows = []
    for name, (summary, options) in described().items():
        for i, (key, option) in enumerate(options.items()):
            accepted = ", ".join(option.words) or f"{option.least}..{option.greatest}"
            accepted = "text" if isinstance(option.default, str) and not option.words else accepted
            first = (f"`{name}`", summary) if i == 0 else ("", "")
            rows.append((*first, f"`{key}={option.default}`", accepted, option.meaning))
    return table(("bot", "what it is", "option and default", "accepted", "meaning"), rows)


def toys_table() -> str:
    """Return the sizes of the toys, counted on their trees."""
    from agents.cfr.tree import TreeError, deal_tree

    rows = []
    for name in (name for name in PRESETS if name.startswith("mini_")):
        rules = preset(name)
        deals = f"{Dealing(rules, rules.num_seats - 1).count:,}"
        try:
            tree = deal_tree(rules)
        except TreeError:
            rows.append((f"`{name}`", deals, "", "", "", "too large for a tree: sampled"))
            continue
        choices = int((np.diff(tree.start) > 1).sum())
        ends = len(tree.payoffs)
        rows.append((f"`{name}`", deals, f"{tree.num_decisions:,}", f"{ends:,}", f"{tree.num_sets:,}", f"{choices:,}"))
    return table(("toy", "deals", "decision nodes", "ends", "information sets", "with a choice"), rows)


def toys_solved_table() -> str:
    """Return the recorded runs on the two-player toy."""
    from docs.toys import toys_results_table

    return toys_results_table()


def cfr_config_table() -> str:
    """Return one line per field of a CFR run."""
    from agents.cfr.config import CFRConfig

    return table(("field", "default", "meaning"), _config_rows(CFRConfig(), ""))


def deep_cfr_config_table() -> str:
    """Return one line per field of a Deep CFR or ESCHER run."""
    from agents.deep_cfr.config import DeepCFRConfig

    return table(("field", "default", "meaning"), _config_rows(DeepCFRConfig(), ""))


def bc_config_table() -> str:
    """Return one line per field of a behaviour cloning run."""
    from agents.cloning.config import BCConfig

    return table(("field", "default", "meaning"), _config_rows(BCConfig(), ""))


def bc_tags_table() -> str:
    """Return one line per tag that only behaviour cloning runs log."""
    from agents.cloning.config import TAGS

    return table(("tag", "meaning"), ((f"`{tag}`", meaning) for tag, meaning in TAGS.items()))


def deal_columns_table() -> str:
    """Return one line per column of the frame of finished deals."""
    from agents.decisions.deal_frame import DEAL_COLUMNS

    return _columns(DEAL_COLUMNS)


def play_columns_table() -> str:
    """Return one line per column of the frame of actions."""
    from agents.decisions.play_frame import PLAY_COLUMNS

    return _columns(PLAY_COLUMNS)


def decision_columns_table() -> str:
    """Return one line per column of a Parquet file of decisions, sizes as in the rules `tressette`."""
    from agents.decisions.rows import COLUMNS, schema

    kinds = schema(preset("tressette"))
    return _columns({name: (str(kinds.field(name).type), meaning) for name, (_, meaning) in COLUMNS.items()})


def _columns(columns: Mapping[str, tuple[str, str]]) -> str:
    return table(("column", "type", "meaning"), ((f"`{name}`", f"`{t}`", text) for name, (t, text) in columns.items()))


def family_table() -> str:
    """Return the recorded short runs on every preset."""
    from docs.family import family_table

    return family_table()


def policies_table() -> str:
    """Return the cards of the networks that come with the repository."""
    from agents.policies import shipped

    cards = []
    for row in shipped():
        rules = make_rules(row.rules)
        results = [
            (
                result["opponent"],
                f"{result['mean']:+.2f} ± {(result['ci95'][1] - result['ci95'][0]) / 2:.2f}",
                f"{result['deals']:,}",
                result["seed"],
            )
            for result in row.results
        ]
        recipe = "\n".join(row.recipe)
        cards.append(
            f"### `{row.name}` for {rules.name}\n\n{row.summary[0].upper()}{row.summary[1:]}. {row.notes.strip()}\n\n"
            f"File `agents/policies/{row.file}` ({row.path.stat().st_size / 1e6:.1f} MB), hash `{row.hash}`; commit "
            f"`{row.commit}`, seed {row.seed}, {row.decisions:,} decisions, about {row.core_minutes} minutes of one "
            f"core ({row.machine}).\n\n```sh\n{recipe}\n```\n\n"
            + table(("against", "points per deal", "deals", "seed"), results)
        )
    return "\n\n".join(cards)


def conventions_table() -> str:
    """Return the scripted convention bots, those held out and the others."""
    from agents.signals.population import CONVENTIONS

    rows = [
        (row.name, row.summary, "free" if row.lies else "truthful, free", "held out" if row.held_out else "other half")
        for row in CONVENTIONS
    ]
    return table(("bot", "what it does", "modes", "half"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "conventions": conventions_table,
    "policies": policies_table,
    "signals told": signals_found.told_table,
    "signals worth": signals_found.worth_table,
    "signals agreement": signals_found.agreement_table,
    "presets": presets_table,
    "presets by seats": seats_table,
    "fields": fields_table,
    "action blocks": action_blocks_table,
    "action ids tressette": partial(action_ids_table, "tressette"),
    "action ids calabresella": partial(action_ids_table, "calabresella"),
    "observation tressette": partial(table_text, "tressette"),
    "observation due": partial(table_text, "due"),
    "observation calabresella": partial(table_text, "calabresella"),
    "observation chiamata": partial(table_text, "chiamata"),
    "observation sizes": sizes_table,
    "ppo config": ppo_config_table,
    "vine config": vine_config_table,
    "vine tags": vine_tags_table,
    "tags": tags_table,
    "speed": speed_table,
    "family": family_table,
    "search bots": search_table,
    "toys": toys_table,
    "toys solved": toys_solved_table,
    "cfr config": cfr_config_table,
    "deep_cfr config": deep_cfr_config_table,
    "bc config": bc_config_table,
    "bc tags": bc_tags_table,
    "deal columns": deal_columns_table,
    "play columns": play_columns_table,
    "decision columns": decision_columns_table,
}


def current(text: str) -> str:
    """Return a document with every table as the code prints it now. Raises ``KeyError`` for an unknown table."""
    return BLOCK.sub(lambda match: f"{match[1]}{TABLES[match[2]]()}\n{match[3]}", text)


def documents() -> list[Path]:
    """Return the documents that may hold tables: README.md and docs/*.md."""
    return [FOLDER.parent / "README.md", *sorted(FOLDER.glob("*.md"))]


def pages() -> dict[Path, str]:
    """Return the rules page of every preset as the code prints it now, by its file."""
    return {FOLDER / "rules" / f"{name}.md": page(name) for name in PRESETS}


def main() -> int:
    """Rewrite the tables and pages that are out of date; name the files that changed. Returns the exit code."""
    try:
        wanted = {path: current(path.read_text(encoding="utf-8")) for path in documents()} | pages()
    except TressetteError as error:
        print(f"docs.tables: {error}", file=sys.stderr)
        return 1
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(path.relative_to(FOLDER.parent))
    return 0


if __name__ == "__main__":
    sys.exit(main())
