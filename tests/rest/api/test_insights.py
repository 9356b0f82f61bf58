"""Insights and shares over HTTP."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

from simmail.config import Config, Http
from simmail.core.rules.quota_plan import Plan, SELF_HOSTED
from simmail.rest.site import api_site
from simmail.testing.universe import now, turned
from tests.rest.client import Answer, ask
from tests.rest.served import ServedTestCase


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, octets: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(octets.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """A text."""
        self.texts.append(data.strip())


class InsightsTests(ServedTestCase):
    """GET /api/insights."""

    def test_report(self) -> None:
        """All that is promised, of the days that are asked for."""
        self.persona()
        self.write(subject="Maria, invoice 4711")
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        found = self.good("GET", "/api/insights", role="viewer")
        self.assertEqual(list(found), [
            "from", "to", "total", "campaigns", "by_day", "by_temperament", "by_domain", "application"])
        self.assertEqual(list(found["total"]), [
            "sent", "delivered", "bounced", "bounced_by_kind", "deferred", "junked", "ignored", "replied",
            "auto_replied", "clicked", "clicks", "unsubscribed", "reply_rate", "median_reply", "p90_reply",
            "spam_score", "broken_links"])
        self.assertEqual(list(found["application"]), [
            "received", "answered", "unanswered", "median_first_answer", "duplicate_replies",
            "replies_to_automatic_mail", "loops", "wrong_thread", "answered_spam"])
        (campaign,) = found["campaigns"]
        self.assertEqual({**campaign, **found["total"]}, campaign)
        self.assertEqual((campaign["sender"], campaign["subject"], campaign["replied"]),
                         ("app@sim.test", "invoice", 1))
        self.assertEqual(len(found["by_day"]), 30)

    def test_days(self) -> None:
        """From 1 to 366, else 400 that names them."""
        for days in ("1", "366"):
            self.assertEqual(len(self.good("GET", f"/api/insights?days={days}")["by_day"]), int(days))
        for days in ("0", "367", "-1", "x", "1.5", ""):
            self.assertIn("days", self.bad(400, "GET", f"/api/insights?days={days}"))

    def test_plan(self) -> None:
        """The plan has it, now that it is served; without it every call is 402, the shared page too."""
        self.assertIn("insights", self.good("GET", "/api/plan")["features"])
        path = self.good("POST", "/api/insights/shares", {"title": "News"})["path"]
        self.server.plans.update({"self-hosted": SELF_HOSTED, "bare": Plan("bare")})
        now(self.server.roster.change_org("default", plan="bare"))
        for method, one in (("GET", "/api/insights"), ("GET", "/api/insights/shares"), ("POST", "/api/insights/shares"),
                            ("DELETE", "/api/insights/shares/shr_x"), ("GET", path), ("GET", path + ".json")):
            self.assertEqual(self.bad(402, method, one), "the plan bare does not include insights")


class ShareTests(ServedTestCase):
    """Shares, and what whoever has the address sees."""

    def shared(self, title: str = "March <b>mailing</b>", **fields: Any) -> str:
        """The path of a new share."""
        made = self.good("POST", "/api/insights/shares", {"title": title, **fields}, "member")
        self.assertEqual(made["path"], f"/share/{made['token']}")
        path: str = made["path"]
        return path

    def look(self, path: str, **headers: str) -> Answer:
        """What somebody without a key gets."""
        return ask(self.site, "GET", path, headers=headers)

    def test_listed(self) -> None:
        """Made, listed and revoked; what is revoked is not there."""
        path = self.shared(days=7)
        (share,) = self.good("GET", "/api/insights/shares", role="viewer")
        self.assertEqual(share, {"token": path[7:], "title": "March <b>mailing</b>", "days": 7,
                                 "created": "2026-03-02T09:00:00Z"})
        self.assertEqual(self.good("DELETE", f"/api/insights/shares/{path[7:]}"), {"status": "deleted"})
        self.bad(404, "DELETE", f"/api/insights/shares/{path[7:]}")
        self.assertEqual(self.good("GET", "/api/insights/shares"), [])
        self.assertEqual((self.look(path).status, self.look(path + ".json").status), (404, 404))
        self.assertEqual(self.look(path + ".json").error, "there is no such share")

    def test_refused(self) -> None:
        """A title is needed, of a length that is read; days are those of a report."""
        for body, field in (({}, "title"), ({"title": ""}, "title"), ({"title": "x" * 201}, "title"),
                            ({"title": "a\nb"}, "title"), ({"title": "x", "days": 0}, "days"),
                            ({"title": "x", "days": 367}, "days"), ({"title": "x", "colour": 1}, "colour")):
            self.assertIn(field, self.bad(400, "POST", "/api/insights/shares", body))
        self.assertEqual(self.good("GET", "/api/insights/shares"), [])

    def test_json(self) -> None:
        """The report as it is now, without any address, and without the names of people."""
        path = self.shared()
        self.persona(name="Maria Rossi")
        self.write(subject="Maria, invoice 4711 for app@sim.test", text="Secret words?")
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        answer = self.look(path + ".json")
        found = answer.json()
        self.assertEqual((list(found), found["title"], found["universe"]),
                         (["title", "universe", "insights"], "March <b>mailing</b>", "main"))
        report = found["insights"]
        self.assertEqual({**self.good("GET", "/api/insights"), "campaigns": report["campaigns"]}, report)
        (campaign,) = report["campaigns"]
        self.assertEqual((campaign["sender"], campaign["subject"]), ("sim.test", "invoice for"))
        for octets in (answer.body, self.look(path).body):
            for word in (b"@", b"Maria", b"Rossi", b"4711", b"Secret"):
                self.assertNotIn(word, re.sub(rb"<style>.*</style>", b"", octets, flags=re.DOTALL), word)

    def test_page(self) -> None:
        """A page that runs nothing and fetches nothing; all that others wrote is text in it."""
        path = self.shared()
        self.persona()
        self.write(subject="Now <script>alert()</script> &amp; more")
        answer = self.look(path)
        headers = answer.headers
        self.assertEqual((answer.status, headers["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertEqual((headers["cache-control"], headers["referrer-policy"]), ("no-store", "no-referrer"))
        self.assertIn("noindex", headers["x-robots-tag"])
        page = Page(answer.body)
        names = {tag for tag, _ in page.tags}
        self.assertFalse(names & {"script", "img", "link", "iframe", "form", "object", "b", "i", "a"}, names)
        for tag, attributes in page.tags:
            self.assertFalse({"style", "src", "href", "onload"} & set(attributes), tag)
        self.assertIn("March <b>mailing</b>", page.texts)
        self.assertIn("Now <script>alert()</script> &amp; more", page.texts)
        (style,) = re.findall(rb"<style>(.*?)</style>", answer.body, re.DOTALL)
        hashed = b64encode(sha256(style).digest()).decode()
        self.assertEqual(headers["content-security-policy"], (
            f"default-src 'none'; style-src 'sha256-{hashed}'; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"))
        self.assertNotRegex(style, rb"url\(|@import")

    def test_figures(self) -> None:
        """What the page says is what the report says."""
        path = self.shared()
        self.assertIn("No mail was sent in this period.", Page(self.look(path).body).texts)
        self.persona()
        self.write()
        self.good("PUT", "/api/recipients", {"status": {"full@acme.test": "full"}})
        self.write("full@acme.test")
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        page = Page(self.look(path).body)
        for text in ("2 March 2026", "1 of 2", "1 of 1 delivered", "Lunch?", "acme.test", "Mailbox full"):
            self.assertTrue(any(text in one for one in page.texts), (text, page.texts))

    def test_gone(self) -> None:
        """Who has a wrong address is told on a page, in the same words whatever is wrong with it."""
        path = self.shared()
        answers = [self.look(one) for one in (path[:-1], path + "x", "/share/shr_", "/share/%F0%9F%98%80")]
        self.assertEqual({one.status for one in answers}, {404})
        self.assertEqual(len({one.body for one in answers}), 1)
        self.assertIn("This report is not shared", Page(answers[0].body).texts)
        self.assertEqual(answers[0].headers["cache-control"], "no-store")

    def test_everywhere(self) -> None:
        """A share of any universe is found; one whose organisation is suspended is not shown."""
        self.server.universe("other")
        self.keys["other"] = now(self.server.roster.create_key("other", "admin", "other"))
        path = self.good("POST", "/api/insights/shares", {"title": "Theirs"}, "other")["path"]
        self.assertEqual(self.look(path + ".json").json()["universe"], "other")
        self.bad(404, "DELETE", f"/api/insights/shares/{path[7:]}")
        now(self.server.roster.change_org("default", suspended=True))
        self.assertEqual((self.look(path).status, self.look(path + ".json").status), (403, 403))

    def test_again(self) -> None:
        """A reset leaves no figures but the shares, a fork has the figures but no shares, a restore has both again."""
        path = self.shared()
        self.persona()
        self.write()
        snapshot = self.good("POST", "/api/snapshots", {})["id"]
        self.write()

        def sent() -> int:
            count: int = self.look(path + ".json").json()["insights"]["total"]["sent"]
            return count

        self.assertEqual(sent(), 2)
        fork = self.good("POST", f"/api/snapshots/{snapshot}/fork", {})
        self.assertEqual(self.good("GET", "/api/insights/shares", role=fork["key"]), [])
        self.assertEqual(self.good("GET", "/api/insights", role=fork["key"])["total"]["sent"], 1)
        self.assertEqual(self.look(path + ".json").json()["universe"], "main")
        self.good("POST", "/api/reset", {})
        self.assertEqual(sent(), 0)
        self.good("POST", f"/api/snapshots/{snapshot}/restore")
        self.assertEqual(sent(), 1)
        self.write(subject="Again")
        self.assertEqual(sent(), 2)

    def test_away(self) -> None:
        """While Redis is away the page says so, and when to come again."""
        path = self.shared()
        self.server.database.set_healthy(False)
        for one in (path, path + ".json"):
            answer = self.look(one)
            self.assertEqual((answer.status, answer.headers["retry-after"]), (503, "2"))


class RateTests(ServedTestCase):
    """How often an address may look."""

    config = Config(http=Http(rate=0, console_rate=1, console_burst=3))

    def test_limited(self) -> None:
        """As for other pages that are open to everyone; guessing counts as well."""
        site = api_site(self.config, self.server.roster, self.server.reactor)
        path = self.good("POST", "/api/insights/shares", {"title": "News"})["path"]
        answers = [ask(site, "GET", one) for one in (path, path + "x", path + ".json", path, path + ".json")]
        self.assertEqual([one.status for one in answers], [200, 404, 200, 429, 429])
        self.assertEqual((answers[0].headers["ratelimit-remaining"], answers[3].headers["retry-after"]), ("2", "1"))
        self.server.reactor.advance(1)
        self.assertEqual(ask(site, "GET", path).status, 200)
