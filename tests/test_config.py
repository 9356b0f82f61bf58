"""Tests for C{simmail.config}."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import yaml
from twisted.trial.unittest import SynchronousTestCase

import simmail
from simmail.config import Config, from_value, load, load_plans
from simmail.errors import Invalid
from tests.core.rules.test_yaml_text import BOMBS


class ConfigTests(SynchronousTestCase):
    """Options and their defaults."""

    def test_file_shows_every_default(self) -> None:
        """etc/simmail.yaml holds every option with the default that is in force."""
        path = Path(simmail.__file__).parent.parent / "etc" / "simmail.yaml"
        shown = yaml.safe_load(path.read_text(encoding="utf-8"))
        self.assertEqual(shown, msgspec.json.decode(msgspec.json.encode(Config())))
        self.assertEqual(load(str(path)), Config())

    def test_only_what_differs(self) -> None:
        """A file need only hold what differs."""
        self.assertEqual(from_value({"listen": {"http": 9000}}).listen.http, 9000)
        self.assertEqual(from_value({"listen": {"http": 9000}}).listen.imap, 2143)

    def test_paths(self) -> None:
        """Relative paths begin at the file's folder, wherever the process is; others are as they are."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        file = folder / "simmail.yaml"
        file.write_text(yaml.safe_dump({
            "server": {"state": "state", "plans": "../plans.yaml"}, "people": {"file": "/etc/people.yaml"},
            "tls": {"certificate": "tls/c.pem", "key": "tls/k.pem"}, "redis": {"server": "bin/valkey"},
            "links": {"record": "visits"}}))
        config = load(os.path.relpath(file))
        self.assertEqual((config.server.state, config.server.plans), (f"{folder}/state", f"{folder}/../plans.yaml"))
        self.assertEqual((config.tls.certificate, config.tls.key), (f"{folder}/tls/c.pem", f"{folder}/tls/k.pem"))
        self.assertEqual((config.people.file, config.links.record), ("/etc/people.yaml", f"{folder}/visits"))
        self.assertEqual(config.redis.server, f"{folder}/bin/valkey")
        file.write_text("redis: {server: valkey-server}")
        self.assertEqual(load(str(file)).redis.server, "valkey-server")

    def test_unknown_setting(self) -> None:
        """An unknown setting is refused by its name."""
        error = self.assertRaises(Invalid, from_value, {"smtp": {"por": 25}})
        self.assertEqual(error.field, "smtp.por")
        self.assertEqual(self.assertRaises(Invalid, from_value, {"smpt": {}}).field, "smpt")

    def test_mistyped_setting(self) -> None:
        """A setting of the wrong type is refused with its path."""
        error = self.assertRaises(Invalid, from_value, {"listen": {"imap": "143"}})
        self.assertEqual(error.field, "listen.imap")

    def test_auth_required(self) -> None:
        """Mail is taken from who has signed in only, wherever others can connect; what is set counts."""
        for host, required in (("127.0.0.1", False), ("::1", False), ("localhost", False), ("0.0.0.0", True),
                               ("::", True), ("", True), ("192.0.2.1", True), ("127.mail.test", True)):
            self.assertIs(from_value({"listen": {"host": host}}).auth_required, required, host)
        for chosen in (True, False):
            for host in ("127.0.0.1", "0.0.0.0"):
                config = from_value({"listen": {"host": host}, "smtp": {"auth_required": chosen}})
                self.assertIs(config.auth_required, chosen)

    def test_not_yaml(self) -> None:
        """A file that is not YAML is an error that names the file."""
        path = self.mktemp()
        Path(path).write_text("a: [", encoding="utf-8")
        self.assertIn(path, str(self.assertRaises(Invalid, load, path)))
        self.assertIn("missing.yaml", str(self.assertRaises(Invalid, load, "missing.yaml")))

    def test_impossible(self) -> None:
        """What cannot be is refused by its path: at once, not when it is first needed."""
        for value, path in (
            ({"listen": {"http": 70000}}, "listen.http"), ({"smtp": {"connections": 0}}, "smtp.connections"),
            ({"smtp": {"sender": "some"}}, "smtp.sender"), ({"http": {"rate": -1}}, "http.rate"),
            ({"imap": {"timeout": "soon"}}, "imap.timeout"), ({"redis": {"timeout": "0s"}}, "redis.timeout"),
            ({"server": {"domain": "no domain"}}, "server.domain"), ({"tls": {"key": "key.pem"}}, "tls"),
            ([], "config"), ("text", "config"),
        ):
            self.assertIn(path, str(self.assertRaises(Invalid, from_value, value)))
        self.assertEqual(from_value({"http": {"rate": 0}}).http.rate, 0)

    def test_bombs(self) -> None:
        """What stands for very much, and a key that stands twice, is refused in every file."""
        path = Path(self.mktemp())
        for octets in (*BOMBS.values(), b"smtp: {}\nsmtp: {}\n"):
            path.write_bytes(octets)
            for read in (load, load_plans):
                self.assertIn(str(path), str(self.assertRaises(Invalid, read, str(path))))
