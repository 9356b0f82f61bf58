"""Which events of which mailboxes a client hears of."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.untagged.event_groups import ABOUT_MESSAGES, EventGroup, EventGroups

NAMES = st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join)
EVENTS = st.frozensets(st.sampled_from(sorted(ABOUT_MESSAGES) + ["MailboxName"]))


class GroupTests(SynchronousTestCase):
    """RFC 5465 sections 5 and 6."""

    @given(st.sampled_from(["ALL", "SUBSCRIBED", "SUBTREE", "MAILBOXES"]), st.frozensets(NAMES, max_size=3), NAMES,
           st.frozensets(NAMES, max_size=3))
    def test_holds(self, kind: str, names: frozenset[str], name: str, subscribed: frozenset[str]) -> None:
        """A group holds what its kind says."""
        expected = {
            "ALL": True, "SUBSCRIBED": name in subscribed, "MAILBOXES": name in names,
            "SUBTREE": any((name + "/").startswith(one + "/") for one in names)}[kind]
        self.assertEqual(EventGroup(kind, names, ABOUT_MESSAGES).holds(name, subscribed), expected)

    @given(st.lists(st.tuples(st.frozensets(NAMES, max_size=3), EVENTS), max_size=4), NAMES)
    def test_events(self, groups: list[tuple[frozenset[str], frozenset[str]]], name: str) -> None:
        """All groups that hold a mailbox count, and one that says NONE counts alone."""
        watch = EventGroups(tuple(EventGroup("MAILBOXES", names, events) for names, events in groups))
        holding = [events for names, events in groups if name in names]
        expected = frozenset[str]() if frozenset() in holding else frozenset[str]().union(*holding)
        found = watch.events(name, ())
        # What stands before a NONE does not matter, nor does what stands behind.
        self.assertEqual(found, expected)

    def test_annotations(self) -> None:
        """Those of the server, of mailboxes, of none."""
        for event, server, some in (("ServerMetadataChange", True, True), ("MailboxMetadataChange", False, True),
                                    ("MailboxName", False, False)):
            watch = EventGroups((EventGroup("ALL", frozenset(), frozenset((event,))),))
            self.assertEqual((watch.server, watch.annotations), (server, some))

    def test_existing(self) -> None:
        """Names of nothing go; above a mailbox there may be one of which only what lies below is watched."""
        watch = EventGroups((EventGroup("SUBTREE", frozenset(("a", "b", "c")), ABOUT_MESSAGES),
                             EventGroup("MAILBOXES", frozenset(("a", "b")), ABOUT_MESSAGES)))
        left = watch.existing(("b",), {"a"})
        self.assertEqual([one.names for one in left.groups], [frozenset("ab"), frozenset("b")])

    def test_by_subscription(self) -> None:
        """Whether subscriptions matter."""
        group = EventGroup("SUBSCRIBED", frozenset(), ABOUT_MESSAGES)
        self.assertEqual((EventGroups((group,)).by_subscription, EventGroups().by_subscription), (True, False))
