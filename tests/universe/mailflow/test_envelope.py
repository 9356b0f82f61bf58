"""Tests for C{simmail.universe.mailflow.envelope}: what of an envelope the post office goes by."""

from __future__ import annotations

from simmail.core.rules.recipients import RecipientVerdict
from simmail.testing.universe import now
from simmail.universe.mailflow.envelope import DsnRequest, Outgoing, Recipient, Submission
from tests.universe.test_road import MAIL, RoadTestCase

CRLF = MAIL.replace(b"\n", b"\r\n")
NEW = Recipient("maria@acme.test", RecipientVerdict("create"))


class SubmissionTests(RoadTestCase):
    """A message of the application."""

    def folders(self, address: str) -> dict[str, int]:
        """Messages by folder, of a mailbox that may not be there."""
        if not self.universe.store.exists(address):
            return {}
        return {one.name: one.total for one in now(self.universe.mailboxes.folders(address)) if one.total}

    def test_plain(self) -> None:
        """Whoever says no more than it must gets a copy in Sent, and no notice is planned."""
        accepted = now(self.universe.postoffice.accept(Submission("app@sim.test", (NEW,), CRLF)))
        self.assertEqual(accepted.message_id, "<one@app.test>")
        self.assertEqual((self.folders("app@sim.test"), self.folders("maria@acme.test")), ({"Sent": 1}, {"INBOX": 1}))
        self.assertEqual(self.universe.pending.by_id, {})

    def test_whose_sent(self) -> None:
        """The copy is filed for who signed in, not for who the reverse-path names, and only if it is wanted."""
        now(self.universe.postoffice.accept(Submission("app@sim.test", (NEW,), CRLF, login="login@sim.test")))
        self.assertEqual((self.folders("login@sim.test"), self.folders("app@sim.test")), ({"Sent": 1}, {}))
        now(self.universe.postoffice.accept(Submission("app@sim.test", (NEW,), CRLF, save_sent=False)))
        now(self.universe.postoffice.accept(Submission("", (NEW,), CRLF)))
        self.assertEqual((self.folders("app@sim.test"), self.folders("maria@acme.test")), ({}, {"INBOX": 3}))

    def test_id(self) -> None:
        """A delivery that has its name already keeps it; a Message-ID that is missing is drawn."""
        bare = CRLF.replace(b"Message-ID: <one@app.test>\r\n", b"")
        accepted = now(self.universe.postoffice.accept(Submission("app@sim.test", (NEW,), bare, id="d-77")))
        self.assertEqual(accepted.delivery_id, "d-77")
        self.assertRegex(accepted.message_id, r"\A<[^<>\s]+@sim\.test>\Z")

    def test_verdicts(self) -> None:
        """Each recipient meets its own verdict; what was asked of notices is kept with the job that sends one."""
        bad = Recipient("bad@acme.test", RecipientVerdict("bounce", "full"), ("FAILURE",), "rfc822;bad@acme.test")
        off = Recipient("off@acme.test", RecipientVerdict("discard"))
        now(self.universe.postoffice.accept(Submission(
            "app@sim.test", (NEW, bad, off), CRLF, dsn=DsnRequest("FULL", "e-1"))))
        self.assertEqual([self.folders(one) for one in ("maria@acme.test", "bad@acme.test", "off@acme.test")],
                         [{"INBOX": 1}, {}, {}])
        (job,) = self.universe.pending.by_id.values()
        self.assertEqual((job.data["ret"], job.data["envid"], job.data["orcpt"]), ("FULL", "e-1", bad.orcpt))


class OutgoingTests(RoadTestCase):
    """A message of the universe's own."""

    def test_sent_copy(self) -> None:
        """A copy is filed in the Sent folder that is named, read; of a notice there is none."""
        from simmail.core.records.commit import Commit

        for number, copy in enumerate(("maria@acme.test", "")):
            now(self.universe.postoffice.send(
                f"j{number}", Outgoing("maria@acme.test", ("app@sim.test",), CRLF, "reply", copy), Commit()))
        folder = now(self.universe.mailboxes.folder("maria@acme.test", "Sent"))
        (uid,) = folder.uids
        self.assertIn("\\Seen", folder.entry(uid).flags)
        self.assertEqual(len(self.inbox()), 2)
        self.assertTrue(self.universe.postoffice.reached_application)
