"""A store with some of everything, and exports of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.export.folder import ExportFolder
from tests.contracts.mailstores import a_delivery, AT, DiskProvider, result_of

MARIA, APP = "maria@acme.test", "App.Käthe@sim.test"
TOKEN = "0123456789abcdef"


class Row(Struct):
    """A row of a list that is not of mail."""

    name: str


class ExportCase(SynchronousTestCase):
    """
    Tests with a store at C{self.provider}, whose universe C{main} is closed, and exports in C{self.place}.
    """

    def setUp(self) -> None:
        """Make them."""
        self.path = Path(self.mktemp()).absolute()
        self.provider = DiskProvider(str(self.path))
        self.addCleanup(self.provider.stop)
        self.place = self.path / "place"
        (self.path / "links").mkdir()
        self.place.mkdir()
        (self.path / "links" / TOKEN).symlink_to(self.place)
        self.fill(self.provider.store)
        self.provider.shut(self.provider.store)

    def fill(self, store: Any) -> None:
        """Mail with flags, keywords, annotations, in folders."""
        for number in range(4):
            result_of(store.accept(a_delivery(
                number, (MARIA, "INBOX", ("\\Seen", "$Label") if number % 2 else ()), (APP, "Sent", ("\\Seen",)))))
        result_of(store.create_folder(MARIA, "Projects/Ä.ö", ""))
        folder = result_of(store.folder(MARIA, "INBOX"))
        result_of(folder.flag([2, 3], ("\\Flagged", "later"), "+"))
        result_of(folder.copy([1], result_of(store.folder(MARIA, "Projects/Ä.ö")), AT))
        result_of(folder.expunge([4]))
        result_of(store.annotations.write(MARIA, "INBOX", {"/private/comment": b"\xffnote"}))
        result_of(store.annotations.write(MARIA, "", {"/shared/comment": b"all"}))
        result_of(store.subscribe(MARIA, "Projects/Ä.ö", True))
        result_of(store.held.keep(["j_1", "j-2"], b"octets for a job\r\n"))

    def folder(self, name: str = "out") -> ExportFolder:
        """An export of a name."""
        made = ExportFolder(str(self.path / "links"), str(self.path / "mail"), TOKEN, name)
        self.addCleanup(made.close)
        return made

    def written(self, name: str = "out", universe: str = "main") -> Path:
        """The path of a new export of a universe."""
        folder = self.folder(name)
        folder.begin(["rows"])
        folder.add("rows", [Row("one"), Row("two")])
        folder.add_mail(universe)
        folder.finish({"about": 1})
        folder.close()
        return self.place / name

    def taken(self, universe: str, name: str = "out") -> int:
        """Read an export into a universe; how many messages."""
        folder = self.folder(name)
        folder.open({"rows": Row})
        try:
            return folder.take_mail(universe)
        finally:
            folder.close()

    def seen(self, universe: str) -> Any:
        """All that clients can see of a universe."""
        store = self.provider.open(universe)
        found: dict[str, Any] = {}
        for mailbox in store.mailboxes():
            found[mailbox] = (sorted(result_of(store.subscribed(mailbox))),
                              result_of(store.annotations.read(mailbox, "")))
            for status in result_of(store.folders(mailbox)):
                folder = result_of(store.folder(mailbox, status.name))
                entries = folder.entries(list(folder.uids))
                found[f"{mailbox} {status.name}"] = (
                    folder.uidvalidity, folder.uidnext, folder.objectid, folder.special_use,
                    [(one.uid, sorted(one.flags), one.size, one.date) for one in entries],
                    result_of(folder.reads(list(folder.uids))), result_of(folder.saved(list(folder.uids))),
                    result_of(store.annotations.read(mailbox, status.name)))
        found["held"] = [(key, result_of(store.held.read(key))) for key in result_of(store.held.keys())]
        self.provider.shut(store)
        return found


def changed(export: Path, name: str, change: Callable[[list[Any]], object]) -> None:
    """Change the rows of a list, as who knows how: the manifest says so."""
    rows = [json.loads(line) for line in (export / f"{name}.jsonl").read_text().split("\n")[:-1]]
    change(rows)
    octets = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (export / f"{name}.jsonl").write_bytes(octets)
    manifest = json.loads((export / "manifest.json").read_text())
    manifest["lists"][name] = {"lines": len(rows), "sha256": sha256(octets).hexdigest()}
    sign(export, manifest)


def sign(export: Path, manifest: dict[str, Any]) -> None:
    """Write a manifest with its digest."""
    manifest.pop("digest", None)
    # As L{simmail.mailstore.export.folder} does: sorted, without blanks.
    text = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    manifest["digest"] = sha256(text.encode()).hexdigest()
    (export / "manifest.json").write_text(json.dumps(manifest))
