"""
The first start without configuration: an organisation, a universe, a key, a login and somebody to write to.

Source: decisions, section 1.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from secrets import token_urlsafe

from simmail.config import Config
from simmail.universe.accounts import Accounts
from simmail.universe.roster import Roster

LOGIN = "app@sim.test"

#: Somebody who answers for certain, so that the first try shows an answer.
PERSONA = {
    "name": "Maria Rossi", "addresses": ["maria@acme.test"], "role": "Purchasing", "org": "Acme",
    "temperament": "responsive", "timing": {"reply_rate": 1.0, "delay": {"median": "20m", "spread": 1.5}},
    "style": {"client": "gmail", "length": "medium", "formality": "neutral", "typos": 0.0},
}


async def first_start(roster: Roster, config: Config, state: Path) -> None:
    """Make what a new server begins with; what is there already stays as it is."""
    if not any(org.id == "default" for org in roster.orgs()):
        await roster.create_org("default")
    name = config.smtp.default_universe
    if not any(universe.id == name for universe in roster.universes()):
        await roster.create_universe(name)
    universe = roster.universe(name)
    key_file, login_file = state / "admin.key", state / "first-login.json"
    if not key_file.exists():
        secret(key_file, await roster.create_key(name, "admin", "first start", administrator=True) + "\n")
    if not login_file.exists():
        password = token_urlsafe(12)
        await Accounts(universe, roster.passwords).put(LOGIN, password)
        secret(login_file, json.dumps({LOGIN: password}, indent=1) + "\n")
        if universe.people.at(PERSONA["addresses"][0]) is None:
            await universe.people.create(dict(PERSONA))


def secret(path: Path, text: str) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    temporary = path.with_name(path.name + ".new")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def banner(state: Path, endpoints: dict[str, dict[str, object]], titles: dict[str, str]) -> str:
    """What a start prints: addresses, key, login, and three lines to paste."""
    lines = [f"{titles[name]:<11}{one['host']}:{one['port']}" for name, one in endpoints.items()]
    key = (state / "admin.key").read_text(encoding="utf-8").strip()
    passwords = json.loads((state / "first-login.json").read_text(encoding="utf-8"))
    lines += ["", f"API key    {key}", f"Login      {LOGIN}  password {passwords[LOGIN]}",
              f"Persona    {PERSONA['name']} <{PERSONA['addresses'][0]}>"]
    smtp, imap, http = (endpoints.get(name) for name in ("smtp", "imap", "http"))
    if smtp and imap and http:
        lines += [
            "", "Try it: send a mail to the persona, move the clock, read the answer.", "",
            "  printf 'From: app@sim.test\\r\\nTo: maria@acme.test\\r\\nSubject: Lunch on Friday?\\r\\n\\r\\n"
            "Hi Maria, do you have time for lunch on Friday at 12:30?\\r\\n' | "
            f"curl -sS smtp://{smtp['host']}:{smtp['port']} --mail-from app@sim.test --mail-rcpt maria@acme.test -T -",
            f"  curl -sS http://{http['host']}:{http['port']}/api/clock/advance -H 'Authorization: Bearer {key}' "
            "-H 'Content-Type: application/json' -d '{\"by\": \"1d\"}'",
            f"  curl -sS --user '{LOGIN}:{passwords[LOGIN]}' "
            f"'imap://{imap['host']}:{imap['port']}/INBOX;MAILINDEX=1'",
        ]
    return "\n".join(lines)
