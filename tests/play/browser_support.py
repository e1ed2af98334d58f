"""A headless browser for tests of the pages: skipped where none is installed, unless TRESSETTE_BROWSER=1."""

import os
import shutil
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


def browser_path():
    """The path of a browser; skips the test where there is none."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        reason = f"no browser found: install one of {', '.join(NAMES)}"
        if os.environ.get("TRESSETTE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@contextmanager
def open_page(width=1280, height=860, **options):
    """A page of a fresh browser and the list that its errors, console errors and requests are noted in."""
    path = browser_path()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": height}, **options)
        page.set_default_timeout(15_000)
        noted = {"errors": [], "requests": []}
        page.on("pageerror", lambda error: noted["errors"].append(str(error)))
        page.on("console", lambda said: noted["errors"].append(said.text) if said.type == "error" else None)
        page.on("request", lambda asked: noted["requests"].append(asked.url))
        try:
            yield page, noted
        finally:
            browser.close()


def fits(page):
    """Whether nothing makes the page wider than its window."""
    return page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
