"""
The first start without configuration: an organisation, a universe, a key, a login and somebody to write to.

Source: decisions, section 1.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from simmail.config import Config
from simmail.durable import write
from simmail.errors import Unauthenticated
from simmail.newpassword import new_password
from simmail.universe.demo import create_demo
from simmail.universe.roster import Roster

LOGIN = "app@sim.test"

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


async def first_start(roster: Roster, config: Config, state: Path) -> bool:
    """
    Make what a new server begins with; what is there already stays as it is.

    @return: whether the key or the login were made just now.
    """
    if not any(org.id == "default" for org in roster.orgs()):
        await roster.create_org("default")
    name = config.smtp.default_universe
    if not any(universe.id == name for universe in roster.universes()):
        await roster.create_universe(name)
    made = False
    universe = roster.universe(name)
    if universe.policy.account(LOGIN) is None:
        if universe.people.at(PERSONA["addresses"][0]) is None:
            await universe.people.create(dict(PERSONA))
        password, own = new_password(), new_password()
        # The file first: a password nobody can read would lock the login.
        write(state / "first-login.json", json.dumps({LOGIN: password, PERSON: own}, indent=1).encode() + b"\n")
        await roster.accounts(universe).put(LOGIN, password)
        if not roster.users.all():
            await roster.users.create(PERSON, own, {"default": "admin"}, administrator=True)
        made = True
    if not await _known(roster, state / "admin.key"):
        key = await roster.create_key(name, "admin", "first start", administrator=True)
        write(state / "admin.key", key.encode() + b"\n")
        made = True
    if config.server.demo:
        await create_demo(roster)
    return made


async def _known(roster: Roster, path: Path) -> bool:
    try:
        await roster.identify(path.read_text(encoding="utf-8").strip())
    except (OSError, ValueError, Unauthenticated):
        return False
    return True


def banner(
    state: Path, endpoints: dict[str, dict[str, object]], titles: dict[str, str], first: bool, plain: bool = True,
    required: bool = False,
) -> str:
    """
    What a start prints: the addresses; the first time the key, the login and three lines to paste as well.

    @param first: secrets are shown; later on only where they are kept.
    @param plain: passwords may go over the wire without TLS.
    @param required: who sends mail has to sign in.
    """
    lines = [f"{titles[name]} {_place(one)}" for name, one in endpoints.items()]
    if not first:
        return "\n".join([*lines, "", f"API key in {state / 'admin.key'}",
                          f"Login {LOGIN}, password in {state / 'first-login.json'}"])
    key = (state / "admin.key").read_text(encoding="utf-8").strip()
    passwords = json.loads((state / "first-login.json").read_text(encoding="utf-8"))
    password = passwords[LOGIN]
    lines += ["", f"API key {key}", f"Login {LOGIN} password {password}",
              *(f"Person {name} password {one}" for name, one in passwords.items() if name != LOGIN),
              f"Persona {PERSONA['name']} <{PERSONA['addresses'][0]}>"]
    smtp, imap, http = (endpoints.get(name) for name in ("smtp", "imap", "http"))
    if smtp and imap and http:
        persona = PERSONA["addresses"][0]
        secure = "" if plain else f"--ssl-reqd --cacert '{state / 'certificate.pem'}' "
        user = f"{secure}-u '{LOGIN}:{password}' "
        lines += [
            "", "Try it: send a mail to the persona, move the clock by a day, read the answer.", "",
            f"printf 'From: {LOGIN}\\r\\nTo: {persona}\\r\\nSubject: {SUBJECT}\\r\\n\\r\\n{TEXT}\\r\\n' | "
            f"curl -sS {user if required else ''}smtp://{_place(smtp)} --mail-from {LOGIN} --mail-rcpt {persona} -T -",
            f"curl -sS http://{_place(http)}/api/clock/advance -H 'Authorization: Bearer {key}' "
            "-d '{\"by\": \"1d\"}'",
            f"curl -sS {user}'imap://{_place(imap)}/INBOX;MAILINDEX=1'",
        ]
    return "\n".join(lines)


def _place(endpoint: dict[str, object]) -> str:
    host = str(endpoint["host"])
    # What listens everywhere is reached here; an IPv6 address stands in brackets in a URL.
    host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
    return f"[{host}]:{endpoint['port']}" if ":" in host else f"{host}:{endpoint['port']}"
