"""
The universe C{demo}: some people and conversations that anybody may look at.

It is the same on every server: its clock begins at a fixed instant, and
stands still once its few days have passed.  Source: decisions, sections 1
and 23 ("Demo").
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from simmail.core.compose.message import compose
from simmail.core.message.mail import Draft
from simmail.core.mime.address import Address
from simmail.server.server import MailServer
from simmail.universe.mailflow.envelope import Recipient, Submission
from simmail.universe.universe import Universe

NAME = "demo"

#: A Monday.
BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

SHOP = Address("The Garden Shop", "orders@garden.test")

_OFFICE = {"tz": "Europe/Berlin", "days": "mon-fri", "from": "08:30", "to": "17:30"}
PEOPLE: tuple[dict[str, Any], ...] = (
    {"name": "Maria Keller", "addresses": ["maria@acme.test"], "org": "Acme", "role": "Purchasing",
     "temperament": "responsive", "style": {"client": "gmail", "formality": "neutral"},
     "timing": {"reply_rate": 1.0, "delay": {"median": "25m", "spread": 1.4}, "hours": _OFFICE}},
    {"name": "Tom Becker", "addresses": ["tom@acme.test"], "org": "Acme", "role": "Accounts payable",
     "temperament": "procedural", "style": {"client": "outlook", "formality": "formal"},
     "timing": {"reply_rate": 1.0, "delay": {"median": "3h", "spread": 1.5}, "hours": _OFFICE}},
    {"name": "Aisha Okafor", "addresses": ["aisha@harbour.test"], "org": "Harbour Hotel", "role": "Manager",
     "temperament": "busy", "style": {"client": "iphone", "length": "short"},
     "timing": {"reply_rate": 0.9, "delay": {"median": "2h", "spread": 1.8}}},
    {"name": "Lars Nilsen", "addresses": ["lars@fjord.test"], "org": "Fjord Design", "role": "Architect",
     "temperament": "skeptical", "style": {"client": "apple"},
     "timing": {"reply_rate": 0.8, "delay": {"median": "5h", "spread": 1.6},
                "ooo": [{"from": "2026-03-04", "to": "2026-03-06", "message": "I am on site until Friday."}]}},
    {"name": "Priya Raman", "addresses": ["priya@raman.test"], "temperament": "ghost",
     "style": {"client": "android"}},
)

CASE: dict[str, Any] = {
    "id": "c_demo_invoice", "title": "Invoice INV-2041", "kind": "invoice", "keys": ["INV-2041"],
    "facts": {"amount": "1,200 EUR", "due": "15 March"}, "goal": "Get the invoice paid in time",
}

#: Hours after the beginning, whom to, subject, text.
MAIL: tuple[tuple[int, str, str, str], ...] = (
    (0, "maria@acme.test", "Your order 1187",
     "Dear Maria,\n\nwhen would you like your order of 40 lavender plants delivered?\n\nThe Garden Shop\n"),
    (1, "tom@acme.test", "Invoice INV-2041",
     "Dear Tom,\n\nplease find attached our invoice INV-2041 over 1,200 EUR. Could you confirm the payment date?\n\n"
     "The Garden Shop\n"),
    (2, "aisha@harbour.test", "Terrace plants for the season",
     "Dear Aisha,\n\ncould we meet on Thursday at 10:00 to look at the terrace?\n\nThe Garden Shop\n"),
    (3, "lars@fjord.test", "Drawings for the roof garden",
     "Dear Lars,\n\ncould you send us the drawings of the roof garden by Friday?\n\nThe Garden Shop\n"),
    (26, "priya@raman.test", "Spring catalogue",
     "Dear Priya,\n\nour spring catalogue is here. May we send you a copy?\n\nThe Garden Shop\n"),
    (51, "maria@acme.test", "Thank you for your order",
     "Dear Maria,\n\nthank you, your plants are on their way. Was everything as you expected?\n\nThe Garden Shop\n"),
    (53, "lars@fjord.test", "A question about the drawings",
     "Dear Lars,\n\nwhich scale are the drawings in?\n\nThe Garden Shop\n"),
)


async def create_demo(server: MailServer) -> bool:
    """
    Make the universe C{demo}, unless there is one.

    @return: whether it was made just now.
    """
    if any(universe.id == NAME for universe in server.universes()):
        if server.universe(NAME).settings.get("demo"):
            return False
        # Its making was cut short.
        await server.delete_universe(NAME)
    # An organisation of its own: whoever belongs to another has no say here.
    if not any(org.id == NAME for org in server.orgs()):
        await server.create_org(NAME, "Demo")
    universe = await server.create_universe(NAME, "The Garden Shop (demo)", NAME, clock=BEGIN)
    for fields in PEOPLE:
        await universe.people.create(dict(fields))
    tom = universe.people.at("tom@acme.test")
    people = [] if tom is None else [{"persona_id": tom.id, "role": "payer", "knows": "all"}]
    await universe.case_editor.push({**CASE, "people": [*people, {"address": SHOP.address}]})
    await universe.store.create(SHOP.address)
    for hours, to, subject, text in MAIL:
        await universe.scheduler.advance(to=max(BEGIN + timedelta(hours=hours), universe.clock.now()))
        await _write(universe, to, subject, text)
    await universe.scheduler.advance(to=BEGIN + timedelta(days=5))
    await universe.settings.put("demo", {"made": True})
    return True


async def _write(universe: Universe, to: str, subject: str, text: str) -> None:
    octets = compose(Draft(
        message_id="", date=universe.clock.now(), from_=SHOP, to=(Address("", to),), cc=(), subject=subject,
        text=text, html="", in_reply_to="", references=(), attachments=(), client="plain", key=subject))
    await universe.postoffice.accept(Submission(
        SHOP.address, (Recipient(to, universe.policy.recipient(to, SHOP.address)),), octets, "api"))
    await universe.when_idle()
