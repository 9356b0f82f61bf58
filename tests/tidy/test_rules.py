"""
The rules of the house on small houses: each finds what breaks it, and nothing in what keeps it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.tidy import exceptions, imports, outside, sizes, state
from tests.tidy.source import House


class RuleCase(SynchronousTestCase):
    """Build houses of texts."""

    def finds(self, rule: Callable[[House], list[str]], texts: dict[str, str], wrong: list[str]) -> None:
        """Check what a rule finds in modules of these texts."""
        self.assertEqual(rule(House.of(texts)), wrong)


class ImportTests(RuleCase):
    """Who may import whom."""

    def test_between_rooms(self) -> None:
        """A protocol room knows no other one and no store; seams are open to all."""
        self.finds(imports.between_rooms, {
            "errors": "", "core.d": "", "mailstore.f": "",
            "smtp.a": "from simmail.imap import b\nfrom simmail.imap.b import C\nimport simmail.errors",
            "imap.b": "from simmail.core.d import e\nfrom simmail.mailstore.f import g",
        }, ["imap.b imports mailstore.f", "smtp.a imports imap.b"])

    def test_relative(self) -> None:
        """Imports relative to a package count like others."""
        self.finds(imports.between_rooms, {
            "smtp.a": "from ..imap import b\nfrom . import c", "smtp.c": "", "imap.b": "",
        }, ["smtp.a imports imap.b"])

    def test_between_parts(self) -> None:
        """A part knows the parts below it, not one above it or beside it."""
        self.finds(imports.between_parts, {
            "core.html.a": "from simmail.core.records import b\nfrom simmail.core.time import c",
            "core.records.b": "from simmail.core.decide.d import E", "core.time.c": "",
            "core.decide.d": "from simmail.core.html import a\nfrom simmail.core.decide import f", "core.decide.f": "",
        }, ["core.html.a imports core.time.c", "core.records.b imports core.decide.d"])

    def test_named_modules(self) -> None:
        """A module the table names has its own place; the others of the room itself share one."""
        self.finds(imports.between_parts, {
            "imap.session": "from simmail.imap.commands import a\nfrom simmail.imap import connection",
            "imap.commands": "from simmail.imap.command import fetch", "imap.connection": "",
            "imap.command.fetch": "from simmail.imap import connection, session",
        }, ["imap.command.fetch imports imap.session"])

    def test_circles(self) -> None:
        """Imports for types only and inside functions close circles; each is found once, the largest first."""
        house = House.of({
            "a.one": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from simmail.a.two import Two",
            "a.two": "def late():\n    from simmail.a import three", "a.three": "import simmail.a.one",
            "b.one": "from simmail.b import two\nfrom simmail.a import one", "b.two": "from simmail.b.one import x",
            "c": "from simmail.a import one",
        })
        self.assertEqual(imports.circles(house), [["a.one", "a.three", "a.two"], ["b.one", "b.two"]])
        self.assertEqual(imports.in_circles(house)[0], "a.one lies in a circle")

    def test_drawer(self) -> None:
        """What the plan has no place for is found: at the top, in a room, as a part of one."""
        self.finds(imports.drawer, {
            "tap": "", "helpers": "", "errors": "", "core.misc": "", "core.words.a": "", "core.html.b": "",
            "imap.session": "", "imap.utils.c": "", "smtp.deep.d": "", "stuff.e": "",
        }, ["core.misc lies in core itself", "core.words is no part of core", "helpers lies at the top",
            "imap.utils is no part of imap", "smtp.deep is no part of smtp", "stuff lies at the top"])


class SizeTests(RuleCase):
    """How much a folder, a class and a name hold."""

    def test_folders(self) -> None:
        """Sixteen modules are right, seventeen too many, its C{__init__} not counted."""
        for count, wrong in ((16, []), (17, ["smtp holds more than 16 modules"])):
            self.finds(sizes.large_folders, {f"smtp.m{n}": "" for n in range(count)}, wrong)
        self.finds(sizes.large_folders, {f"rest.api.m{n}": "" for n in range(20)}, [])

    def test_classes(self) -> None:
        """Bases in simmail count, each once, however they are imported; others' do not."""
        body = "\n".join(f"    x{n} = {n}" for n in range(249))
        texts = {
            "a.base": f"class Base:\n{body}",
            "a.side": f"from simmail.a import base\nclass Side(base.Base):\n{body}",
            "a.top": "from simmail.a.base import Base\nfrom simmail.a.side import Side\nfrom ast import AST\n"
                     "class Top(Side, Base, AST):\n    pass",
        }
        self.assertEqual(sizes.classes(House.of(texts)), {"a.base.Base": 250, "a.side.Side": 500, "a.top.Top": 502})
        self.finds(sizes.large_classes, texts, ["a.top.Top has more than 500 lines with its bases"])

    def test_homonyms(self) -> None:
        """Two public classes of a name are found, private ones and an import of the same are not."""
        both = "class Plan: pass\nclass _Own: pass"
        self.finds(sizes.homonyms, {"a.b": both, "c": both, "d": "from simmail.c import Plan"},
                   ["Plan is a class of a.b, c"])


class StateTests(RuleCase):
    """Nothing at module level is filled or changed."""

    def test_made_to_be_filled(self) -> None:
        """Containers that begin empty or bear the name of a variable are state."""
        self.finds(state.mutable_state, {"a": "\n".join((
            "_CACHE: dict[str, int] = {}", "seen = {1}", "QUEUE = deque()", "BY_NAME = weakref.WeakValueDictionary()",
            "if True:\n    names = [1]", "_COUNTS = defaultdict(int)",
        ))}, ["a.BY_NAME", "a.QUEUE", "a._CACHE", "a._COUNTS", "a.names", "a.seen"])

    def test_constants(self) -> None:
        """Tables in capitals, what is annotated as constant, and what cannot be changed, are right."""
        self.finds(state.mutable_state, {"a": "\n".join((
            "TABLE = {1: 2}", "_NAMES: dict[str, int] = {'a': 1}", "__all__ = ['TABLE']",
            "empty: Mapping[str, int] = {}", "rows: Final = [1]", "few = (1, 2)",
            "held = frozenset({1})", "BITS = {1} | few",
            "read = TABLE.get(1)\ndef inside():\n    found = []\n    found.append(1)\n    return TABLE[1]",
        ))}, [])

    def test_changed(self) -> None:
        """What a function changes is state whatever its name and annotation, also when it does so elsewhere."""
        self.finds(state.mutable_state, {
            "a": "ONE: Final = [1]\nTWO = {1: 2}\nTHREE = {1}\nfour = 0\nFIVE = {1: 2}\nSIX = [1]\nSEVEN = Own()\n"
                 "def change():\n    global four\n    four = 1\n    ONE.append(2)\n    TWO[2] = 3\n    del FIVE[1]\n"
                 "    SEVEN.clear()",
            "b.c": "from simmail.a import THREE\nfrom simmail import a\n"
                   "def change():\n    THREE.add(2)\n    a.SIX += [2]",
        }, ["a.FIVE", "a.ONE", "a.SEVEN", "a.SIX", "a.THREE", "a.TWO", "a.four"])


class OutsideTests(RuleCase):
    """Who reaches outside."""

    def test_private_twisted(self) -> None:
        """Names with an underscore, imported or reached, are Twisted's own; C{__version__} and ours are not."""
        self.finds(outside.private_twisted, {
            "a": "from twisted.web.http import _Channel", "b": "from twisted.internet import _sslverify",
            "c": "from twisted.web import http\nx = http.HTTPChannel._queue", "d": "import twisted.web._newclient",
            "e": "import twisted\nx = twisted.__version__\nfrom simmail.a import _b\nself._c",
        }, ["a uses twisted.web.http._Channel", "b uses twisted.internet._sslverify",
            "c uses twisted.web.http.HTTPChannel._queue", "d uses twisted.web._newclient"])

    def test_disk(self) -> None:
        """Files opened, os called by any name, and modules that do it, are found outside the rooms that may."""
        self.finds(outside.disk, {
            "smtp.a": "def f(path):\n    with open(path): pass", "smtp.b": "from os import rename as move",
            "smtp.c": "import os\nos.path.exists('x')", "smtp.d": "import tempfile", "smtp.e": "p.write_bytes(b'')",
            "smtp.f": "import os\nos.getpid()\nself.open()", "mailstore.g": "import sqlite3",
        }, [f"smtp.{name} touches the disk" for name in "abcde"])

    def test_network(self) -> None:
        """Sockets, clients' endpoints and connectTCP are found outside the rooms that may; to listen is right."""
        self.finds(outside.network, {
            "rest.a": "import socket", "rest.b": "from twisted.internet.endpoints import HostnameEndpoint",
            "rest.c": "reactor.connectTCP('h', 1, f)", "rest.d": "from twisted.internet import endpoints\n"
            "endpoints.clientFromString(r, 's')", "rest.e": "from twisted.internet.endpoints import serverFromString",
            "outbound.f": "from twisted.web.client import Agent",
        }, [f"rest.{name} dials out" for name in "abcd"])

    def test_environment(self) -> None:
        """The environment is read by the command line and the wiring only, by whichever name."""
        self.finds(outside.environment, {
            "rest.a": "import os\nos.environ['X']", "rest.b": "from os import getenv",
            "rest.c": "import os\nos.getpid()", "cli.d": "import os\nos.environ.get('X')",
        }, ["rest.a reads the environment", "rest.b reads the environment"])

    def test_wall_clock(self) -> None:
        """The wall clock and global generators, by whichever module's name, are for the wiring only."""
        self.finds(outside.wall_clock, {
            "core.a": "import datetime\ndatetime.datetime.now()", "core.b": "time.time()", "core.c": "self.clock.now()",
            "daemon.d": "time.time()", "core.e": "time.monotonic()",
        }, ["core.a calls datetime.now", "core.b calls time.time"])

    def test_known(self) -> None:
        """A universe or login is no C{Any}: as an argument, an attribute, a result, quoted or optional."""
        self.finds(outside.hidden, {
            "a": "def f(universe: Any, value: Any, store: Store) -> Any: pass",
            "b": "class C:\n    def login(self) -> Any: pass\n    def __init__(self):\n"
                 "        self._server: Any | None = 0",
            "c": "def g(roster: 'Any', store: Callable[[str], Any], session: Mapping[str, Any]): pass",
        }, ["a.f has universe as Any", "b.C.__init__ has self._server as Any", "b.C.login has login as Any",
            "c.g has roster as Any", "c.g has store as Any"])


class ExceptionTests(SynchronousTestCase):
    """The lists only shrink."""

    def test_compare(self) -> None:
        """What is new fails, and what is listed and no longer needed."""
        self.assertEqual(exceptions.compare(["a", "b"], ["a", "b"]), [])
        self.assertEqual(exceptions.compare(["a", "c"], ["a", "b"]),
                         ["new: c", "mended, remove it from exceptions.yaml: b"])

    def test_rewritten(self) -> None:
        """The file is written as it is read: every rule with what breaks it, reasons kept."""
        path = Path(self.mktemp())
        path.write_text("drawer:\n  - helpers lies at the top  # used: by all\n  - gone lies at the top  # why\n",
                        encoding="utf-8")
        self.patch(exceptions, "PATH", path)
        lines = list(exceptions.rewritten(House.of({"helpers": "", "odd": "'''Not in the plan.'''"})))
        self.assertIn("  - helpers lies at the top  # used: by all", lines)
        self.assertNotIn("gone", "".join(lines))
        path.write_text("\n".join(lines), encoding="utf-8")
        self.assertEqual(exceptions.listed(), {
            **{rule: [] for rule in exceptions.RULES}, "drawer": ["helpers lies at the top", "odd lies at the top"]})
