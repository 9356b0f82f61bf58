"""
One frozen L{Config} from the defaults below and the operator's YAML file.

The defaults are here and nowhere else; C{etc/simmail.yaml} shows them with a
comment each, and a test holds the two together.  A file need only hold what
differs, and the environment (C{SIMMAILD_REDIS_URL}) counts more than a file.
Unknown or mistyped settings are refused with their dotted path or variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from simmail.core.mime.address import is_valid
from simmail.core.net.loopback import is_loopback
from simmail.core.net.url import BadUrl, parse, place
from simmail.core.records.fields import FieldError, checked, convert, of_text
from simmail.core.rules.quota_plan import Plan, plans_of
from simmail.core.rules.yaml_text import LARGEST, decode
from simmail.core.time.instant import parse_duration
from simmail.errors import Invalid

MIB = 1024 * 1024

Port = Annotated[int, Meta(ge=0, le=65535)]
Count = Annotated[int, Meta(ge=1)]


def _some_time(text: str, path: str) -> None:
    if not parse_duration(text, path):
        raise Invalid(path, "must be longer than nothing")


def _domain(text: str, path: str) -> None:
    if not is_valid(f"postmaster@{text}"):
        raise Invalid(path, "must be a domain name")


def lab_host(text: str, path: str) -> str:
    """
    Return a C{host:port} as it is compared with.

    @raise Invalid: it is none, naming C{path}.
    """
    try:
        return place(text)
    except BadUrl as error:
        raise Invalid(path, f"{text}: {error}") from None


def _web_address(text: str, path: str) -> None:
    try:
        if text and parse(text).target.count("?"):
            raise BadUrl("must not have a query")
    except BadUrl as error:
        raise Invalid(path, str(error)) from None


#: Longer than nothing.
Duration = Annotated[str, Meta(extra={"read": checked(_some_time)})]
Domain = Annotated[str, Meta(extra={"read": checked(_domain)})]
#: C{host:port}.
LabHost = Annotated[str, Meta(extra={"read": of_text(lab_host)})]
#: C{http://} or C{https://}, without a query.
WebAddress = Annotated[str, Meta(extra={"read": checked(_web_address)})]


def _engine_place(text: str, path: str) -> str:
    return lab_host(text, path) if text else ""


def _peers_place(text: str, path: str) -> str:
    host, colon, port = text.rpartition(":")
    # Port 0 is any.
    return text if not text or colon and host and port == "0" else lab_host(text, path)


#: C{host:port}, or nothing.
EnginePlace = Annotated[str, Meta(extra={"read": of_text(_engine_place)})]

#: C{host:port} with any port, or nothing.
PeersPlace = Annotated[str, Meta(extra={"read": of_text(_peers_place)})]

#: Characters that a secret of servers has at least.
SHORTEST_SECRET = 16

#: Settings that are paths of files and folders.
PATHS = ("server.state", "server.plans", "redis.server", "tls.certificate", "tls.key", "people.file", "links.record",
         "links.replay", "ai.record", "ai.replay")

#: What the names of variables begin with, and those that are none of the options: of the command line, of tests, and of
#: an application that is tested.
PREFIX = "SIMMAILD_"
OTHERS = frozenset(PREFIX + name for name in (
    "STATE", "LOG", "KEY", "BROWSER", "GOLDEN",
    "SMTP", "IMAP", "USERNAME", "PASSWORD", "ADDRESS", "URL", "OWNER", "TASK", "NOW", "FOLDER"))


class Server(Struct, frozen=True, forbid_unknown_fields=True):
    """
    Who the server is and where it keeps things.

    C{demo}: anybody may look at the universe C{demo}; C{plans}: a file of plans; C{workers}: processes that share the
    universes; C{node}: the name of this one among several servers on one Redis; C{peers}: where it is reached by the
    others, which are one installation with it; C{secret}: what all of them know.
    """

    domain: Domain = "sim.test"
    state: str = ""
    demo: bool = True
    plans: str = ""
    workers: Annotated[int, Meta(ge=1, le=64)] = 1
    node: Annotated[str, Meta(pattern=r"\A[a-z0-9-]{0,63}\Z")] = ""
    peers: PeersPlace = ""
    secret: str = ""
    proxies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.peers:
            if not self.node:
                raise FieldError("node", "goes with peers: each server of an installation has a name")
            if len(self.secret) < SHORTEST_SECRET:
                raise FieldError("secret", f"goes with peers: at least {SHORTEST_SECRET} characters")
            if self.workers > 1:
                raise FieldError("workers", "must be 1 with peers: start more servers of the installation instead")
        for one in self.proxies:
            try:
                ip_network(one)
            except ValueError as error:
                raise FieldError("proxies", str(error)) from None

    @property
    def networks(self) -> list[IPv4Network | IPv6Network]:
        """Of the proxies that say whose connections they pass on."""
        return [ip_network(one) for one in self.proxies]


class Listen(Struct, frozen=True, forbid_unknown_fields=True):
    """One host for all listeners but C{auth}, which is on loopback; a port each, 0 for any free port, null for none."""

    host: str = "127.0.0.1"
    smtp: Port | None = 2525
    smtps: Port | None = 2465
    submission: Port | None = 2587
    imap: Port | None = 2143
    imaps: Port | None = 2993
    http: Port | None = 8025
    auth: Port | None = None


class Logging(Struct, frozen=True, forbid_unknown_fields=True):
    """Lines of the log: for people, or a JSON object each."""

    format: Literal["text", "json"] = "text"


class Redis(Struct, frozen=True, forbid_unknown_fields=True):
    """
    The operator's Redis, some members of a cluster, or the program for a private one.

    C{replica}: which replicas have to have what is committed in replicated universes (C{cluster.ReplicaWaits}).
    """

    url: str = ""
    cluster: tuple[str, ...] = ()
    replica: Literal["available", "required", "ignored"] = "available"
    server: str = ""
    timeout: Duration = "2s"
    linger: Duration = "10m"

    def __post_init__(self) -> None:
        if self.url and self.cluster:
            raise FieldError("", "url or cluster, not both")

    @property
    def private(self) -> bool:
        """Whether the service runs its own."""
        return not self.url and not self.cluster


class Objects(Struct, frozen=True, forbid_unknown_fields=True):
    """
    A store of objects that speaks S3's protocol, for the mail of replicated universes.

    C{url}: of the bucket, path style, wherever it is; C{region}: as signatures name it; C{access_key_env},
    C{secret_key_env}: the environment variables that hold the key and its secret; C{timeout}: the longest a call may
    take, attempts included; C{durability}: of universes that are created without saying; C{standby}: the server of an
    installation that would take a universe over has its mail beforehand.
    """

    url: WebAddress = ""
    region: str = "us-east-1"
    access_key_env: str = "AWS_ACCESS_KEY_ID"
    secret_key_env: str = "AWS_SECRET_ACCESS_KEY"
    timeout: Duration = "5s"
    durability: Literal["local", "replicated"] = "local"
    standby: bool = True

    def __post_init__(self) -> None:
        if self.durability == "replicated" and not self.url:
            raise FieldError("durability", "replicated needs objects.url")


class Tls(Struct, frozen=True, forbid_unknown_fields=True):
    """The operator's certificate and key (PEM files), or the names for a self-signed one."""

    certificate: str = ""
    key: str = ""
    names: tuple[str, ...] = ("localhost",)

    def __post_init__(self) -> None:
        if bool(self.certificate) != bool(self.key):
            raise FieldError("", "certificate and key go together")


class Smtp(Struct, frozen=True, forbid_unknown_fields=True):
    """SMTP, SMTPS and submission; what C{Config.auth_required} says is so."""

    auth_required: bool | None = None
    plain_auth_allowed: bool | None = None
    default_universe: str = "main"
    save_sent: bool = True
    sender: Literal["any", "own"] = "any"
    timeout: Duration = "5m"
    total_time: Duration = "30m"
    connections: Count = 2000
    connections_per_address: Count = 1000
    idle_commands: Count = 100
    login_attempts: Count = 5


class Imap(Struct, frozen=True, forbid_unknown_fields=True):
    """IMAP and IMAPS."""

    plain_auth_allowed: bool | None = None
    timeout: Duration = "30m"
    login_timeout: Duration = "2m"
    connections: Count = 10000
    connections_per_address: Count = 10000
    login_attempts: Count = 5
    master_users: dict[str, str] = {}


class Http(Struct, frozen=True, forbid_unknown_fields=True):
    """
    The HTTP API; C{rate} requests a second for each key or person, 0 for no limit.

    C{console_rate} and C{console_burst}: the same for each address that uses the demo, a pass of the console
    or a shared report.
    """

    rate: Annotated[float, Meta(ge=0)] = 20.0
    burst: Count = 100
    console_rate: Annotated[float, Meta(ge=0)] = 5.0
    console_burst: Count = 10
    timeout: Duration = "60s"
    connections: Count = 2000
    connections_per_address: Count = 1000


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """
    Limits at the door, in octets or counts: the same for SMTP, IMAP, inject and send.

    C{failed_logins}: in a minute, of one login from one address; C{failed_logins_per_address}: of one address.
    """

    message: Count = 25 * MIB
    header: Count = MIB
    header_field: Count = 100 * 1024
    recipients: Count = 1000
    line: Count = 64 * 1024
    command: Count = 8 * 1024
    command_after_login: Count = 64 * 1024
    literal: Count = 100 * 1024
    literals: Count = MIB
    json: Count = MIB
    json_depth: Count = 64
    failed_logins: Count = 10
    failed_logins_per_address: Count = 100


class People(Struct, frozen=True, forbid_unknown_fields=True):
    """
    Personas from a file, what keeps mail from going round, and who reads for them.

    C{reader}: C{rules} (words and their order), or C{model}, which asks a language model where they are unsure.
    """

    file: str = ""
    replies_per_day: Count = 100
    thread_messages_per_hour: Count = 20
    reader: Literal["rules", "model"] = "model"


class Links(Struct, frozen=True, forbid_unknown_fields=True):
    """
    What personas may open besides public sites: C{host:port} of test sites.

    C{record}: a folder in which every visit is kept; C{replay}: one from which visits are taken instead of dialling.
    """

    lab_hosts: tuple[LabHost, ...] = ()
    record: str = ""
    replay: str = ""

    def __post_init__(self) -> None:
        if self.record and self.replay:
            raise FieldError("", "record or replay, not both")


class WebhookHosts(Struct, frozen=True, forbid_unknown_fields=True):
    """What webhooks may reach besides public places: C{host:port} of test endpoints."""

    lab_hosts: tuple[LabHost, ...] = ()


class Ai(Struct, frozen=True, forbid_unknown_fields=True):
    """
    The language model that words what personas write where C{PUT /api/ai} says so.

    C{base_url}: of an OpenAI-compatible server, up to C{/v1}, wherever it is; C{model}: what it calls the model;
    C{api_key_env}: the environment variable that holds its key; C{timeout}: real time for one answer;
    C{max_tokens}: of one answer; C{temperature}: left to the server when null; C{at_once}: questions from all
    universes; C{budget}: questions of one universe in a real month, besides what its plan allows, null for no limit.
    C{record}: a folder in which every question and answer is kept; C{replay}: one from which answers are taken
    instead of asking.
    """

    base_url: WebAddress = ""
    model: str = ""
    api_key_env: str = ""
    timeout: Duration = "30s"
    max_tokens: Count = 1000
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    at_once: Count = 4
    budget: Annotated[int, Meta(ge=0)] | None = None
    record: str = ""
    replay: str = ""

    def __post_init__(self) -> None:
        if self.record and self.replay:
            raise FieldError("", "record or replay, not both")
        if bool(self.base_url) and not self.model:
            raise FieldError("model", "goes with base_url")
        if self.record and not self.base_url:
            raise FieldError("record", "needs base_url")
        if self.replay and not self.model:
            raise FieldError("model", "goes with replay: what was recorded belongs to one model")


class Inspect(Struct, frozen=True, forbid_unknown_fields=True):
    """
    Whether each mail of an application is scored behind its acceptance, and its links checked.

    C{spamassassin}, C{rspamd}: C{host:port} of filters that inspections ask too.
    """

    scored: bool = True
    links: bool = False
    spamassassin: EnginePlace = ""
    rspamd: EnginePlace = ""


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that can be configured."""

    server: Server = Server()
    listen: Listen = Listen()
    log: Logging = Logging()
    redis: Redis = Redis()
    objects: Objects = Objects()
    tls: Tls = Tls()
    smtp: Smtp = Smtp()
    imap: Imap = Imap()
    http: Http = Http()
    limits: Limits = Limits()
    people: People = People()
    links: Links = Links()
    webhooks: WebhookHosts = WebhookHosts()
    ai: Ai = Ai()
    inspect: Inspect = Inspect()

    @property
    def local(self) -> bool:
        """Whether nobody but who is on this machine can connect."""
        return is_loopback(self.listen.host) and not self.server.proxies

    @property
    def auth_required(self) -> bool:
        """Whether mail is taken only from who has signed in: unless told otherwise, where others can connect."""
        required = self.smtp.auth_required
        return not self.local if required is None else required


def load_plans(path: str) -> Mapping[str, Plan]:
    """
    The plans of a YAML file, or those that come with the service.

    @raise Invalid: unreadable file, bad YAML, a bad plan.
    """
    if path:
        return plans_of(read_yaml(path, "server.plans") or {})
    return plans_of(decode(shipped("plans.yaml")))


def shipped(name: str) -> bytes:
    """Return a file of C{etc}, which comes with the service."""
    return shipped_path(name).read_bytes()


def shipped_path(name: str) -> Path:
    """Return where a file or folder of C{etc} is."""
    try:
        return Path(str(files("simmail.etc").joinpath(name)))
    except ModuleNotFoundError:
        # Run from a working copy: the folder stands beside the package.
        return Path(__file__).parents[1] / "etc" / name


def read_yaml(path: str, setting: str, ended: bool = False) -> Any:
    """
    Return the value of a YAML file; None when it is empty.

    @param ended: it has to end as a whole file does: with a line, or with the bracket that it began with.
    @raise Invalid: unreadable or bad YAML, naming setting and file.
    """
    try:
        with open(path, "rb") as file:
            # One octet more than is taken, which is refused: what is no file may have no end.
            octets = file.read(LARGEST + 1)
        value = decode(octets)
        if ended and octets[-1:] not in (b"\n", b"") and octets.lstrip()[:1] not in b"[{":
            raise Invalid("", "its last line has no end: it may be half-written")
        return value
    except OSError as error:
        raise Invalid(setting, f"{path}: {error.strerror}") from None
    except Invalid as error:
        raise Invalid(setting, f"{path}: {error}") from None
    except ValueError:
        raise Invalid(setting, "the name of a file must not contain NUL") from None


def load(path: str | None, environment: Mapping[str, str] | None = None) -> Config:
    """
    The configuration of a YAML file, or the defaults, and above it that of the environment.

    Relative paths in the file begin at its own folder, those of the environment where the process is.

    @raise Invalid: unreadable file, bad YAML, unknown or mistyped setting or variable.
    """
    value = (read_yaml(path, "config") or {}) if path else {}
    chosen = _chosen(environment or {})
    if isinstance(value, dict):
        for setting, (_, one) in chosen.items():
            section, _, name = setting.partition(".")
            old = value.get(section)
            if old is None or isinstance(old, dict):
                value[section] = {**(old or {}), name: one}
    try:
        return _placed(from_value(value), Path(path).absolute().parent if path else Path.cwd())
    except Invalid as error:
        for setting, (variable, _) in chosen.items():
            if f"{error.field}.".startswith(f"{setting}."):
                raise Invalid(variable, str(error)) from None
        raise


def _chosen(environment: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    """Return what variables say: setting to variable and value.  An empty variable says nothing."""
    defaults = {f"{PREFIX}{section}_{name}".upper(): (f"{section}.{name}", default)
                for section, options in asdict(Config()).items() for name, default in asdict(options).items()}
    found: dict[str, tuple[str, Any]] = {}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX) or variable in OTHERS:
            continue
        if variable not in defaults:
            raise Invalid(variable, "is no option; etc/simmail.yaml has them all")
        setting, default = defaults[variable]
        if not text:
            continue
        try:
            found[setting] = variable, (
                _place(setting, text, Path.cwd()) if isinstance(default, str)
                else decode(text.encode(errors="surrogateescape")))
        except Invalid as error:
            raise Invalid(variable, str(error)) from None
    return found


def _placed(config: Config, folder: Path) -> Config:
    for setting in PATHS:
        section, _, name = setting.partition(".")
        old = getattr(config, section)
        config = replace(config, **{section: replace(old, **{name: _place(setting, getattr(old, name), folder)})})
    return config


def _place(setting: str, value: str, folder: Path) -> str:
    # A program without a slash is looked for as a shell does.
    return str(folder / value) if value and setting in PATHS and (setting != "redis.server" or "/" in value) else value


def from_value(value: Any) -> Config:
    """
    The configuration of a decoded document.

    @raise Invalid: unknown or mistyped setting, or one that cannot be.
    """
    try:
        return convert(value, Config, unknown="is no option; etc/simmail.yaml has them all")
    except Invalid as error:
        raise error if error.field else Invalid("config", str(error)) from None
