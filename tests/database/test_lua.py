"""Lua scripts, each in a file of its own."""

from __future__ import annotations

from hashlib import sha1

from twisted.trial.unittest import SynchronousTestCase

from simmail.database import layout
from simmail.database.lua import load

NAMES = ("commit", "query", "sweep", "erase", "lease", "copy", "pack", "unpack", "agenda", "prune", "inhabited", "draw")


class ScriptTests(SynchronousTestCase):
    """What is sent to Redis."""

    def test_loaded(self) -> None:
        """A script is called by the hash of all that is sent, which begins with the names of keys."""
        for name in NAMES:
            script = load(name)
            self.assertEqual(script.sha, sha1(script.text).hexdigest().encode())
            self.assertTrue(script.text.startswith(layout.lua().encode()))
        self.assertEqual(len({load(name).sha for name in NAMES}), len(NAMES))

    def test_none(self) -> None:
        """There is no script of another name."""
        self.assertRaises(KeyError, load, "nothing")
