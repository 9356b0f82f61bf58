"""
Papers that go with the world's mail: invoices and applications, as PDF files.
"""

from __future__ import annotations

from datetime import datetime

from simmail.core.message.mail import Attachment
from simmail.core.rng import Dice
from simmail.core.world.people import plain
from simmail.core.world.words import Slots, common
from simmail.core.writer.attachment import pdf


def invoice(slots: Slots, written: datetime) -> Attachment:
    """Return the invoice that a mail speaks of: the same number, the same sums."""
    words = common(slots["language"]).papers
    lines = [
        slots["firm"], "", f"{words['to']}: {slots['company']}", f"{words['number']}: {slots['invoice']}",
        f"{words['customer']}: {slots['customer']}", f"{words['date']}: {slots['past']} {slots['past_year']}", "",
        f"{slots['count']} x {slots['product']}, {slots['unit']}", "", f"{words['net']}: {slots['net']}",
        f"{words['tax']}: {slots['tax']}", f"{words['total']}: {slots['total']}", "",
        words["pay"].format_map(slots), f"IBAN: {slots['iban']}"]
    return Attachment(f"{slots['invoice']}.pdf", "application/pdf", pdf(
        f"{words['invoice']} {slots['invoice']}", lines, written))


def resume(slots: Slots, dice: Dice, written: datetime) -> Attachment:
    """Return the curriculum vitae of somebody who applies."""
    words, employer = common(slots["language"]).papers, dice.choice(common(slots["language"]).firms, "employer")
    began = int(slots["year"]) - int(slots["years"])
    lines = [slots["sender"], slots["street"], slots["city"], slots["phone"], slots["address"], "", words["experience"],
             f"{began}-{slots['year']}  {slots['position']}, {employer.name}", "", words["education"],
             f"{began - 4}-{began}  {words['school']}, {slots['city']}", "", words["languages"]]
    name = "-".join(plain(one) for one in slots["sender"].split())
    return Attachment(f"{words['cv']}-{name}.pdf", "application/pdf", pdf(words["cv_title"], lines, written))
