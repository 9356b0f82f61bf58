"""Tests for C{simmail.daemon.bootstrap}."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Server
from simmail.daemon.bootstrap import FIRST, First, LOGIN, PERSON, banner, first_start, look_for_reset, reset_first
from simmail.daemon.listening.listeners import TITLES
from simmail.durable import write
from simmail.errors import Unauthenticated, Unavailable
from simmail.testing.universe import MemoryServer, now

ENDPOINTS: dict[str, dict[str, object]] = {
    "smtp": {"host": "127.0.0.1", "port": 2525}, "imap": {"host": "::1", "port": 2143},
    "http": {"host": "0.0.0.0", "port": 8025}}


class FirstStartTests(SynchronousTestCase):
    """What a new server begins with."""

    def setUp(self) -> None:
        """A server without universes."""
        self.server = MemoryServer()
        self.state = Path(self.mktemp())
        self.state.mkdir()

    def start(self) -> First:
        """A start of it."""
        return now(first_start(self.server.roster, self.server.config, self.state))

    def test_first(self) -> None:
        """There is a universe, an administrator's key for it, a login, and somebody to write to."""
        self.assertEqual(self.start(), First(True, True, ""))
        key = (self.state / "admin.key").read_text().strip()
        identity = now(self.server.roster.identify(key))
        self.assertEqual((identity.universe, identity.role, identity.administrator), ("main", "admin", True))
        password = json.loads((self.state / "first-login.json").read_text())[LOGIN]
        for proto in ("smtp", "imap"):
            login = now(self.server.roster.sign_in(LOGIN, password, proto, "127.0.0.1"))  # type: ignore[arg-type]
            self.assertEqual((login.universe.id, login.address), ("main", LOGIN))
        universe = self.server.roster.universe("main")
        persona = universe.people.at("maria@acme.test")
        assert persona is not None
        self.assertEqual(persona.name, "Maria Rossi")
        self.assertTrue(universe.store.exists("maria@acme.test"))

    def test_person_and_demo(self) -> None:
        """An administrator can sign in, and there is a demo, unless it is switched off."""
        self.start()
        password = json.loads((self.state / "first-login.json").read_text())[PERSON]
        users = self.server.roster.users
        user, _ = users.holder(now(users.sign_in(PERSON, password, "127.0.0.1")))
        self.assertEqual((user.administrator, users.role(user, "main")), (True, "admin"))
        self.assertEqual([one.id for one in self.server.roster.universes()], ["demo", "main"])
        server = MemoryServer(Config(server=Server(demo=False)))
        state = Path(self.mktemp())
        state.mkdir()
        now(first_start(server.roster, server.config, state))
        self.assertEqual([one.id for one in server.roster.universes()], ["main"])

    def test_second(self) -> None:
        """A second start changes nothing, also when the persona and the password were changed."""
        self.start()
        before = {path.name: path.read_text() for path in self.state.iterdir()}
        universe = self.server.roster.universe("main")
        persona = universe.people.at("maria@acme.test")
        assert persona is not None
        now(universe.people.delete(persona.id))
        self.assertEqual(self.start(), First(False, False, ""))
        self.assertEqual({path.name: path.read_text() for path in self.state.iterdir()}, before)
        self.assertIsNone(universe.people.at("maria@acme.test"))
        self.assertEqual(len(self.server.roster.keys()), 1)

    def test_lost(self) -> None:
        """
        A state folder that is empty, or without its key or its passwords, on a Redis that is in use: nothing is made
        however often it starts, and one line says what is missing and what to do.
        """
        self.start()
        keys = self.server.roster.keys()
        for name in ("first-login.json", "admin.key"):
            (self.state / name).unlink()
            for _ in range(3):
                first = self.start()
                self.assertEqual(first[:2], (False, False))
                self.assertIn(f"no {name}", first.found)
                self.assertIn(f"simmail admin keys reset-first --state {self.state}", first.found)
                self.assertNotIn("\n", first.found)
                lines = banner(self.state, ENDPOINTS, TITLES, first).split("\n")
                self.assertEqual(lines[-1], first.found)
                self.assertNotIn(str(self.state / name), lines)
        self.assertEqual(self.server.roster.keys(), keys)
        self.assertEqual(list(self.state.iterdir()), [])

    def test_another_redis(self) -> None:
        """A state folder whose Redis is new: key and login are made, and shown."""
        self.start()
        old = (self.state / "admin.key").read_text()
        self.server = MemoryServer()
        self.assertEqual(self.start(), First(True, True, ""))
        self.assertNotEqual((self.state / "admin.key").read_text(), old)

    def test_reset(self) -> None:
        """Asked for in the folder there is another key, and no first key but it is valid; unasked there is not."""
        self.start()
        old = (self.state / "admin.key").read_text().strip()
        roster = self.server.roster
        for _ in range(4):
            # As earlier versions left them.
            now(roster.create_key("main", "admin", FIRST, administrator=True))
        ci = now(roster.create_key("main", "admin", FIRST))
        now(reset_first(roster, self.server.config, self.state))
        self.assertEqual(len(roster.keys()), 6)
        (self.state / "reset-first").touch()
        now(reset_first(roster, self.server.config, self.state))
        self.assertFalse((self.state / "reset-first").exists())
        self.failureResultOf(Deferred.fromCoroutine(roster.identify(old)), Unauthenticated)
        new = (self.state / "admin.key").read_text().strip()
        self.assertTrue(now(roster.identify(new)).administrator)
        self.assertEqual({key.prefix for key in roster.keys()}, {new.split("_")[1], ci.split("_")[1]})

    def test_reset_while_redis_is_away(self) -> None:
        """It is asked for until it is done, and no key is lost before there is another."""
        self.start()
        (self.state / "reset-first").touch()
        self.server.database.set_healthy(False)
        asked = Deferred.fromCoroutine(reset_first(self.server.roster, self.server.config, self.state))
        self.failureResultOf(asked, Unavailable)
        self.assertTrue((self.state / "reset-first").exists())
        self.server.database.set_healthy(True)
        now(reset_first(self.server.roster, self.server.config, self.state))
        self.assertEqual(len(self.server.roster.keys()), 1)

    def test_looked_for(self) -> None:
        """While the service runs it is looked for; while Redis or the disk is away it is asked for still, and said."""
        self.start()

        def look(in_thread: Any = lambda work: succeed(work())) -> None:
            now(look_for_reset(self.server.roster, self.server.config, self.state, in_thread))

        key = (self.state / "admin.key").read_text()
        look()
        self.assertEqual((self.state / "admin.key").read_text(), key)
        (self.state / "reset-first").touch()
        self.server.database.set_healthy(False)
        look()
        look(lambda work: fail(OSError(5, "Input/output error")))
        self.server.database.set_healthy(True)
        self.assertTrue((self.state / "reset-first").exists())
        look()
        self.assertFalse((self.state / "reset-first").exists())
        self.assertNotEqual((self.state / "admin.key").read_text(), key)

    def test_banner(self) -> None:
        """The first banner tells the secrets, later ones where they are; addresses are such as can be pasted."""
        self.start()
        text = banner(self.state, ENDPOINTS, TITLES, First(True, True, ""))
        lines = text.split("\n")
        self.assertEqual(lines[:3], ["SMTP 127.0.0.1:2525", "IMAP [::1]:2143", "HTTP 127.0.0.1:8025"])
        key, login = (self.state / "admin.key").read_text().strip(), (self.state / "first-login.json").read_text()
        self.assertIn(key, text)
        self.assertIn(json.loads(login)[LOGIN], text)
        self.assertEqual([line.split()[0] for line in lines[-3:]], ["printf", "curl", "curl"])
        self.assertNotIn("ssl", text)
        self.assertIn("--ssl-reqd", banner(self.state, ENDPOINTS, TITLES, First(True, True, ""), plain=False))
        line = banner(self.state, ENDPOINTS, TITLES, First(True, True, ""), required=True).split("\n")[-3]
        self.assertIn(f"curl -sS -u '{LOGIN}:{json.loads(login)[LOGIN]}' smtp://", line)
        later = banner(self.state, ENDPOINTS, TITLES, First(False, False, ""))
        self.assertNotIn(key, later)
        self.assertIn(str(self.state / "admin.key"), later)

    def test_without_listeners(self) -> None:
        """Nothing is proposed that could not work."""
        self.start()
        self.assertNotIn("curl", banner(self.state, {"http": ENDPOINTS["http"]}, TITLES, First(True, True, "")))

    def test_write(self) -> None:
        """A file is replaced whole, for its owner only."""
        path = self.state / "file"
        path.write_text("old")
        path.chmod(0o644)
        write(path, b"new")
        self.assertEqual((path.read_text(), path.stat().st_mode & 0o777), ("new", 0o600))
        self.assertEqual([one.name for one in self.state.iterdir()], ["file"])
