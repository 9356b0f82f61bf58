"""
Where the Redis is, and how to dial it: C{redis.url} of the configuration.

C{redis://[user[:password]@]host[:port][/db]}, C{rediss://} the same over TLS
with the certificate verified, C{unix://[user[:password]@]/path[?db=n]}.  What
is wrong is told without telling the password.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from msgspec import Struct
from twisted.internet.endpoints import HostnameEndpoint, UNIXClientEndpoint, wrapClientTLS
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.ssl import optionsForClientTLS

from simmail.errors import Invalid

FIELD, CLUSTER = "redis.url", "redis.cluster"
PORT = 6379
#: sun_path holds 104 octets on macOS and 108 on Linux, the end mark included.
LONGEST_PATH = 100


class RedisUrl(Struct, frozen=True):
    """RedisConnection settings; C{path}: of the Unix socket, C{""} for TCP to C{host} and C{port}."""

    host: str = ""
    port: int = PORT
    path: str = ""
    tls: bool = False
    username: str = ""
    password: str = ""
    db: int = 0

    def __str__(self) -> str:
        """The URL without credentials, for people."""
        if self.path:
            return f"unix://{self.path}?db={self.db}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"redis{'s' if self.tls else ''}://{host}:{self.port}/{self.db}"

    __repr__ = __str__

    def endpoint(self, reactor: Any, timeout: float) -> IStreamClientEndpoint:
        """An endpoint that connects within C{timeout} real seconds or fails."""
        if self.path:
            return UNIXClientEndpoint(reactor, self.path, timeout=timeout)
        endpoint = HostnameEndpoint(reactor, self.host.encode("idna"), self.port, timeout=timeout)
        if self.tls:
            return wrapClientTLS(optionsForClientTLS(self.host), endpoint)
        return endpoint


def parse(url: str) -> RedisUrl:
    """
    The settings of a URL.

    @raise Invalid: it is none of the three, naming C{redis.url} and not telling the password.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Invalid(FIELD, "is not a URL, or its port is not a number below 65536") from None
    if parts.scheme not in ("redis", "rediss", "unix"):
        raise Invalid(FIELD, "must begin with redis://, rediss:// or unix://")
    if parts.fragment:
        raise Invalid(FIELD, "has a '#'; write it %23 in a password or path")
    username, password = unquote(parts.username or ""), unquote(parts.password or "")
    if username and not password:
        raise Invalid(FIELD, "has a user name and no password (a password alone is written redis://:password@host)")
    options = _options(parts.query)
    if parts.scheme == "unix":
        path = unquote(parts.path)
        if parts.hostname or port is not None or not path.startswith("/") or path == "/":
            raise Invalid(FIELD, "must name the socket by an absolute path, as in unix:///run/redis/redis.sock")
        if "\0" in path or len(path.encode("utf-8", "surrogateescape")) >= LONGEST_PATH:
            raise Invalid(FIELD, f"has a socket path of {LONGEST_PATH} octets or more")
        return RedisUrl(path=path, username=username, password=password, db=_db(options))
    if not parts.hostname:
        raise Invalid(FIELD, "names no host")
    try:
        parts.hostname.encode("idna")
    except UnicodeError:
        raise Invalid(FIELD, "has an impossible host name") from None
    in_path = parts.path.strip("/")
    if in_path and options:
        raise Invalid(FIELD, "gives the database both as /n and as ?db=n")
    return RedisUrl(
        host=parts.hostname, port=PORT if port is None else port, tls=parts.scheme == "rediss",
        username=username, password=password, db=_db(in_path or options))


def members(urls: Sequence[str]) -> list[RedisUrl]:
    """
    Members of a cluster, C{redis.cluster}.

    @raise Invalid: one is no URL of a host and port, or names a database, of which a cluster has one.
    """
    found = []
    for at, url in enumerate(urls):
        try:
            link = parse(url)
        except Invalid as error:
            raise Invalid(f"{CLUSTER}[{at}]", str(error).removeprefix(f"{FIELD}: ")) from None
        if link.path or link.db:
            raise Invalid(f"{CLUSTER}[{at}]", "must be redis:// or rediss:// without a database")
        found.append(link)
    return found


def unix_url(path: str) -> str:
    """The URL of a Unix socket."""
    return f"unix://{quote(path)}?db=0"


def locked_out(link: RedisUrl, said: str) -> str:
    """What to do when Redis does not let us in, without telling the password."""
    given = "with that user and password" if link.username else "with that password" if link.password else (
        "without a password")
    scheme = "unix://" if link.path else "rediss://" if link.tls else "redis://"
    return (f"Redis at {link} does not let simmail in {given} ({said[:200]}). Write it as {scheme}:PASSWORD@... , "
            f"for an ACL user as {scheme}USER:PASSWORD@... ; the user needs all commands on all keys and channels")


def untrusted(link: RedisUrl, said: str) -> str:
    """What to do when the certificate of Redis is not good enough."""
    return (f"Redis at {link} shows a certificate that is not trusted ({said[:200]}). Let the variable SSL_CERT_FILE "
            f"name a PEM file of whom it is signed by, or of itself; it has to be of {link.host}")


def weakness(settings: Mapping[bytes, bytes]) -> str:
    """
    What may be lost with these settings of an operator's Redis, as one sentence, C{""} for nothing.

    @param settings: answers of C{CONFIG GET}; what it would not tell is taken to be good.
    """
    found = []
    if settings.get(b"appendonly", b"yes") != b"yes":
        found.append("appendonly is off, so what was acknowledged since its last snapshot is lost when it dies")
    elif settings.get(b"appendfsync", b"always") != b"always":
        found.append(
            f"appendfsync is {settings[b'appendfsync'].decode('ascii', 'replace')}, "
            "so the last seconds of jobs and events may be lost when it dies")
    policy = settings.get(b"maxmemory-policy", b"noeviction")
    if policy != b"noeviction":
        found.append(f"maxmemory-policy is {policy.decode('ascii', 'replace')}, so it may drop keys")
    return "; ".join(found)


def _options(query: str) -> str:
    given = parse_qs(query, keep_blank_values=True)
    unknown = sorted(set(given) - {"db"})
    if unknown:
        raise Invalid(FIELD, "has an unknown option; only db is known")
    return given.get("db", [""])[-1]


def _db(text: str) -> int:
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 5):
        raise Invalid(FIELD, "has a database that is not a number")
    return int(text)
