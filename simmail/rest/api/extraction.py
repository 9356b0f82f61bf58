"""
C{POST /api/extract}: codes and links in a text.

Source: decisions, section 4.
"""

from __future__ import annotations

from msgspec import Struct

from simmail.core.html.extract import Code, Link, extract
from simmail.core.message.parse import read
from simmail.core.mime.address import stored
from simmail.errors import Invalid
from simmail.rest.render.shown import heavy
from simmail.rest.route import Body, Call, Route, Uid

HEADING = "Mailboxes and mail"


class Extract(Body, frozen=True):
    """
    What to look at: C{text}, C{html} or both, or a message: C{address}, C{folder} and C{uid}.

    @ivar text: plain text to look at; html: HTML to look at; address: mailbox of the message.
    """

    text: str = ""
    html: str = ""
    address: str | None = None
    folder: str = "INBOX"
    uid: Uid | None = None


class Extracted(Struct, frozen=True):
    """
    What was found.

    @ivar codes: one-time codes and the like, the surest first; links: in the order in which they stand.
    """

    codes: tuple[Code, ...]
    links: tuple[Link, ...]


async def extract_codes(call: Call) -> Extracted:
    asked: Extract = call.body
    text, html = asked.text, asked.html
    if asked.address is not None or asked.uid is not None:
        if text or html:
            raise Invalid("text", "give either text or html, or a message")
        if asked.address is None or asked.uid is None:
            raise Invalid("uid" if asked.uid is None else "address", "is required for a message")
        _, octets = await call.universe.mailboxes.read(stored(asked.address), asked.folder, asked.uid)

        def look() -> Extracted:
            mail = read(octets)
            return Extracted(*extract(mail.text, mail.html))

        return await heavy(call.services.in_thread, look, len(octets))
    if not text and not html:
        raise Invalid("text", "is required unless html or a message is given")
    return await heavy(call.services.in_thread, lambda: Extracted(*extract(text, html)), len(text) + len(html))


ROUTES: tuple[Route, ...] = (
    Route("POST", "/api/extract", extract_codes, "Find codes and links in a text or a message", Extracted,
          role="member", body=Extract, statuses=(404,),
          example={"text": "Your code is 471193. Or follow https://shop.test/verify?t=1"},
          answer_example={
              "codes": [{"value": "471193", "kind": "otp", "label": "code", "confidence": 0.9}],
              "links": [{"url": "https://shop.test/verify?t=1", "text": "", "host": "shop.test", "kind": "verify"}]}),
)
