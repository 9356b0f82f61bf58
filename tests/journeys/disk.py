"""A disk that gets full: a small one of its own, which only root can mount."""

from __future__ import annotations

import os
import smtplib
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.journeys.running import LOGIN, Service, message


class Unmountable(Exception):
    """There can be no disk of one's own here."""


@contextmanager
def small_disk(folder: Path, size: str = "96m") -> Iterator[Path]:
    """A tmpfs on a folder.  @raise Unmountable: not root, or not allowed."""
    folder.mkdir(exist_ok=True)
    if os.geteuid() != 0:
        raise Unmountable("only root can mount a small disk")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True)
    if made.returncode:
        raise Unmountable(made.stderr.decode().strip())
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


class Full(NamedTuple):
    """
    What a full disk brings.

    @ivar replies: the codes while it is full; permanent: those of 5xx among them, and 250 that were lost.
    @ivar reading: whether IMAP could read; back: seconds from space to the next 250, -1 for never.
    """

    replies: dict[int, int]
    permanent: list[str]
    lost: set[str]
    broken: list[str]
    reading: bool
    back: float


def fill(service: Service, disk: Path, tries: int = 30, patience: float = 15.0) -> Full:
    """Fill the disk while mail comes in, read, then give the space back."""
    acknowledged = {f"disk-{n}" for n in range(5) if send_one(service, f"disk-{n}") == 250}
    ballast = disk / "ballast"
    replies: dict[int, int] = {}
    permanent: list[str] = []
    with open(ballast, "wb", buffering=0) as file:
        for n in range(tries):
            try:
                while True:
                    file.write(bytes(65536))
            except OSError:
                pass
            code = send_one(service, f"full-{n}")
            replies[code] = replies.get(code, 0) + 1
            if code == 250:
                acknowledged.add(f"full-{n}")
            elif code >= 500:
                permanent.append(f"full-{n}: {code}")
            time.sleep(0.05)
    reading = subjects(service) is not None
    ballast.unlink()
    begin = time.monotonic()
    back = -1.0
    while time.monotonic() - begin < patience:
        if send_one(service, "back") == 250:
            back = time.monotonic() - begin
            break
        time.sleep(0.05)
    found = subjects(service) or []
    broken = [subject for subject, whole in found if not whole]
    return Full(replies, permanent, acknowledged - {subject for subject, _ in found}, broken, reading, back)


def send_one(service: Service, subject: str) -> int:
    """The reply that decides; 0 for a connection that breaks."""
    try:
        with service.smtp() as session:
            session.sendmail("disk@sim.test", [LOGIN], message("disk@sim.test", LOGIN, subject, "x" * 998 + "\r\nend"))
        return 250
    except smtplib.SMTPResponseException as error:
        return error.smtp_code
    except smtplib.SMTPRecipientsRefused as error:
        return next(iter(error.recipients.values()))[0]
    except (OSError, smtplib.SMTPServerDisconnected):
        return 0


def subjects(service: Service) -> list[tuple[str, bool]] | None:
    """The subject of each message in the first login's INBOX and whether it is whole; None if that cannot be read."""
    try:
        with service.imap() as session:
            _, parts = session.fetch("1:*", "(BODY[])")
    except Exception:
        return None
    found = []
    for part in parts:
        if isinstance(part, tuple):
            subject = part[1].partition(b"Subject: ")[2].partition(b"\r\n")[0].decode()
            found.append((subject, part[1].endswith(b"\r\nend\r\n")))
    return found


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """
    A folder is read-only where it is reached, as by a mount of its own: the kernel says EROFS.

    @raise Unmountable: not root, or not allowed.
    """
    if os.geteuid() != 0:
        raise Unmountable("only root can mount a folder read-only")
    made = subprocess.run(["mount", "--bind", str(folder), str(folder)], capture_output=True)
    if made.returncode:
        raise Unmountable(made.stderr.decode().strip())
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def refused(service: Service) -> list[str]:
    """What new mail is told at each door while no mail can be taken; what is not as it should be."""
    wrong = []
    code = send_one(service, "refused")
    if not 400 <= code < 500:
        wrong.append(f"SMTP: {code}")
    answer = service.call("POST", "/api/send", {"from": LOGIN, "to": ["maria@acme.test"], "text": "Hello"})
    if (answer.status, list(answer.json())) != (503, ["error"]) or "Retry-After" not in answer.headers:
        wrong.append(f"HTTP: {answer}")
    with service.imap(None) as session:
        status, texts = session.append("INBOX", "", "", b"Subject: appended\r\n\r\nHello\r\n")
        if status != "NO" or not texts[0].startswith(b"[UNAVAILABLE] "):
            wrong.append(f"IMAP: {status} {texts}")
    return wrong
