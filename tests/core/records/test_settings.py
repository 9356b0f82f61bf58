"""Settings documents of a universe."""

from __future__ import annotations

import msgspec
from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.settings import LinkPolicy, Pace


class SettingsTests(SynchronousTestCase):
    """Pace and links."""

    def test_pace(self) -> None:
        """A factor of nothing counts as one, so that no delay is lost."""
        self.assertEqual([Pace(factor).scale for factor in (1.0, 0.5, 0.0, 3.0)], [1.0, 0.5, 1.0, 3.0])

    def test_links(self) -> None:
        """A policy shows every field but the lists that are not set, and reads back as it was."""
        shown = msgspec.json.decode(msgspec.json.encode(LinkPolicy()))
        self.assertEqual(set(LinkPolicy.__struct_fields__) - set(shown), {"allow", "deny"})
        for one in (LinkPolicy(), LinkPolicy(allow=(), deny=("*.a.site",), max_links=0, missing_site="notice")):
            again = msgspec.json.decode(msgspec.json.encode(one), type=LinkPolicy)
            self.assertEqual((again, again.allow is UNSET), (one, one.allow is UNSET))
