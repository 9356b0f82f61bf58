"""Finding mail by a query: what a plain look at every message finds, in its order."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.folding import fold
from simmail.core.message.query import parse
from simmail.core.message.search_match import Sought
from simmail.core.message.summarize import digest
from simmail.mailstore.memory.mailstore import MemoryMailStore
from simmail.universe.mailflow.search import MailSearch, MessageHit
from tests.contracts.mailstores import AT, DiskProvider, result_of

_WORDS = ("budget", "Invoice", "März", "50%", "a_b", "x")
_MESSAGES = st.lists(st.tuples(
    st.sampled_from(("a@sim.test", "b@sim.test", "c@sim.test")), st.sampled_from(("INBOX", "Sent", "Archive")),
    st.sampled_from(_WORDS), st.sampled_from(_WORDS), st.integers(0, 3), st.booleans()), max_size=12)
_TERMS = st.lists(st.sampled_from((
    "budget", "-budget", "invoice", "märz", "-märz", "subject:invoice", "subject:März", "-subject:x", "subject:50%",
    "from:a@", "-from:b", "to:budget", "folder:sent", "-folder:inbox", "is:unread", "is:read", "larger:120",
    "smaller:118", "after:2026-03-01T09:01:00Z", "before:2026-03-01T09:02:00Z", "header:X-N=1", "-header:x-n=2",
    "has:attachment", '"a_b"', "message-id:<m1@x>")), max_size=3)


class MailSearchTests(SynchronousTestCase):
    """Both stores."""

    def check(self, store: Any, reactor: Any, messages: Any, terms: list[str], most: int) -> None:
        """Pages of what is found, against a plain look."""
        plain: list[MessageHit] = []
        parsed = parse(" ".join(terms))
        for n, (mailbox, name, subject, text, minute, seen) in enumerate(messages):
            result_of(store.create(mailbox))
            folder = result_of(store.folder(mailbox, name))
            octets = (f"From: {mailbox}\r\nTo: <{subject[:1].lower()}@y.test>\r\nSubject: {subject}\r\n"
                      f"Message-ID: <m{n}@x>\r\nX-N: {minute}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
                      f"{text}\r\n").encode()
            at = AT + timedelta(minutes=minute)
            uid = result_of(folder.append(octets, ["\\Seen"] if seen else [], at))
            if all(_fits(term, mailbox, name, octets, at, seen) is term.wanted for term in parsed):
                plain.append(MessageHit(round(at.timestamp() * 1_000_000), mailbox, name, uid))
        plain.sort(reverse=True)
        # Nobody is there, so that only the store is asked.
        nobody: Any = None
        search = MailSearch("main", nobody, store, nobody, nobody, nobody, nobody, reactor)
        found: list[MessageHit] = []
        behind = None
        while page := result_of(search.newest(parsed, most, behind)):
            self.assertLessEqual(len(page), most)
            found += page
            behind = page[-1]
        self.assertEqual(found, plain, terms)

    @given(_MESSAGES, _TERMS, st.integers(1, 5))
    @settings(deadline=None, max_examples=150)
    def test_in_memory(self, messages: Any, terms: list[str], most: int) -> None:
        """The store in dicts."""
        self.check(MemoryMailStore("main"), Clock(), messages, terms, most)

    @given(_MESSAGES, _TERMS, st.integers(1, 5))
    @settings(deadline=None, max_examples=25)
    def test_on_disk(self, messages: Any, terms: list[str], most: int) -> None:
        """The store on disk."""
        self.on_disk(messages, terms, most, None)

    @given(_MESSAGES, _TERMS, st.integers(1, 5))
    @settings(deadline=None, max_examples=50)
    def test_by_looking(self, messages: Any, terms: list[str], most: int) -> None:
        """The same where messages that the index does not know are only looked at."""
        self.on_disk(messages, terms, most, Sought)

    def on_disk(self, messages: Any, terms: list[str], most: int, sought: Any) -> None:
        provider = DiskProvider(self.mktemp(), digest=digest, shown=None, sought=sought)
        try:
            self.check(provider.store, provider.clock, messages, terms, most)
        finally:
            provider.stop()


def _fits(term: Any, mailbox: str, name: str, octets: bytes, at: Any, seen: bool) -> bool:
    """Whether a term, turned round or not, is so of a message."""
    one = digest(octets)
    addresses = {field: fold(" ".join(f"{each.name} <{each.address}>" for each in getattr(one, field)))
                 for field in ("from_", "to", "cc")}
    subject, text = fold(one.subject), fold(one.text)
    found: bool = {
        "text": lambda: any(term.text in each for each in (subject, text, *addresses.values())),
        "subject": lambda: term.text in subject, "from": lambda: term.text in addresses["from_"],
        "to": lambda: term.text in addresses["to"], "folder": lambda: term.text == name.lower(),
        "flag": lambda: seen is term.on, "larger": lambda: len(octets) > term.size,
        "smaller": lambda: len(octets) < term.size, "after": lambda: at >= term.at, "before": lambda: at < term.at,
        "header": lambda: f"{term.name}: {term.text}\r\n".encode() in octets.lower(), "attachment": lambda: False,
        "message-id": lambda: one.message_id == term.text,
    }[term.field]()
    return found
