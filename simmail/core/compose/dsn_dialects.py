"""
How four mail systems word their notifications, and which fields they add.

Only what marks each of them is imitated: sender, subject, the phrases that
bounce readers look for, the layout of the report.  Texts come in threes:
failed, delayed, delivered.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Literal

from msgspec import Struct

Dialect = Literal["postfix", "exim", "gmail", "exchange"]
Fields = tuple[tuple[str, str], ...]


class Voice(Struct, frozen=True):
    """
    One dialect.  Texts are format strings over the words of C{core.compose.dsn}.

    @ivar fields: further header fields; message_fields: further per-message fields of the report.
    @ivar text_fields, report_fields, original_fields: MIME fields of the three parts.
    @ivar explanations: what C{{explanation}} in the text stands for, by kind of bad address.
    @ivar dates: whether the report tells of the last attempt.
    @ivar patience: for how long the report of a delay says that delivery is tried; nothing for no such field.
    @ivar bracketed: whether To stands in angle brackets.
    @ivar mark: an empty header field that marks failures.
    """

    from_: str
    subject: tuple[str, str, str]
    text: tuple[str, str, str]
    boundary: str
    fields: Fields = ()
    message_fields: Fields = ()
    text_fields: Fields = ()
    report_fields: Fields = ()
    original_fields: Fields = ()
    preamble: str = ""
    explanations: Mapping[str, str] = MappingProxyType({})
    dates: bool = False
    patience: timedelta = timedelta(0)
    bracketed: bool = False
    mark: str = ""


_POSTFIX_HELP = """
For further assistance, please send mail to postmaster. Please include this
problem report; your own text may be deleted from what is returned below.
"""

_POSTFIX_END = """
                   The mail system

<{recipient}>: """

_POSTFIX = Voice(
    from_="MAILER-DAEMON@{server} (Mail Delivery System)",
    subject=("Undelivered Mail Returned to Sender", "Delayed Mail (still being retried)",
             "Successful Mail Delivery Report"),
    preamble="This is a MIME-encapsulated message.\n",
    boundary="{queue}.{seconds}/{server}",
    text=(
        "This is the mail system at host {server}.\n\nI'm sorry to have to inform you that your message could not\n"
        "be delivered to one or more recipients.\n" + _POSTFIX_HELP + _POSTFIX_END
        + "host {mx} said: {reply} (in reply to\n    RCPT TO command)\n",
        "This is the mail system at host {server}.\n\n"
        "####################################################################\n"
        "# THIS IS A WARNING ONLY.  YOU DO NOT NEED TO RESEND YOUR MESSAGE. #\n"
        "####################################################################\n\n"
        "Your message could not be delivered yet. It will be retried.\n" + _POSTFIX_HELP + _POSTFIX_END
        + "{reply}\n",
        "This is the mail system at host {server}.\n\nYour message was successfully delivered to the destination(s)\n"
        "listed below.\n" + _POSTFIX_END + "delivery via {mx}: {reply}\n",
    ),
    message_fields=(("X-Postfix-Queue-ID", "{queue}"), ("X-Postfix-Sender", "{to_type}; {to}")),
    text_fields=(("Content-Description", "Notification"),),
    report_fields=(("Content-Description", "Delivery report"),),
    patience=timedelta(days=5),
    original_fields=(("Content-Description", "{undelivered}Message{headers}"),),
)

_EXIM = Voice(
    from_="Mail Delivery System <Mailer-Daemon@{server}>",
    subject=("Mail delivery failed: returning message to sender",
             "Warning: message {queue} delayed {waited}", "Delivery Status Notification"),
    boundary="{seconds}-eximdsn-{number}",
    text=(
        "This message was created automatically by mail delivery software.\n\n"
        "A message that you sent could not be delivered to one or more of its\nrecipients. "
        "This is a permanent error. The following address(es) failed:\n\n"
        "  {recipient}\n    host {mx}\n    SMTP error from remote mail server after RCPT TO:<{recipient}>:\n"
        "    {reply}\n",
        "This message was created automatically by mail delivery software.\n"
        "A message that you sent has not yet been delivered to one or more of its\n"
        "recipients after more than {waited} on the queue on {server}.\n\n"
        "The address to which the message has not yet been delivered is:\n\n  {recipient}\n    {reply}\n\n"
        "No action is required on your part. Delivery attempts will continue for\nsome time.\n",
        "This message was created automatically by mail delivery software.\n"
        " ----- The following addresses had successful delivery notifications -----\n"
        "<{recipient}> (relayed to non-DSN-aware mailer)\n",
    ),
    fields=(("X-Failed-Recipients", "{failed}"),),
)

_GMAIL = Voice(
    from_="Mail Delivery Subsystem <mailer-daemon@{server}>",
    subject=("Delivery Status Notification (Failure)", "Delivery Status Notification (Delay)",
             "Delivery Status Notification (Success)"),
    boundary="000000000000{key}",
    text=(
        "\n** {explanation}\n\nThe response from the remote server was:\n{reply}\n",
        "\n** Delivery incomplete **\n\n"
        "There was a temporary problem delivering your message to {recipient}. Gmail will retry for 45 more hours. "
        "You'll be notified if the delivery fails permanently.\n\n"
        "The response from the remote server was:\n{reply}\n",
        "\nThis is an automatically generated Delivery Status Notification\n\n"
        "Your message has been successfully delivered to {recipient}.\n",
    ),
    explanations=MappingProxyType({
        "unknown": "Address not found **\n\nYour message wasn't delivered to {recipient} because the address couldn't "
                   "be found, or is unable to receive mail.",
        "domain": "Address not found **\n\nYour message wasn't delivered to {recipient} because the domain {domain} "
                  "couldn't be found. Check for typos or unnecessary spaces and try again.",
        "full": "Recipient inbox full **\n\nYour message couldn't be delivered to {recipient}. Their inbox is full, or "
                "it's getting too much mail right now.",
        "disabled": "Address not found **\n\nYour message wasn't delivered to {recipient} because the account is "
                    "disabled.",
        "blocked": "Message blocked **\n\nYour message to {recipient} has been blocked. See technical details below "
                   "for more information.",
        "other": "Message not delivered **\n\nYour message couldn't be delivered to {recipient}. See the technical "
                 "details below.",
    }),
    fields=(("X-Failed-Recipients", "{failed}"),),
    message_fields=(("Received-From-MTA", "dns; {to}"), ("X-Original-Message-ID", "{original_id}")),
    dates=True,
    patience=timedelta(hours=46),
)

_EXCHANGE = Voice(
    from_="Microsoft Outlook <postmaster@{server}>",
    subject=("Undeliverable: {subject}", "Delivery delayed:{subject}", "Delivered: {subject}"),
    boundary="_000_{key}_",
    text=(
        "Delivery has failed to these recipients or groups:\n\n{recipient}\n{explanation}\n\n"
        "\n\nDiagnostic information for administrators:\n\nGenerating server: {server}\n\n{recipient}\n"
        "Remote Server returned '{reply}'\n",
        "Delivery is delayed to these recipients or groups:\n\n{recipient}\n\nThis message hasn't been delivered yet. "
        "Delivery will continue to be attempted.\n\n\nDiagnostic information for administrators:\n\n"
        "Generating server: {server}\n\n{recipient}\nRemote Server returned '{reply}'\n",
        "Your message has been delivered to the following recipients:\n\n{recipient}\n\nSubject: {subject}\n",
    ),
    explanations=MappingProxyType({
        "unknown": "The email address you entered couldn't be found. Please check the recipient's email address and "
                   "try to resend the message.",
        "domain": "The domain {domain} couldn't be found. Please check the recipient's email address and try to "
                  "resend the message.",
        "full": "The recipient's mailbox is full and can't accept messages now. Please try resending your message "
                "later.",
        "disabled": "The recipient's mailbox is disabled. Please contact the recipient in another way.",
        "blocked": "Your message wasn't delivered because the recipient's email provider rejected it under its policy.",
        "other": "Your message couldn't be delivered. See the diagnostic information below.",
    }),
    fields=(("Content-Language", "en-US"),),
    message_fields=(("Received-From-MTA", "dns; {server}"),),
    bracketed=True,
    mark="X-MS-Exchange-Message-Is-Ndr",
)

VOICES: Mapping[Dialect, Voice] = MappingProxyType({
    "postfix": _POSTFIX, "exim": _EXIM, "gmail": _GMAIL, "exchange": _EXCHANGE,
})
