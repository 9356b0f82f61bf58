"""Mail in the pages, in a real browser."""

from __future__ import annotations

import re
from base64 import b64decode

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.journeys.browsing import SOON, Visit, browser
from tests.journeys.running import JourneyCase, message

expect.set_options(timeout=SOON)
#: One red point, as PNG.
PICTURE = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")


def sent(page: Page) -> None:
    """Send the mail that is written."""
    page.click("dialog button[type=submit]")
    expect(page.locator("dialog")).to_have_count(0)


class MailTests(JourneyCase):
    """What people do with mail."""

    def test_letters(self) -> None:
        """A mail with files, what became of it and why, the conversation, forwarding, moving, searching, by keys."""
        service = self.service({"http": {"rate": 0, "console_rate": 0}})
        service.start()
        service.good("PUT", "/api/accounts/app@sim.test/signature", {"signature": "The Shop"})
        with browser() as opened:
            visit = Visit(opened, service)
            visit.sign_in()
            page = visit.go("mail/app@sim.test/INBOX")
            expect(page.locator(".listing .empty")).to_be_visible()
            page.keyboard.press("c")
            expect(page.locator("dialog [name=text]")).to_have_value("\n\n-- \nThe Shop")
            page.fill("dialog [name=to]", "mar")
            choice = page.locator("dialog #f-to-list option")
            expect(choice).to_have_attribute("value", "maria@acme.test")
            page.fill("dialog [name=to]", "maria@acme.test, ghost@sim.test")
            page.fill("dialog [name=bcc]", "secret@sim.test")
            page.fill("dialog [name=subject]", "Lunch on Friday?")
            page.fill("dialog [name=text]", "Hi Maria, could we meet for lunch on Friday at 12:30?")
            page.set_input_files("dialog input[type=file]", [
                {"name": "dot.png", "mimeType": "image/png", "buffer": PICTURE},
                {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"Bring the notes."}])
            # What was typed is not lost by one key.
            page.keyboard.press("Escape")
            page.get_by_label("Discard what you have written?").get_by_role("button", name="Cancel").click()
            expect(page.locator("dialog [name=subject]")).to_have_value("Lunch on Friday?")
            sent(page)
            service.good("POST", "/api/clock/advance", {"by": "2d"})
            visit.go("jobs/done")
            expect(page.locator("tbody tr", has_text="reply").get_by_role("link", name="Maria Rossi")).to_be_visible()
            # Why, for every recipient; the same has an address of its own.
            visit.go("mail/app@sim.test/Sent/1?tab=why")
            story = page.get_by_role("tabpanel")
            expect(story).to_contain_text("answered (reply): Re: Lunch on Friday?")
            expect(story).to_contain_text("got it in the inbox")
            # Instants are told as everywhere, not as the service writes them.
            expect(story).not_to_contain_text(re.compile(r"\dT\d\d:"))
            expect(story.locator("section", has_text="ghost@sim.test")).to_contain_text("Nobody lives at this address")
            story.get_by_role("link", name="Re: Lunch on Friday?").click()
            expect(page).to_have_url(re.compile("app@sim.test/INBOX/1$"))
            # Attachments are small pictures and texts that open.
            visit.go("mail/app@sim.test/Sent/1")
            picture = page.locator(".reading .attachments img")
            expect(picture).to_have_js_property("naturalWidth", 1)
            page.get_by_role("button", name="Open notes.txt, 16 B").click()
            expect(page.locator("dialog pre")).to_have_text("Bring the notes.")
            page.keyboard.press("Escape")
            expect(page.locator("dialog")).to_have_count(0)
            page.get_by_role("tab", name="Inspect").click()
            expect(page.get_by_role("tabpanel")).to_contain_text("DKIM_SIGNED")
            expect(page.get_by_role("tabpanel").locator("select")).to_contain_text("Maria")
            expect(page.locator("h3", has_text="As it looks to Maria")).to_be_visible()
            # To all, and on with what is attached.
            page.keyboard.press("f")
            expect(page.locator("dialog [name=subject]")).to_have_value("Fwd: Lunch on Friday?")
            page.fill("dialog [name=to]", "app@sim.test")
            sent(page)
            visit.go("mail/app@sim.test/INBOX")
            forwarded = page.locator(".listing .row", has_text="Fwd:")
            forwarded.click()
            expect(page.locator(".reading .attachments li")).to_have_count(2)
            # The next takes the place of what was archived.
            page.keyboard.press("e")
            expect(forwarded).to_have_count(0)
            page.keyboard.press("j")
            expect(page.locator(".reading h2")).to_have_text("Re: Lunch on Friday?")
            page.select_option(".reading [name=to]", "Junk")
            page.get_by_role("button", name="Move", exact=True).click()
            expect(page.locator(".listing .empty")).to_be_visible()
            visit.go("mail/app@sim.test/Junk/1")
            page.get_by_role("button", name="Mark unread").click()
            expect(page.locator(".listing .row.unseen")).to_have_count(1)
            page.keyboard.press("j")
            page.select_option(".reading [name=to]", "INBOX")
            page.get_by_role("button", name="Move", exact=True).click()
            # One that nobody sent, and all of a folder gone.
            visit.go("mail/app@sim.test/Drafts")
            page.get_by_role("button", name="Put a message here…").click()
            page.fill("dialog [name=from]", "joe@example.test")
            page.fill("dialog [name=subject]", "By hand")
            sent(page)
            expect(page.locator(".listing .row", has_text="By hand")).to_have_count(1)
            page.get_by_role("button", name="Delete all…").click()
            page.get_by_role("button", name="Delete", exact=True).click()
            expect(page.locator(".listing .empty")).to_be_visible()
            visit.go("mail/app@sim.test/INBOX")
            # The conversation in its order; another of its messages opens in it.
            page.get_by_role("link", name="Conversations").click()
            page.locator(".listing .row", has_text="Maria Rossi").click()
            letters = page.locator(".conversation > li")
            expect(letters).to_have_count(2)
            expect(letters.last.locator("[role=tabpanel]")).to_be_visible()
            letters.first.locator("a.row").click()
            expect(letters.first.locator("[role=tabpanel]")).to_contain_text("could we meet")
            # Everywhere, with the words that there are.
            page.keyboard.press("?")
            expect(page.locator("dialog")).to_contain_text("has:attachment")
            page.keyboard.press("Escape")
            expect(page.locator("dialog")).to_have_count(0)
            page.keyboard.press("/")
            expect(page.locator("#search")).to_be_focused()
            page.keyboard.type("has:attachment from:app")
            page.keyboard.press("Enter")
            expect(page.locator(".listing .row", has_text="maria@acme.test / INBOX")).to_have_count(1)
            expect(page.locator(".listing .row", has_text="secret@sim.test / INBOX")).to_have_count(1)
            self.assertEqual((visit.problems, visit.asked), ([], []))
        self._examine(service)

    def _examine(self, service: object) -> None:
        """axe-core finds nothing serious on any of it."""
        found = []
        with browser() as opened:
            visit = Visit(opened, service, bypass_csp=True)  # type: ignore[arg-type]
            visit.sign_in()
            for view in ("mail/app@sim.test/Sent/1?tab=why", "mail/app@sim.test/Sent/1?tab=inspect",
                         "mail/conversations/app@sim.test", "mail/search/app@sim.test/Sent/1?q=lunch"):
                page = visit.go(view)
                expect(page.locator(".listing .row").first).to_be_visible()
                expect(page.locator("#view .loading")).to_have_count(0)
                for key in ("", "?", "c"):
                    if key:
                        page.keyboard.press(key)
                        expect(page.locator("dialog h3, dialog [name=to]").first).to_be_visible()
                    for one in Axe().run(page).response["violations"]:
                        if one["impact"] in ("serious", "critical"):
                            found.append((view, key, one["id"], [node["html"][:120] for node in one["nodes"][:3]]))
                    page.keyboard.press("Escape")
                    if not key and "search" not in view:
                        break
        self.assertEqual(found, [])

    def test_live(self) -> None:
        """
        Of hundreds of messages a few dozen rows are in the page, wherever one scrolls to; while mail comes, a list that
        is read further below stays where it is, and none of its rows is blank.
        """
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
                grid.evaluate("(element) => { element.scrollTop = 340 * 76; }")
                row = page.locator(".row .subject", has_text="News 60")
                expect(row).to_be_visible()
                before = row.bounding_box()
                page.evaluate("""() => {
                    window.blank = 0;
                    const box = document.querySelector("[role=grid]").getBoundingClientRect();
                    const look = () => {
                        for (const one of document.querySelectorAll("[role=row]")) {
                            const at = one.getBoundingClientRect();
                            const seen = at.bottom > box.top && at.top < box.bottom;
                            if (seen && !one.querySelector(".subject")) blank += 1;
                        }
                        requestAnimationFrame(look);
                    };
                    look();
                }""")
                for n in range(401, 404):
                    session.sendmail("a@news.test", ["app@sim.test"],
                                     message("a@news.test", "app@sim.test", f"News {n}", "-"))
                expect(grid).to_have_attribute("aria-rowcount", "403")
                self.assertEqual((row.bounding_box(), page.evaluate("blank")), (before, 0))
                self.assertLess(page.locator("[role=grid] [role=row]").count(), 60)
                self.assertEqual(visit.problems, [])
