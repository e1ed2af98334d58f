"""The pages of the site, rendered as mkdocs.yml says: every snippet is there."""

import html
import re
from pathlib import Path

import markdown
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
PAGES = sorted((ROOT / "docs").rglob("*.md"))
MARKER = re.compile(r"-+8\s*<\s*-+")  # also as a formatter of Python would write it


def rendered(path):
    """The text of a page as its reader sees it."""
    entries = [entry if isinstance(entry, dict) else {entry: {}} for entry in CONFIG["markdown_extensions"]]
    options = {name: dict(given) for entry in entries for name, given in entry.items()}
    options["pymdownx.snippets"]["base_path"] = [str(ROOT)]
    page = markdown.markdown(path.read_text(encoding="utf-8"), extensions=list(options), extension_configs=options)
    return html.unescape(re.sub(r"<[^>]+>", "", page))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT / "docs").as_posix())
def test_no_snippet_is_left_unexpanded(path):
    assert not MARKER.search(rendered(path))


def test_the_example_stands_in_full_on_its_page():
    assert (ROOT / "examples" / "reinforce.py").read_text(encoding="utf-8") in rendered(
        ROOT / "docs" / "howto" / "algorithm.md"
    )


def test_the_pages_of_all_presets_are_in_the_navigation():
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for path in (ROOT / "docs" / "rules").glob("*.md"):
        assert f"rules/{path.name}" in listed, f"add 'rules/{path.name}' to nav in mkdocs.yml"
