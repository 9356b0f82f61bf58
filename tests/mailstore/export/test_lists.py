"""Tests for C{simmail.mailstore.export.lists}: a list that is not as it was written is told, with the line."""

from __future__ import annotations

from pathlib import Path

from simmail.errors import Invalid
from tests.mailstore.export.exports import ExportCase, Row


class ListTests(ExportCase):
    """The list C{rows} of an export."""

    def damaged(self, octets: bytes) -> str:
        """What is said of an export with other octets in its list."""
        if not hasattr(self, "export"):
            self.export = self.written()
        (self.export / "rows.jsonl").write_bytes(octets)
        return str(self.assertRaises(Invalid, self.folder().open, {"rows": Row}))

    def test_damaged(self) -> None:
        """Wrong JSON, cut lines, missing and other ones."""
        good = b'{"name":"one"}\n{"name":"two"}\n'
        for octets, text in (
            (good[:-1], "rows.jsonl, line 2: is cut off"),
            (good[:15], "rows.jsonl, line 1: is the last, but there should be 2"),
            (good * 2, "rows.jsonl, line 4: is the last, but there should be 2"),
            (b"", "rows.jsonl, line 0: is the last, but there should be 2"),
            (good.replace(b"two", b"six"), "rows.jsonl: is not what was written: its digest is another"),
            (good.replace(b"}", b"", 1), "rows.jsonl, line 1: Input data was truncated"),
            (good.replace(b'"two"', b"2"), "rows.jsonl, line 2: Expected `str`, got `int` - at `$.name`"),
            (good.replace(b"two", b"\xff\xfe"), "rows.jsonl, line 2: "),
        ):
            self.assertIn(text, self.damaged(octets))

    def test_no_list(self) -> None:
        """None, a link, a folder."""
        path: Path = self.written() / "rows.jsonl"
        octets = path.read_bytes()
        path.unlink()
        for make, text in (
            (lambda: None, "rows.jsonl: cannot be read: No such file or directory"),
            (lambda: path.symlink_to(self.path / "elsewhere"), "rows.jsonl: is a link"),
            (path.mkdir, "rows.jsonl: is no file"),
        ):
            if path.is_symlink():
                path.unlink()
            (self.path / "elsewhere").write_bytes(octets)
            make()
            self.assertEqual(str(self.assertRaises(Invalid, self.folder().open, {"rows": Row})), text)
