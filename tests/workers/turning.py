"""A reactor in memory whose connections are real sockets, and which turns when it is told to."""

from __future__ import annotations

import os
import select
import socket
from typing import Any

from twisted.internet.tcp import Connection
from twisted.internet.testing import MemoryReactorClock
from twisted.python.failure import Failure


class TurningReactor(MemoryReactorClock):
    """
    C{IReactorFDSet}, C{IReactorSocket}, C{IReactorTime}, C{IReactorProcess}.

    @ivar processes: what was asked to be started: C{(protocol, arguments)}.
    """

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[tuple[Any, list[str]]] = []

    def adopt(self, made: socket.socket, protocol: Any) -> Connection:
        """Have a protocol at one end of a connection."""
        made.setblocking(False)
        transport = Connection(made, protocol, self)
        transport.connected = True
        transport.startReading()
        protocol.makeConnection(transport)
        return transport

    def adoptStreamConnection(self, fileDescriptor: int, addressFamily: int, factory: Any) -> None:
        """C{IReactorSocket}."""
        self.adopt(socket.socket(addressFamily, fileno=os.dup(fileDescriptor)), factory.buildProtocol(None))

    def spawnProcess(self, processProtocol: Any, executable: str, args: Any = (), *more: Any, **options: Any) -> None:
        """C{IReactorProcess}."""
        self.processes.append((processProtocol, list(args)))

    def turn(self) -> None:
        """Do all that can be done now."""
        while True:
            # Not select(), which knows the first 1,024 descriptors only.
            ready = select.poll()
            for one in {*self.readers, *self.writers}:
                ready.register(one, select.POLLIN * (one in self.readers) | select.POLLOUT * (one in self.writers))
            found = dict(ready.poll(0))
            over = select.POLLHUP | select.POLLERR
            read = [one for one in self.readers if found.get(one.fileno(), 0) & (select.POLLIN | over)]
            write = [one for one in self.writers if found.get(one.fileno(), 0) & (select.POLLOUT | over)]
            if not read and not write:
                return
            for one, does in (*((one, one.doRead) for one in read), *((one, one.doWrite) for one in write)):
                why = does()
                if why is not None:
                    one.connectionLost(Failure(why))
