"""What stands in front of a listener's factory and decides who comes to it."""

from __future__ import annotations

from typing import Any

from twisted.internet.protocol import ServerFactory


class Front(ServerFactory):
    """
    Begins and ends with the factory behind it, and goes by its name.

    @param factory: makes the protocols of connections.
    """

    noisy = False

    def __init__(self, factory: Any) -> None:
        self._factory = factory

    def logPrefix(self) -> str:
        """Return what Twisted writes of the listener."""
        name: str = self._factory.logPrefix()
        return name

    def doStart(self) -> None:
        """Let the factory know that the port listens."""
        self._factory.doStart()

    def doStop(self) -> None:
        """Let the factory know that it does not any more."""
        self._factory.doStop()

    def buildProtocol(self, addr: Any) -> Any:
        """Let one more connection in."""
        return self._factory.buildProtocol(addr)
