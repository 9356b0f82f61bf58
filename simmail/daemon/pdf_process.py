"""
The program that reads one PDF: octets come on standard input, its text goes to standard output.

It runs as a process of its own, whose time and memory the operating system bounds: what somebody attached may be
made to take any amount of either.  It ends with a status of L{STATUSES}, or is ended.  It is started as a file, so it
imports nothing of simmail.
"""

from __future__ import annotations

import logging
import resource
import signal
import sys
from io import BytesIO

#: Seconds of processor time and of real time, octets of memory.
PROCESSOR, REAL, MEMORY = 3, 8, 400 * 1024 * 1024

#: Pages that are looked at, characters that are told.
PAGES, CHARACTERS = 20, 20_000

#: Why there is no text, by the status the program ends with; what the library raises ends it with 1.
STATUSES = {1: "it is broken", 2: "it is encrypted", 3: "it takes too much time or memory"}
ENCRYPTED, TOO_MUCH = 2, 3


def bound() -> None:
    """Have the operating system end this process when it takes too much."""
    signal.alarm(REAL)
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def read(octets: bytes) -> str:
    """Return the text of the first pages."""
    from pypdf import PdfReader

    reader, parts, length = PdfReader(BytesIO(octets)), [], 0
    for page in reader.pages[:PAGES]:
        text = page.extract_text()[:CHARACTERS - length]
        parts.append(text)
        length += len(text)
        if length >= CHARACTERS:
            break
    return "\n\n".join(parts)


def main() -> int:
    """Read, write, and return the status."""
    from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError

    logging.disable()
    bound()
    try:
        text = read(sys.stdin.buffer.read())
    except (FileNotDecryptedError, DependencyError):
        return ENCRYPTED
    except (LimitReachedError, MemoryError, RecursionError):
        return TOO_MUCH
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
