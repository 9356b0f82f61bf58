"""Tests for C{simmail.tap}; the service itself is met in C{journeys}."""

from __future__ import annotations

import os
from pathlib import Path

from twisted.application.service import IServiceMaker
from twisted.plugin import IPlugin, getPlugins
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.tap import Options, makeService, take


class TapTests(SynchronousTestCase):
    """What twistd is given."""

    def test_plugin(self) -> None:
        """twistd knows simmail and its options."""
        import twisted.plugins

        [maker] = [one for one in getPlugins(IPlugin, twisted.plugins)
                   if IServiceMaker.providedBy(one) and one.tapname == "simmail"]
        self.assertIs(maker.options, Options)
        self.assertIs(maker.makeService, makeService)

    def test_options(self) -> None:
        """Options have their types."""
        options = Options()
        options.parseOptions(["--config", "a.yaml", "--state", "b", "--port-base", "7"])
        self.assertEqual((options["config"], options["state"], options["port-base"]), ("a.yaml", "b", 7))

    def test_state_is_taken(self) -> None:
        """A state folder is one daemon's at a time; where an earlier one listened is forgotten."""
        state = Path(self.mktemp()) / "deep" / "state"
        lock = take(state)
        (state / "endpoints.json").write_text("{}")
        self.assertRaises(Unavailable, take, state)
        self.assertTrue((state / "endpoints.json").exists())
        os.close(lock)
        os.close(take(state))
        self.assertFalse((state / "endpoints.json").exists())
