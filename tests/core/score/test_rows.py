"""Tests for C{simmail.core.score.rows}: recorded events as what is graded."""

from __future__ import annotations

from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.score.rows import read_row
from simmail.core.score.truth import ApplicationMail, AttackCheck, AttackTruth, FactsTruth, PersonaMail, Truth
from tests.core.score.scenes import at

WORLD = {
    "stream": "s", "kind": "spam", "to": "hello@acme.test", "from": "Win@Evil.test", "subject": "Win",
    "message_id": "<1@evil.test>", "expected": "junk", "language": "en", "mix": "new", "answer_by": None,
    "thread": "<1@evil.test>"}


def row(type: str, data: dict[str, Any], **more: Any) -> Any:
    """What a recorded event is read as."""
    return read_row(msgspec.json.encode({
        "id": 7, "at": at(1), "type": type, "source": "simmail", "data": data, **more}))


class RowTests(SynchronousTestCase):
    """Three types of events."""

    def test_world(self) -> None:
        """The truth about a mail: its writer is a machine's address or a persona's."""
        attack = {"kind": "injection", "carrier": "body", "goal": "x", "checks": [{"what": "text", "value": "Z"}]}
        facts = {"given": {"order": "1"}, "must": ["1"], "must_not": []}
        self.assertEqual(row("world.mail", {**WORLD, "facts": facts, "attack": attack}), (7, Truth(
            "<1@evil.test>", at(1), "spam", "junk", ("win@evil.test",), "hello@acme.test", "Win", "<1@evil.test>", "s",
            facts=FactsTruth(("1",)), attack=AttackTruth("injection", "body", "x", (AttackCheck("text", "Z"),)))))
        data = {name: value for name, value in WORLD.items() if name != "from"}
        _, found = row("world.mail", {**data, "expected": "answer", "answer_by": "2026-03-02T10:00:00Z"},
                       persona={"id": "p", "name": "Anna", "addresses": ["anna@b.test", "a@b.test"]})
        self.assertEqual((found.senders, found.answer_by), (("anna@b.test", "a@b.test"), at(1)))

    def test_others(self) -> None:
        """Mail of persons, and of the application."""
        tag = {"id": "p", "name": "Anna", "addresses": ["anna@b.test"]}
        data = {"persona_id": "p", "kind": "ooo", "to": ["x@y.test"], "subject": "Away", "message_id": "<o@b.test>"}
        self.assertEqual(row("persona.sent", data, persona=tag)[1], PersonaMail(
            "<o@b.test>", at(1), "anna@b.test", "Away", (), True))
        data = {"from": "X@y.test", "to": ["Anna@b.test"], "subject": "Hi", "message_id": "<1@y.test>"}
        self.assertEqual(row("mail.delivered", {**data, "in_reply_to": "<o@b.test>"})[1], ApplicationMail(
            "<1@y.test>", at(1), "x@y.test", ("anna@b.test",), "Hi", in_reply_to="<o@b.test>"))
