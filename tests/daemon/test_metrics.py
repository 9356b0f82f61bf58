"""Tests for C{simmail.daemon.metrics}."""

from __future__ import annotations

from types import SimpleNamespace

from twisted.logger import Logger
from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.metrics import MailFigures, exposition, process_figures
from simmail.testing.universe import MemoryServer


class FigureTests(SynchronousTestCase):
    """What metrics tell of mail."""

    def test_words(self) -> None:
        """Lines of the mail log are counted by their first word, lines of other logs are not."""
        figures = MailFigures()
        mail, other = Logger("simmail.mail", observer=figures), Logger("simmail.http", observer=figures)
        for _ in range(2):
            mail.info("accepted {message_id}", message_id="<1@a.test>")
        mail.info("{what} {message_id} for {persona}", what="ignored", message_id="<1@a.test>", persona="Maria")
        other.info("accepted {n}", n=1)
        self.assertEqual(figures.words, {"accepted": 2, "ignored": 1})

    def test_exposition(self) -> None:
        """Each figure has a line, each listener's sessions and each universe's lag with its name."""
        server = MemoryServer()
        server.universe("main")
        figures = MailFigures()
        figures.words["accepted"] = 3
        text = exposition(server.roster, {
            "smtp": SimpleNamespace(connections={1, 2}), "http": SimpleNamespace(connections=7)}, figures)
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        self.assertEqual(lines, [
            'simmail_mail_total{what="accepted"} 3', 'simmail_mail_undecided{universe="main"} 0',
            'simmail_sessions{listener="smtp"} 2'])

    def test_process(self) -> None:
        """The memory and the descriptors that this process has; one more when a file is open."""
        def figures() -> dict[str, int]:
            return {name: int(number) for name, _, number in (
                line.partition(" ") for line in process_figures().splitlines() if not line.startswith("#"))}

        before = figures()
        self.assertGreater(before["process_resident_memory_bytes"], 1 << 20)
        with open(__file__, encoding="utf-8"):
            self.assertEqual(figures()["process_open_fds"], before["process_open_fds"] + 1)
