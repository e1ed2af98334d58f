"""The answers that documents show are the ones the code gives; their other python blocks run with all documents'."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(name):
    return re.findall(r"^```(\w*)\n(.*?)^```$", (DOCS / name).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "examples"), [("interface.md", 30), ("search.md", 15), ("cfr.md", 8), ("howto/variant.md", 1)]
)
def test_the_shown_answers_are_given(name, examples):
    shown = "\n".join(block for language, block in blocks(name) if language == "pycon")
    test = doctest.DocTestParser().get_doctest(shown, {}, f"docs/{name}", None, None)
    assert len(test.examples) > examples
    report = []
    assert doctest.DocTestRunner().run(test, out=report.append).failed == 0, "".join(report)


def test_every_block_is_run():
    assert {language for language, _ in blocks("interface.md")} == {"python", "pycon"}
    for name in ("search.md", "cfr.md"):
        assert {language for language, _ in blocks(name)} <= {"python", "pycon", "sh"}
