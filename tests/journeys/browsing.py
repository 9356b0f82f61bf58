"""A browser at the pages of a service."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from simmail.rest.render.assets import assets
from tests.journeys.running import Service

#: The names of the views, as they stand in their addresses.
VIEWS: list[str] = re.findall(r"^  (\w+): view\(", assets()["app/views.js"].octets.decode(), re.MULTILINE)

#: Milliseconds for what takes well under one second; the machine may be busy with other tests.
SOON = 20_000


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser without a screen.  @raise AssertionError: there is none."""
    program = os.environ.get("SIMMAILD_BROWSER", "")
    if not program:
        raise AssertionError("no browser: run scripts/browser, which says what to install")
    libraries = Path(program).parent / "lib"
    environment: dict[str, Any] = dict(os.environ)
    if libraries.is_dir():
        environment["LD_LIBRARY_PATH"] = str(libraries)
    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=program, args=["--no-sandbox"], env=environment)
        try:
            yield opened
        finally:
            opened.close()


class Visit:
    """
    A page of the dashboard.

    @ivar problems: what the browser complained of: errors in scripts, what the policy stopped, answers over 499.
    @ivar asked: where requests went that were not for the service itself.
    """

    def __init__(self, opened: Browser, service: Service, **options: Any) -> None:
        self.base = f"http://127.0.0.1:{service.port('http')}"
        # Without a language some builds of Chromium call it "en-US@posix" where LANG is C, which is none.
        self.context = opened.new_context(
            viewport=options.pop("viewport", {"width": 1440, "height": 900}),
            locale=options.pop("locale", "en-US"), **options)
        self.context.set_default_timeout(SOON)
        self.page: Page = self.context.new_page()
        self.problems: list[str] = []
        self.asked: list[str] = []
        self._service = service
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self._said)
        self.page.on("request", self._asked)
        self.page.on("response", self._answered)

    def _said(self, message: Any) -> None:
        # Answers are looked at by themselves.
        if message.type == "error" and not re.search(r"the server responded", message.text):
            self.problems.append(message.text)

    def _answered(self, response: Any) -> None:
        # Too many requests is no problem: the page asks again.
        if response.status > 409 and response.status != 429:
            self.problems.append(f"{response.status} {response.url}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:", "blob:", "about:")):
            self.asked.append(request.url)

    def sign_in(self) -> None:
        """Sign in as the first person, and wait for the first view."""
        password = json.loads((self._service.state / "first-login.json").read_text(encoding="utf-8"))["admin@sim.test"]
        self.page.goto(self.base)
        self.page.fill("#email", "admin@sim.test")
        self.page.fill("#password", password)
        self.page.click("button[type=submit]")
        self.page.wait_for_selector(".timebar .now")

    def go(self, view: str, universe: str = "main") -> Page:
        """Go to a view."""
        self.page.goto(f"{self.base}/#/{universe}/{view}")
        return self.page
