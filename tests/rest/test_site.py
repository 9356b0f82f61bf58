"""The site of a running service, put together."""

from __future__ import annotations

from simmail.config import Config, Http, Limits
from simmail.rest.site import UNASKED, api_site
from tests.rest.client import ask
from tests.rest.served import ServedTestCase


class NoFacts:
    """A certificate of which nothing is known."""

    facts = None


class SiteTests(ServedTestCase):
    """What it is told by the wiring."""

    config = Config(http=Http(rate=0, console_rate=0), limits=Limits(json=100_000, message=200_000))

    def test_rooms(self) -> None:
        """A body has as much room as its call: little without a key, more with one, a message's where it is one."""
        for method, path, room in (("POST", "/api/session", UNASKED), ("POST", "/api/personas", 100_000),
                                   ("POST", "/api/send", 200_000), ("PUT", "/api/nope", 100_000)):
            self.assertEqual(self.site.room(method.encode(), path.encode()), room, path)
            answer = self.ask(method, path, {"x": "y" * (room - 8)})
            self.assertEqual((answer.status, answer.error),
                             (413, f"the body is over the limit of {room} octets"))

    def test_listeners(self) -> None:
        """Listeners are told as they are bound; without TLS nothing is said to be secure."""
        endpoints = {"smtp": {"host": "127.0.0.1", "port": 2525}, "imaps": {"host": "::1", "port": 2993}}
        for tls, wanted in ((None, ["none", "none"]), (NoFacts(), ["starttls", "tls"])):
            site = api_site(self.config, self.server.roster, self.server.reactor, tls, endpoints)
            found = ask(site, "GET", "/api/connection", key=self.keys["viewer"]).json()["services"]
            self.assertEqual([(one["name"], one["port"], one["security"]) for one in found],
                             [("SMTP", 2525, wanted[0]), ("IMAPS", 2993, wanted[1])])
