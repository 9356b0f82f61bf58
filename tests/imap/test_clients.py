"""
Real clients over real sockets: imaplib, imapclient, aioimaplib and curl, plain, STARTTLS and IMAPS.

The server is in this process, the mail in memory; each client runs in a thread.
"""

from __future__ import annotations

import asyncio
import imaplib
import io
import shutil
import ssl
import subprocess
import zlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.threads import blockingCallFromThread, deferToThread
from twisted.protocols.tls import TLSMemoryBIOFactory
from twisted.trial.unittest import SkipTest, TestCase

from simmail.daemon.tls import ServerTls
from simmail.imap.factory import ImapFactory
from tests.imap.play import ADDRESS, MESSAGES, PASSWORD, House

#: A message that needs many packets.
BIG = b"Subject: big\r\n\r\n" + b"0123456789abcdef" * 4 * 20_000 + b"\r\n"


class DeflatedSocket(io.RawIOBase):
    """A socket whose octets are deflated; C{came}: how many did."""

    def __init__(self, below: Any) -> None:
        self.below = below
        self.deflate, self.inflate = zlib.compressobj(9, zlib.DEFLATED, -15), zlib.decompressobj(-15)
        self.came = 0

    def sendall(self, octets: bytes) -> None:
        """As sockets do."""
        self.below.sendall(self.deflate.compress(octets) + self.deflate.flush(zlib.Z_SYNC_FLUSH))

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """What the next octets say, as far as there is room."""
        octets = self.inflate.decompress(self.inflate.unconsumed_tail, len(buffer))
        while not octets:
            given = self.below.recv(4096)
            if not given:
                return 0
            self.came += len(given)
            octets = self.inflate.decompress(given, len(buffer))
        buffer[:len(octets)] = octets
        return len(octets)

    def shutdown(self, how: int) -> None:
        """As sockets do."""
        self.below.shutdown(how)
        self.below.close()


class ClientTests(TestCase):
    """What clients see."""

    timeout = 60

    def setUp(self) -> None:
        """A server on two ports."""
        from twisted.internet import reactor

        self.reactor: Any = reactor
        folder = Path(self.mktemp())
        folder.mkdir()
        tls = ServerTls(str(folder / "certificate.pem"), str(folder / "key.pem"), False, ("localhost",))
        self.house = House(tls_context=tls)
        self.house.factory.context.reactor = self.reactor
        secure = ImapFactory(
            self.house.factory.context.config, self.house.sign_in, self.reactor, tls_context=tls, implicit_tls=True)
        for name in MESSAGES:
            self.house.deliver(name)
        self.house.file(BIG)
        self.listening = [
            self.reactor.listenTCP(0, factory, interface="127.0.0.1")
            for factory in (self.house.factory, TLSMemoryBIOFactory(tls, False, secure))]
        self.port, self.tls_port = [one.getHost().port for one in self.listening]
        self.factories = [self.house.factory, secure]
        self.upload = folder / "other.eml"
        self.upload.write_bytes(MESSAGES["other"].replace(b"\n", b"\r\n"))
        self.trusting = ssl.create_default_context(cafile=str(folder / "certificate.pem"))

    @inlineCallbacks
    def tearDown(self) -> Generator[Deferred[Any], Any, None]:
        """Nobody is left behind."""
        for one in self.listening:
            yield one.stopListening()
        for factory in self.factories:
            factory.close()
        while any(factory.connections for factory in self.factories):
            pause: Deferred[None] = Deferred()
            self.reactor.callLater(0.01, pause.callback, None)
            yield pause
        self.assertEqual(self.flushLoggedErrors(), [])

    def imaplib_session(self, client: imaplib.IMAP4) -> None:
        """What imaplib can do."""
        client.login(ADDRESS, PASSWORD)
        self.assertEqual(client.select("INBOX"), ("OK", [b"%d" % (len(MESSAGES) + 1)]))
        self.assertEqual(client.search(None, "SUBJECT", "Invoice"), ("OK", [b"2"]))
        _, found = client.fetch(str(len(MESSAGES) + 1), "(BODY.PEEK[])")
        self.assertEqual(found[0][1], BIG)  # type: ignore[index]
        _, found = client.fetch("1:*", "(FLAGS ENVELOPE BODYSTRUCTURE)")
        self.assertEqual(client.store("1", "+FLAGS", "(\\Seen)"), ("OK", [b"1 (FLAGS (\\Recent \\Seen))"]))
        status, _ = client.append("Drafts", "\\Draft", imaplib.Time2Internaldate(0), BIG)
        self.assertEqual(status, "OK")
        self.assertEqual(client.copy("1", "Archive")[0], "OK")
        self.assertEqual(client.create('"a b"')[0], "OK")
        self.assertEqual(client.status('"a b"', "(MESSAGES)"), ("OK", [b'"a b" (MESSAGES 0)']))
        self.assertEqual(client.uid("MOVE", "1", "Trash")[0], "OK")
        client.store("1", "+FLAGS", "(\\Deleted)")
        # imaplib hands out what the MOVE expunged as well.
        self.assertEqual(client.expunge(), ("OK", [b"1", b"1"]))
        self.assertEqual(client.sort("(SUBJECT)", "UTF-8", "ALL")[0], "OK")
        self.assertEqual(client.close()[0], "OK")
        self.assertEqual(client.logout()[0], "BYE")

    def test_imaplib(self) -> Deferred[None]:
        """imaplib in clear text."""
        return self.thread(lambda: self.imaplib_session(imaplib.IMAP4("127.0.0.1", self.port, timeout=30)))

    def test_imaplib_starttls(self) -> Deferred[None]:
        """imaplib after STARTTLS, the certificate verified."""
        def session() -> None:
            client = imaplib.IMAP4("localhost", self.port, timeout=30)
            client.starttls(self.trusting)
            self.imaplib_session(client)

        return self.thread(session)

    def test_imaplib_tls(self) -> Deferred[None]:
        """imaplib over IMAPS."""
        return self.thread(lambda: self.imaplib_session(
            imaplib.IMAP4_SSL("localhost", self.tls_port, ssl_context=self.trusting, timeout=30)))

    def compressed_session(self, client: imaplib.IMAP4) -> None:
        """imaplib, which knows nothing of COMPRESS, over a socket and a file that do."""
        client.login(ADDRESS, PASSWORD)
        typ, _ = client.xatom("COMPRESS", "DEFLATE")
        self.assertEqual(typ, "OK")
        client.sock = DeflatedSocket(client.sock)  # type: ignore[assignment]
        client._file = client.file = io.BufferedReader(client.sock)  # type: ignore[assignment, arg-type]
        client.select("INBOX")
        _, found = client.fetch(str(len(MESSAGES) + 1), "(BODY.PEEK[])")
        self.assertEqual(found[0][1], BIG)  # type: ignore[index]
        self.assertLess(client.sock.came, len(BIG) // 10)  # type: ignore[attr-defined]
        status, _ = client.append("Drafts", "\\Draft", imaplib.Time2Internaldate(0), BIG)
        self.assertEqual(status, "OK")
        client.send(b"i IDLE\r\n")
        self.assertEqual(client.readline(), b"+ idling\r\n")
        blockingCallFromThread(self.reactor, self.house.deliver)
        self.assertEqual(client.readline(), b"* %d EXISTS\r\n" % (len(MESSAGES) + 2))
        client.readline()
        client.send(b"DONE\r\n")
        self.assertEqual(client.readline(), b"i OK IDLE completed\r\n")
        self.assertEqual(client.logout()[0], "BYE")

    def drop_last(self) -> Deferred[Any]:
        """The newest message is gone."""
        folder = self.house.folder()
        expunged: Deferred[Any] = folder.expunge([folder.uids[-1]])
        return expunged

    def test_compressed(self) -> Deferred[None]:
        """COMPRESS=DEFLATE in clear text, after STARTTLS and over IMAPS."""
        def session() -> None:
            self.compressed_session(imaplib.IMAP4("127.0.0.1", self.port, timeout=30))
            blockingCallFromThread(self.reactor, self.drop_last)
            client = imaplib.IMAP4("localhost", self.port, timeout=30)
            client.starttls(self.trusting)
            self.compressed_session(client)
            blockingCallFromThread(self.reactor, self.drop_last)
            self.compressed_session(
                imaplib.IMAP4_SSL("localhost", self.tls_port, ssl_context=self.trusting, timeout=30))

        return self.thread(session)

    def test_authenticate(self) -> Deferred[None]:
        """imaplib with AUTHENTICATE PLAIN."""
        def session() -> None:
            client = imaplib.IMAP4("127.0.0.1", self.port, timeout=30)
            client.authenticate("PLAIN", lambda _: f"\0{ADDRESS}\0{PASSWORD}".encode())
            client.logout()

        return self.thread(session)

    def test_imapclient(self) -> Deferred[None]:
        """imapclient: structures, folders, IDLE."""
        from imapclient import IMAPClient

        def session() -> None:
            with IMAPClient("127.0.0.1", self.port, ssl=False, timeout=30) as client:
                client.login(ADDRESS, PASSWORD)
                client.select_folder("INBOX")
                items = ["ENVELOPE", "BODYSTRUCTURE", "INTERNALDATE", "BODY.PEEK[HEADER]"]
                found = client.fetch(client.search(), items)
                self.assertEqual(len(found), len(MESSAGES) + 1)
                self.assertEqual(found[2][b"ENVELOPE"].subject, b"Invoice 42")
                self.assertTrue(found[3][b"BODYSTRUCTURE"].is_multipart)
                said = client.multiappend("Archive", [b"Subject: one\r\n\r\n", b"Subject: two\r\n\r\n"])
                self.assertEqual(said, ("OK", [b"[APPENDUID 1 1:2] APPEND completed"]))
                self.assertEqual(client.folder_status("Archive")[b"MESSAGES"], 2)
                self.assertEqual(client.search(["SAVEDSINCE", "1-Jan-2026"]), client.search())
                client.create_folder("Entwürfe")
                self.assertIn("Entwürfe", [name for _, _, name in client.list_folders()])
                self.assertEqual(client.find_special_folder(b"\\Sent"), "Sent")
                self.assertEqual(client.thread("REFERENCES")[0][0], 1)
                client.idle()
                blockingCallFromThread(self.reactor, self.house.deliver)
                self.assertIn((len(MESSAGES) + 2, b"EXISTS"), client.idle_check(timeout=10))
                client.idle_done()
                self.assertEqual(client.search(["FROM", "Otto"]), [2])

        return self.thread(session)

    def test_aioimaplib(self) -> Deferred[None]:
        """aioimaplib: a push within 50 ms of the message's coming in."""
        from aioimaplib import aioimaplib

        async def session() -> None:
            client = aioimaplib.IMAP4("127.0.0.1", self.port, timeout=30)
            await client.wait_hello_from_server()
            await client.login(ADDRESS, PASSWORD)
            await client.select("INBOX")
            await client.idle_start(timeout=30)
            await asyncio.to_thread(blockingCallFromThread, self.reactor, self.house.deliver)
            pushed = await client.wait_server_push(timeout=10)
            self.assertIn(b"%d EXISTS" % (len(MESSAGES) + 2), pushed)
            client.idle_done()
            await client.logout()

        return self.thread(lambda: asyncio.run(session()))

    def test_curl(self) -> Deferred[None]:
        """curl lists, searches, reads and files."""
        curl = shutil.which("curl")
        if curl is None:
            raise SkipTest("curl is not installed")
        base = [curl, "-s", "-S", "-m", "30", "-u", f"{ADDRESS}:{PASSWORD}"]

        def run(*arguments: str) -> bytes:
            return subprocess.run([*base, *arguments], check=True, capture_output=True, timeout=40).stdout

        def session() -> None:
            url = f"imap://127.0.0.1:{self.port}"
            self.assertIn(b"INBOX", run(f"{url}/"))
            octets = run(f"{url}/INBOX;MAILINDEX=1")
            self.assertEqual(octets, MESSAGES["plain"].replace(b"\n", b"\r\n"))
            self.assertEqual(run(f"{url}/INBOX?SUBJECT%20Invoice"), b"* SEARCH 2\r\n")
            run("-T", str(self.upload), f"{url}/Drafts")
            secure = run("-k", f"imaps://localhost:{self.tls_port}/Drafts;MAILINDEX=1")
            self.assertEqual(secure, MESSAGES["other"].replace(b"\n", b"\r\n"))
            self.assertEqual(len(run("-k", "--ssl-reqd", f"{url}/INBOX;MAILINDEX={len(MESSAGES) + 1}")), len(BIG))

        return self.thread(session)

    def thread(self, session: Callable[[], None]) -> Deferred[None]:
        """Run a client in a thread."""
        return deferToThread(session)
