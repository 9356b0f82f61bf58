"""Where the Redis is: URLs in, connection settings out."""

from __future__ import annotations

from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from simmail.database.url import RedisUrl, parse, unix_url, weakness
from simmail.errors import Invalid


class ParseTests(SynchronousTestCase):
    """URLs of redis.url."""

    def test_tcp(self) -> None:
        """Host, port, credentials and database, each with its default."""
        self.assertEqual(parse("redis://localhost"), RedisUrl(host="localhost", port=6379))
        self.assertEqual(
            parse("redis://me:p%40ss%2Fword@10.0.0.1:7000/3"),
            RedisUrl(host="10.0.0.1", port=7000, username="me", password="p@ss/word", db=3),
        )
        self.assertEqual(
            parse("redis://:secret@[::1]:7000?db=2"), RedisUrl(host="::1", port=7000, password="secret", db=2))

    def test_tls(self) -> None:
        """rediss:// is the same over TLS."""
        self.assertEqual(parse("rediss://redis.test/1"), RedisUrl(host="redis.test", tls=True, db=1))

    def test_unix(self) -> None:
        """A socket's path, with password and database."""
        self.assertEqual(parse("unix:///run/redis.sock"), RedisUrl(path="/run/redis.sock"))
        self.assertEqual(
            parse("unix://me:pw@/run/a%20b.sock?db=4"),
            RedisUrl(path="/run/a b.sock", username="me", password="pw", db=4))

    def test_refused(self) -> None:
        """What is none of these is refused, naming the setting and not telling the password."""
        for url in (
            "", "localhost", "http://x", "redis://", "redis:///1", "redis://x:99999", "redis://x:port", "redis://x/one",
            "redis://x/1?db=2", "redis://x?ssl=1", "redis://x/-1", "redis://x/१", "redis://me@x", "redis://[::1",
            "redis://:secret@x/#a", "redis://:secret@x/abc", "rediss://:secret@", "redis://x..y/", "unix://",
            "unix:///", "unix://host/run/x", "unix:run/redis.sock", "unix:///" + "x" * 100, "unix:///a%00b",
            "unix:///a?db=x",
        ):
            with self.assertRaises(Invalid) as raised:
                parse(url)
            self.assertEqual(raised.exception.field, "redis.url", url)
            self.assertNotIn("secret", str(raised.exception))

    @given(st.text(max_size=60))
    def test_any_text(self, text: str) -> None:
        """Any text is parsed or refused as Invalid, whatever it is."""
        for url in (text, "redis://" + text, "unix://" + text):
            try:
                parse(url)
            except Invalid:
                pass

    @given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40), st.integers(0, 99999))
    def test_round_trip(self, text: str, db: int) -> None:
        """Any password and database come through, percent-encoded."""
        link = parse(f"redis://:{quote(text, safe='')}@h/{db}")
        self.assertEqual((link.password, link.db), (text, db))

    def test_unix_url(self) -> None:
        """A path with anything in it makes a URL that names it."""
        for path in ("/run/x.sock", "/a b/ü%#?.sock"):
            self.assertEqual(parse(unix_url(path)), RedisUrl(path=path))

    def test_told_without_password(self) -> None:
        """A link is shown without its credentials, in logs and tracebacks too."""
        for url, shown in (
            ("rediss://me:secret@h:1/2", "rediss://h:1/2"), ("redis://:secret@[::1]", "redis://[::1]:6379/0"),
            ("unix://:secret@/x?db=1", "unix:///x?db=1"),
        ):
            self.assertEqual((str(parse(url)), repr(parse(url))), (shown, shown))


class EndpointTests(SynchronousTestCase):
    """What is dialled."""

    def test_unix(self) -> None:
        """A path is dialled as a Unix socket, within the time-out."""
        reactor = MemoryReactorClock()
        parse("unix:///run/x.sock").endpoint(reactor, 1.5).connect(None)  # type: ignore[arg-type]
        [(path, _, timeout, _)] = reactor.unixClients
        self.assertEqual((path, timeout), ("/run/x.sock", 1.5))


class WeaknessTests(SynchronousTestCase):
    """Settings of an operator's Redis."""

    def test_good(self) -> None:
        """Settings as strong as our own, and those it does not tell, are no weakness."""
        self.assertEqual(weakness({}), "")
        settings = {b"appendonly": b"yes", b"appendfsync": b"always", b"maxmemory-policy": b"noeviction"}
        self.assertEqual(weakness(settings), "")

    def test_weak(self) -> None:
        """Each weaker one is named with what it may cost."""
        self.assertIn("appendonly is off", weakness({b"appendonly": b"no", b"appendfsync": b"always"}))
        self.assertIn("appendfsync is everysec", weakness({b"appendonly": b"yes", b"appendfsync": b"everysec"}))
        both = weakness({b"appendonly": b"no", b"maxmemory-policy": b"allkeys-lru"})
        self.assertIn("appendonly", both)
        self.assertIn("allkeys-lru", both)
