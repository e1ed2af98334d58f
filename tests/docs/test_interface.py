"""The answers shown in docs/interface.md are the ones the code gives; its other blocks run with all documents'."""

import doctest
import re
from pathlib import Path

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "interface.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_the_shown_answers_are_given():
    shown = "\n".join(block for language, block in BLOCKS if language == "pycon")
    test = doctest.DocTestParser().get_doctest(shown, {}, "docs/interface.md", None, None)
    assert len(test.examples) > 30
    report = []
    assert doctest.DocTestRunner().run(test, out=report.append).failed == 0, "".join(report)


def test_every_block_is_run():
    assert {language for language, _ in BLOCKS} == {"python", "pycon"}
