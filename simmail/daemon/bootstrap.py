"""
The first start without configuration: an organisation, a universe, a key, a login and somebody to write to.

Source: decisions, section 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from twisted.logger import Logger

from simmail import __version__
from simmail.config import Config
from simmail.core.net.loopback import reached
from simmail.durable import write
from simmail.errors import Conflict, Invalid, Unauthenticated, Unavailable
from simmail.server.apikeys import Key
from simmail.server.demo import create_demo
from simmail.server.passwords import new_password
from simmail.server.server import MailServer

LOGIN = "app@sim.test"

#: The name of the key that a first start makes, files of the state folder with it and with the passwords, and the
#: file by which the folder's owner asks for another key.
FIRST, KEY, LOGINS, RESET = "first start", "admin.key", "first-login.json", "reset-first"

#: The administrator who can sign in to the service's pages.
PERSON = "admin@sim.test"

#: Somebody who answers for certain, so that the first try shows an answer.
PERSONA: dict[str, Any] = {
    "name": "Maria Rossi", "addresses": ["maria@acme.test"], "role": "Purchasing", "org": "Acme",
    "temperament": "responsive", "timing": {"reply_rate": 1.0, "delay": {"median": "20m", "spread": 1.5}},
    "style": {"client": "gmail", "length": "medium", "formality": "neutral", "typos": 0.0},
}

#: What the printed line says to them.
SUBJECT, TEXT = "Lunch on Friday?", "Hi Maria, could we meet for lunch on Friday at 12:30?"


_log = Logger()


class First(NamedTuple):
    """
    What a start made.

    @ivar key, login: whether the first key, and the logins with their passwords, were made just now.
    @ivar found: one line about what should be in the state folder and is not; C{""}: nothing is missing.
    """

    key: bool
    login: bool
    found: str


async def first_start(server: MailServer, config: Config, state: Path) -> First:
    """
    Make what a new server begins with; what is there already stays as it is, and of a Redis that is in use nothing
    is made again because the state folder does not know it.
    """
    if not any(org.id == "default" for org in server.orgs()):
        await server.create_org("default")
    name = config.smtp.default_universe
    if name in server.awaited:
        # It was made long since, and is served when the object store is there again.
        return First(False, False, "")
    if all(universe.id != name for universe in server.universes()):
        if any(one.id == name for one in server.records()):
            # Another server of the installation has it, and has made all this.
            return First(False, False, "")
        try:
            await server.create_universe(name)
        except Conflict as error:
            raise Invalid("smtp.default_universe", str(error)) from None
    login = key = False
    universe = server.universe(name)
    if universe.policy.account(LOGIN) is None:
        if universe.people.at(PERSONA["addresses"][0]) is None:
            await universe.people.create(dict(PERSONA))
        password, own = new_password(), new_password()
        # The file first: a password nobody can read would lock the login.
        write(state / LOGINS, json.dumps({LOGIN: password, PERSON: own}, indent=1).encode() + b"\n")
        await server.accounts(universe).put(LOGIN, password)
        if not server.users.all():
            await server.users.create(PERSON, own, {"default": "admin"}, administrator=True)
        login = True
    missing = []
    if not await _known(server, state / KEY):
        if any(map(_is_first, server.keys())):
            missing.append(f"{KEY} with a valid key")
        else:
            await _make_key(server, name, state)
            key = True
    if not (state / LOGINS).exists():
        missing.append(LOGINS)
    if config.server.demo:
        try:
            await create_demo(server)
        except Conflict as error:
            # Of several servers on one Redis, one has it.
            _log.info("no demo here: {error}", error=error)
    return First(key, login, _found(missing, state))


def _found(missing: list[str], state: Path) -> str:
    if not missing:
        return ""
    ways = [f"'simmail admin keys reset-first --state {state}' makes a new key and revokes the first one"]
    if LOGINS in missing:
        ways.append(f"with a key, PATCH /api/accounts/{LOGIN} and 'simmail admin users change {PERSON}' set passwords")
    return f"Redis is in use, and {state} has no {' and no '.join(missing)}; nothing was made. {'; '.join(ways)}."


def _is_first(key: Key) -> bool:
    return key.administrator and key.name == FIRST


async def _make_key(server: MailServer, universe: str, state: Path) -> None:
    await server.create_key(
        universe, "admin", FIRST, administrator=True,
        kept=lambda token: write(state / KEY, token.encode() + b"\n"))


async def reset_first(server: MailServer, config: Config, state: Path) -> None:
    """
    Make another first key and revoke all of that kind, when the owner of the state folder has asked for it there.

    @raise Unavailable: Redis is away; it is asked for still.
    """
    if not (state / RESET).exists():
        return
    old = [key.prefix for key in server.keys() if _is_first(key)]
    await _make_key(server, config.smtp.default_universe, state)
    for prefix in old:
        await server.revoke_key(prefix)
    (state / RESET).unlink(missing_ok=True)


async def look_for_reset(server: MailServer, config: Config, state: Path, in_thread: Callable[..., Any]) -> None:
    """
    Make another first key while the service runs, if the owner asks for one (C{admin keys reset-first}).

    @param in_thread: looks at the disk.
    """
    try:
        if await in_thread((state / RESET).exists):
            await reset_first(server, config, state)
            _log.warn("there is another first key, as was asked for; the others of that kind are revoked")
    except (OSError, Unavailable) as error:
        _log.warn("another first key cannot be made now: {error}", error=error)


async def _known(server: MailServer, path: Path) -> bool:
    try:
        await server.identify(path.read_text(encoding="utf-8").strip())
    except (OSError, ValueError, Unauthenticated):
        return False
    return True


def ready(state: Path, endpoints: dict[str, dict[str, object]], certificate: str) -> dict[str, object]:
    """Return what a program needs to know once the service serves: where, and the files with secrets."""
    files = {"key_file": state / KEY, "logins_file": state / LOGINS, "certificate_file": Path(certificate)}
    return {"version": __version__, "state": str(state), "listeners": endpoints,
            **{name: str(path) if path.exists() else None for name, path in files.items()}}


def banner(
    state: Path, endpoints: dict[str, dict[str, object]], titles: dict[str, str], first: First, plain: bool = True,
    required: bool = False,
) -> str:
    """
    Return what a start prints: the addresses; the first time the key, the login and three lines to paste as well.

    @param first: secrets that were made are shown, others only where they are kept.
    @param plain: passwords may go over the wire without TLS.
    @param required: who sends mail has to sign in.
    """
    lines = [*(f"{titles[name]} {reached(**one)}" for name, one in endpoints.items()), ""]
    key = (state / KEY).read_text(encoding="utf-8").strip() if first.key else ""
    passwords = json.loads((state / LOGINS).read_text(encoding="utf-8")) if first.login else {}
    if key:
        lines.append(f"API key {key}")
    elif (state / KEY).exists():
        lines.append(f"API key in {state / KEY}")
    if passwords:
        password = passwords[LOGIN]
        lines += [f"Login {LOGIN} password {password}",
                  *(f"Person {name} password {one}" for name, one in passwords.items() if name != LOGIN),
                  f"Persona {PERSONA['name']} <{PERSONA['addresses'][0]}>"]
    elif (state / LOGINS).exists():
        lines.append(f"Login {LOGIN}, password in {state / LOGINS}")
    if first.found:
        lines.append(first.found)
    if not (key and passwords):
        return "\n".join(lines)
    smtp, imap, http = (endpoints.get(name) for name in ("smtp", "imap", "http"))
    if smtp and imap and http:
        persona = PERSONA["addresses"][0]
        secure = "" if plain else f"--ssl-reqd --cacert '{state / 'certificate.pem'}' "
        user = f"{secure}-u '{LOGIN}:{password}' "
        lines += [
            "", "Try it: send a mail to the persona, move the clock by a day, read the answer.", "",
            f"printf 'From: {LOGIN}\\r\\nTo: {persona}\\r\\nSubject: {SUBJECT}\\r\\n\\r\\n{TEXT}\\r\\n' | "
            f"curl -sS {user if required else ''}smtp://{reached(**smtp)} "
            f"--mail-from {LOGIN} --mail-rcpt {persona} -T -",
            f"curl -sS http://{reached(**http)}/api/clock/advance -H 'Authorization: Bearer {key}' "
            "-d '{\"by\": \"1d\"}'",
            f"curl -sS {user}'imap://{reached(**imap)}/INBOX;MAILINDEX=1'",
        ]
    return "\n".join(lines)
