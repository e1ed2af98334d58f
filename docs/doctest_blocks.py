"""A griffe extension for the site: the doctest examples of docstrings become code blocks."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?m)^>>> (?:.+\n?)+")


class DoctestBlocks(griffe.Extension):
    """Fence every run of lines that begins with ``>>>`` and ends at a blank line."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite the docstring of an object that was collected."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(
                lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", obj.docstring.value
            )
