"""Tests for C{simmail.universe.jobs.letters}: what is sent is what was meant."""

from __future__ import annotations

from typing import Any, get_args

from simmail.core.message.parse import read
from simmail.core.records.persona import Client
from simmail.universe.cache import MailCache
from tests.universe.people.test_inbox_worker import said
from tests.universe.jobs.test_runner import RunnerTestCase


class SentTests(RunnerTestCase):
    """A mail of one's own need not be read to be known."""

    def test_as_read(self) -> None:
        """Whatever the client, what is known of a mail that was sent is what reading it gives."""
        known: list[Any] = []
        self.patch(self.universe.mail_cache, "filed", lambda copy, octets, mail=None: known.append((octets, mail)))
        for n, client in enumerate(get_args(Client)):
            self.create(addresses=[f"m{n}@acme.test"], name=f"Märia {n} Rößler", style={
                "client": client, "signature": "Märia  \n\nAcme", "typos": 0.1})
            text = "Könnten Sie uns bitte den Vertrag schicken? Wer unterschreibt?\n\n> zitiert\n-- \nX"
            self.send(said(text.encode(), n), to=f"m{n}@acme.test")
        self.idle()
        sent = [(octets, mail) for octets, mail in known if mail is not None]
        self.assertGreaterEqual(len(sent), len(get_args(Client)))
        for octets, mail in sent:
            found = read(octets)
            for name in ("message_id", "in_reply_to", "references", "from_", "to", "cc", "reply_to", "subject", "date",
                         "text", "html", "format", "size"):
                self.assertEqual(getattr(mail, name), getattr(found, name), name)
            self.assertEqual([one.filename for one in mail.attachments], [one.filename for one in found.attachments])

    def test_words_do_not_depend_on_what_is_kept(self) -> None:
        """A later mail of a thread is the same whether its earlier ones were kept or have to be read."""
        texts = []
        for kept in (True, False):
            self.universe = self.server.universe(f"u{int(kept)}", seed="same")
            self.create()
            self.send(said(b"How many chairs do you need?"))
            self.idle()
            if not kept:
                vars(self.universe.mail_cache).update(vars(MailCache()))
            self.answer(b"And who will sign the order?", self.inbox()[0])
            self.idle()
            texts.append([mail.text for mail in self.inbox()])
        self.assertEqual(texts[0], texts[1])
