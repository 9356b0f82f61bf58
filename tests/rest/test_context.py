"""Tests for C{simmail.rest.context}: what a call finds where the wiring gave nothing."""

from __future__ import annotations

from typing import Any

import msgspec
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config
from simmail.rest.context import MailListener, Services
from simmail.rest.http.server import Traffic
from simmail.rest.render.list import Listings
from tests.rest.served import ServedTestCase


class ServicesTests(SynchronousTestCase):
    """What all calls share."""

    def services(self) -> Services:
        server: Any = None
        clock: Any = Clock()
        return Services(server, Config(), clock, Traffic(), Listings(clock))

    def test_little(self) -> None:
        """No certificate, no ports, nothing wrong, and work is done at once."""
        services = self.services()
        self.assertIsNone(services.certificate())
        self.assertEqual((services.listeners, services.checks, services.connections()), ((), (), 0))
        self.assertEqual(services.in_thread(lambda: 7), 7)
        self.assertRaises(ZeroDivisionError, services.in_thread, lambda: 1 // 0)

    def test_not_shared(self) -> None:
        """What is kept at hand for one server is not another's; who asks for the same is told the same number."""
        one, other = self.services(), self.services()
        for name in ("showings", "numbers", "awaited", "conversations"):
            self.assertIsNot(getattr(one, name), getattr(other, name), name)
        self.assertRaises(AttributeError, setattr, one, "listeners", ())


class ListenerTests(ServedTestCase):
    """Ports as mail programs are told of them."""

    def test_shown(self) -> None:
        """A listener is told as it is; what is none of its words cannot be said."""
        listener = MailListener("IMAPS", "127.0.0.1", 993, "tls")
        self.assertEqual(msgspec.json.decode(msgspec.json.encode(listener)), {
            "name": "IMAPS", "address": "127.0.0.1", "port": 993, "security": "tls"})
        for bad in ({"name": "POP3"}, {"security": "ssl"}, {"port": "x"}):
            self.assertRaises(msgspec.ValidationError, msgspec.convert, {
                **msgspec.to_builtins(listener), **bad}, MailListener)
        self.assertEqual(self.good("GET", "/api/connection")["services"], [])
