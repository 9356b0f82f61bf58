"""The tables of conformance.rst have what is announced, and nothing else."""

from __future__ import annotations

import re

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.capability import capabilities
from tests.docs.blocks import DOCS
from tests.imap.recorder import Recorder, connection
from tests.smtp.door import Door


def listed(heading: str) -> set[str]:
    """The names in the table below a heading."""
    page = (DOCS / "conformance.rst").read_text(encoding="utf-8")
    part = re.split(r"^(\w+)\n-+\n", page, flags=re.MULTILINE)
    table = dict(zip(part[1::2], part[2::2]))[heading]
    rows = re.findall(r"^   \* - (.+)\n     - (.+)\n     - (.+)\n", table, re.MULTILINE)[1:]
    for name, standard, sections in rows:
        assert re.fullmatch(r"RFC \d{4}", standard) and re.match(r"\d", sections), name
    return {name.strip("`") for name, *_ in rows if name.startswith("``")}


class ConformanceTests(SynchronousTestCase):
    """Both servers, in memory."""

    def test_smtp(self) -> None:
        """What EHLO answers."""
        lines = Door().connect().ask("EHLO client.test").split("\r\n")
        start = next(n for n, line in enumerate(lines) if line.startswith("250"))
        self.assertEqual(listed("SMTP"), {line[4:].split()[0] for line in lines[start + 1:] if line})

    def test_imap(self) -> None:
        """What CAPABILITY answers: before login, with and without TLS and a way to sign in, and after it."""
        imap = Recorder()
        found = {*capabilities(connection(imap))}
        imap.login, imap.tls_possible = None, True
        found |= {*capabilities(connection(imap))}
        imap.mechanisms_now = []
        found |= {*capabilities(connection(imap))}
        names = {one.decode() for one in found}
        self.assertEqual(listed("IMAP"), {
            one if one.startswith(("STATUS=", "SORT=")) else one.partition("=")[0] for one in names})
