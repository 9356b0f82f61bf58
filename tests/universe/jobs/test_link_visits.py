"""Jobs of kind link: what is asked for, what is told of it, and that it holds nothing up."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from msgspec.structs import replace
from twisted.internet.defer import Deferred, maybeDeferred

from simmail.config import Config, Links
from simmail.core.decide.page_visit import Errand, Visit
from simmail.core.net.egress import NOWHERE
from simmail.core.records.commit import EventQuery
from simmail.core.records.settings import LinkPolicy
from simmail.errors import NotFound
from simmail.testing.universe import MemoryServer, START, now, turned
from simmail.universe.fingerprint import fingerprint
from tests.universe.test_road import MAIL, RoadTestCase, persona

LINKS = b"See https://a.com/1 and https://b.com/2 and https://c.com/3."


class VisitTestCase(RoadTestCase):
    """A universe whose people open everything."""

    policy = LinkPolicy(sender_check=0.0)

    def setUp(self) -> None:
        """A web with two pages, and Maria."""
        super().setUp()
        self.web = self.server.web
        self.web.put("https://a.com/1", "Page one")
        self.web.put("https://b.com/2", "Page two", 404)
        self.universe.settings.links = self.policy
        self.patch_habit()
        self.maria = now(self.universe.people.create(persona(style={"links": "curious"})))

    def patch_habit(self) -> None:
        """Who is curious opens everything, for once."""
        from simmail.core.decide import link_policy

        self.patch(link_policy, "HABITS", (("curious", 1.0),))

    def send(self, text: bytes = LINKS, sender: str = "app@sim.test", fields: bytes = b"") -> None:
        """A mail to Maria."""
        octets = MAIL.replace(b"do you have time for lunch on Friday at 12:30?", b"when do we meet?\n" + text)
        octets = octets.replace(b"app@sim.test", sender.encode())
        self.server.send(self.universe, sender, "maria@acme.test", fields + octets)

    def idle(self) -> None:
        """Let everything happen."""
        turned(self.universe, self.universe.scheduler.advance(until="idle"))

    def told(self, *types: str) -> list[dict[str, Any]]:
        """The data of events."""
        return [event["data"] for event in self.events(*types or ("link.*",))]

    def job(self) -> Any:
        """The link job that is pending."""
        (job,) = (one for one in self.universe.pending.by_id.values() if one.kind == "link")
        return job


class OpeningTests(VisitTestCase):
    """Links of a mail."""

    def test_opened(self) -> None:
        """At its due time each link is opened, in order; then the job is done and says what came of it."""
        self.send()
        job = self.job()
        self.assertEqual(self.web.visited, [])
        self.idle()
        self.assertEqual([one.url for one in self.web.visited],
                         ["https://a.com/1", "https://b.com/2", "https://c.com/3"])
        events = [one for one in self.events() if one["at"] == job.due.isoformat().replace("+00:00", "Z")]
        self.assertEqual([one["type"] for one in events], ["link.opened", "link.opened", "link.failed", "job.done"])
        first, second, third, done = (one["data"] for one in events)
        self.assertEqual((first["url"], first["status"], first["title"], first["persona"], first["message_id"]),
                         ("https://a.com/1", 200, "Page one", "Maria Rossi", "<one@app.test>"))
        self.assertEqual((second["status"], third["error"]), (404, NOWHERE))
        self.assertEqual(done["note"], "opened 1 link, found 2 broken")
        self.assertEqual(now(self.universe.scheduler.job(job.id)).state, "done")
        self.assertEqual(events[0]["persona"]["id"], self.maria.id)

    def test_reply_knows(self) -> None:
        """The reply comes after, and names what was opened."""
        self.send()
        self.idle()
        (sent,) = self.told("persona.sent")
        self.assertEqual(sent["links_opened"], ["https://a.com/1", "https://b.com/2"])
        # Of those that do not open one is complained of.
        self.assertIn("b.com", sent["text"])
        self.assertNotIn("a.com", sent["text"])

    def test_reply_speaks_of_the_page(self) -> None:
        """What a page asks for, or is called, is spoken of, by most people and in their own words."""
        texts = []
        for n in range(10):
            self.web.pages[f"https://a.com/f{n}"] = Visit(200, "https://a.com/", "Sign in", "text/html", form="login")
            fields = persona(addresses=[f"p{n}@acme.test"], style={"links": "curious"})
            now(self.universe.people.create(fields))
            self.server.send(self.universe, "app@sim.test", f"p{n}@acme.test",
                             MAIL + b"See https://a.com/1 and https://a.com/f%d.\n" % n)
        self.idle()
        texts = [sent["text"] for sent in self.told("persona.sent") if sent["kind"] == "reply"]
        told = [text for text in texts if "password" in text or "login" in text]
        self.assertGreater(len(texts), 7)
        self.assertGreater(len(told), len(texts) // 2)
        self.assertNotIn("Page one", "".join(texts))

    def test_reply_does_not_contradict(self) -> None:
        """Nobody says that a broken link worked, or wants to stay on a list just left."""
        for n in range(12):
            fields = persona(addresses=[f"p{n}@acme.test"], style={"links": "curious"})
            now(self.universe.people.create(fields))
            self.server.send(self.universe, "app@sim.test", f"p{n}@acme.test", MAIL.partition(b"Hi Maria")[0].replace(
                b"Lunch on Friday?", b"Reset your password") + b"Reset your password: https://c.com/reset?x=1\n")
        self.idle()
        texts = [sent["text"] for sent in self.told("persona.sent")]
        self.assertEqual(len(texts), 12)
        for text in texts:
            self.assertIn("c.com/reset", text)
            self.assertNotIn("signed in", text)

    def test_left(self) -> None:
        """Who pressed the button is off the list only if the site said so."""
        self.universe.settings.links = replace(self.policy, unsubscribe=True)
        fields = (b"List-Unsubscribe: <https://a.com/u?x=1>\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\n")
        for status, left in ((200, True), (202, True), (405, False), (500, False)):
            self.web.put("https://a.com/u?x=1", "", status)
            self.send(b"", fields=fields)
            reply = next(one for one in self.universe.pending.by_id.values() if one.kind == "reply")
            turned(self.universe, self.universe.scheduler.advance(until="next_job"))
            (visited,) = self.universe.pending.by_id[reply.id].data["visited"]
            self.assertEqual((visited["leaves"], visited["left"]), (True, left), status)
            self.idle()

    def test_reply_comes_after(self) -> None:
        """However quick the reply is, the links are opened before it."""
        for n in range(60):
            fields = persona(addresses=[f"p{n}@acme.test"], style={"links": "curious"})
            fields["timing"]["hours"] = {"tz": "UTC", "days": "mon-fri", "from": "10:00", "to": "11:00"}
            now(self.universe.people.create(fields))
            self.server.send(self.universe, "app@sim.test", f"p{n}@acme.test", MAIL + LINKS)
        jobs = list(self.universe.pending.by_id.values())
        reading = {job.persona_id: job.due for job in jobs if job.kind == "link"}
        for job in jobs:
            if job.kind == "reply":
                self.assertLess(reading[job.persona_id], job.due)

    def test_no_network_draws(self) -> None:
        """What pages answer changes nothing but what is told of them."""
        seen = []
        for status in (200, 404):
            server = MemoryServer()
            server.web.put("https://a.com/1", "x", status)
            self.server, self.universe, self.web = server, server.universe(), server.web
            self.universe.settings.links = self.policy
            now(self.universe.people.create(persona(style={"links": "curious"})))
            self.send(b"See https://a.com/1.")
            self.idle()
            seen.append([(one["type"], one["at"]) for one in self.events()])
        self.assertEqual(seen[0], seen[1])

    def test_same_seed(self) -> None:
        """The same seed, mail and web give the same universe."""
        prints = set()
        for _ in range(2):
            self.setUp()
            self.send()
            self.idle()
            prints.add(now(fingerprint(self.universe)).fingerprint)
        self.assertEqual(len(prints), 1)

    def test_policy_changed_meanwhile(self) -> None:
        """What is forbidden by the time is not opened; switched off, nothing is."""
        self.send()
        self.universe.settings.links = replace(self.policy, deny=("b.com",))
        self.idle()
        self.assertEqual([one.url for one in self.web.visited], ["https://a.com/1", "https://c.com/3"])
        self.assertEqual([(one["url"], one["why"]) for one in self.told("link.skipped")],
                         [("https://b.com/2", "the link policy does not allow this host")])
        self.send(b"https://a.com/1")
        job = self.job()
        self.universe.settings.links = LinkPolicy(enabled=False)
        self.idle()
        self.assertEqual(len(self.web.visited), 2)
        job = now(self.universe.scheduler.job(job.id))
        self.assertEqual((job.state, job.note), ("skipped", "opening links is switched off"))

    def test_paused_and_gone(self) -> None:
        """Who is paused or gone by then opens nothing."""
        self.send()
        now(self.universe.people.patch(self.maria.id, {"paused": True}))
        self.idle()
        self.send()
        now(self.universe.people.delete(self.maria.id))
        self.idle()
        self.assertEqual(self.web.visited, [])

    def test_found_broken(self) -> None:
        """With local_links broken a link to the sender's machine fails, and nobody dials."""
        self.universe.settings.links = replace(self.policy, local_links="broken")
        self.send(b"http://localhost:3000/reset")
        self.idle()
        self.assertEqual(self.web.visited, [])
        (failed,) = self.told()
        self.assertEqual((failed["url"], failed["error"], failed["ms"]),
                         ("http://localhost:3000/reset", "the connection was refused", 0))

    def test_lab(self) -> None:
        """A test site the operator listed is opened."""
        self.server = MemoryServer(Config(links=Links(("localhost:3000",))))
        self.universe, self.web = self.server.universe(), self.server.web
        self.web.put("http://localhost:3000/reset", "Reset")
        now(self.universe.people.create(persona(style={"links": "curious"})))
        self.send(b"http://localhost:3000/reset http://localhost:3001/")
        self.idle()
        self.assertEqual([(one["type"], one["data"]["url"]) for one in self.events("link.opened", "link.skipped")],
                         [("link.skipped", "http://localhost:3001/"), ("link.opened", "http://localhost:3000/reset")])

    def test_unsubscribed(self) -> None:
        """The button of RFC 8058 posts once and replaces links to unsubscribe; only where the policy says so."""
        fields = (b"List-Unsubscribe: <mailto:u@shop.com>,\n <https://a.com/u?x=1>\n"
                  b"List-Unsubscribe-Post: List-Unsubscribe=One-Click\n")
        body = b"Unsubscribe: https://b.com/unsubscribe"
        self.send(body, fields=fields)
        self.idle()
        self.assertEqual(self.web.visited, [])
        self.universe.settings.links = replace(self.policy, unsubscribe=True)
        self.send(body, fields=fields)
        self.idle()
        self.assertEqual([(one.url, one.one_click) for one in self.web.visited], [("https://a.com/u?x=1", True)])
        self.assertEqual(self.told("link.failed")[0]["text"], "Unsubscribe")
        self.assertIn("own button", self.told("link.skipped")[-1]["why"])


class SenderTests(VisitTestCase):
    """Looking up who writes."""

    policy = LinkPolicy(sender_check=1.0)

    def test_looked_up(self) -> None:
        """The site of an unknown sender is looked at, once, and remembered."""
        self.web.put("https://shop.com/", "The Shop")
        self.send(b"", "app@shop.com")
        self.idle()
        (found,) = self.told()
        self.assertEqual({key: found[key] for key in ("domain", "url", "status", "final_url", "title")}, {
            "domain": "shop.com", "url": "https://shop.com/", "status": 200, "final_url": "https://shop.com/",
            "title": "The Shop"})
        self.assertEqual(set(found), {"persona_id", "persona", "domain", "url", "message_id", "reason", "status",
                                      "final_url", "title", "ms"})
        self.assertRegex(found["reason"], r"unknown sender, sender draw 0\.\d\d under 1\.00")
        notes = now(self.universe.memories.memory(self.maria.id))[""]
        self.assertIn("2026-03-02: looked up shop.com: The Shop", notes)
        self.send(b"", "app@shop.com")
        self.idle()
        self.assertEqual(len(self.web.visited), 1)

    def test_plain(self) -> None:
        """A site without TLS is found as well."""
        self.web.pages["https://shop.com/"] = Visit(error="the connection was refused")
        self.web.put("http://shop.com/", "The Shop")
        self.send(b"", "app@shop.com")
        self.idle()
        self.assertEqual([one["url"] for one in self.told()], ["http://shop.com/"])

    def test_imagined(self) -> None:
        """A site that does not exist is made up, and marked as such."""
        self.send(b"", "app@solar-shop.test")
        self.idle()
        (found,) = self.told()
        self.assertEqual(set(found), {
            "persona_id", "persona", "domain", "url", "message_id", "reason", "why", "quality", "error"})
        self.assertEqual((found["quality"], found["error"]), ("imagined", NOWHERE))
        self.assertIn("Solar Shop", found["why"])
        self.assertIn(found["why"], now(self.universe.memories.memory(self.maria.id))[""][-1])

    def test_noticed(self) -> None:
        """Or it is noticed that there is none."""
        self.universe.settings.links = replace(self.policy, missing_site="notice")
        self.send(b"", "app@solar-shop.test")
        self.idle()
        (found,) = self.told()
        self.assertEqual((found["quality"], found["why"]), ("missing", "there is no site at solar-shop.test"))
        self.assertIn("no such site", now(self.universe.memories.memory(self.maria.id))[""][-1])

    def test_forbidden_meanwhile(self) -> None:
        """A sender that must not be looked up any more is left alone."""
        self.send(b"", "app@shop.com")
        self.universe.settings.links = replace(self.policy, deny=("shop.com",))
        self.idle()
        (skipped,) = self.told()
        self.assertEqual((skipped["domain"], self.web.visited), ("shop.com", []))


class WaitingTests(VisitTestCase):
    """The network takes its time."""

    def setUp(self) -> None:
        """Pages come when the test says so."""
        super().setUp()
        self.late: list[Deferred[Visit]] = []
        self.web.pages = {f"https://{one}.com/": self.slow for one in "abcdefghijklmnop"}

    def slow(self, errand: Errand) -> Deferred[Visit]:
        """A page that takes its time."""
        done: Deferred[Visit] = Deferred()
        self.late.append(done)
        return done

    def begin(self, coroutine: Any) -> list[Any]:
        """Begin something; its result is put into the list."""
        result: list[Any] = []
        Deferred.fromCoroutine(coroutine).addBoth(result.append)
        return result

    def answer(self) -> None:
        """All pages that are waited for come."""
        late, self.late = self.late, []
        for one in late:
            one.callback(Visit(200, "https://a.com/", "Here"))

    def people(self, count: int) -> None:
        """So many people get a mail with a link, and never answer."""
        for n in range(count):
            fields = persona(addresses=[f"p{n}@acme.test"], style={"links": "curious"}, timing={"reply_rate": 0.0})
            now(self.universe.people.create(fields))
            self.server.send(self.universe, "app@sim.test", f"p{n}@acme.test",
                             MAIL + b"https://%c.com/\n" % (ord("a") + n % 16))

    def test_clock_waits(self) -> None:
        """The clock stands at the job's due time until the page is there; mail and changes go on meanwhile."""
        self.send(b"https://a.com/")
        due = self.job().due
        moved = self.begin(self.universe.scheduler.advance(by=timedelta(days=1)))
        self.assertEqual(moved, [])
        self.assertEqual(self.universe.clock.now(), due)
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL.replace(b"<one@", b"<two@"))
        self.assertEqual(len(self.told("persona.received")), 2)
        now(self.universe.people.patch(self.maria.id, {"role": "Buyer"}))
        self.answer()
        self.assertEqual(moved[0].stopped_by, "to")
        self.assertEqual(len(self.told("link.opened")), 1)

    def test_together(self) -> None:
        """A long move fetches for several jobs at once, so many and no more; each is told of at its own time."""
        self.people(20)
        dues = sorted(job.due for job in self.universe.pending.by_id.values())
        moved = self.begin(self.universe.scheduler.advance(by=timedelta(days=300)))
        rounds = 0
        while not moved:
            self.assertLessEqual(len(self.late), 8)
            rounds += 1
            self.answer()
        self.assertLess(rounds, 8)
        self.assertEqual(moved[0].jobs_run, 20)
        self.assertEqual([one["at"] for one in self.events("link.opened")],
                         [due.isoformat().replace("+00:00", "Z") for due in dues])

    def test_not_ahead(self) -> None:
        """A move that may stop earlier fetches nothing of what comes later."""
        self.people(5)
        moved = self.begin(self.universe.scheduler.advance(until="next_job"))
        self.assertEqual(len(self.late), 1)
        self.answer()
        self.assertEqual(moved[0].jobs_run, 1)

    def test_skipped_meanwhile(self) -> None:
        """A job that is skipped or moved while its page is on the way is not done."""
        self.people(2)
        first, second = sorted(self.universe.pending.by_id.values(), key=lambda job: job.due)
        moved = self.begin(self.universe.scheduler.advance(by=timedelta(days=300)))
        now(self.universe.scheduler.skip(first.id))
        later = now(self.universe.scheduler.reschedule(second.id, second.due + timedelta(hours=1)))
        self.answer()
        self.assertEqual(moved, [])
        self.answer()
        self.assertEqual(moved[0].jobs_run, 1)
        (event,) = self.events("link.opened")
        self.assertEqual((event["at"], event["data"]["persona_id"]),
                         (later.due.isoformat().replace("+00:00", "Z"), second.persona_id))

    def test_on_the_clocks_own_pace(self) -> None:
        """Without anybody moving the clock the job is done when it is due, others of its time along with it."""
        self.people(12)
        self.begin(self.universe.clock.set(speed=100000.0, frozen=False))
        self.server.reactor.advance(3600 * 24 * 30 / 100000)
        self.assertEqual(len(self.late), 8)
        while self.late:
            self.answer()
        self.assertEqual(len(self.events("link.opened")), 12)

    def test_stopped(self) -> None:
        """When the service ends, what is on the way is broken off and nothing is told; the next does it."""
        self.send(b"https://a.com/")
        moved = self.begin(self.universe.scheduler.advance(by=timedelta(days=1)))
        now(self.universe.stop())
        self.assertEqual(len(moved), 1)
        self.assertEqual(self.told(), [])
        self.assertEqual(self.job().state, "pending")

    def test_replay_misses(self) -> None:
        """A visit that was never recorded fails the job, after three more tries."""
        def missing(errand: Errand) -> Deferred[Visit]:
            done: Deferred[Visit] = Deferred()
            done.errback(NotFound("no visit is recorded"))
            return done

        self.web.pages["https://a.com/"] = missing
        self.send(b"https://a.com/")
        job = self.job()
        self.idle()
        job = now(self.universe.scheduler.job(job.id))
        self.assertEqual((job.state, job.attempts, job.note), ("failed", 4, "no visit is recorded"))
        self.assertEqual(len(self.web.visited), 4)

    def test_killed(self) -> None:
        """After a crash between fetching and noting, the page is fetched again and told of once."""
        self.send(b"https://a.com/")
        self.begin(self.universe.scheduler.advance(by=timedelta(days=1)))
        self.assertEqual(len(self.web.visited), 1)
        server = MemoryServer()
        server.database, server.stores, server.unique = (
            self.server.database, self.server.stores, self.server.unique)
        server.roster = type(server.roster)(
            server.config, server.database, server._store, server.images, server.reactor, maybeDeferred, server.unique,
            server.web, server.endpoints, server.model)
        now(server.roster.start())
        server.roster.begin()
        self.universe = server.roster.universe("main")
        server.web.put("https://a.com/", "Here")
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=1)))
        self.assertEqual(len(server.web.visited), 1)
        self.assertEqual(len(self.told("link.opened")), 1)
        rows = now(self.universe.log.query(EventQuery(after=0, types=("job.done",), limit=10)))
        self.assertEqual(len([row for row in rows if b'"link"' in row]), 1)
        self.assertGreater(self.universe.clock.now(), START)
