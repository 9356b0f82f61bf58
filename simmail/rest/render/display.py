"""
The HTML of a message as a page of its own, for a sandboxed frame.

It is the display-safe HTML of the API, with the message's own images in it: a
frame that is kept apart sends no cookie, so that it could not fetch them.
Source: decisions, sections 17 and 23 ("Full message").
"""

from __future__ import annotations

from base64 import b64encode
from html import escape

from simmail.core.html.sanitize import safe
from simmail.core.message.mail import Mail
from simmail.rest.answer import Octets

#: Octets of the message's own images that are shown; what comes after them is left out.
IMAGES = 20 * 1024 * 1024

_PAGE = (
    "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><base target=\"_blank\">"
    "<meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>"
    "<style>html{{color-scheme:{scheme}}}body{{margin:12px;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}}"
    "img{{max-width:100%;height:auto}}pre{{white-space:pre-wrap}}</style></head><body>{body}</body></html>\n"
)


def display(mail: Mail, remote: bool, light: bool) -> Octets:
    """
    Return a message as a page that runs nothing, and fetches remote images only with C{remote}.

    @param light: leave its colours alone instead of adapting them to dark mode.
    """
    room = IMAGES
    images: dict[str, str] = {}
    for one in mail.attachments:
        if one.content_id and one.content_type.startswith("image/") and "svg" not in one.content_type:
            room -= len(one.octets)
            if room >= 0:
                images[one.content_id.strip("<>")] = (
                    f"data:{one.content_type};base64,{b64encode(one.octets).decode('ascii')}")
    if mail.html:
        body, _ = safe(mail.html, remote=remote, light=light, cid_url=images.get)
    else:
        body = f"<pre>{escape(mail.text)}</pre>"
    page = _PAGE.format(
        title=escape(mail.subject or "(no subject)"), scheme="light" if light else "light dark", body=body)
    return Octets(page.encode("utf-8", "replace"), "text/html; charset=utf-8", (
        ("Content-Security-Policy",
         f"default-src 'none'; style-src 'unsafe-inline'; img-src data:{' https:' if remote else ''}; "
         "base-uri 'self'; form-action 'none'; frame-ancestors 'self'; "
         "sandbox allow-popups allow-popups-to-escape-sandbox"),
        ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "private, no-cache"),
    ))
