"""Tests for C{simmail.core.insights.state}."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.insights import state as module
from simmail.core.insights.cells import DAY, OTHER_CAMPAIGNS, OTHER_DOMAINS, Figure
from simmail.core.insights.state import LONGEST, ReceivedMail, SentMail, State


def sent(at: int, campaign: int = 9) -> SentMail:
    """A mail of the application."""
    return SentMail(at, at, campaign, ())


class BoundTests(SynchronousTestCase):
    """It does not grow for ever."""

    def test_days(self) -> None:
        """Days nobody can ask for are dropped, with the groups that were met on them only; that is known."""
        state = State()
        old, kept = state.campaign("a@b.test", "Old"), state.domain("b.test")
        state.add_mail(0, old, Figure.SENT)
        state.add(0, kept, Figure.SENT)
        state.add(LONGEST, kept, Figure.SENT)
        self.assertEqual(set(state.days), {0, LONGEST})
        state.take_changed()
        state.add(LONGEST + 1, kept, Figure.SENT)
        self.assertEqual((set(state.days), set(state.names)), ({LONGEST, LONGEST + 1}, {kept}))
        self.assertEqual((state.changed.days, state.changed.groups), ({0, LONGEST + 1}, {old}))
        self.assertNotEqual(state.campaign("a@b.test", "Old"), kept)

    def test_groups(self) -> None:
        """Campaigns and domains beyond the bound are counted as one; those that are known stay."""
        self.patch(module, "MOST_GROUPS", 2)
        state = State()
        first = state.campaign("a@b.test", "First")
        self.assertNotEqual(state.campaign("a@b.test", "Second"), OTHER_CAMPAIGNS)
        self.assertEqual(state.campaign("a@b.test", "Third"), OTHER_CAMPAIGNS)
        self.assertEqual(state.campaign("a@b.test", "FIRST"), first)
        self.assertEqual([state.domain(one) for one in ("a.test", "b.test", "c.test")][2], OTHER_DOMAINS)

    def test_sent(self) -> None:
        """The oldest are given up when there are too many, or when they are too old; one sent again is young."""
        self.patch(module, "MOST_MAILS", 2)
        state = State()
        for message_id, at in (("a", 0), ("b", 1), ("a", 2), ("c", 3)):
            state.keep_sent(message_id, sent(at))
        self.assertEqual(list(state.sent), ["a", "c"])
        state.keep_sent("d", sent(61 * DAY))
        self.assertEqual(list(state.sent), ["d"])
        self.assertEqual({len(chunk.sent) for chunk in state.chunks.values()}, {0, 1})
        self.assertEqual(state.changed.chunks, set(state.chunks))

    def test_received(self) -> None:
        """The same of mail that came; it is found by its sender, the newest first."""
        self.patch(module, "MOST_MAILS", 2)
        state = State()
        for n, sender in enumerate(("x@y.test", "x@y.test", "z@y.test")):
            state.keep_received(f"<{n}>", ReceivedMail(n, f"<{n}>", n, sender, (), ""))
        self.assertEqual([one.message_id for one in state.received_from("x@y.test")], ["<1>"])
        state.keep_received("<3>", ReceivedMail(3, "<3>", 3, "z@y.test", (), ""))
        self.assertFalse(state.has_received_from("x@y.test"))
        self.assertEqual([one.message_id for one in state.received_from("z@y.test")], ["<3>", "<2>"])

    def test_loops(self) -> None:
        """Each is new once; only so many are known."""
        self.patch(module, "MOST_LOOPS", 2)
        state = State()
        self.assertEqual([state.loop(one, 1) for one in ("a", "a", "b", "c", "b")], [True, False, True, True, False])
        self.assertEqual(list(state.loops), ["b", "c"])

    def test_not_written(self) -> None:
        """What could not be written down is still changed."""
        state = State()
        state.add(3, state.temperament("busy"), Figure.SENT)
        taken = state.take_changed()
        state.add(4, state.temperament("busy"), Figure.SENT)
        state.restore_changed(taken)
        self.assertEqual(state.changed.days, {3, 4})
        self.assertEqual(len(state.changed.groups), 1)
