"""Tests for C{simmail.mailstore.export.reading}: an export that is damaged, or was made to do harm, is told as such."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simmail.errors import Invalid
from tests.mailstore.export.exports import changed, ExportCase, MARIA


class HostileTests(ExportCase):
    """Exports by somebody who knows how to write a manifest."""

    def refused(self, change: Callable[[Path], object]) -> str:
        """What is said of an export that was changed; nothing appears outside the universe."""
        self.count = getattr(self, "count", 0) + 1
        name = f"out{self.count}"
        export = self.written(name)
        change(export)
        before = {path for path in self.path.rglob("*") if "hostile" not in str(path)}
        error = self.assertRaises(Invalid, self.taken, f"hostile{self.count}", name)
        self.assertEqual({path for path in self.path.rglob("*") if "hostile" not in str(path)}, before)
        return str(error)

    def rows(self, name: str, change: Callable[[list[Any]], object]) -> str:
        """What is said when rows are others."""
        return self.refused(lambda export: changed(export, name, change))

    def test_rows(self) -> None:
        """Rows that cannot be, with the line they are in."""
        def put(at: int, **fields: Any) -> Callable[[list[Any]], object]:
            return lambda rows: rows[at].update(fields)

        for name, change, text in (
            ("mailboxes", put(0, mailbox="../../x"), "mailboxes.jsonl, line 1: directory: must be mail/%2E.%2F..%2Fx"),
            ("mailboxes", put(1, directory="mail/../../x"),
             "mailboxes.jsonl, line 2: directory: must be mail/maria@acme.test"),
            ("mailboxes", lambda rows: rows.append(rows[1]), "mailboxes.jsonl, line 3: is there twice"),
            ("mailboxes", put(1, mailbox=""), "mailboxes.jsonl, line 2: mailbox: must have from 1 to 1024 characters"),
            ("mailboxes", put(1, absent=["a/../b"]),
             "mailboxes.jsonl, line 2: folder: no level of a name may be . or .."),
            ("mailboxes", put(1, subscriptions=["a\nb"]), "mailboxes.jsonl, line 2: a name has more than one line"),
            ("mailboxes", put(1, annotations={"/a": "?"}), "mailboxes.jsonl, line 2: "),
            ("folders", put(3, folder="../x"), "folders.jsonl, line 4: there is no folder '../x'"),
            ("folders", put(0, mailbox="other@x"), "folders.jsonl, line 1: there is no mailbox other@x before it"),
            ("folders", lambda rows: rows.pop(2), "folders.jsonl: there is no INBOX of maria@acme.test"),
            ("folders", lambda rows: rows.append(rows[2]), "folders.jsonl, line 5: is there twice"),
            ("folders", put(2, uidnext=0), "folders.jsonl, line 3: uidvalidity: or another number is out of range"),
            ("folders", put(2, objectid="a b"), "folders.jsonl, line 3: a UID file cannot say this"),
            ("folders", put(2, special_use="\\Odd"), "folders.jsonl, line 3: special_use: '\\\\Odd' is not one that"),
            ("folders", put(2, keywords=["a"] * 27), "folders.jsonl, line 3: keywords: are too many"),
            ("folders", put(2, keywords=["a\nb"]), "folders.jsonl, line 3: flags: a keyword is an atom"),
            ("messages", put(0, folder="Odd"), "messages.jsonl, line 1: is in a folder that is not listed"),
            ("messages", lambda rows: rows.append(rows[0]), "is in a folder that is listed elsewhere"),
            ("messages", put(0, file="../x,U=1,S=5"), "messages.jsonl, line 1: file: '../x,U=1,S=5' is not the name"),
            ("messages", put(0, uid=2), "messages.jsonl, line 1: file: "),
            ("messages", put(1, uid=1), "messages.jsonl, line 2: file: "),
            ("messages", put(0, flags=["\\Odd"]), "messages.jsonl, line 1: flags: '\\\\Odd' is none of the folder"),
            ("messages", put(0, sha256="0" * 64), "messages.jsonl, line 1: file: mail/"),
            ("messages", put(0, date=1 << 70), "messages.jsonl, line 1: "),
            ("messages", lambda rows: rows.pop(0), "is in no list"),
            ("messages", lambda rows: rows.pop(), "is in no list"),
            ("held", put(0, file="../x"), "held.jsonl, line 1: file: '../x' cannot be"),
            ("held", put(0, sha256=""), "held.jsonl, line 1: file: held/j-2 is not what was written"),
        ):
            self.assertIn(text, self.rows(name, change))

    def test_files(self) -> None:
        """Messages that are missing, others, links or folders; directories that are links."""
        def message(export: Path) -> Path:
            return sorted((export / "mail" / MARIA).glob("cur/*U=2,*"))[0]

        def linked(path: Path) -> None:
            moved = self.path / f"hostile-{self.count}-moved"
            path.rename(moved)
            path.symlink_to(moved)

        for change, text in (
            (lambda export: message(export).unlink(),
             "messages.jsonl, line 6: file: mail/maria@acme.test/cur/d-1,U=2"),
            (lambda export: os.truncate(message(export), 5), "messages.jsonl, line 6: file: mail/maria@acme.test/cur/"),
            (lambda export: linked(message(export)), ",S=57:2,FSab: is a link"),
            (lambda export: linked(export / "mail" / MARIA / "cur"), "mail/maria@acme.test/cur: cannot be read: Not a"),
            (lambda export: (export / "held" / "j_1").unlink(),
             "held.jsonl, line 2: held/j_1: cannot be read: No such"),
            (lambda export: (export / "mail" / MARIA / "cur" / "more").write_text("x"),
             "mail/maria@acme.test/cur/more: is in no list"),
        ):
            self.assertIn(text, self.refused(change))
