"""
Faults of delivery, and that faults are recorded.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import EventQuery
from simmail.testing.universe import now, turned
from tests.smtp.door import Door

TEXT = b"Subject: Hello\r\n\r\n" + b"".join(b"line %d\r\n" % n for n in range(100)) + b".\r\n"


def delivered(*rules: dict[str, Any]) -> Door:
    """A message to maria@acme.test and otto@acme.test, with faults for maria."""
    door = Door()
    now(door.universe.faults.put([{"stage": "deliver", "match": "maria@acme.test", **rule} for rule in rules]))
    wire = door.hello()
    wire.ask("MAIL FROM:<app@sim.test>", "RCPT TO:<maria@acme.test>", "RCPT TO:<otto@acme.test>", "DATA")
    wire.send(TEXT)
    said = wire.taken()
    if b"250 2.0.0 OK" not in said:
        raise AssertionError(said)
    return door


class DeliveryTests(SynchronousTestCase):
    """What faults make of a message that was accepted; who is not meant gets it as it is."""

    def counts(self, door: Door) -> tuple[int, int, int]:
        """Messages of maria, of otto, and Sent copies."""
        return (len(door.mail("maria@acme.test")), len(door.mail("otto@acme.test")),
                len(door.mail("app@sim.test", "Sent")))

    def test_discard(self) -> None:
        """Accepted and never delivered."""
        self.assertEqual(self.counts(delivered({"kind": "discard"})), (0, 1, 1))

    def test_duplicate(self) -> None:
        """Delivered twice, the same message both times."""
        door = delivered({"kind": "duplicate"})
        self.assertEqual(self.counts(door), (2, 1, 1))
        one, two = door.mail("maria@acme.test")
        self.assertEqual(one, two)

    def test_corrupt(self) -> None:
        """The second half is lost; the header and the Sent copy are whole."""
        door = delivered({"kind": "corrupt"})
        self.assertEqual(self.counts(door), (1, 1, 1))
        (whole,), (cut,) = door.mail("otto@acme.test"), door.mail("maria@acme.test")
        self.assertTrue(whole.startswith(cut))
        self.assertTrue(cut.endswith(b"\r\n"))
        self.assertLess(len(cut), len(whole) - 300)
        self.assertEqual(door.mail("app@sim.test", "Sent"), [whole])

    def test_bounce(self) -> None:
        """Accepted, nothing is delivered to her; the notice comes later and says what the rule says."""
        door = delivered({"kind": "bounce", "code": 552, "enhanced": "5.2.2", "message": "over quota"})
        self.assertEqual(self.counts(door), (0, 1, 1))
        self.assertEqual(door.mail("app@sim.test"), [])
        turned(door.universe, door.universe.scheduler.advance(by=timedelta(hours=1)))
        (notice,) = door.mail("app@sim.test")
        self.assertIn(b"\r\nDiagnostic-Code: smtp; 552 5.2.2 over quota\r\n", notice)
        self.assertIn(b"\r\nFinal-Recipient: rfc822; maria@acme.test\r\n", notice)

    def test_late(self) -> None:
        """Delivered when the delay has passed on the simulated clock."""
        door = delivered({"kind": "late", "delay_ms": 3_600_000})
        self.assertEqual(self.counts(door), (0, 1, 1))
        turned(door.universe, door.universe.scheduler.advance(by=timedelta(minutes=59)))
        self.assertEqual(self.counts(door), (0, 1, 1))
        turned(door.universe, door.universe.scheduler.advance(by=timedelta(minutes=1)))
        self.assertEqual(self.counts(door), (1, 1, 1))

    def test_late_is_not_in_the_job(self) -> None:
        """The octets wait in the mail store, not in Redis, and go when they are delivered."""
        door = delivered({"kind": "late", "delay_ms": 3_600_000})
        (job,) = door.universe.pending.by_id.values()
        self.assertLess(len(msgspec.json.encode(job)), 500)
        held = door.universe.store.held
        self.assertEqual(now(held.keys()), [job.id])
        self.assertIn(b"\r\nline 99\r\n", now(held.read(job.id)))
        turned(door.universe, door.universe.scheduler.advance(by=timedelta(hours=1)))
        self.assertIn(b"\r\nline 99\r\n", door.mail("maria@acme.test")[0])
        self.assertEqual(now(held.keys()), [])

    def test_late_and_skipped(self) -> None:
        """A late delivery that was skipped by hand leaves nothing behind after the next start."""
        door = delivered({"kind": "late", "delay_ms": 3_600_000})
        (job,) = door.universe.pending.by_id.values()
        now(door.universe.postoffice.tidy())
        self.assertEqual(now(door.universe.store.held.keys()), [job.id])
        now(door.universe.scheduler.skip(job.id))
        now(door.universe.postoffice.tidy())
        self.assertEqual(now(door.universe.store.held.keys()), [])

    def test_late_notices(self) -> None:
        """Of a late delivery the sender is told soon when it asked for DELAY, of its end when for SUCCESS."""
        door = Door()
        now(door.universe.faults.put([{"stage": "deliver", "kind": "late", "delay_ms": 3_600_000}]))
        wire = door.hello()
        wire.ask("MAIL FROM:<app@sim.test>", "RCPT TO:<maria@acme.test> NOTIFY=SUCCESS,DELAY", "DATA")
        wire.send(TEXT)
        self.assertEqual(len(door.universe.pending.by_id), 3)
        turned(door.universe, door.universe.scheduler.advance(by=timedelta(minutes=59)))
        self.assertEqual([b"\r\nAction: delayed\r\n" in one for one in door.mail("app@sim.test")], [True])
        turned(door.universe, door.universe.scheduler.advance(by=timedelta(hours=1)))
        self.assertEqual([b"\r\nAction: delivered\r\n" in one for one in door.mail("app@sim.test")], [False, True])
        planned = [msgspec.json.decode(one)["data"]["kind"] for one in now(
            door.universe.log.query(EventQuery(types=("job.scheduled",))))]
        self.assertEqual(sorted(planned), ["bounce", "bounce", "deliver"])

    def test_bounces_are_classified(self) -> None:
        """What the enhanced code of a bounce says is what persona.bounced says."""
        for enhanced, kind in (("5.1.1", "unknown"), ("5.4.1", "unknown"), ("5.1.2", "domain"), ("5.2.2", "full"),
                               ("5.2.1", "disabled"), ("5.7.26", "blocked"), ("", "blocked")):
            door = delivered({"kind": "bounce", "enhanced": enhanced})
            (event,) = now(door.universe.log.query(EventQuery(types=("persona.bounced",))))
            self.assertEqual(msgspec.json.decode(event)["data"]["kind"], kind, enhanced)

    def test_recorded(self) -> None:
        """A rule that fires adds fault.hit, and its hits are counted."""
        door = delivered({"kind": "discard", "name": "lost"})
        found = [msgspec.json.decode(one) for one in now(door.universe.log.query(EventQuery(types=("fault.hit",))))]
        self.assertEqual([one["data"] for one in found], [
            {"rule": "lost", "kind": "discard", "stage": "deliver", "address": "maria@acme.test", "code": 0,
             "from": "app@sim.test"}])
        self.assertEqual(door.universe.faults.shown()[0]["hits"], 1)

    def test_refusal_is_recorded(self) -> None:
        """A bad address that is refused at RCPT is a persona.bounced, without a persona."""
        door = Door()
        door.do_rules('{"status": {"maria@acme.test": "full"}, "default": {"fail_at": "rcpt"}}')
        wire = door.hello()
        wire.ask("MAIL FROM:<app@sim.test>", "RCPT TO:<maria@acme.test>")
        found = [msgspec.json.decode(one) for one in now(
            door.universe.log.query(EventQuery(types=("persona.bounced",))))]
        self.assertEqual([(one["data"]["address"], one["data"]["kind"], one["data"]["to"]) for one in found],
                         [("maria@acme.test", "full", "app@sim.test")])

    def test_api_is_spared(self) -> None:
        """Fault rules do not apply to what does not come over SMTP."""
        door = delivered({"kind": "discard"})
        door.server.send(door.universe, "app@sim.test", "maria@acme.test", b"Subject: x\n\nx\n", via="api")
        self.assertEqual(len(door.mail("maria@acme.test")), 1)


class PlaceTests(SynchronousTestCase):
    """Whose rules hold."""

    def test_universes(self) -> None:
        """Before a recipient is named the login's universe decides, else the default one; then the recipient's own."""
        door = Door()
        other = door.server.universe("other")
        now(other.store.create("otto@beta.test"))
        for universe, text in ((door.universe, "main"), (other, "other")):
            now(universe.faults.put([
                {"kind": "reject", "stage": stage, "message": text} for stage in ("mail", "rcpt")]))
        wire = door.hello()
        self.assertEqual(wire.ask("MAIL FROM:<app@sim.test>"), "550 5.7.1 main\r\n")
        now(door.universe.faults.put([{"kind": "reject", "stage": "rcpt", "message": "main"}]))
        wire.ask("MAIL FROM:<app@sim.test>")
        self.assertEqual(wire.ask("RCPT TO:<otto@beta.test>"), "550 5.7.1 other\r\n")
        self.assertEqual(wire.ask("RCPT TO:<maria@acme.test>"), "550 5.7.1 main\r\n")

    def test_implicit_tls(self) -> None:
        """A broken TLS at connect ends a connection on SMTPS before a word is said, and no other."""
        for implicit in (True, False):
            door = Door(implicit_tls=implicit)
            now(door.universe.faults.put([{"kind": "tls_fail", "stage": "connect"}]))
            wire = door.connect()
            self.assertEqual(wire.aborted, implicit)
            self.assertEqual(wire.taken() == b"", implicit)

    def test_bdat(self) -> None:
        """Faults of data and body hold for BDAT as for DATA."""
        for stage, code in (("data", 554), ("body", 554)):
            door = Door()
            now(door.universe.faults.put([{"kind": "reject", "stage": stage}]))
            wire = door.hello()
            wire.ask("MAIL FROM:<app@sim.test>", "RCPT TO:<maria@acme.test>")
            wire.send(b"BDAT 14 LAST\r\nSubject: one\r\n")
            self.assertEqual(wire.taken()[:3], b"%d" % code)
            self.assertEqual(wire.ask("NOOP"), "250 2.0.0 OK\r\n")

    def test_default_away(self) -> None:
        """Without a default universe there are no rules before a recipient is named, and nothing breaks."""
        door = Door({"smtp": {"default_universe": "nowhere"}})
        wire = door.hello()
        self.assertEqual(wire.ask("MAIL FROM:<app@sim.test>")[:3], "250")
