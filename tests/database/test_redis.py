"""The database when Redis dies, hangs, forgets, is full or is not ours: always soon told, never done twice."""

from __future__ import annotations

import json
import os
import signal
from datetime import datetime, timedelta, timezone
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from twisted.internet import reactor, ssl
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import deferLater
from twisted.logger import globalLogPublisher
from twisted.trial.unittest import TestCase

from simmail.core.records.commit import Commit, EventQuery
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.database import layout, redis
from simmail.database.private.server import PrivateRedis
from simmail.database.redis import RedisDatabase
from simmail.database.url import parse, unix_url
from simmail.errors import Conflict, Invalid, Unavailable
from tests.database.running import RedisTestCase, state_folder, until
from tests.stopwatch import Stopwatch

NINE = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)


def pause(time: float) -> Deferred[None]:
    """Some real seconds."""
    return deferLater(reactor, time)  # type: ignore[arg-type]


def delivery(n: int) -> Commit:
    """What one mail makes: an event, a job, a count, known by its id."""
    at = NINE + timedelta(seconds=n)
    return Commit(
        once=f"d{n}", events=(Event("mail.delivered", at, {"n": n}),), counts=(("n", "all", 1),),
        jobs=(Job(f"j{n:06}", "reply", "pending", NINE, at),),
    )


class DeathTests(RedisTestCase):
    """Redis dies and comes back."""

    async def test_kill_under_load(self) -> None:
        """
        Killed again and again while commits stream in: what was acknowledged is there once, what was not is
        there once after it is repeated, numbers have no gap, instants never fall.
        """
        acknowledged: set[int] = set()
        unknown = 0
        stop = False

        async def send(start: int) -> None:
            nonlocal unknown
            n = start
            while not stop:
                try:
                    await self.database.commit("main", delivery(n))
                except Unavailable:
                    unknown += 1
                    await pause(0.01)
                    continue
                acknowledged.add(n)
                n += 16

        senders = [Deferred.fromCoroutine(send(start)) for start in range(16)]
        for _ in range(4):
            await pause(0.15)
            self.kill_redis()
            await until(lambda: not self.database.healthy)
            taken = await until(lambda: self.database.healthy)
            self.assertTrue(taken < 3.0, f"away for {taken} s")
        await pause(0.1)
        stop = True
        for sender in senders:
            await sender
        self.assertTrue(unknown > 0)
        last = await self.database.last_event("main")
        bodies = [json.loads(body) for body in await self.database.events("main", EventQuery(limit=10**9))]
        self.assertEqual([body["id"] for body in bodies], list(range(1, last + 1)))
        self.assertEqual(sorted(body["data"]["n"] for body in bodies), sorted(acknowledged))
        instants = [body["at"] for body in bodies]
        self.assertEqual(instants, sorted(instants))
        self.assertEqual(len(await self.database.pending("main")), len(acknowledged))
        self.assertEqual(await self.database.table("main", "n"), {"all": b"%d" % len(acknowledged)})

    async def test_back_soon(self) -> None:
        """Away, every call fails at once; two seconds after Redis is back all works, and listeners heard of both."""
        heard: list[bool] = []
        self.database.on_health(heard.append)
        await self.database.commit("main", delivery(1))
        await self.server.stop()
        await until(lambda: not self.database.healthy, 0.5)
        await pause(1.0)
        watch = Stopwatch()
        with self.assertRaises(Unavailable):
            await self.database.commit("main", delivery(2))
        self.assertTrue(watch.seconds() < 0.1)
        self.server = PrivateRedis(reactor, self.state)
        self.addCleanup(self.server.stop)
        await self.server.start()
        taken = await until(lambda: self.database.healthy)
        self.assertTrue(taken < 2.0, f"back after {taken} s")
        self.assertEqual(heard, [False, True])
        self.assertFalse((await self.database.commit("main", delivery(1))).fresh)

    async def test_hanging(self) -> None:
        """A Redis that hangs is told within two seconds, and what it did at last is not done again."""
        database = await self.opened(timeout=1.0)
        os.kill(self.server.pid or 0, signal.SIGSTOP)
        watch = Stopwatch()
        with self.assertRaises(Unavailable):
            await database.commit("main", delivery(1))
        self.assertTrue(watch.seconds() < 1.5)
        self.kill_redis(signal.SIGCONT)
        await until(lambda: database.healthy)
        await database.commit("main", delivery(1))
        self.assertEqual(await database.last_event("main"), 1)
        self.assertEqual(await database.table("main", "n"), {"all": b"1"})

    async def test_a_listener_that_fails(self) -> None:
        """One listener's defect is logged and keeps no other from hearing."""
        heard: list[bool] = []
        self.database.on_health(lambda healthy: 1 // 0)
        self.database.on_health(heard.append)
        await self.server.stop()
        await until(lambda: heard == [False])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)


class LimitTests(RedisTestCase):
    """Redis is there and will not, or has been changed behind our back."""

    async def ask(self, *words: str) -> Any:
        """A command of the operator's."""
        return await self.database._of("{~}").reads.call(words)

    async def test_full(self) -> None:
        """A full Redis is away, with nothing of the commit done; reading goes on; with room all goes on."""
        await self.database.commit("main", delivery(1))
        await self.ask("CONFIG", "SET", "maxmemory", "1")
        with self.assertRaises(Unavailable):
            await self.database.commit("main", delivery(2))
        self.assertEqual(await self.database.last_event("main"), 1)
        self.assertEqual(await self.database.seen("main", ["d1", "d2"]), {"d1"})
        self.assertEqual(await self.database.table("main", "n"), {"all": b"1"})
        self.assertEqual(self.database.away, "away: it is out of memory")
        await self.ask("CONFIG", "SET", "maxmemory", "0")
        await until(lambda: self.database.healthy)
        self.assertEqual(self.database.away, "")
        self.assertTrue((await self.database.commit("main", delivery(2))).fresh)

    async def test_read_only(self) -> None:
        """A replica is away; when it may write again, all goes on."""
        await self.ask("REPLICAOF", "127.0.0.1", "1")
        with self.assertRaises(Unavailable):
            await self.database.commit("main", delivery(1))
        # Nor does it seem to be there meanwhile.
        await deferLater(reactor, 1.0)
        self.assertEqual(self.database.away, "away: it is read-only")
        await self.ask("REPLICAOF", "NO", "ONE")
        await until(lambda: self.database.healthy)
        await self.database.commit("main", delivery(1))
        self.assertEqual(await self.database.last_event("main"), 1)

    async def test_scripts_flushed(self) -> None:
        """Scripts that were flushed are loaded again, and the commits on the way keep their order."""
        await self.ask("SCRIPT", "FLUSH")
        waiting = [self.database.commit("main", delivery(n)) for n in range(50)]
        self.assertEqual([(await one).first for one in waiting], list(range(1, 51)))
        await self.ask("SCRIPT", "FLUSH")
        self.assertEqual(len(await self.database.events("main", EventQuery())), 50)

    async def test_two_databases(self) -> None:
        """Two on one Redis share numbers, and an id committed by one is seen by the other."""
        other = await self.opened()
        waiting = [(self.database, other)[n % 2].commit("main", delivery(n // 2)) for n in range(60)]
        done = [await one for one in waiting]
        self.assertEqual(sum(one.fresh for one in done), 30)
        self.assertEqual(sorted(one.first for one in done), sorted([*range(1, 31)] * 2))

    async def names(self) -> list[str]:
        """Every key there is."""
        return sorted(name.decode() for name in await self.ask("KEYS", "*"))

    async def test_nothing_left(self) -> None:
        """Pruned and erased, a universe leaves nothing but its number."""
        for n in range(20):
            await self.database.commit("main", delivery(n))
        await self.database.commit("main", Commit(events=(
            Event("persona.sent", NINE, {"persona_id": "p", "case_id": "c", "message_id": "<m>"}),
        ), puts=(("t", "k", b""),)))
        await self.database.prune("main", NINE + timedelta(days=1))
        for kind in (layout.TYPE, layout.PERSONA, layout.CASE, layout.MAILS):
            self.assertEqual([name for name in await self.names() if kind in name], [])
        await self.database.commit("main", Commit(events=(Event("persona.sent", NINE, {"persona_id": "p"}),)))
        await self.database.erase("main")
        self.assertEqual(await self.names(), ["{main}:meta", "{~}:layout"])

    async def test_copy_of_before(self) -> None:
        """Of a universe whose names of postings were not kept all is copied, and of the copy they are kept."""
        for n in range(3):
            await self.database.commit("main", delivery(n))
        await self.ask("DEL", layout.prefix("main") + layout.POSTINGS)
        await self.database.commit("main", Commit(events=(Event("clock", NINE, {"persona_id": "p"}),)))
        for source, target in (("main", "copy"), ("copy", "another")):
            await self.database.copy(source, target)
            found = await self.database.events(target, EventQuery(types=("mail.delivered",)))
            self.assertEqual(found, await self.database.events("main", EventQuery(types=("mail.delivered",))))
            self.assertEqual(len(found), 3)
        self.assertTrue(await self.ask("SISMEMBER", layout.prefix("another") + layout.POSTINGS, ""))

    async def test_copy_of_too_much(self) -> None:
        """What would take Redis too long is not begun."""
        for n in range(3):
            await self.database.commit("main", delivery(n))
        self.patch(redis, "MOST_COPIED", 8)
        with self.assertRaises(Conflict):
            await self.database.copy("main", "copy")
        self.assertEqual(await self.database.universes(), ["main"])
        self.patch(redis, "MOST_COPIED", 9)
        await self.database.copy("main", "copy")
        self.assertEqual(await self.database.last_event("copy"), 3)

    async def test_erasure_cut_short(self) -> None:
        """Killed before the old events are cleared away, they are not seen, and cleared away by a later prune."""
        old = tuple(Event("persona.sent", NINE, {"persona_id": "p", "i": i}) for i in range(30))
        await self.database.commit("main", Commit(events=old))
        await self.database._of("{~}").writes.call((*self.database._start["erase"], layout.prefix("main"), ""))
        await self.database.commit("main", Commit(events=(Event("clock", NINE, {"persona_id": "p"}),)))
        for query in (EventQuery(), EventQuery(persona_id="p"), EventQuery(until=NINE), EventQuery(after=3)):
            bodies = await self.database.events("main", query)
            self.assertEqual([json.loads(body)["id"] for body in bodies], [31])
        self.assertEqual(await self.database.prune("main", NINE), (0, 0))
        self.assertNotIn("{main}:erased", await self.names())
        self.assertNotIn("{main}:type:persona.sent", await self.names())
        [body] = await self.database.events("main", EventQuery(persona_id="p"))
        self.assertEqual(json.loads(body)["type"], "clock")

    async def test_newer_layout(self) -> None:
        """Data of a newer version is refused, and not touched."""
        await self.ask("SET", "{~}:layout", str(layout.LAYOUT + 1))
        database = RedisDatabase(reactor, self.server.url)
        self.addCleanup(database.close)
        with self.assertRaises(Invalid) as raised:
            await database.connect(5)
        self.assertIn("newer", str(raised.exception))

    async def test_weaker(self) -> None:
        """An operator's Redis that may lose seconds is warned of, once; our own is not."""
        warnings: list[str] = []

        def observe(event: Any) -> None:
            if "weak" in event:
                warnings.append(event["weak"])

        globalLogPublisher.addObserver(observe)
        self.addCleanup(globalLogPublisher.removeObserver, observe)
        await self.opened()
        self.assertEqual(warnings, [])
        await self.ask("CONFIG", "SET", "appendfsync", "everysec")
        await self.opened()
        self.assertEqual(len(warnings), 1)
        self.assertIn("everysec", warnings[0])

    async def test_few_permissions(self) -> None:
        """A user who may not ask for settings can work all the same."""
        await self.ask("ACL", "SETUSER", "sim", "on", ">pw", "~*", "&*", "+@all", "-config")
        path = parse(self.server.url).path
        database = RedisDatabase(reactor, f"unix://sim:pw@{path}?db=2")
        self.addCleanup(database.close)
        await database.connect(5)
        await database.commit("main", delivery(1))
        self.assertEqual(await database.last_event("main"), 1)
        self.assertEqual(await self.database.last_event("main"), 0)

    async def locked_out(self, credentials: str) -> str:
        """What is told at once of a Redis that does not let us in."""
        path = parse(self.server.url).path
        wrong = RedisDatabase(reactor, f"unix://{credentials}{path}")
        self.addCleanup(wrong.close)
        watch = Stopwatch()
        with self.assertRaises(Invalid) as raised:
            await wrong.connect()
        self.assertLess(watch.seconds(), 2.0)
        self.assertEqual(raised.exception.field, "redis.url")
        self.assertIn("unix://:PASSWORD@", str(raised.exception))
        return str(raised.exception)

    async def test_wrong_password(self) -> None:
        """It is told at once, with what to do and without the password; so is one that lacks, or is not wanted."""
        self.assertIn("without any password", await self.locked_out(":other@"))
        await self.ask("ACL", "SETUSER", "sim", "on", ">pw", "~*", "&*", "+@all")
        text = await self.locked_out("sim:other@")
        self.assertIn("WRONGPASS", text)
        self.assertNotIn("other", text)
        await self.ask("ACL", "SETUSER", "default", ">pw")
        try:
            self.assertIn("without a password (NOAUTH", await self.locked_out(""))
        finally:
            await self.let_in()

    async def let_in(self) -> None:
        """The default user needs no password any more."""
        path = parse(self.server.url).path
        database = RedisDatabase(reactor, f"unix://:pw@{path}")
        await database.connect()
        await database._of("{~}").writes.call(("ACL", "SETUSER", "default", "nopass"))
        await database.close()


class NobodyTests(TestCase):
    """There is no Redis, or somebody else."""

    timeout = 30

    async def test_no_redis(self) -> None:
        """With nobody there, open fails after its patience, and a call before at once."""
        database = RedisDatabase(reactor, unix_url(str(state_folder(self) / "none.sock")))
        self.addCleanup(database.close)
        waiting = database.connect(0.2)
        self.failureResultOf(database.commit("main", Commit()), Unavailable)
        with self.assertRaises(Unavailable) as raised:
            await waiting
        self.assertIn("none.sock", str(raised.exception))

    async def test_later(self) -> None:
        """Without patience open waits until Redis is started."""
        state = state_folder(self)
        server = PrivateRedis(reactor, state)
        database = RedisDatabase(reactor, unix_url(str(state / "redis" / "redis.sock")))
        self.addCleanup(database.close)
        waiting = database.connect(None)
        await pause(0.1)
        self.assertNoResult(waiting)
        await server.start()
        self.addCleanup(server.stop)
        await waiting
        self.assertTrue(database.healthy)

    async def test_false_certificate(self) -> None:
        """Over TLS a server whose certificate nobody vouches for is told no password."""
        heard: list[bytes] = []

        class Thief(Protocol):
            def dataReceived(self, data: bytes) -> None:
                heard.append(data)

        port = reactor.listenSSL(  # type: ignore[attr-defined]
            0, Factory.forProtocol(Thief), self_signed("localhost"), interface="127.0.0.1"
        )
        self.addCleanup(port.stopListening)
        database = RedisDatabase(reactor, f"rediss://:secret@localhost:{port.getHost().port}")
        self.addCleanup(database.close)
        watch = Stopwatch()
        with self.assertRaises(Invalid) as raised:
            await database.connect(10)
        self.assertLess(watch.seconds(), 2.0)
        self.assertEqual(raised.exception.field, "redis.url")
        for words in ("certificate verify failed", "SSL_CERT_FILE", f"localhost:{port.getHost().port}"):
            self.assertIn(words, str(raised.exception))
        self.assertNotIn("secret", str(raised.exception))
        self.assertEqual(heard, [])


def self_signed(name: str) -> Any:
    """Server options with a certificate that no one vouches for."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(timezone.utc)
    certificate = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False).sign(key, hashes.SHA256())
    )
    return ssl.PrivateCertificate.loadPEM(
        certificate.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    ).options()
