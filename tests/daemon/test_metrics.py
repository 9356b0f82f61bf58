"""Tests for C{simmail.daemon.metrics}."""

from __future__ import annotations

from types import SimpleNamespace

from twisted.internet.task import Clock
from twisted.logger import LogPublisher, Logger
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.time.histogram import Histogram
from simmail.daemon.metrics import (
    exposition, LogFigures, LONGEST, LOOK, MOST_KEPT, MOST_REASONS, MOST_TOLD, process_figures, ReactorLag)
from simmail.mailstore.damage import Damage, MOST_SAID
from simmail.testing.universe import MemoryServer


class FigureTests(SynchronousTestCase):
    """What metrics tell of mail."""

    def test_words(self) -> None:
        """Lines of the mail log are counted by their first word, lines of other logs are not."""
        figures = LogFigures()
        mail, other = Logger("simmail.mail", observer=figures), Logger("simmail.http", observer=figures)
        for _ in range(2):
            mail.info("accepted {message_id}", message_id="<1@a.test>")
        mail.info("{what} {message_id} for {persona}", what="ignored", message_id="<1@a.test>", persona="Maria")
        other.info("accepted {n}", n=1)
        self.assertEqual(figures.words, {"accepted": 2, "ignored": 1})

    def test_reasons(self) -> None:
        """Refusals are counted by what was wrong, whatever a fault rule says; deliveries by how long they took."""
        figures = LogFigures()
        mail = Logger("simmail.mail", observer=figures)
        for number in range(2 * MOST_REASONS):
            mail.info("refused a message: {reply}", reply=f"451 4.{number // 100}.{number % 100} {number}")
        mail.info("refused {recipient}: {bad}", recipient="a@b.test", bad="full")
        mail.info('refused a message: {reply}', reply='say "no"')
        mail.info("accepted {size}", size=1, took=0.004)
        self.assertEqual((figures.reasons["451 4.0.7"], figures.reasons["other"]), (1, MOST_REASONS + 2))
        self.assertEqual((sum(figures.deliveries.buckets), figures.deliveries.seconds), (1, 0.004))

    def test_exposition(self) -> None:
        """Each figure has a line, each listener's sessions and each universe's lag with its name."""
        server = MemoryServer()
        server.universe("main")
        figures = LogFigures()
        figures.words["accepted"] = 3
        text = exposition(server.roster, {
            "smtp": SimpleNamespace(connections={1, 2}), "http": SimpleNamespace(connections=7)}, figures, Histogram())
        lines = [line for line in text.splitlines() if not line.startswith("#") and "_seconds" not in line]
        self.assertEqual(lines, [
            'simmail_mail_total{what="accepted"} 3', 'simmail_mail_uncommitted 0',
            'simmail_webhook_attempts_total{outcome="delivered"} 0',
            'simmail_webhook_attempts_total{outcome="failed"} 0', 'simmail_webhook_waiting 0',
            'simmail_mail_undecided{universe="main"} 0',
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


class LagTests(SynchronousTestCase):
    """A reactor that comes late."""

    def test_late(self) -> None:
        """What is in time counts as nothing, what is late by so much, however many looks were left out."""
        clock = Clock()
        lag = ReactorLag(clock)
        lag.start()
        for seconds, late in (
                (LOOK, 0.0), (LOOK + 0.125, 0.125), (LOOK - 0.125, 0.125), (5 * LOOK, 4 * LOOK + 0.125),
                (LOOK, 4 * LOOK + 0.125)):
            clock.advance(seconds)
            self.assertEqual(lag.seen.seconds, late)
        self.assertEqual(sum(lag.seen.buckets), 5)
        lag.stop()
        self.assertEqual(clock.getDelayedCalls(), [])


class TroublesTests(SynchronousTestCase):
    """Lines of the log become lines of C{/readyz}."""

    def setUp(self) -> None:
        self.figures = LogFigures()
        self.lines: list[str] = []
        self.damage = Damage("main")
        publisher = LogPublisher(self.figures, lambda event: self.lines.append(event["where"]))
        self.patch(Damage, "log", type(Damage.log)(observer=publisher))

    def test_once(self) -> None:
        """What is damaged is said once, told until it is well, and names no address."""
        for _ in range(3):
            self.damage.found("maria@acme.test", "a mailbox is odd")
            self.damage.found("tom@acme.test", "a mailbox is odd")
        self.damage.found("tom@acme.test", "it is odd in another way")
        self.assertEqual(self.lines, ["maria@acme.test", "tom@acme.test"])
        self.assertEqual(self.figures.damage(), ["main: a mailbox is odd (2 times)"])
        self.damage.well("tom@acme.test")
        self.damage.well("tom@acme.test")
        self.assertEqual(self.figures.damage(), ["main: a mailbox is odd"])
        self.damage.well("maria@acme.test")
        self.assertEqual((self.figures.damage(), len(self.lines)), ([], 4))

    def test_mended(self) -> None:
        """What was damaged and is mended is said each time, and told of until the end."""
        for _ in range(2):
            self.damage.mended("maria@acme.test", "it was odd")
        self.damage.mended("maria@acme.test", "it was odder")
        self.assertEqual((len(self.lines), self.damage.said), (3, {}))
        self.assertEqual(self.figures.damage(), ["main: it was odd", "main: it was odder"])

    def test_bounded(self) -> None:
        """However much is damaged, little is told and kept."""
        for number in range(3 * MOST_SAID):
            self.damage.found(str(number), f"trouble {number:05d} " + "x" * 1000)
        told = self.figures.damage()
        self.assertEqual((len(told), max(map(len, told))), (MOST_TOLD, LONGEST))
        self.assertEqual(told[-1], f"and {MOST_KEPT - MOST_TOLD + 1} more; see the log")
        self.assertEqual(len(self.damage.said), MOST_SAID)

    def test_others(self) -> None:
        """Other lines of the log are no trouble."""
        self.figures({"log_format": "hello"})
        self.assertEqual(self.figures.damage(), [])
