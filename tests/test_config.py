"""Tests for C{simmail.config}."""

from __future__ import annotations

import json
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

    def test_environment(self) -> None:
        """Every option can be given by a variable, which counts more than the file; an empty one says nothing."""
        shown = msgspec.json.decode(msgspec.json.encode(Config()))
        every = {f"SIMMAILD_{section}_{name}".upper(): one if isinstance(one, str) else json.dumps(one)
                 for section, options in shown.items() for name, one in options.items()}
        self.assertEqual(load(None, every), Config())
        file = Path(self.mktemp())
        file.write_text("listen: {http: 1, imap: 2}\ntls: {key: k.pem}\nimap:\n")
        config = load(str(file), {
            "SIMMAILD_LISTEN_HTTP": "80", "SIMMAILD_LISTEN_SMTP": "null", "SIMMAILD_REDIS_URL": "redis://:a#: b@c",
            "SIMMAILD_TLS_NAMES": "[a.test, b.test]", "SIMMAILD_IMAP_MASTER_USERS": "{ann: secret}",
            "SIMMAILD_TLS_CERTIFICATE": "c.pem", "SIMMAILD_SERVER_DEMO": "false", "SIMMAILD_SMTP_SENDER": "own",
            "SIMMAILD_LISTEN_IMAP": "", "SIMMAILD_STATE": "s", "PATH": "/bin"})
        self.assertEqual((config.listen.http, config.listen.imap, config.listen.smtp), (80, 2, None))
        self.assertEqual((config.redis.url, config.tls.names), ("redis://:a#: b@c", ("a.test", "b.test")))
        self.assertEqual((config.imap.master_users, config.server.demo), ({"ann": "secret"}, False))
        self.assertEqual((config.tls.certificate, config.tls.key), (
            f"{Path.cwd()}/c.pem", f"{file.absolute().parent}/k.pem"))

    def test_wrong_environment(self) -> None:
        """An unknown or impossible variable is refused by its name."""
        for name, text in (("SIMMAILD_REDIS_URI", "redis://c"), ("SIMMAILD_LISTEN_HTTP", "70000"),
                           ("SIMMAILD_LISTEN", "{}"), ("SIMMAILD_IMAP_TIMEOUT", "soon"), ("SIMMAILD_TLS_NAMES", "a"),
                           ("SIMMAILD_LINKS_LAB_HOSTS", "[secret]"), ("SIMMAILD_TLS_NAMES", "[a"),
                           ("SIMMAILD_IMAP_MASTER_USERS", "{a: &x [*x]}"), ("SIMMAILD_HTTP_RATE", "\udcff")):
            error = self.assertRaises(Invalid, load, None, {name: text})
            self.assertEqual(error.field, name)
        self.assertEqual(self.assertRaises(Invalid, load, None, {"SIMMAILD_TLS_KEY": "k"}).field, "tls")

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
        self.assertIs(from_value({"server": {"proxies": ["127.0.0.1"]}}).auth_required, True)

    def test_not_yaml(self) -> None:
        """A file that is not YAML is an error that names the file."""
        path = self.mktemp()
        Path(path).write_text("a: [", encoding="utf-8")
        self.assertIn(path, str(self.assertRaises(Invalid, load, path)))
        self.assertIn("missing.yaml", str(self.assertRaises(Invalid, load, "missing.yaml")))

    def test_impossible(self) -> None:
        """What cannot be is refused by its path: at once, not when it is first needed."""
        for value, path in (
            ({"server": {"proxies": ["10.0.0.1/8"]}}, "server.proxies"),
            ({"server": {"proxies": ["lb"]}}, "server.proxies"),
            ({"listen": {"http": 70000}}, "listen.http"), ({"smtp": {"connections": 0}}, "smtp.connections"),
            ({"smtp": {"sender": "some"}}, "smtp.sender"), ({"http": {"rate": -1}}, "http.rate"),
            ({"imap": {"timeout": "soon"}}, "imap.timeout"), ({"redis": {"timeout": "0s"}}, "redis.timeout"),
            ({"redis": {"url": "redis://h", "cluster": ["redis://h"]}}, "redis"),
            ({"server": {"domain": "no domain"}}, "server.domain"), ({"tls": {"key": "key.pem"}}, "tls"),
            ([], "config"), ("text", "config"),
        ):
            self.assertIn(path, str(self.assertRaises(Invalid, from_value, value)))
        self.assertEqual(from_value({"http": {"rate": 0}}).http.rate, 0)

    def test_installation(self) -> None:
        """A server of an installation has a name, a secret and one process."""
        whole = {"node": "a", "peers": "127.0.0.1:0", "secret": "x" * 16}
        self.assertEqual(from_value({"server": whole}).server.workers, 1)
        for change, field in (({"node": ""}, "node"), ({"secret": "short"}, "secret"), ({"workers": 2}, "workers")):
            error = self.assertRaises(Invalid, from_value, {"server": {**whole, **change}})
            self.assertEqual(error.field, f"server.{field}")

    def test_bombs(self) -> None:
        """What stands for very much, and a key that stands twice, is refused in every file."""
        path = Path(self.mktemp())
        for octets in (*BOMBS.values(), b"smtp: {}\nsmtp: {}\n"):
            path.write_bytes(octets)
            for read in (load, load_plans):
                self.assertIn(str(path), str(self.assertRaises(Invalid, read, str(path))))
