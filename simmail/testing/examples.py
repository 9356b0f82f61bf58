"""
Labelled mails: what kind each is of, for learning (C{examples.yaml} of each language) and, held out, for counting.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from simmail.core.message.mail import Attachment, Mail
from simmail.core.mime.address import Address

#: When all of them came: a Monday morning.
NOW = datetime(2026, 3, 2, 9, 40, tzinfo=timezone.utc)
_TEMPLATES = Path(__file__).resolve().parents[1] / "core" / "templates"
_SENDER, _READER = Address("Dana Novak", "dana.novak@brightdesk.example"), Address("Maria", "maria@norrland.example")


class Example(NamedTuple):
    """A mail in a language, and its kind."""

    language: str
    kind: str
    mail: Mail


def mail_of(entry: str | Mapping[str, Any]) -> Mail:
    """Return the mail of an entry: its text alone, or its C{text}, C{subject} and C{files}."""
    fields = {"text": entry} if isinstance(entry, str) else entry
    text = str(fields["text"])
    return Mail(
        message_id="<1@brightdesk.example>", in_reply_to="", references=(), from_=_SENDER, reply_to=(), to=(_READER,),
        cc=(), subject=str(fields.get("subject", "")), date=NOW, text=text, html="", format="text",
        attachments=tuple(Attachment(name, "application/pdf", b"%PDF") for name in fields.get("files", ())),
        headers=(), size=len(text))


def examples(folder: Path | None = None) -> Iterator[Example]:
    """
    Give every example of each language.

    @param folder: of files named by their languages; those to learn from, of the templates, when none is given.
    """
    paths = sorted(folder.glob("*.yaml") if folder else _TEMPLATES.glob("*/examples.yaml"))
    for path in paths:
        for kind, entries in yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader).items():
            for entry in entries:
                yield Example(path.stem if folder else path.parent.name, kind, mail_of(entry))


def digest() -> str:
    """Return a digest of all there is to learn from, as the model was asked about it."""
    return digest_of((one.language, one.kind, one.mail.subject, one.mail.text) for one in examples())


def digest_of(known: Iterable[Sequence[str]]) -> str:
    """Return a digest of what there is to learn from, each as some texts."""
    state = hashlib.sha256()
    for one in known:
        state.update("\0".join(one).encode() + b"\n")
    return state.hexdigest()
