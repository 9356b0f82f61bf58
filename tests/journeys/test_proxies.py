"""A service behind a proxy knows its clients: we say what a proxy says, and so does HAProxy where it is installed."""

from __future__ import annotations

import imaplib
import re
import shutil
import smtplib
import socket
import ssl
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

from tests.daemon.listening.test_proxy_protocol import version_2
from tests.journeys.running import JourneyCase, SOON, message, until

#: Where proxies connect from; who connects from 127.0.0.1 is a client.
PROXY, CLIENT = "127.0.0.2", "203.0.113.7"
SHIPPED = Path(__file__).parents[2] / "etc" / "operation" / "haproxy.cfg"


def dialled(port: int, header: bytes) -> socket.socket:
    """A connection that a proxy passes on."""
    made = socket.create_connection(("127.0.0.1", port), SOON, (PROXY, 0))
    made.sendall(header)
    return made


class Smtp(smtplib.SMTP):
    """A client behind a proxy."""

    header = version_2(CLIENT)

    def _get_socket(self, host: Any, port: Any, timeout: Any) -> socket.socket:
        return dialled(port, self.header)


class Imap(imaplib.IMAP4):
    """The same over TLS from the first octet."""

    def _create_socket(self, timeout: Any = None) -> socket.socket:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context.wrap_socket(dialled(self.port, b"PROXY TCP4 %s 192.0.2.1 999 993\r\n" % CLIENT.encode()))


class ProxiesJourney(JourneyCase):
    """A service with two workers, that one machine is a proxy for."""

    def setUp(self) -> None:
        """One process may give a connection to the other: it knows the client then too."""
        self.running = self.service({"server": {"workers": 2, "proxies": [PROXY]}})
        self.running.start()
        self.key = self.running.universe("ash", "2026-03-02T09:00:00Z")
        self.running.good(
            "POST", "/api/accounts", {"address": "app@ash.example", "password": "secret of ash"}, self.key)

    def test_clients(self) -> None:
        """Each protocol takes the client for whom the proxy names, and whoever else comes for himself."""
        running = self.running
        for turn in range(4):
            with Smtp("127.0.0.1", running.port("smtp")) as client:
                client.starttls()
                client.login("app@ash.example", "secret of ash")
                client.sendmail("app@ash.example", ["app@ash.example"],
                                message("app@ash.example", "app@ash.example", f"turn{turn}", "Hello."))
            imap = Imap("127.0.0.1", running.port("imaps"))
            imap.login("app@ash.example", "secret of ash")
            self.assertEqual(imap.select()[0], "OK")
            found = until(lambda: imap.search(None, "SUBJECT", f"turn{turn}")[1][0])
            (_, raw), *_ = imap.fetch(found.split()[-1], "(BODY[HEADER.FIELDS (RECEIVED)])")[1]
            self.assertIn(f"[{CLIENT}]", raw.decode())
            imap.logout()
        with running.smtp() as plain:
            # Others than those here can connect through the proxy.
            self.assertRaises(smtplib.SMTPNotSupportedError, plain.login, "app@ash.example", "secret of ash")
            plain.starttls()
            plain.login("app@ash.example", "secret of ash")
            plain.sendmail("app@ash.example", ["app@ash.example"],
                           message("app@ash.example", "app@ash.example", "directly", "Hello."))
        for _ in range(8):
            with dialled(running.port("http"), version_2(CLIENT)) as asking:
                asking.sendall(b"GET /api/personas HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                               b"Authorization: Bearer %s\r\n\r\n" % self.key.encode())
                with asking.makefile("rb") as answer:
                    self.assertTrue(answer.read().startswith(b"HTTP/1.1 200 "))
        # Without a header nobody is served at that address, with one nobody at another.
        with dialled(running.port("http"), b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") as asking:
            try:
                self.assertEqual(asking.recv(100), b"")
            except ConnectionResetError:
                pass
        with socket.create_connection(("127.0.0.1", running.port("smtp")), SOON) as stranger:
            self.assertTrue(stranger.recv(500).startswith(b"220 "))
            stranger.sendall(b"PROXY TCP4 203.0.113.8 192.0.2.1 1 25\r\n")
            self.assertTrue(stranger.recv(500).startswith(b"500 "))
        asked = r"GET /api/personas 200 \d+ [\d.]+ms ([\d.]+) "
        until(lambda: len(re.findall(asked, running.logged())) == 8)
        self.assertEqual(set(re.findall(asked, running.logged())), {CLIENT})
        self.assertIn(f"the proxy {PROXY} was refused: no PROXY header", running.logged())

    def test_haproxy(self) -> None:
        """HAProxy with the file that is shipped finds the service well, and passes its clients on."""
        program = shutil.which("haproxy") or "/usr/sbin/haproxy"
        if not Path(program).exists():
            self.skipTest("HAProxy is not installed")
        text, ports = SHIPPED.read_text(), {}
        for name in ("smtp", "submission", "smtps", "imap", "imaps", "http"):
            with socket.create_server(("127.0.0.1", 0)) as free:
                ports[name] = free.getsockname()[1]
            text, changed = re.subn(
                rf"(listen {name}\n    bind ):\d+\n(    server simmail) simmail:\d+",
                rf"\g<1>127.0.0.1:{ports[name]}\n\2 127.0.0.1:{self.running.port(name)} source {PROXY}", text)
            self.assertEqual(changed, 1, name)
        text = text.replace("check port 8025", f"check port {self.running.port('http')}")
        file = self.folder() / "haproxy.cfg"
        file.write_text(text)
        haproxy = subprocess.Popen([program, "-db", "-f", str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(haproxy.communicate)
        self.addCleanup(haproxy.terminate)

        def well() -> bool:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{ports['http']}/readyz", timeout=SOON) as answer:
                    return bool(answer.status == 200)
            except OSError:
                return False

        until(well)
        with smtplib.SMTP("127.0.0.1", ports["submission"], timeout=SOON, source_address=("127.0.0.5", 0)) as client:
            client.starttls()
            client.login("app@ash.example", "secret of ash")
            client.sendmail("app@ash.example", ["app@ash.example"],
                            message("app@ash.example", "app@ash.example", "through", "Hello."))
        with imaplib.IMAP4("127.0.0.1", ports["imap"], SOON) as imap:
            imap.starttls()
            imap.login("app@ash.example", "secret of ash")
            imap.select()
            found = until(lambda: imap.search(None, "SUBJECT", "through")[1][0])
            (_, raw), *_ = imap.fetch(found.split()[-1], "(BODY[HEADER.FIELDS (RECEIVED)])")[1]
        self.assertIn("[127.0.0.5]", raw.decode())
        # Its own checks are no clients.
        self.assertNotIn("was refused", self.running.logged())
