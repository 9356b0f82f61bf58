"""What every mail store promises of annotations."""

from __future__ import annotations

from typing import Any

from zope.interface.verify import verifyObject

from simmail.errors import NotFound, OverAllowance
from simmail.interfaces import IAnnotations
from simmail.mailstore.maildir import annotations as annotating
from tests.contracts.mailstores import result_of
from tests.mailstore.contracts.contract import Contract, INBOX, MARIA, TOM, on_both


class AnnotationContract(Contract):
    """Annotations of folders and mailboxes."""

    def test_interface(self) -> None:
        """It is an IAnnotations."""
        self.assertTrue(verifyObject(IAnnotations, self.store.annotations))

    def read(self, folder: str = INBOX) -> dict[str, bytes]:
        """Maria's."""
        found: dict[str, bytes] = result_of(self.store.annotations.read(MARIA, folder))
        return found

    def write(self, folder: str, changes: dict[str, bytes | None], origin: object = None) -> None:
        """Maria's."""
        result_of(self.store.annotations.write(MARIA, folder, changes, origin))

    def test_kept(self) -> None:
        """Entries come, change and go; each folder has its own, and so has the mailbox; they outlast the process."""
        result_of(self.store.create(MARIA))
        told: list[Any] = []
        self.store.annotations.listen(lambda *args: told.append(args))
        self.write(INBOX, {"/private/comment": bytes(range(256)), "/shared/comment": b""}, self)
        self.write("inbox", {"/private/comment": None, "/private/other": b"x", "/private/gone": None})
        self.write("Drafts", {"/private/comment": b"drafts"})
        self.write("", {"/private/comment": b"server"})
        self.write("Drafts", {"/private/comment": b"drafts"})
        self.assertEqual(told, [
            (MARIA, INBOX, ("/private/comment", "/shared/comment"), self),
            (MARIA, INBOX, ("/private/comment", "/private/other"), None),
            (MARIA, "Drafts", ("/private/comment",), None), (MARIA, "", ("/private/comment",), None)])
        self.store = self.provider.crash()
        self.assertEqual(self.read(), {"/shared/comment": b"", "/private/other": b"x"})
        self.assertEqual(self.read("Drafts"), {"/private/comment": b"drafts"})
        self.assertEqual((self.read("Junk"), self.read("")), ({}, {"/private/comment": b"server"}))

    def test_with_folders(self) -> None:
        """They go where their folder goes; INBOX keeps its own."""
        self.accept(1, MARIA)
        result_of(self.store.create_folder(MARIA, "a"))
        self.write("a", {"/private/comment": b"a"})
        result_of(self.store.rename_folder(MARIA, "a", "b"))
        self.assertEqual(self.read("b"), {"/private/comment": b"a"})
        result_of(self.store.delete_folder(MARIA, "b"))
        result_of(self.store.create_folder(MARIA, "b"))
        self.assertEqual(self.read("b"), {})
        self.write(INBOX, {"/private/comment": b"in"})
        result_of(self.store.rename_folder(MARIA, INBOX, "c"))
        self.assertEqual((self.read(), self.read("c")), ({"/private/comment": b"in"},) * 2)
        for folder in ("b2", "a/b"):
            self.assertRaises(NotFound, self.read, folder)
            self.assertRaises(NotFound, self.write, folder, {"/private/x": b""})
        self.assertRaises(NotFound, result_of, self.store.annotations.read(TOM, ""))
        self.assertRaises(NotFound, result_of, self.store.annotations.write(TOM, INBOX, {"/private/x": b""}))

    def test_limits(self) -> None:
        """There is room for so many, and so much; what is refused changes nothing."""
        result_of(self.store.create(MARIA))
        many = {f"/private/{n}": b"x" for n in range(annotating.MOST)}
        self.write(INBOX, many)
        self.assertRaises(OverAllowance, self.write, INBOX, {"/private/0": b"y", "/private/more": b"x"})
        self.assertEqual(self.read(), many)
        self.write(INBOX, {"/private/0": None, "/private/more": b"x"})
        self.assertEqual(len(self.read()), annotating.MOST)
        large = {f"/private/{n}": bytes(annotating.ROOM // 4) for n in range(4)}
        self.assertRaises(OverAllowance, self.write, "Sent", large)
        self.assertEqual(self.read("Sent"), {})

    def test_failing_listener(self) -> None:
        """One listener that fails does not keep others from hearing, nor the change from being made."""
        result_of(self.store.create(MARIA))
        told: list[str] = []

        def fails(*args: Any) -> None:
            raise ValueError("a defect")

        self.store.annotations.listen(fails)
        hears = lambda mailbox, folder, names, origin: told.extend(names)  # noqa: E731
        self.store.annotations.listen(hears)
        self.write(INBOX, {"/private/x": b""})
        self.assertEqual((told, len(self.flushLoggedErrors(ValueError))), (["/private/x"], 1))
        self.store.annotations.unlisten(hears)
        self.store.annotations.unlisten(fails)
        self.write(INBOX, {"/private/x": b"y"})
        self.assertEqual(told, ["/private/x"])


globals().update(on_both(__name__, AnnotationContract))
