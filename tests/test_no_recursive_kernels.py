"""No compiled kernel calls itself unless its types are written out.

With types that are found out at the first call, numba crashes when another process loads it from the cache.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(path for folder in ("tressette_env", "agents") for path in (ROOT / folder).rglob("*.py"))


def compiled(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(d) for d in node.decorator_list):
            yield node


def has_types(node):
    return any(isinstance(decorator, ast.Call) and decorator.args for decorator in node.decorator_list)


def called(node):
    return {ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_kernel_calls_itself(path):
    kernels = {node.name: called(node) for node in compiled(path)}
    typed = {node.name for node in compiled(path) if has_types(node)}
    for name, calls in kernels.items():
        reached, new = set(), calls & set(kernels)
        while new:
            reached |= new
            new = set().union(*(kernels[other] for other in new)) & set(kernels) - reached
        assert name not in reached or name in typed


def test_there_are_kernels():
    assert sum(len(list(compiled(path))) for path in SOURCES) > 100
