"""Shared by all tests: this folder is importable, and hypothesis runs the same examples everywhere."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
