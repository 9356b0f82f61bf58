"""The declaration of a call, and the table of all."""

from __future__ import annotations

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.rest.route import Route
from simmail.rest.routes import HEADINGS, all_routes


class RouteTests(SynchronousTestCase):
    """One route."""

    def route(self, method: str, path: str) -> Route:
        return Route(method, path, lambda call: None, "Does it")  # type: ignore[arg-type]

    def test_named(self) -> None:
        """Its name is made of method and path, also when it is made anew with another."""
        route = self.route("GET", "/api/things/{id}")
        self.assertEqual((route.endpoint, route.names, route.detached), ("GET /api/things/{id}", ("id",), False))
        other = replace(route, method="DELETE")
        self.assertEqual((other.endpoint, other.detached), ("DELETE /api/things/{id}", True))

    def test_rule(self) -> None:
        """Klein is told which names are numbers, and which may hold slashes."""
        self.assertEqual(self.route("GET", "/api/boxes/{address}/messages/{folder}/{uid}/attachments/{n}").rule,
                         "/api/boxes/<address>/messages/<path:folder>/<number:uid>/attachments/<number:n>")
        self.assertEqual(self.route("GET", "/livez").rule, "/livez")


class TableTests(SynchronousTestCase):
    """All routes."""

    def test_once(self) -> None:
        """Each is declared once, under the heading of its file; what is below no heading is hidden."""
        routes = all_routes()
        self.assertEqual(len({one.endpoint for one in routes}), len(routes))
        headings = {module.HEADING for module in HEADINGS}
        for route in routes:
            self.assertTrue(route.hidden if not route.heading else route.heading in headings, route.endpoint)
        self.assertEqual({one.heading for one in routes} - {""}, headings)
