"""Tests for C{simmail.firststart}."""

from __future__ import annotations

import json
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Server
from simmail.firststart import LOGIN, PERSON, banner, first_start, write
from simmail.listeners import TITLES
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

    def start(self) -> bool:
        """A start of it."""
        return now(first_start(self.server.roster, self.server.config, self.state))

    def test_first(self) -> None:
        """There is a universe, an administrator's key for it, a login, and somebody to write to."""
        self.assertTrue(self.start())
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
        self.assertFalse(self.start())
        self.assertEqual({path.name: path.read_text() for path in self.state.iterdir()}, before)
        self.assertIsNone(universe.people.at("maria@acme.test"))
        self.assertEqual(len(self.server.roster.keys()), 1)

    def test_key_lost(self) -> None:
        """A key that nobody knows is replaced; the others go on."""
        self.start()
        (self.state / "admin.key").unlink()
        self.assertTrue(self.start())
        self.assertEqual(len(self.server.roster.keys()), 2)

    def test_banner(self) -> None:
        """The first banner tells the secrets, later ones where they are; addresses are such as can be pasted."""
        self.start()
        text = banner(self.state, ENDPOINTS, TITLES, True)
        lines = text.split("\n")
        self.assertEqual(lines[:3], ["SMTP 127.0.0.1:2525", "IMAP [::1]:2143", "HTTP 127.0.0.1:8025"])
        key, login = (self.state / "admin.key").read_text().strip(), (self.state / "first-login.json").read_text()
        self.assertIn(key, text)
        self.assertIn(json.loads(login)[LOGIN], text)
        self.assertEqual([line.split()[0] for line in lines[-3:]], ["printf", "curl", "curl"])
        self.assertNotIn("ssl", text)
        self.assertIn("--ssl-reqd", banner(self.state, ENDPOINTS, TITLES, True, plain=False))
        line = banner(self.state, ENDPOINTS, TITLES, True, required=True).split("\n")[-3]
        self.assertIn(f"curl -sS -u '{LOGIN}:{json.loads(login)[LOGIN]}' smtp://", line)
        later = banner(self.state, ENDPOINTS, TITLES, False)
        self.assertNotIn(key, later)
        self.assertIn(str(self.state / "admin.key"), later)

    def test_without_listeners(self) -> None:
        """Nothing is proposed that could not work."""
        self.start()
        self.assertNotIn("curl", banner(self.state, {"http": ENDPOINTS["http"]}, TITLES, True))

    def test_write(self) -> None:
        """A file is replaced whole, for its owner only."""
        path = self.state / "file"
        path.write_text("old")
        path.chmod(0o644)
        write(path, "new")
        self.assertEqual((path.read_text(), path.stat().st_mode & 0o777), ("new", 0o600))
        self.assertEqual([one.name for one in self.state.iterdir()], ["file"])
