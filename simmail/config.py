"""
One frozen L{Config} from the defaults below and the operator's YAML file.

The defaults are here and nowhere else; C{etc/simmail.yaml} shows them with a
comment each, and a test holds the two together.  A file need only hold what
differs.  Unknown or mistyped settings are refused with their dotted path.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import yaml
from msgspec import Struct

from simmail.errors import Invalid

MIB = 1024 * 1024


class Server(Struct, frozen=True, forbid_unknown_fields=True):
    """Who the server is and where it keeps things."""

    domain: str = "sim.test"
    state: str = ""


class Listen(Struct, frozen=True, forbid_unknown_fields=True):
    """One host for all listeners; a port each, 0 for any free port, null for none."""

    host: str = "127.0.0.1"
    smtp: int | None = 2525
    smtps: int | None = 2465
    submission: int | None = 2587
    imap: int | None = 2143
    imaps: int | None = 2993
    http: int | None = 8025


class Redis(Struct, frozen=True, forbid_unknown_fields=True):
    """The operator's Redis, or the program for a private one."""

    url: str = ""
    server: str = ""
    timeout: str = "2s"


class Tls(Struct, frozen=True, forbid_unknown_fields=True):
    """The operator's certificate and key (PEM files), or the names for a self-signed one."""

    certificate: str = ""
    key: str = ""
    names: tuple[str, ...] = ("localhost",)


class Smtp(Struct, frozen=True, forbid_unknown_fields=True):
    """SMTP, SMTPS and submission."""

    auth_required: bool = False
    plain_auth_allowed: bool | None = None
    default_universe: str = "main"
    save_sent: bool = True
    sender: str = "any"
    timeout: str = "5m"
    total_time: str = "30m"
    connections: int = 2000
    connections_per_address: int = 1000
    idle_commands: int = 100
    login_attempts: int = 5


class Imap(Struct, frozen=True, forbid_unknown_fields=True):
    """IMAP and IMAPS."""

    plain_auth_allowed: bool | None = None
    timeout: str = "30m"
    login_timeout: str = "2m"
    connections: int = 10000
    connections_per_address: int = 10000
    login_attempts: int = 5


class Http(Struct, frozen=True, forbid_unknown_fields=True):
    """The HTTP API; C{rate} requests a second for each key, 0 for no limit."""

    rate: float = 20.0
    burst: int = 100
    timeout: str = "60s"
    connections: int = 2000


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """Limits at the door, in octets or counts: the same for SMTP, IMAP, inject and send."""

    message: int = 25 * MIB
    header: int = MIB
    header_field: int = 100 * 1024
    recipients: int = 1000
    line: int = 64 * 1024
    command: int = 8 * 1024
    command_after_login: int = 64 * 1024
    literal: int = 100 * 1024
    literals: int = MIB
    json: int = MIB
    json_depth: int = 64


class People(Struct, frozen=True, forbid_unknown_fields=True):
    """What keeps mail from going round."""

    replies_per_day: int = 100
    thread_messages_per_hour: int = 20


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that can be configured."""

    server: Server = Server()
    listen: Listen = Listen()
    redis: Redis = Redis()
    tls: Tls = Tls()
    smtp: Smtp = Smtp()
    imap: Imap = Imap()
    http: Http = Http()
    limits: Limits = Limits()
    people: People = People()


def load(path: str | None) -> Config:
    """
    The configuration of a YAML file, or the defaults.

    @raise Invalid: unreadable file, bad YAML, unknown or mistyped setting.
    """
    if not path:
        return Config()
    try:
        value = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise Invalid("config", f"{path}: {error}") from None
    return from_value(value or {})


def from_value(value: Any) -> Config:
    """
    The configuration of a decoded document.

    @raise Invalid: unknown or mistyped setting.
    """
    try:
        return msgspec.convert(value, Config)
    except msgspec.ValidationError as error:
        raise Invalid("config", str(error)) from None
