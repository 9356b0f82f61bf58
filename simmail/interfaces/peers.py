"""
The seams to the other processes of a service, or servers of an installation, each of which owns some of its universes.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from zope.interface import Attribute, Interface


class Handover(Struct, frozen=True):
    """
    How a connection goes on that is given to another process.

    @ivar listener: at which it was made, as C{endpoints.json} names it; remote: the address of the client.
    @ivar octets: what came of it and is still to be done, in front of what is yet to come.
    @ivar secure: TLS is on, and another process sees to it.
    @ivar state: what its protocol knows of it; hops: how often it was given away for the same command.
    """

    listener: str
    remote: str
    octets: bytes
    secure: bool = False
    state: dict[str, Any] = {}
    hops: int = 0


class IPeers(Interface):
    """The other processes of the service."""

    number = Attribute("of this process, from 0, or the name of this server")
    apart = Attribute("bool: the others are servers of their own, and tell of their health themselves.")

    def owner(name):
        """Number (or name) of who has a universe, by the id by which that is placed (C{UniverseRecord.placed})."""

    def mine(name):
        """Whether that is this process."""

    def ask(question, *arguments):
        """
        Deferred of what each of the others answers (C{MailServer.answers}), None for each that does not.

        Those that just begin are waited for a moment.
        """

    def ask_owner(name, question, *arguments):
        """Deferred of what the process answers that has a universe; fails with C{Unavailable}, or as that refuses."""

    def give(owner, transport, direct, handover):
        """
        Give a connection to another process, which goes on with it.

        @param transport: of the connection, whose protocol is told that it is lost.
        @param direct: nothing is between the client and the protocol, and nothing is left to be sent.
        @return: Deferred that fires when it is given; fails with C{Unavailable} when the other one is away, and the
            connection is as it was.
        """


class INodes(IPeers):
    """The other servers of an installation; what is in its documents of who has what is told here."""

    reached = Attribute("str: host:port at which this one is reached by the others.")
    placed = Attribute("Mapping[str, str]: by the ids by which universes are placed, the names of servers.")
    servers = Attribute("Mapping[str, str]: by its name, where each server is reached: all there were, this one too.")

    def ask_node(name, question, *arguments, patience=2.0):
        """Deferred of what a server answers, by its name; fails with C{Unavailable}, or as that refuses."""

    def alive():
        """Return the names of the servers that can be reached, and of this one: a set."""

    def place(name, octets):
        """Take in the document that says who has a universe: a server in JSON, None for one that is gone."""

    def meet(name, octets):
        """Take in where a server is reached: C{host:port} in JSON, None for one that is gone."""
