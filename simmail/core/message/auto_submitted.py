"""
Automatic and bulk mail: told from its headers.

Source: RFC 3834 sections 2 and 5, RFC 2919 (List-Id), RFC 2369 and 8058
(List-Unsubscribe), RFC 2076 (Precedence), RFC 5321 section 4.5.5 (null
reverse-path); decisions, section 8 step 4.
"""

from __future__ import annotations

from simmail.core.message.mail import Mail

#: More addressees than this, and the mail went to a crowd.
CROWD = 20

_PRECEDENCES = ("bulk", "junk", "list", "auto_reply")


def automatic(mail: Mail, envelope_sender: str) -> str:
    """
    The sign that a mail was made by a machine for nobody to answer, as a phrase, or C{""}.

    Such mail is never answered, not even by an out-of-office notice.
    """
    fields = mail.fields
    submitted = fields.get("auto-submitted", "").partition(";")[0].strip().lower()
    if submitted and submitted != "no":
        return f"Auto-Submitted: {submitted[:40]}"
    precedence = fields.get("precedence", "").strip().lower()
    if precedence in _PRECEDENCES:
        return f"Precedence: {precedence}"
    if not envelope_sender:
        return "null sender"
    if "list-id" in fields:
        return "List-Id"
    for name in ("x-autoreply", "x-autorespond", "x-autoresponse"):
        if fields.get(name, "no").strip().lower() not in ("no", "false", "0"):
            return name.title()
    if fields.get("content-type", "").lstrip().lower().startswith("multipart/report"):
        return "a report"
    return ""


def no_notices(mail: Mail, own: tuple[str, ...]) -> str:
    """
    Why an out-of-office notice must not go out though a person may answer, as a phrase, or C{""}.

    @param own: all addresses of who received it (RFC 3834 section 2: only who is named in To or Cc answers).
    """
    suppress = mail.header("X-Auto-Response-Suppress").lower()
    if any(word.strip() in ("all", "oof", "autoreply") for word in suppress.split(",")):
        return "the sender asks for no notices"
    named = [one.address for one in (*mail.to, *mail.cc)]
    # Nobody named at all is careless, not a blind copy.
    if named and not set(own).intersection(address.lower() for address in named):
        return "not named in To or Cc"
    return ""


def bulk(mail: Mail) -> str:
    """The sign that a mail went to many, as a phrase, or C{""}; people answer such mail less."""
    fields = mail.fields
    for name in ("list-unsubscribe", "list-unsubscribe-post", "feedback-id", "x-campaign", "x-campaign-id",
                 "x-mailchimp-campaign", "x-csa-complaints"):
        if name in fields:
            return f"{name.title()} header"
    if len(mail.to) + len(mail.cc) > CROWD:
        return f"{len(mail.to) + len(mail.cc)} addressees"
    return ""
