"""The pages, in a real browser."""

from __future__ import annotations

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from simmail.rest.render.assets import assets
from tests.core.htmlvectors import VECTORS
from tests.journeys.browsing import SOON, Visit, browser
from tests.journeys.running import JourneyCase, message

VIEWS = re.findall(r"^  (\w+): view\(", assets()["app/views.js"].octets.decode(), re.MULTILINE)
expect.set_options(timeout=SOON)


class PageTests(JourneyCase):
    """What people do with the dashboard."""

    def test_tour(self) -> None:
        """Sign in, write to Maria, move the clock, see the answer arrive, open and answer it; a fault, a share."""
        service = self.service()
        service.start()
        with browser() as opened:
            visit = Visit(opened, service)
            visit.sign_in()
            page = visit.page
            expect(page.get_by_role("heading", name="Start")).to_be_visible()
            page = visit.go("mail")
            page.get_by_role("button", name="New mail").click()
            page.fill("dialog [name=to]", "maria@acme.test")
            page.fill("dialog [name=subject]", "Lunch on Friday?")
            page.fill("dialog [name=text]", "Hi Maria, could we meet for lunch on Friday at 12:30?")
            page.click("dialog button[type=submit]")
            expect(page.locator("dialog")).to_have_count(0)
            page.get_by_role("button", name="+1 day").click()
            # The list shows it without anybody having asked again.
            answer = page.locator(".listing .row", has_text="Re: Lunch on Friday?")
            answer.click()
            frame = page.frame_locator("iframe")
            expect(frame.locator("body")).to_contain_text("12:30")
            self.assertEqual(page.locator("iframe").get_attribute("sandbox"),
                             "allow-popups allow-popups-to-escape-sandbox")
            page.keyboard.press("r")
            expect(page.locator("dialog [name=subject]")).to_have_value("Re: Lunch on Friday?")
            page.fill("dialog [name=text]", "See you then!")
            page.click("dialog button[type=submit]")
            expect(page.locator("dialog")).to_have_count(0)
            visit.go("faults")
            card = page.locator(".cards li", has_text="Gmail: inbox out of storage")
            card.get_by_role("button").click()
            expect(page.locator(".rules li")).to_have_count(1)
            with service.smtp() as session:
                session.ehlo()
                session.mail("app@sim.test")
                self.assertEqual(session.rcpt("maria@acme.test")[0], 452)
            page.reload()
            expect(page.locator(".rules .badge")).to_contain_text("1")
            visit.go("insights")
            page.fill("[name=title]", "This week")
            page.get_by_role("button", name="Make a share").click()
            shared = page.get_by_role("link", name="This week").get_attribute("href")
            signed_out = opened.new_context().new_page()
            signed_out.goto(shared or "")
            expect(signed_out.locator("h1")).to_contain_text("This week")
            self.assertEqual((visit.problems, visit.asked), ([], []))

    def test_views(self) -> None:
        """Every view opens for an administrator and in the read-only demo, wide and on a phone, without a complaint."""
        service = self.service({"http": {"rate": 0, "console_rate": 0}})
        service.start()
        self.assertGreater(len(VIEWS), 15)
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
            visit = Visit(opened, service)
            page = visit.page
            page.add_init_script("window.canary = []; window.ran = () => canary.push('ran');"
                                 "addEventListener('message', (event) => canary.push(event.data));"
                                 "window.alert = window.ran;")
            visit.sign_in()
            for n in range(len(vectors)):
                visit.go(f"mail/app@sim.test/INBOX/{n + 1}")
                expect(page.locator(".reading h2")).to_contain_text(f"{n} ")
                expect(page.frame_locator("iframe").locator("body")).to_be_attached()
            self.assertEqual(page.evaluate("canary"), [])
            self.assertEqual(visit.asked, [])

    def test_long_list(self) -> None:
        """Of thousands of messages a few dozen rows are in the page, wherever one scrolls to."""
        service = self.service()
        service.start()
        with service.smtp() as session:
            for n in range(1, 401):
                session.sendmail("a@news.test", ["app@sim.test"],
                                 message("a@news.test", "app@sim.test", f"News {n}", "-"))
        with browser() as opened:
            visit = Visit(opened, service)
            visit.sign_in()
            page = visit.go("mail/app@sim.test/INBOX")
            grid = page.get_by_role("grid")
            expect(grid).to_have_attribute("aria-rowcount", "400")
            expect(page.locator(".row .subject").first).to_have_text("News 400")
            grid.evaluate("(element) => { element.scrollTop = element.scrollHeight; }")
            expect(page.locator(".row .subject").last).to_have_text("News 1")
            self.assertLess(page.locator("[role=grid] [role=row]").count(), 60)
            self.assertEqual(visit.problems, [])

    def test_accessible(self) -> None:
        """axe-core finds nothing serious on any view."""
        service = self.service()
        service.start()
        with service.smtp() as session:
            session.sendmail("app@sim.test", ["maria@acme.test"], message(
                "app@sim.test", "maria@acme.test", "Lunch?", "Could we meet for lunch on Friday at 12:30?"))
        service.good("POST", "/api/clock/advance", {"by": "1d"})
        found = []
        with browser() as opened:
            # The policy of the pages lets no script in but their own; the examiner is no attacker.
            visit = Visit(opened, service, bypass_csp=True)
            visit.sign_in()
            for view in [*VIEWS, "mail/app@sim.test/INBOX/1", "people/new", "admin/keys"]:
                page = visit.go(view)
                expect(page.locator("#view .loading")).to_have_count(0)
                page.wait_for_timeout(50)
                for one in Axe().run(page).response["violations"]:
                    if one["impact"] in ("serious", "critical"):
                        found.append((view, one["id"], [node["html"][:120] for node in one["nodes"][:3]]))
        self.assertEqual(found, [])
