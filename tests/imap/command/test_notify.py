"""NOTIFY: what is asked for."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.command.notify import notify
from simmail.imap.untagged.event_groups import EventGroup, EventGroups
from simmail.imap.wire.replies import Bad, No
from tests.imap.recorder import Recorder

MESSAGES = frozenset(("MessageNew", "MessageExpunge"))


class NotifyTests(SynchronousTestCase):
    """On a connection in memory."""

    def setUp(self) -> None:
        self.imap = Recorder(folder="INBOX")

    def asked(self, given: bytes) -> EventGroups:
        """What is told from then on."""
        self.imap.do(notify, given)
        watch: EventGroups = self.imap.notifier.watch
        return watch

    def test_selected(self) -> None:
        """Of the selected mailbox: its events, what is fetched, and whether messages may vanish at any time."""
        watch = self.asked(b"SET (SELECTED (MessageNew (UID BODY.PEEK[TEXT]) MessageExpunge))")
        self.assertEqual((watch.selected, watch.delayed, [one.kind for one in watch.items]),
                         (MESSAGES, False, ["UID", "BODY[]"]))
        assert self.imap.selected is not None
        self.assertEqual((self.imap.selected.tells_flags, self.imap.selected.arrived), (False, []))
        self.assertTrue(self.asked(b"SET (SELECTED-DELAYED (MessageNew MessageExpunge FlagChange))").delayed)

    def test_groups(self) -> None:
        """Of others: all, those subscribed to, some by name; names that mean nothing are ignored."""
        watch = self.asked(b"SET (PERSONAL (MailboxName)) (subtree (Drafts Nowhere) (MessageNew MessageExpunge)) "
                           b"(MAILBOXES INBOX NONE) (SUBSCRIBED NONE)")
        self.assertEqual(watch.groups, (
            EventGroup("ALL", frozenset(), frozenset(("MailboxName",))),
            EventGroup("SUBTREE", frozenset(("Drafts",)), MESSAGES),
            EventGroup("MAILBOXES", frozenset(("INBOX",)), frozenset()),
            EventGroup("SUBSCRIBED", frozenset(), frozenset())))

    def test_status(self) -> None:
        """With STATUS the client hears at once what the mailboxes are like, but for the one it has selected."""
        said, _ = self.imap.do(notify, b"SET STATUS (PERSONAL (MessageNew MessageExpunge))")
        self.assertIn(b"* STATUS Drafts (MESSAGES 0 UIDNEXT 1 UIDVALIDITY 1)\r\n", said)
        self.assertNotIn(b"STATUS INBOX", said)

    def test_modseq(self) -> None:
        """Who wants mod-sequences fetched knows of them."""
        self.asked(b"SET (SELECTED (MessageNew (MODSEQ) MessageExpunge))")
        self.assertIn(b"CONDSTORE", self.imap.enabled)

    def test_none(self) -> None:
        """NONE is nothing at all, again and again with one notifier."""
        self.asked(b"SET (PERSONAL (MailboxName))")
        notifier = self.imap.notifier
        self.assertEqual(self.asked(b"NONE"), EventGroups())
        self.assertIs(self.imap.notifier, notifier)
        assert self.imap.selected is not None
        self.assertFalse(self.imap.selected.tells_messages)

    def test_unknown(self) -> None:
        """An event that is not told is refused with those that are."""
        with self.assertRaises(No) as caught:
            self.asked(b"SET (PERSONAL (AnnotationChange))")
        self.assertRegex(caught.exception.line, rb"\ANO \[BADEVENT \(MessageNew .*\)\] ")
        self.assertIsNone(self.imap.notifier)

    def test_bad(self) -> None:
        """Groups that contradict themselves or one another, and words that are none."""
        for given in (
            b"", b"ALL", b"SET", b"SET STATUS", b"SET ()", b"SET (PERSONAL)", b"SET (PERSONAL ())", b"NONE x",
            b"SET (FOO NONE)", b"SET (PERSONAL (MessageNew))", b"SET (PERSONAL (FlagChange MessageExpunge))",
            b"SET (SELECTED (MailboxName))", b"SET (SELECTED NONE) (SELECTED-DELAYED NONE)", b"SET (MAILBOXES () NONE)",
            b"SET (PERSONAL (MessageNew (UID) MessageExpunge))",
        ):
            with self.assertRaises(Bad, msg=given):
                self.asked(given)

    def test_too_much(self) -> None:
        """There is an end to how much is asked for."""
        names = b" ".join(b"x%d" % number for number in range(1000))
        with self.assertRaises(No) as caught:
            self.asked(b"SET (MAILBOXES (%b) (MailboxName))" % names)
        self.assertIn(b"[NOTIFICATIONOVERFLOW]", caught.exception.line)
