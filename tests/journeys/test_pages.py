"""The pages, in a real browser."""

from __future__ import annotations

import re
import time
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.core.htmlvectors import VECTORS
from tests.journeys.browsing import SOON, VIEWS, Visit, browser
from tests.journeys.running import DEMO, JourneyCase, Service, message, until

expect.set_options(timeout=SOON)


class PageTests(JourneyCase):
    """What people do with the dashboard."""

    def test_tour(self) -> None:
        """The tour to Maria's answer, which is answered; mail of the World, scored; a fault, a share, the console."""
        service = self.service(DEMO)
        service.start()
        with browser() as opened:
            visit = Visit(opened, service)
            begin = time.monotonic()
            visit.sign_in()
            page = visit.page
            page.get_by_role("button", name="Show me").click()
            page.locator(".pointed").click()
            page.get_by_role("button", name="Leave the tour").click()
            expect(page.locator(".tour, .pointed")).to_have_count(0)
            page.get_by_role("button", name="Tour", exact=True).click()
            # What it points at is all there is to press; the list shows the answer by itself.
            for step in ("New mail", "Send it", "by a day", "her answer"):
                expect(page.locator(".tour")).to_contain_text(step)
                page.locator(".pointed").click()
            frame = page.frame_locator("iframe")
            expect(frame.locator("body")).to_contain_text("12:30")
            self.assertLess(time.monotonic() - begin, 120)
            self.assertEqual(page.locator("iframe").get_attribute("sandbox"),
                             "allow-popups allow-popups-to-escape-sandbox")
            page.keyboard.press("r")
            expect(page.locator("dialog [name=subject]")).to_have_value("Re: Lunch on Friday?")
            page.fill("dialog [name=text]", "See you then!")
            page.click("dialog button[type=submit]")
            expect(page.locator("dialog")).to_have_count(0)
            page.get_by_role("button", name="Close").click()
            visit.go("start")
            expect(page.locator(".events .told", has_text="Maria Rossi answered app@sim.test")).to_be_visible()
            expect(page.locator(".tour, .invitation, .pointed")).to_have_count(0)
            self._check_world(visit, service)
            visit.go("faults")
            page.get_by_role("searchbox").fill("out of storage")
            expect(page.locator(".cards li")).to_have_count(1)
            card = page.locator(".cards li", has_text="Gmail: inbox out of storage")
            card.get_by_role("button").click()
            expect(page.locator(".rules li")).to_have_count(1)
            with service.smtp() as session:
                session.ehlo()
                session.mail("app@sim.test")
                self.assertEqual(session.rcpt("maria@acme.test")[0], 452)
            page.reload()
            expect(page.locator(".rules .badge")).to_contain_text("1")
            visit.go("recipients")
            tester = page.locator("form", has=page.get_by_role("button", name="What would happen?"))
            self._fill(tester, {"address": "maria@acme.test"})
            tester.get_by_role("button").click()
            expect(page.locator("[role=status]", has_text="Refused")).to_contain_text("452 4.2.2")
            visit.go("insights")
            page.fill("[name=title]", "This week")
            page.get_by_role("button", name="Make a share").click()
            shared = page.get_by_role("link", name="This week").get_attribute("href")
            signed_out = opened.new_context().new_page()
            signed_out.goto(shared or "")
            expect(signed_out.locator("h1")).to_contain_text("This week")
            self._check_console(Visit(opened, service))
            self.assertEqual((visit.problems, visit.asked), ([], []))
            self._check_first_load(opened, service)

    def _check_world(self, visit: Visit, service: Service) -> None:
        """Mail of the World is answered in time and scored, with the way to both."""
        service.good("PUT", "/api/world", {"company": {"name": "Shop", "inboxes": ["app@sim.test"]}, "streams": [
            {"id": "customers", "kind": "inquiry"}]})
        page = visit.go("world")
        page.get_by_role("button", name="Send one now").click()
        row = page.get_by_role("region", name="What it sent").locator("tbody tr")
        expect(row).to_contain_text("answer by")
        row.get_by_role("link").click()
        expect(page.locator(".reading h2")).to_be_visible()
        page.get_by_role("button", name="Reply").first.click()
        page.fill("dialog [name=text]", "Thank you for asking. Yes, we have it, and it costs 120.00 EUR.")
        page.click("dialog button[type=submit]")
        expect(page.locator("dialog")).to_have_count(0)
        page.get_by_role("button", name="+1 w").click()
        expect(page.locator(".notice")).to_contain_text("The clock stands at")
        visit.go("score")
        part = page.locator(".part", has_text="Mail that wants an answer got one")
        expect(part.locator("summary strong")).to_have_text("1.00")
        part.locator("summary").click()
        expect(part.locator("li")).to_contain_text("was answered after")
        part.get_by_role("link", name="the answer").click()
        expect(page.locator(".reading pre")).to_contain_text("120.00 EUR")

    def _check_console(self, visit: Visit) -> None:
        """The console calls as the demo, signed out."""
        page = visit.page
        page.goto(f"{visit.base}/docs")
        page.fill("#filter", "/api/personas")
        page.locator("#calls").get_by_text("/api/personas", exact=True).first.click()
        page.get_by_role("button", name="Run").click()
        expect(page.locator("#status")).to_contain_text("200 in")
        expect(page.locator("#answer pre")).to_contain_text('"name"')
        # What a parameter and a field of a body are stands beside them, with default and bounds.
        page.fill("#filter", "/api/clock/advance")
        page.locator("#calls").get_by_text("/api/clock/advance", exact=True).click()
        page.get_by_text("Fields of the body").click()
        expect(page.locator("#form table")).to_contain_text("a duration of simulated time, such as 2h")
        page.fill("#filter", "/api/insights")
        page.locator("#calls").get_by_text("/api/insights", exact=True).click()
        expect(page.locator("#form .hint")).to_contain_text("how many simulated days")
        expect(page.locator("#form .hint")).to_contain_text("default 30, from 1, to 366")
        # An answer that may have either of two forms is shown in both.
        page.fill("#filter", "/api/wait")
        page.locator("#calls").get_by_text("/api/wait", exact=True).click()
        expect(page.get_by_role("heading", name="Example of an answer")).to_have_count(2)
        self.assertEqual((visit.problems, visit.asked), ([], []))

    def _check_first_load(self, opened: Any, service: Service) -> None:
        """What comes before anybody has done anything is small, and soon seen."""
        paints = []
        for _ in range(3):
            visit = Visit(opened, service)
            visit.sign_in()
            expect(visit.page.locator(".events")).to_be_visible()
            octets = visit.page.evaluate("performance.getEntriesByType('resource').concat(performance.getEntriesByType("
                                         "'navigation')).reduce((sum, one) => sum + one.encodedBodySize, 0)")
            self.assertTrue(10_000 < octets < 100_000, octets)
            paints.append(visit.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            visit.context.close()
        # Milliseconds; the machine may be busy with other things now and then.
        self.assertLess(min(paints), 1000)

    def test_forms(self) -> None:
        """What is typed into forms is what the API has then; what no field shows stays, what is empty is not sent."""
        service = self.service()
        service.start()
        service.good("PUT", "/api/world", {"company": {"name": "Shop", "inboxes": ["hello@shop.test"]}, "streams": [
            {"id": "orders", "kind": "order", "injection": 0.25, "cap_per_day": 9}]})
        with browser() as opened:
            visit = Visit(opened, service)
            visit.sign_in()
            page = visit.go("people/new")
            self._fill(page, {"name": "Ada Byron", "addresses": "ada@acme.test", "style.length": "short",
                              "style.typos": "0.1", "timing.delay.median": "45m", "timing.hours.tz": "Europe/Berlin",
                              "role": "Buyer"})
            self._add(page, "Out of office", {"from": "2026-12-20", "to": "2027-01-03", "message": "Skiing."})
            self._add(page, "Ids elsewhere", {"system": "crm", "id": "C-1"})
            page.click("form .main")
            expect(page.get_by_role("heading", name="Ada Byron")).to_be_visible()
            made = next(one for one in service.good("GET", "/api/personas") if one["name"] == "Ada Byron")
            timing = {"delay": {"median": "45m"}, "hours": {"tz": "Europe/Berlin"}, "ooo": [
                {"from": "2026-12-20", "to": "2027-01-03", "message": "Skiing."}]}
            self.assertEqual((made["timing"], made["external_ids"]), (timing, {"crm": "C-1"}))
            self.assertEqual((made["style"]["length"], made["style"]["typos"]), ("short", 0.1))
            self.assertNotIn("behaviors", made)
            # What Ada tells of herself.
            expect(page.locator("dl.facts").last).to_contain_text("working hours")
            visit.go(f"people/{made['id']}/edit")
            self._fill(page, {"role": "", "wants": "Peace and quiet", "timing.delay.median": "2h"})
            page.click("form .main")
            expect(page.locator("dl.facts").first).to_contain_text("Peace and quiet")
            edited = service.good("GET", f"/api/personas/{made['id']}")
            expected = {**made, "wants": "Peace and quiet", "timing": {**timing, "delay": {"median": "2h"}}}
            del expected["role"]
            self.assertEqual(edited, expected)
            visit.go("cases/new")
            self._fill(page, {"title": "Invoice 7", "keys": "INV-7"})
            self._add(page, "Facts", {"name": "amount", "value": "12"})
            self._add(page, "People", {"persona_id": made["id"], "knows": "all"})
            page.click("form .main")
            expect(page.get_by_role("heading", name="Invoice 7")).to_be_visible()
            case = service.good("GET", "/api/cases")[0]
            self.assertEqual((case["facts"], case["people"], case["keys"]), (
                {"amount": 12}, [{"persona_id": made["id"], "knows": "all"}], ["INV-7"]))
            visit.go("recipients")
            self._fill(page, {"bad_rate": "0.5"}, "default.")
            self._add(page, "Rules of domains", {"domain": "full.test", "fail_at": "rcpt"})
            self._add(page, "Addresses whose outcome is forced", {"address": "no@full.test", "kind": "full"})
            page.locator("form", has=page.locator("[name='default.create']")).locator(".main").click()
            # A notice may still be that of the form before.
            until(lambda: service.good("GET", "/api/recipients")["default"]["bad_rate"] == 0.5)
            rules = service.good("GET", "/api/recipients")
            self.assertEqual(rules["status"], {"no@full.test": "full"})
            self.assertEqual((rules["domains"]["full.test"]["fail_at"], rules["domains"]["full.test"]["create"]),
                             ("rcpt", True))
            visit.go("world")
            page.get_by_role("button", name="Edit").click()
            self._fill(page, {"per_day": "3", "mix.new": "1", "cap_per_day": ""})
            page.click("dialog .main")
            expect(page.locator("dialog")).to_have_count(0)
            stream = service.good("GET", "/api/world")["streams"][0]
            self.assertEqual((stream["per_day"], stream["mix"]["new"], stream["cap_per_day"], stream["injection"]),
                             (3, 1, None, 0.25))
            visit.go("faults")
            page.get_by_role("button", name="New rule").click()
            self._fill(page, {"name": "office", "kind": "defer", "stage": "rcpt", "window.days": "mon-fri",
                              "window.from": "09:00", "window.to": "17:00"})
            page.click("dialog .main")
            expect(page.locator("dialog")).to_have_count(0)
            self.assertEqual(service.good("GET", "/api/faults")[0]["window"], {
                "days": "mon-fri", "from": "09:00", "to": "17:00"})
            visit.go("admin/orgs")
            self._fill(page, {"id": "shop", "plan": "free"})
            page.get_by_role("button", name="Add").click()
            expect(page.get_by_role("row", name="shop")).to_contain_text("free")
            visit.go("nowhere")
            page.get_by_role("main").get_by_role("link", name="Start").click()
            expect(page.get_by_role("heading", name="Start")).to_be_visible()
            self.assertEqual((visit.problems, visit.asked), ([], []))

    @staticmethod
    def _fill(scope: Any, values: dict[str, str], within: str = "") -> None:
        for name, value in values.items():
            field = scope.locator(f"[name='{within}{name}']").last
            if field.evaluate("(element) => element.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)

    def _add(self, page: Any, legend: str, values: dict[str, str]) -> None:
        rows = page.locator("fieldset", has=page.get_by_text(legend, exact=True))
        rows.get_by_role("button", name="Add").click()
        self._fill(rows, values)

    def test_views(self) -> None:
        """Every view opens, wide and on a phone, in the read-only demo too; axe-core finds nothing serious on it."""
        service = self.service({**DEMO, "http": {"rate": 0, "console_rate": 0}})
        service.start()
        self.assertGreater(len(VIEWS), 15)
        with service.smtp() as session:
            session.sendmail("app@sim.test", ["maria@acme.test"], message(
                "app@sim.test", "maria@acme.test", "Lunch?", "Could we meet for lunch on Friday at 12:30?"))
        service.good("POST", "/api/clock/advance", {"by": "1d"})
        maria = service.good("GET", "/api/personas")[0]["id"]
        found = []
        with browser() as opened:
            for options, universe in (({}, "main"), ({"viewport": {"width": 360, "height": 740},
                                                      "color_scheme": "dark"}, "demo")):
                visit = Visit(opened, service, **options)
                visit.sign_in()
                for view in VIEWS:
                    page = visit.go(view, universe)
                    expect(page.locator(f"#view.view-{view}")).to_be_visible()
                    expect(page.locator("#view .loading")).to_have_count(0)
                    expect(page.locator("#view h1").first).to_be_attached()
                    wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1")
                    self.assertFalse(wide, f"{view} is wider than the window")
                self.assertEqual((visit.problems, visit.asked), ([], []))
                visit.context.close()
            # The policy of the pages lets no script in but their own; the examiner is no attacker.
            visit = Visit(opened, service, bypass_csp=True)
            visit.sign_in()
            for view in [*VIEWS, "mail/app@sim.test/INBOX/1", "people/new", f"people/{maria}",
                         f"people/{maria}/memory", "cases/new", "admin/keys"]:
                page = visit.go(view)
                expect(page.locator("#view .loading")).to_have_count(0)
                page.wait_for_timeout(50)
                for one in Axe().run(page).response["violations"]:
                    if one["impact"] in ("serious", "critical"):
                        found.append((view, one["id"], [node["html"][:120] for node in one["nodes"][:3]]))
        self.assertEqual(found, [])

    def test_attacks(self) -> None:
        """A hundred ways to run a script, opened: none runs, none leaves the service."""
        service = self.service()
        service.start()
        vectors = VECTORS[:100]
        self.assertEqual(len(vectors), 100)
        for n, vector in enumerate(vectors):
            attack = vector.replace("alert(", "parent.postMessage('ran','*')||window.ran(")
            subject = re.sub(r"[\x00-\x1f]", " ", f"{n} {attack[:60]}")
            raw = message("evil@attack.test", "app@sim.test", subject, f"<html><body>{attack}</body></html>",
                          MIME_Version="1.0", Content_Type="text/html; charset=utf-8")
            service.good("POST", "/api/inject", {"to": "app@sim.test", "raw": raw.decode()})
        with browser() as opened:
            # A small window is drawn sooner.
            visit = Visit(opened, service, viewport={"width": 960, "height": 400})
            page = visit.page
            page.add_init_script("window.canary = []; window.ran = () => canary.push('ran'); window.stopped = [];"
                                 "addEventListener('securitypolicyviolation',"
                                 " (event) => stopped.push(event.effectiveDirective));"
                                 "addEventListener('message', (event) => canary.push(event.data));"
                                 "window.alert = window.ran;")
            visit.sign_in()
            for n in range(len(vectors)):
                visit.go(f"mail/app@sim.test/INBOX/{n + 1}")
                expect(page.locator(".reading h2")).to_contain_text(f"{n} ")
                expect(page.frame_locator("iframe").locator("body")).to_be_attached()
            self.assertEqual(page.evaluate("canary"), [])
            self.assertEqual((visit.asked, page.evaluate("stopped")), ([], []))
            # Were one to get into the page itself: the policy stops what it does, and says so.
            page.evaluate("""async () => {
                const image = new Image(), script = document.createElement("script");
                for (const attempt of [
                    () => { document.body.innerHTML = "<img src=x onerror=ran()>"; }, () => { script.text = "ran()"; },
                    () => { image.src = "https://x.test/a.png"; },
                    () => { script.src = "https://x.test/a.js"; }, () => fetch("https://x.test/"),
                    () => { document.body.setAttribute("onclick", "ran()"); document.body.click(); },
                ]) { try { await attempt(); } catch (refused) { /* as it should be */ } }
            }""")
            until(lambda: page.evaluate("stopped.length") >= 6)
            self.assertEqual(set(page.evaluate("stopped")), {
                "require-trusted-types-for", "img-src", "connect-src"})
            self.assertEqual(page.evaluate("canary"), [])
