"""
Real clients over real sockets: plain, STARTTLS and SMTPS.
"""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from twisted.internet import reactor as _reactor
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread
from twisted.protocols.tls import TLSMemoryBIOFactory
from twisted.trial.unittest import TestCase

from simmail.config import Config
from simmail.daemon.tls import ServerTls
from simmail.smtp.factory import SmtpFactory
from tests.smtp.door import Door

reactor: Any = _reactor


class Listening(TestCase):
    """Listeners with and without TLS, before one universe in memory."""

    timeout = 20

    def setUp(self) -> None:
        """Listen on any free ports."""
        folder = self.folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        tls = ServerTls(str(folder / "c.pem"), str(folder / "k.pem"), False, ("localhost",))
        self.trust = ssl.create_default_context(cafile=str(folder / "c.pem"))
        # As strict as Python is from 3.13 on.
        self.trust.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
        self.door = Door(Config())
        self.door.login("app@sim.test", "secret")
        self.ports = {}
        for name in ("smtp", "smtps"):
            factory: Any = SmtpFactory(self.door.server.config, self.door.server.roster, reactor,
                                       implicit_tls=name == "smtps", tls_context=tls)
            self.addCleanup(self._drained, factory)
            if name == "smtps":
                factory = TLSMemoryBIOFactory(tls, False, factory)
            port = reactor.listenTCP(0, factory, interface="127.0.0.1")
            self.addCleanup(port.stopListening)
            self.ports[name] = port.getHost().port

    async def _drained(self, factory: SmtpFactory) -> None:
        await factory.drain(0.5)
        # Connections close in the reactor's next turns.
        while True:
            rested: Deferred[None] = Deferred()
            reactor.callLater(0.05, rested.callback, None)
            await rested
            if not factory.connections:
                return

    async def held(self, converse: Callable[[], Any]) -> Any:
        """What a conversation in a thread answers."""
        return await deferToThread(converse)


class SocketTests(Listening):
    """smtplib, and a client that does not read."""

    def message(self, text: str) -> EmailMessage:
        """A message to maria@acme.test."""
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = "app@sim.test", "maria@acme.test", "Hello"
        message.set_content(text)
        return message

    def spoken(self, octets: bytes) -> list[str]:
        """What a client is told that says all it has and ends its side of the connection, as C{nc -N} does."""
        with socket.create_connection(("localhost", self.ports["smtp"]), 10) as client:
            client.sendall(octets)
            client.shutdown(socket.SHUT_WR)
            with client.makefile("r", encoding="ascii") as lines:
                return [line[:3] for line in lines]

    async def test_half_closed(self) -> None:
        """All that was asked is answered, the message that is being filed too; half a message is none."""
        dialog = (b"HELO x\r\nMAIL FROM:<app@sim.test>\r\nRCPT TO:<maria@acme.test>\r\nDATA\r\nSubject: x\r\n\r\nx\r\n")
        told = await self.held(lambda: self.spoken(dialog + b".\r\n"))
        self.assertEqual(told, ["220", "250", "250", "250", "354", "250"])
        told = await self.held(lambda: self.spoken(dialog + b".\r\nQUIT\r\n"))
        self.assertEqual(told, ["220", "250", "250", "250", "354", "250", "221"])
        told = await self.held(lambda: self.spoken(dialog))
        self.assertEqual(told, ["220", "250", "250", "250", "354"])
        self.assertEqual(len(self.door.mail("maria@acme.test")), 2)

    async def test_half_closed_and_hung(self) -> None:
        """Who will never be answered and says no more is let go."""
        await self.door.universe.faults.put([{"kind": "hang", "stage": "helo"}])
        try:
            told = await self.held(lambda: self.spoken(b"HELO x\r\n"))
        except ConnectionError:
            told = ["220"]
        self.assertEqual(told, ["220"])

    async def test_plain(self) -> None:
        """smtplib sends without TLS, several messages over one connection, one of them large."""
        text = "".join(f".line {n}\n" for n in range(200_000))

        def converse() -> None:
            with smtplib.SMTP("localhost", self.ports["smtp"]) as client:
                client.send_message(self.message("one"))
                client.send_message(self.message(text))
                with self.assertRaises(smtplib.SMTPSenderRefused):
                    client.sendmail("not an address", ["maria@acme.test"], b"x")

        await self.held(converse)
        one, two = self.door.mail("maria@acme.test")
        self.assertIn(b"\r\n\r\none\r\n", one)
        self.assertTrue(two.endswith(text.replace("\n", "\r\n").encode()))

    async def test_starttls(self) -> None:
        """smtplib goes on after STARTTLS, signs in and sends; what came before does not count."""
        def converse() -> Any:
            with smtplib.SMTP("localhost", self.ports["smtp"]) as client:
                client.ehlo()
                client.starttls(context=self.trust)
                self.assertEqual(client.docmd("MAIL FROM:<a@b.test>")[0], 503)
                client.login("app@sim.test", "secret")
                client.send_message(self.message("over TLS"))

        await self.held(converse)
        (octets,) = self.door.mail("maria@acme.test")
        self.assertIn(b" with ESMTPSA id ", octets)

    async def test_flawed_certificates(self) -> None:
        """A fault shows a certificate that is refused for its one flaw; who does not look goes on."""
        for flaw, said in (("expired", "certificate has expired"), ("wrong_host", "not valid for 'localhost'")):
            await self.door.universe.faults.put([
                {"kind": "tls_fail", "stage": "starttls", "certificate": flaw, "times": 2}])

            def converse(trust: Any) -> str:
                with smtplib.SMTP("localhost", self.ports["smtp"]) as client:
                    client.ehlo()
                    try:
                        client.starttls(context=trust)
                    except ssl.SSLCertVerificationError as error:
                        return str(error)
                    return str(client.ehlo()[0])

            self.assertIn(said, await self.held(lambda: converse(self.trust)))
            self.assertEqual(await self.held(lambda: converse(ssl._create_unverified_context())), "250")
            # The rule has had its two times.
            self.assertEqual(await self.held(lambda: converse(self.trust)), "250")

    async def test_injection(self) -> None:
        """Commands sent in one packet with STARTTLS are never answered, before or after the handshake."""
        def converse() -> bytes:
            with socket.create_connection(("localhost", self.ports["smtp"])) as plain:
                plain.recv(1000)
                plain.sendall(b"EHLO x\r\n")
                plain.recv(1000)
                plain.sendall(b"STARTTLS\r\nRSET\r\nNOOP\r\n")
                self.assertEqual(plain.recv(1000), b"220 2.0.0 Ready to start TLS\r\n")
                with self.trust.wrap_socket(plain, server_hostname="localhost") as secure:
                    secure.sendall(b"QUIT\r\n")
                    return secure.recv(1000)

        self.assertEqual(await self.held(converse), b"221 2.0.0 Bye\r\n")

    async def test_smtps(self) -> None:
        """smtplib over TLS from the first octet."""
        def converse() -> None:
            with smtplib.SMTP_SSL("localhost", self.ports["smtps"], context=self.trust) as client:
                self.assertFalse(client.has_extn("starttls"))
                client.login("app@sim.test", "secret")
                client.send_message(self.message("over TLS"))

        await self.held(converse)
        self.assertEqual(len(self.door.mail("maria@acme.test")), 1)

    async def test_deaf_client(self) -> None:
        """A client that pipelines without end and reads nothing is not read from, and its replies are not kept."""
        def converse() -> int:
            with socket.create_connection(("localhost", self.ports["smtp"])) as deaf:
                deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                deaf.sendall(b"EHLO x\r\nMAIL FROM:<app@sim.test>\r\n")
                deaf.settimeout(0.5)
                sent = 0
                try:
                    while sent < 50_000_000:
                        sent += deaf.send(b"RCPT TO:<maria@acme.test>\r\n" * 1000)
                except TimeoutError:
                    pass
                return sent

        self.assertLess(await self.held(converse), 40_000_000)
