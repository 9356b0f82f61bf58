"""
Reads PDFs, each in a process of its own (L{pdf_process}).
"""

from __future__ import annotations

import sys
from hashlib import sha256

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorProcess, IReactorTime
from twisted.internet.utils import getProcessOutputAndValue

from simmail.concurrency import Lock
from simmail.core.lru import Lru
from simmail.core.wording.attached import unreadable
from simmail.daemon import pdf_process

#: Octets of a PDF that is read at all; PDFs at once; PDFs whose text is kept, for each is wanted more than once.
LARGEST, AT_ONCE, KEPT = 10 * 1024 * 1024, 2, 64


class PdfReader:
    """
    A C{ReadPdf}.

    @param reactor: C{IReactorProcess} and C{IReactorTime}.
    """

    def __init__(self, reactor: IReactorProcess) -> None:
        self._reactor = reactor
        self._turn = Lock(IReactorTime(reactor), AT_ONCE)
        self._known: Lru[bytes, str] = Lru(KEPT)

    async def __call__(self, octets: bytes) -> str:
        """Return the text of a PDF, or a remark in brackets on why there is none."""
        if len(octets) > LARGEST:
            return unreadable("it is too large")
        key = sha256(octets).digest()
        async with self._turn:
            found = self._known.use(key)
            if found is None:
                found = await self._read(octets)
                self._known.put(key, found)
        return found

    async def _read(self, octets: bytes) -> str:
        ended: Deferred[tuple[bytes, bytes, int]] = getProcessOutputAndValue(
            sys.executable, ("-I", pdf_process.__file__), {"LC_ALL": "C"}, reactor=self._reactor, stdinBytes=octets)
        # A signal is what the operating system ends it with.
        text, _, status = await ended.addErrback(lambda failure: (b"", b"", pdf_process.TOO_MUCH))
        return unreadable(pdf_process.STATUSES[status]) if status else text.decode("utf-8")
