"""Tests for C{simmail.mailstore.export.folder}: what is written can be read, by others too, or nothing is there."""

from __future__ import annotations

import json
import mailbox
import os

from simmail.errors import Conflict, Invalid
from tests.mailstore.export.exports import ExportCase, MARIA, Row, sign, TOKEN


class FolderTests(ExportCase):
    """An export as a whole."""

    def test_there_and_back(self) -> None:
        """Everything clients see of a universe they see of what was imported, UIDs and UIDVALIDITYs too."""
        export = self.written()
        self.assertEqual(self.taken("other"), 8)
        seen = self.seen("main")
        self.assertEqual(self.seen("other"), seen)
        self.assertIn(f"{MARIA} Projects/Ä.ö", seen)
        # Once more, it is the same.
        again = self.written("again", "other")
        lists = [path.name for path in export.glob("*.jsonl") if path.name != "folders.jsonl"]
        self.assertEqual(len(lists), 4)
        for name in lists:
            self.assertEqual((again / name).read_bytes(), (export / name).read_bytes(), name)

    def test_a_new_folder(self) -> None:
        """UIDVALIDITYs that are given afterwards are greater than those that came."""
        self.written()
        path = self.path / "mail" / ".uidvalidity"
        path.write_text("%019d\n" % 1)
        self.taken("other")
        highest = max(folder[0] for name, folder in self.seen("other").items() if " " in name)
        self.assertGreater(int(path.read_text()), highest)

    def test_others_read_it(self) -> None:
        """It is a Maildir to Python's library, flags and all; the names of keywords are where Dovecot has them."""
        export = self.written()
        box = mailbox.Maildir(export / "mail" / MARIA, create=False)
        self.assertEqual(sorted(message.get_flags() for message in box), ["", "FSab", "Fb"])
        self.assertEqual(len(box.get_folder("Projects.&AMQALgD2-")), 1)
        self.assertEqual((export / "mail" / MARIA / "dovecot-keywords").read_text(), "0 $Label\n1 later\n")

    def test_after_another_program(self) -> None:
        """What another program has read, flagged and indexed is read as it was written."""
        export = self.written()
        for path in (export / "mail").rglob("new/*"):
            os.rename(path, path.parent.parent / "cur" / (path.name + ":2,ST"))
        (export / "mail" / MARIA / "dovecot-uidlist").write_text("3 V1 N2 G3\n")
        self.taken("other")
        self.assertEqual(self.seen("other"), self.seen("main"))

    def test_not_finished(self) -> None:
        """What was not finished is not there, nor in the way of another try, even when it was cut off."""
        folder = self.folder()
        folder.begin(["rows"])
        folder.add_mail("main")
        self.assertFalse((self.place / "out").exists())
        # Killed: nobody closes it.
        self.written()
        self.assertEqual(os.listdir(self.place), ["out"])
        other = self.folder("other")
        other.begin(["rows"])
        other.close()
        self.assertEqual(os.listdir(self.place), ["out"])
        error = self.assertRaises(Conflict, self.folder().begin, ["rows"])
        self.assertEqual(str(error), f"{self.place / 'out'} is there already")

    def test_places(self) -> None:
        """Only a link in the state folder leads anywhere, and a name below that."""
        links, mail = str(self.path / "links"), str(self.path / "mail")
        for token, name in ((TOKEN[:-1] + "0", "out"), ("..", "out"), ("../links/" + TOKEN, "out")):
            error = self.assertRaises(Invalid, lambda: self.folder().__class__(links, mail, token, name))
            self.assertEqual(error.field, "place")
        for name in ("", ".", "..", "a/b", "a\0b"):
            self.assertEqual(self.assertRaises(Invalid, self.folder, name).field, "name")
        os.rmdir(self.place)
        error = self.assertRaises(Invalid, self.folder().begin, [])
        self.assertEqual(str(error), f"name: {self.place / 'out'} cannot be made: No such file or directory")

    def test_manifests(self) -> None:
        """What is no manifest, or one of another version, or of other lists, is told."""
        export = self.written()
        path = export / "manifest.json"
        good = json.loads(path.read_text())
        for change, text in (
            ({"version": 2}, "manifest.json: is of 'simmail universe', version 2; read is 'simmail universe', version 1"
             ),
            ({"format": "tar"}, "manifest.json: is of 'tar', version 1; read is 'simmail universe', version 1"),
            ({"lists": {}}, "manifest.json: must name the lists folders, held, mailboxes, messages, rows"),
            ({"version": "1"}, "manifest.json: Expected `int`, got `str` - at `$.version`"),
        ):
            sign(export, {**good, **change})
            error = self.assertRaises(Invalid, self.folder().open, {"rows": Row})
            self.assertEqual(str(error), text)
        path.write_text(json.dumps({**good, "about": 2}))
        error = self.assertRaises(Invalid, self.folder().open, {"rows": Row})
        self.assertEqual(str(error), "manifest.json: is not what was written: its digest is another")
        path.write_text(path.read_text()[:-10])
        self.assertRaises(Invalid, self.folder().open, {"rows": Row})
        path.unlink()
        error = self.assertRaises(Invalid, self.folder().open, {"rows": Row})
        self.assertEqual(str(error), "manifest.json: cannot be read: No such file or directory")
        path.symlink_to("/etc/passwd")
        self.assertEqual(str(self.assertRaises(Invalid, self.folder().open, {"rows": Row})),
                         "manifest.json: is a link")
