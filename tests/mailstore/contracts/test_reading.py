"""What every mail store promises of reading: columns, octets, digests, orders, searches."""

from __future__ import annotations

from datetime import date, timedelta

from zope.interface.verify import verifyObject

from simmail.core.message.sort import Criterion
from simmail.errors import NotFound
from simmail.interfaces import IOpened
from tests.contracts.mailstores import AT, a_mail, result_of, tiny_digest
from tests.mailstore.contracts.contract import Contract, MARIA, on_both


class ReadingContract(Contract):
    """Reading one folder, or many."""

    def test_columns(self) -> None:
        """Bulk answers agree with single ones, in the order asked, with None for what is gone."""
        folder = self.filled(5)
        result_of(folder.flag([2, 4], ["\\Seen", "Work"], "+"))
        result_of(folder.expunge([3]))
        self.assertEqual(folder.unseen(), [1, 5])
        self.assertEqual(folder.first_unseen(), 1)
        self.assertEqual([entry.uid for entry in folder.entries([5, 3, 1])], [5, 1])
        for name in ("uid", "flags", "size", "date", "modseq", "recent"):
            for uids in ([4, 3, 1], list(folder.uids), [], [77]):
                entries = map(folder.entry, uids)
                self.assertEqual(folder.column(name, uids),
                                 [None if entry is None else getattr(entry, name) for entry in entries])
        self.assertEqual(folder.column("key", [1, 3]), ["d-mI0", None])
        self.assertIs(*folder.column("flags", [2, 4]))
        self.assertEqual(folder.find("d-mI3"), 4)
        self.assertEqual(folder.find("d-mI"), None)
        self.assertEqual(folder.find("d-mI2"), None)
        result_of(folder.flag([1, 5], ["\\Seen"], "+"))
        self.assertEqual((folder.first_unseen(), folder.counts()), (None, (4, 0, 0)))

    def test_reads(self) -> None:
        """Many are read at once; those missing are left out."""
        folder = self.filled(3)
        self.assertEqual(result_of(folder.reads([3, 9, 1])),
                         [(3, a_mail("mail mI2")), (1, a_mail("mail mI0"))])
        self.assertEqual(result_of(folder.reads([])), [])

    def test_open(self) -> None:
        """A message is read piece by piece, from the flags it had or others; those missing are not there."""
        folder = self.filled(2)
        octets = a_mail("mail mI1")
        one = result_of(folder.open(2))
        self.assertTrue(verifyObject(IOpened, one))
        self.assertEqual(one.size, len(octets))
        self.assertEqual(b"".join(result_of(one.read(at, 7)) for at in range(0, one.size, 7)), octets)
        self.assertEqual(result_of(one.read(one.size, 7)), b"")
        result_of(folder.flag([2], ("\\Seen",), "+"))
        self.assertEqual(result_of(one.read(0, 1000)), octets)
        other = result_of(folder.open(2))
        one.close()
        self.assertEqual(result_of(other.read(6, 5)), octets[6:11])
        other.close()
        self.assertIs(result_of(folder.open(9)), None)

    def test_open_and_gone(self) -> None:
        """Who reads a message has it to its end, though it is expunged meanwhile, and with it its mailbox."""
        folder = self.filled(2)
        one = result_of(folder.open(1))
        result_of(folder.expunge([1]))
        self.assertEqual(result_of(one.read(0, 1000)), a_mail("mail mI0"))
        self.assertIs(result_of(folder.open(1)), None)
        result_of(self.store.delete(MARIA))
        self.assertEqual(result_of(one.read(3, 2)), a_mail("mail mI0")[3:5])
        one.close()
        self.assertRaises(NotFound, result_of, folder.open(2))

    def test_derive(self) -> None:
        """What is worked out from the whole of a message is told; what goes wrong with it is told and not kept."""
        folder = self.filled(1)
        one = result_of(folder.open(1))
        self.assertEqual(result_of(one.derive("size", len, lambda call: call())), one.size)
        self.assertEqual(result_of(one.derive("size", len, lambda call: call())), one.size)
        self.assertRaises(ValueError, result_of, one.derive("no", lambda octets: int(octets), lambda call: call()))
        self.assertEqual(result_of(one.derive("no", len, lambda call: call())), one.size)
        one.close()

    def test_digests(self) -> None:
        """Digests are those of the octets, whole or in part, after a restart and in copies too."""
        folder = self.filled(3)
        uid = result_of(folder.append(a_mail("dated ü\0", "a\0b\r\n"), [], AT))
        for _ in range(2):
            octets = dict(result_of(folder.reads(folder.uids)))
            self.assertEqual(result_of(folder.digests([1, uid, 99])),
                             {1: tiny_digest(octets[1]), uid: tiny_digest(octets[uid])})
            self.assertEqual(result_of(folder.digested([uid, 2, 98], ("subject", "sent", "envelope", "attachments"))), {
                each: (one.subject, one.sent, one.envelope, one.attachments)
                for each in (2, uid) for one in [tiny_digest(octets[each])]})
            self.assertEqual(result_of(folder.digested([uid, 2], ("sent_day",))), {
                uid: (date(2026, 2, 28).toordinal(),), 2: (0,)})
            names = ("subject", "header", "subject")
            self.assertEqual(result_of(folder.columns([uid, 98, 2, uid], names)), ([uid, 2], [
                [getattr(tiny_digest(octets[each]), name) for each in (uid, 2)] for name in names]))
            self.assertEqual(result_of(folder.columns([98], names)), ([], [[], [], []]))
            self.assertEqual(result_of(folder.digests([])), {})
            self.store = self.provider.restart()
            folder = self.folder()
        target = self.folder(MARIA, "Archive")
        result_of(folder.copy([uid], target))
        self.assertEqual(result_of(target.digests([1])), {1: tiny_digest(octets[uid])})

    def test_threaded(self) -> None:
        """What messages are threaded by is what their digests have, in the order asked for."""
        folder = self.filled(2)
        digests = result_of(folder.digests([1, 2]))
        self.assertEqual(result_of(folder.threaded([2, 9, 1], ("chain", "order_subject"))), (([2, 1], [
            [digests[uid].chain for uid in (2, 1)], [digests[uid].order_subject for uid in (2, 1)]]), True))
        self.assertEqual(result_of(folder.threaded([], ("chain",))), (([], [[]]), True))

    def test_ordered(self) -> None:
        """Messages are put in order by what the folder and the digests say of them, backwards too, then by UID."""
        folder = self.filled(3)
        for subject, hours in (("mail mI1", -3), ("dated", 2), ("Mail B", -9)):
            result_of(folder.append(a_mail(subject, "x" * 9), [], AT + timedelta(hours=hours)))
        for _ in range(2):
            uids = list(folder.uids)
            for criteria, expected in (
                ((Criterion("order_subject"),), [5, 6, 1, 2, 4, 3]),
                ((Criterion("order_subject", True),), [3, 2, 4, 1, 6, 5]),
                ((Criterion("size"), Criterion("arrival", True)), [5, 1, 2, 3, 6, 4]),
                ((Criterion("order_from"), Criterion("arrival")), [6, 4, 1, 2, 3, 5]),
                # What is dated was sent long before it was filed.
                ((Criterion("at"),), [6, 4, 1, 2, 3, 5]),
                ((), [1, 2, 3, 4, 5, 6]),
            ):
                self.assertEqual(result_of(folder.ordered([99, *reversed(uids)], criteria)), expected, criteria)
            self.assertEqual(result_of(folder.ordered([2, 6], [Criterion("arrival")])), [6, 2])
            self.assertEqual(result_of(folder.ordered([], [Criterion("arrival")])), [])
            self.store = self.provider.restart()
            folder = self.folder()
        result_of(folder.expunge([6]))
        self.assertEqual(result_of(folder.ordered([4, 5, 6], [Criterion("arrival")])), [4, 5])

    def test_containing(self) -> None:
        """Texts are found in fields, in whichever case and form; learned or not."""
        folder = self.filled(1)
        for subject in ("Rechnung für Äpfel", "50%_off\\", "RECHNUNG"):
            result_of(folder.append(a_mail(subject, f"about {subject}\r\n"), [], AT))
        for name, text, uids in (
            ("subject", "rechnung", [2, 4]), ("subject", "50%_OFF\\", [3]), ("subject", "0%o", []),
            ("body", "ABOUT 50", [3]), ("subject", "FÜR Ä", [2]), ("subject", "fu\u0308r A\u0308p", [2]),
            ("from", "maria@acme", [1, 2, 3, 4]), ("from", "MÄRIA <", [1, 2, 3, 4]), ("subject", "f\u00fcra", []),
            ("header", "subject: rech", [2, 4]), ("body", "", [1, 2, 3, 4]), ("subject", "'; drop table", []),
            ("subject", "\0", []), ("subject", "\ud800", []),
        ):
            self.assertEqual(result_of(folder.containing([f"in_{name}"], text)), uids, (name, text))
        self.assertEqual(result_of(folder.containing(("in_subject", "in_body"), "about rech")), [2, 4])
        result_of(folder.expunge([2]))
        self.assertEqual(result_of(folder.containing(("in_subject",), "rechnung")), [4])

    def test_kept_text(self) -> None:
        """The text of a message once it is at hand."""
        folder = self.filled(2)
        result_of(folder.digested([1, 2], ("text",)))
        self.assertEqual(result_of(folder.kept_text(2)), "Hello\r\n")
        self.assertIsNone(result_of(folder.kept_text(3)))
        result_of(folder.expunge([2]))
        self.assertIsNone(result_of(folder.kept_text(2)))

    def test_everywhere(self) -> None:
        """Where mail may be, and texts in the mail of many folders at once."""
        self.assertEqual(result_of(self.store.places()), [])
        folders = []
        for mailbox, name, subjects in (
                (MARIA, "INBOX", ("Rechnung", "Äpfel")), (MARIA, "Sent", ()), ("joe@acme.test", "Work", ("rechnung",)),
                ("joe@acme.test", "INBOX", ("other", "50% Rechnung"))):
            result_of(self.store.create(mailbox))
            if name == "Work":
                result_of(self.store.create_folder(mailbox, name))
            folders.append(result_of(self.store.folder(mailbox, name)))
            for subject in subjects:
                result_of(folders[-1].append(a_mail(subject, f"about {subject}\r\n"), [], AT))
        places = set(result_of(self.store.places()))
        self.assertLessEqual({(MARIA, "INBOX"), ("joe@acme.test", "INBOX"), ("joe@acme.test", "Work")}, places)
        self.assertNotIn((MARIA, "Sent"), places)
        for _ in range(2):
            for wanted, expected in (
                ([(("in_subject",), "RECH")], [[1], [], [1], [2]]), ([], [[1, 2], [], [1], [1, 2]]),
                ([(("in_subject", "in_from"), "MäRIA"), (("in_body",), "about o")], [[], [], [], [1]]),
                ([(("in_subject",), "äPFEL")], [[2], [], [], []]),
                ([(("in_body",), "50% r"), (("in_body",), "x")], [[]] * 4),
            ):
                found = result_of(self.store.containing(folders, wanted))
                self.assertEqual([list(uids) for uids in found], expected, wanted)
            self.provider.later()
        result_of(self.store.rename_folder("joe@acme.test", "Work", "Done"))
        found = result_of(self.store.containing(folders, [(("in_subject",), "rech")]))
        self.assertEqual([list(uids) for uids in found], [[1], [], [], [2]])
        self.assertIn(("joe@acme.test", "Done"), result_of(self.store.places()))
        self.assertEqual(result_of(self.store.containing([], [(("in_subject",), "x")])), [])
        result_of(folders[0].expunge([1]))
        result_of(folders[0].append(a_mail("Rechnung 2"), [], AT))
        found = result_of(self.store.containing(folders[:2], [(("in_subject",), "rech")]))
        self.assertEqual([list(uids) for uids in found], [[3], []])

    def test_containing_long(self) -> None:
        """However long the text is, it is looked for."""
        folder = self.filled(1)
        text = "0123456789%_" * 5000
        result_of(folder.append(a_mail("long", f"x{text}y\r\n"), (), AT))
        self.assertEqual(result_of(folder.containing(("in_body",), text)), [2])
        self.assertEqual(result_of(folder.containing(("in_body",), text[:30_000] + "Z")), [])
        self.assertEqual(result_of(folder.containing(("in_body",), text[:25_000] + "\u00e4" + text[25_001:])), [])


globals().update(on_both(__name__, ReadingContract))
