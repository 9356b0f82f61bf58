"""What a store had promised before it was killed, and whether it was kept."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from hashlib import sha256
from typing import Any

from tests.contracts.mailstores import AT, result_of

MARIA, TOM, SENT = "maria@acme.test", "tom@acme.test", "Sent"
#: Letters that are appended together.
BATCH = 4
#: The instant they are.
SAVED = AT + timedelta(hours=1)


def a_letter(key: str, size: int) -> bytes:
    """A message that tells whether it is whole."""
    body = (key.encode() + b"\r\n") * (size // (len(key) + 2) + 1)
    return b"X-Key: %b\r\nX-Hash: %b\r\n\r\n%b" % (key.encode(), sha256(body).hexdigest().encode(), body)


def key_of(octets: bytes) -> str:
    """The key of a letter; fails when it is not whole."""
    header, _, body = octets.partition(b"\r\n\r\n")
    fields = dict(line.split(b": ") for line in header.split(b"\r\n"))
    assert sha256(body).hexdigest().encode() == fields[b"X-Hash"], "damaged"
    return fields[b"X-Key"].decode()


class Promises:
    """All that was said on standard output, over several lives."""

    def __init__(self) -> None:
        self.filed: dict[str, tuple[str, str]] = {}
        self.settled: set[str] = set()
        self.flagged: set[int] = set()
        self.expunged: set[int] = set()
        self.appended: set[int] = set()
        self.replayed: set[str] = set()
        self.revised = 0
        self.uidnext: dict[str, int] = {}

    def hear(self, line: str) -> None:
        """One line."""
        what, *words = line.split()
        if what == "filed":
            assert words[0] not in self.filed, f"{words[0]} filed twice"
            self.filed[words[0]] = (words[1], words[2])
        elif what in ("settled", "replayed"):
            getattr(self, what).add(words[0])
        elif what in ("flagged", "expunged", "appended"):
            getattr(self, what).add(int(words[0]))
        elif what == "revised":
            self.revised = int(words[0])
        else:
            raise AssertionError(line)

    def check(self, store: Any, expect: Any) -> None:
        """Hold a store that was opened after the death to them; C{expect} is a test case."""
        inbox = result_of(store.folder(MARIA, "INBOX"))
        sent = result_of(store.folder(TOM, SENT))
        drafts = result_of(store.folder(TOM, "Drafts"))
        by_uid = {}
        for folder in (inbox, sent, drafts):
            octets = dict(result_of(folder.reads(folder.uids)))
            expect.assertEqual(sorted(octets), list(folder.uids))
            keys = {key_of(one): uid for uid, one in octets.items()}
            expect.assertEqual(len(keys), len(octets), f"something is twice in {folder.name}")
            by_uid[folder.name] = keys
            expect.assertGreaterEqual(folder.uidnext, self.uidnext.get(folder.name, 0))
            self.uidnext[folder.name] = folder.uidnext
        archive = result_of(store.folder(TOM, "Archive"))
        if self.revised:
            # Each took the place of the one before it; the last may have come and was not promised yet.
            expect.assertEqual(len(archive.uids), 1)
            expect.assertIn(archive.uids[0], (self.revised, self.revised + 1))
            key_of(result_of(archive.read(archive.uids[0])))
            self.revised = archive.uids[0]
        for key, (in_sent, in_inbox) in self.filed.items():
            expect.assertEqual(in_sent, f"{sent.uidvalidity}:{by_uid[SENT].get(key)}", key)
            uid = int(in_inbox.partition(":")[2])
            if uid not in self.expunged:
                # The last expunge may have been done and not yet promised.
                expect.assertIn(by_uid["INBOX"].get(key), (uid, None) if uid % 11 == 0 else (uid,), key)
            expect.assertEqual(in_inbox, f"{inbox.uidvalidity}:{uid}")
        expect.assertEqual(self.expunged.intersection(inbox.uids), set())
        expect.assertEqual(self.appended.difference(drafts.uids), set())
        together = [uid for key, uid in by_uid["Drafts"].items() if key.startswith("m-")]
        expect.assertEqual(result_of(drafts.saved(together)), [SAVED] * len(together))
        batches = Counter(key.rpartition("-")[0] for key in by_uid["Drafts"] if key.startswith("m-"))
        expect.assertEqual(set(batches.values()) - {BATCH}, set(), "some of several, not all")
        for uid in self.flagged - self.expunged:
            entry = inbox.entry(uid)
            if entry is not None:
                expect.assertEqual(entry.flags, {"\\Flagged", "Key"}, uid)
