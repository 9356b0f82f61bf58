"""Visits kept in a folder."""

from __future__ import annotations

from pathlib import Path

from twisted.internet.defer import Deferred, succeed
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.page_visit import Errand, Visit
from simmail.errors import Invalid, NotFound
from simmail.outbound.recording import Recorder, Replayer


class Web:
    """A browser that finds another title each time."""

    count = 0

    def visit(self, errand: Errand) -> Deferred[Visit]:
        self.count += 1
        return succeed(Visit(200, errand.url, f"Page {self.count}", "text/html", 5))


class RecordingTests(SynchronousTestCase):
    """A folder of its own."""

    def setUp(self) -> None:
        """Nothing is recorded."""
        self.folder = Path(self.mktemp()) / "visits"
        self.recorder = Recorder(Web(), str(self.folder))  # type: ignore[arg-type]

    def errand(self, job: str, url: str = "http://a.test/", **more: bool) -> Errand:
        return Errand(url, job, "Reader/1.0", **more)

    def test_again(self) -> None:
        """A job finds what the same job found, any other what the last one found; a click is no look."""
        for job in ("j_1", "j_2"):
            self.successResultOf(self.recorder.visit(self.errand(job)))
        replayer = Replayer(str(self.folder))
        titles = [self.successResultOf(replayer.visit(self.errand(job))).title for job in ("j_1", "j_2", "j_9")]
        self.assertEqual(titles, ["Page 1", "Page 2", "Page 2"])
        self.failureResultOf(replayer.visit(self.errand("j_1", one_click=True)), NotFound)
        self.failureResultOf(replayer.visit(self.errand("j_1", "http://a.test/other")), NotFound)
        self.assertEqual([one.suffix for one in self.folder.iterdir()], [".json"])

    def test_harmed(self) -> None:
        """A file that is no record is taken for none, and recorded anew."""
        self.successResultOf(self.recorder.visit(self.errand("j_1")))
        [file] = self.folder.iterdir()
        for text in ("{", "{}", '{"url":"x","method":"GET","visits":{}}'):
            file.write_text(text)
            self.failureResultOf(Replayer(str(self.folder)).visit(self.errand("j_1")), NotFound)
        self.successResultOf(self.recorder.visit(self.errand("j_1")))
        self.assertEqual(self.successResultOf(Replayer(str(self.folder)).visit(self.errand("j_1"))).title, "Page 2")

    def test_folders(self) -> None:
        """A folder that cannot be is refused by its setting."""
        file = Path(self.mktemp())
        file.write_text("")
        self.assertEqual(self.assertRaises(Invalid, Recorder, Web(), str(file / "x")).field, "links.record")
        self.assertEqual(self.assertRaises(Invalid, Replayer, str(file)).field, "links.replay")
