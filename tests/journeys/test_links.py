"""People who open links: a site next to the service, mail over SMTP, a moved clock, and what was asked of the site."""

from __future__ import annotations

import time
from typing import Any

from tests.journeys.reaching import reach, wrong
from tests.journeys.running import JourneyCase, Service, message, until
from tests.journeys.site import Site
from tests.stopwatch import Stopwatch

NINE = "2026-03-02T09:00:00Z"
APP = "app@shop.test"
LOGIN = "Your orders</title><form method=post><input type=email><input type=password></form><title>"


class LinkTests(JourneyCase):
    """The one road out."""

    def site(self, pages: dict[str, tuple[int, str, float]] | None = None) -> Site:
        """A site, closed at the end."""
        made = Site(pages)
        self.addCleanup(made.close)
        return made

    def lab(self, config: dict[str, Any] | None = None, people: int = 1) -> tuple[Service, str]:
        """A service with a frozen universe, people who open all they may, and its key."""
        service = self.service(config)
        service.start()
        key = service.universe("lab", NINE)
        for n in range(people):
            service.good("POST", "/api/personas", {
                "name": f"Maria {n}", "addresses": [f"maria{n}@acme.test"], "temperament": "responsive",
                "style": {"links": "curious"}, "timing": {"reply_rate": 1}}, key=key)
        return service, key

    def mail(self, service: Service, text: str, n: int = 0, **fields: str) -> None:
        """A mail of the application."""
        with service.smtp() as session:
            to = f"maria{n}@acme.test"
            session.sendmail(APP, [to], message(APP, to, f"News {n}", text, **fields))

    def test_opened(self) -> None:
        """Links of a test site are opened, and what was found is told in events, the reply, memory and the mail log."""
        site = self.site({
            "/welcome": (200, "Welcome at the shop", 0), "/go": (302, "/landed?x=1", 0),
            "/landed?x=1": (200, "Landed", 0), "/gone": (410, "Gone", 0),
        })
        closet = self.site({"/secret": (200, "Secret", 0)})
        site.pages["/away"] = (302, f"http://127.0.0.1:{closet.port}/secret", 0)
        service, key = self.lab({"links": {"lab_hosts": [site.place]}}, people=12)
        service.good("PUT", "/api/links", {"max_links": 5, "user_agent": "Reader/1.0"}, key=key)
        for n in range(12):
            self.mail(service, "\r\n".join(
                f"http://{site.place}{path}" for path in ("/welcome", "/go#top", "/gone", "/away")
            ) + f"\r\nhttp://127.0.0.1:{closet.port}/secret http://localhost:{closet.port}/", n)
        self.assertEqual(site.connections, 0)
        advanced = service.good("POST", "/api/clock/advance", {"by": "5d"}, key=key)
        self.assertEqual(advanced["stopped_by"], "to")
        self.assertEqual(closet.connections, 0)
        self.assertLessEqual(set(site.paths), {"/welcome", "/go", "/landed?x=1", "/gone", "/away"})
        hit = site.hits[0]
        self.assertEqual((hit.method, hit.headers["User-Agent"], hit.headers["Host"]),
                         ("GET", "Reader/1.0", site.place))
        self.assertFalse([one for one in site.hits if "Cookie" in one.headers or "Authorization" in one.headers])

        opened = service.events("link.opened", key)
        by_url = {one["data"]["url"].rpartition("/")[2]: one["data"] for one in opened}
        self.assertEqual(sorted(by_url), ["go#top", "gone", "welcome"])
        self.assertEqual((by_url["welcome"]["status"], by_url["welcome"]["title"]), (200, "Welcome at the shop"))
        self.assertEqual(set(by_url["welcome"]), {
            "persona_id", "persona", "url", "text", "message_id", "why", "status", "final_url", "title", "content_type",
            "ms"})
        self.assertEqual((by_url["go#top"]["final_url"], by_url["go#top"]["title"]),
                         (f"http://{site.place}/landed?x=1", "Landed"))
        self.assertEqual(by_url["gone"]["status"], 410)
        self.assertEqual(len([one for one in opened if one["data"]["url"].endswith("/welcome")]),
                         site.paths.count("/welcome"))
        failed = service.events("link.failed", key)
        self.assertEqual({one["data"]["error"] for one in failed}, {"there is no public web server at this address"})
        self.assertEqual({one["data"]["url"] for one in failed}, {f"http://{site.place}/away"})
        self.assertEqual(set(failed[0]["data"]), {
            "persona_id", "persona", "url", "text", "message_id", "why", "error", "ms"})
        skipped = [one["data"] for one in service.events("link.skipped", key)]
        self.assertIn("a testing link to the sender's own machine", {one["why"] for one in skipped})
        # At its due time, before the reply that knows of it.
        jobs = {job["message_id"]: job for job in service.good(
            "GET", "/api/jobs?kind=link&state=done&limit=100", key=key)}
        for one in opened:
            self.assertEqual(one["at"], jobs[one["data"]["message_id"]]["due"])
        for sent in service.events("persona.sent", key):
            if sent["data"]["kind"] == "reply":
                self.assertEqual(sent["data"]["links_opened"], [
                    one["data"]["url"] for one in opened
                    if one["data"]["message_id"] in sent["data"]["answers"]])
        self.assertIn("visited", service.logged())

    def test_unsubscribed(self) -> None:
        """The button of RFC 8058 posts to a real server, once, with nothing that tells who; replies speak of forms."""
        site = self.site({"/u?who=1": (202, "Bye", 0), "/moved": (302, "/u?who=1", 0), "/in": (200, LOGIN, 0)})
        service, key = self.lab({"links": {"lab_hosts": [site.place]}}, people=8)
        service.good("PUT", "/api/links", {"unsubscribe": True}, key=key)
        signed = "v=1; a=rsa-sha256; d=shop.test; s=x; h=From:Subject{}; bh=x; b=x"
        for n, (path, covered) in enumerate((("/u?who=1", ":List-Unsubscribe:List-Unsubscribe-Post"), ("/u?who=1", ""),
                                             ("/moved", None), ("/u?who=1", None))):
            fields = {"List-Unsubscribe": f"<mailto:u@shop.test>, <http://{site.place}{path}>",
                      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
            if covered is not None:
                fields["DKIM-Signature"] = signed.format(covered)
            for person in range(4 * (n % 2), 4 * (n % 2) + 4):
                self.mail(service, "This week's news.", person, **fields)
        for n in range(8):
            self.mail(service, f"Hi Maria, which day suits you? Have a look: http://{site.place}/in", n)
        service.good("POST", "/api/clock/advance", {"by": "5d"}, key=key)
        posted = [one for one in site.hits if one.method == "POST"]
        events = [one["data"] for one in service.events("link.opened", key)]
        pressed = [one for one in events if one["text"] == "Unsubscribe"]
        self.assertGreater(len(pressed), 4)
        self.assertEqual(len(posted), len(pressed))
        for one in posted:
            self.assertEqual(one.body, b"List-Unsubscribe=One-Click")
            self.assertEqual(one.headers["Content-Type"], "application/x-www-form-urlencoded")
            self.assertFalse({"Cookie", "Authorization", "Referer", "Origin"} & set(one.headers))
        # A redirect is not followed: nothing but what was posted came to where it leads.
        self.assertIn("/moved", [one.path for one in posted])
        self.assertNotIn("/u?who=1", [one.path for one in site.hits if one.method == "GET"])
        self.assertEqual({one["status"] for one in pressed}, {202, 302})
        self.assertIn("signature covers List-Unsubscribe", " ".join(
            one["data"]["why"] for one in service.events("link.skipped", key)))
        replies = [one["data"]["text"] for one in service.events("persona.sent", key) if one["data"]["kind"] == "reply"
                   and one["data"]["links_opened"] == [f"http://{site.place}/in"]]
        self.assertRegex("\n".join(replies), "password|login")

    def test_nothing_private(self) -> None:
        """Without being listed, a site on this machine is never connected to, however it is written."""
        site = self.site({"/": (200, "Here", 0)})
        service, key = self.lab()
        service.good("PUT", "/api/links", {"max_links": 100}, key=key)
        port = site.port
        urls = [f"http://{host}:{port}/" for host in (
            "127.0.0.1", "localhost", "LOCALHOST.", "127.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]",
            "0.0.0.0", "127.0.0.1.nip.io")]
        self.mail(service, "\r\n".join(urls))
        service.good("POST", "/api/clock/advance", {"by": "5d"}, key=key)
        self.assertEqual(site.connections, 0)
        told = {one["data"]["url"] for one in service.events("link.skipped,link.failed", key)}
        self.assertEqual(told, set(urls))
        self.assertEqual(service.events("link.opened", key), [])
        answer = service.call("PUT", "/api/links", {"allow_private": True}, key=key)
        self.assertEqual(answer.status, 400)

    def test_promise(self) -> None:
        """S6: no notation leads to this machine, as a link, by redirect or as the domain of a sender."""
        site = self.site()
        service = self.service({"links": {"lab_hosts": [site.place]}})
        service.start()
        self.assertEqual(wrong(reach(service, site)), [])

    def test_slow_site(self) -> None:
        """A site that takes its time holds up neither mail nor the API, and several people wait for it at once."""
        site = self.site({"/slow": (200, "At last", 1.5)})
        service, key = self.lab({"links": {"lab_hosts": [site.place]}}, people=20)
        for n in range(20):
            service.good("PATCH", f"/api/personas/{self.person(service, key, n)}", {"timing": {"reply_rate": 0}},
                         key=key)
            self.mail(service, f"http://{site.place}/slow", n)
        service.good("PUT", "/api/clock", {"speed": 100000, "frozen": False}, key=key)
        whole, slowest = Stopwatch(), 0.0
        while len(service.events("link.opened", key)) < len(service.good(
                "GET", "/api/jobs?kind=link&limit=100", key=key)):
            watch = Stopwatch()
            service.good("GET", "/api/status", key=key)
            self.mail(service, "Anything new?", 0)
            slowest = max(slowest, watch.seconds())
            self.assertLess(whole.seconds(), 40)
        self.assertLess(slowest, 1.0)
        self.assertGreater(len(site.hits), 10)

    def person(self, service: Service, key: str, n: int) -> str:
        """The id of somebody."""
        people = service.good("GET", "/api/personas", key=key)
        return next(one["id"] for one in people if one["name"] == f"Maria {n}")

    def test_stopped_while_reading(self) -> None:
        """Asked to stop while pages are on their way it does not wait for them; the next start reads them."""
        site = self.site({"/slow": (200, "At last", 8.0)})
        service, key = self.lab({"links": {"lab_hosts": [site.place]}}, people=6)
        for n in range(6):
            self.mail(service, f"http://{site.place}/slow", n)
        service.good("PUT", "/api/clock", {"speed": 100000, "frozen": False}, key=key)
        until(lambda: site.hits)
        begin = time.monotonic()
        self.assertEqual(service.stop(), 0)
        self.assertLess(time.monotonic() - begin, 6)
        site.pages["/slow"] = (200, "At once", 0.0)
        service.start()
        until(lambda: service.good("GET", "/api/jobs?kind=link&limit=100", key=key) and all(
            job["state"] == "done" for job in service.good("GET", "/api/jobs?kind=link&limit=100", key=key)))
        self.assertEqual({one["data"]["title"] for one in service.events("link.opened", key)}, {"At once"})
        self.assertEqual(service.events("link.failed", key), [])

    def test_killed_while_reading(self) -> None:
        """Killed between asking for a page and noting what came: it is asked for again, and told of once."""
        site = self.site({"/slow": (200, "At last", 3.0)})
        service, key = self.lab({"links": {"lab_hosts": [site.place]}}, people=6)
        for n in range(6):
            self.mail(service, f"http://{site.place}/slow", n)
        service.good("PUT", "/api/clock", {"speed": 100000, "frozen": False}, key=key)
        deadline = time.monotonic() + 20
        while not site.hits and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertTrue(site.hits)
        service.kill()
        asked = len(site.hits)
        self.assertEqual(asked, site.connections)
        service.start()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and any(
                job["state"] == "pending" for job in service.good("GET", "/api/jobs?kind=link&limit=100", key=key)):
            time.sleep(0.1)
        opened = service.events("link.opened", key)
        told = [one["data"]["persona_id"] for one in opened]
        self.assertEqual(len(told), len(set(told)))
        self.assertGreater(len(told), 0)
        self.assertGreaterEqual(len(site.hits), asked + 1)
