"""The two lists of versions: the environment of `make peers` differs only in what it is for."""

from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OLDEST = {"gymnasium": "1.2", "pettingzoo": "1.26"}  # what the package promises to work with


def pins(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    rows = (line.split("==") for line in lines if not line.startswith("#"))
    return {package.lower().replace("_", "-"): number for package, number in rows}


def test_peers_share_all_other_versions():
    usual, peers = pins("constraints.txt"), pins("constraints-peers.txt")
    differ = {package for package in usual.keys() & peers.keys() if usual[package] != peers[package]}
    assert differ == set(OLDEST)
    assert all(peers[package].startswith(f"{number}.") for package, number in OLDEST.items())


def test_peers_run_what_is_pinned():
    pytest.importorskip("ray", reason="Ray is not installed: make peers")
    peers = pins("constraints-peers.txt")
    assert {package: version(package) for package in (*OLDEST, "ray")} == {
        package: peers[package] for package in (*OLDEST, "ray")
    }
