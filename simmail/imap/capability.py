"""What the server announces, by state: nothing that it does not serve."""

from __future__ import annotations


from simmail.imap.connection import ImapConnection

_BEFORE = (b"IMAP4rev1", b"IMAP4rev2", b"LITERAL+", b"SASL-IR", b"ID", b"ENABLE", b"IDLE")
_AFTER = (
    b"IMAP4rev1", b"IMAP4rev2", b"LITERAL+", b"ID", b"ENABLE", b"IDLE", b"NAMESPACE", b"UIDPLUS", b"MOVE", b"UNSELECT",
    b"CHILDREN", b"SPECIAL-USE", b"LIST-EXTENDED", b"LIST-STATUS", b"STATUS=SIZE",
    b"CONDSTORE", b"QRESYNC", b"ESEARCH", b"SEARCHRES", b"WITHIN", b"SORT", b"SORT=DISPLAY",
    b"THREAD=ORDEREDSUBJECT", b"THREAD=REFERENCES", b"BINARY", b"UTF8=ACCEPT", b"OBJECTID", b"PREVIEW",
    b"QUOTA", b"QUOTA=RES-STORAGE", b"QUOTA=RES-MESSAGE", b"MULTIAPPEND", b"ESORT", b"PARTIAL",
    b"REPLACE", b"SAVEDATE", b"CONTEXT=SEARCH", b"CONTEXT=SORT", b"METADATA", b"INPROGRESS", b"CATENATE", b"UIDONLY",
    b"NOTIFY",
)


def capabilities(imap: ImapConnection) -> list[bytes]:
    """Return what is announced in this state."""
    if imap.login is not None:
        compress = [b"COMPRESS=DEFLATE"] if imap.inflater is None else []
        return [*_AFTER, b"APPENDLIMIT=%d" % imap.config.limits.message, *compress]
    found = list(_BEFORE)
    if imap.can_start_tls():
        found.append(b"STARTTLS")
    found += [b"AUTH=" + mechanism for mechanism in imap.mechanisms()] or [b"LOGINDISABLED"]
    return found
