"""Quoting dialects, and telling new text from quoted."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mailparser_reply import EmailReplyParser
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.compose.quoting import quote
from simmail.core.html.text import render
from simmail.core.language_data import LANGUAGES, WRITTEN
from simmail.core.message.parse import read
from simmail.core.message.splitting import split_reply
from tests.core.hostile import seconds

CLIENTS = ("gmail", "outlook", "apple", "iphone", "android", "plain")

ORIGINAL = read(
    b"From: Maria Lopez <maria@a.test>\r\nTo: Bob <bob@b.test>\r\nCc: c@d.test\r\nSubject: Offer\r\n"
    b"Date: Tue, 3 Mar 2026 09:00:00 +0100\r\n\r\nHello Bob,\r\n\r\nhere it is.\r\n> old\r\n\r\nMaria\r\n")

NEW = "Hi Maria,\n\nthanks, on Monday? It costs < 5.\n\nSee https://x.test/a?b=1&c=2.\n\nBob"


class DialectTests(SynchronousTestCase):
    """What each client puts below."""

    def test_attributions(self) -> None:
        """The line that introduces the original, in English, German, French and Spanish."""
        for client, english, german, french, spanish in (
            ("gmail", "On Tue, Mar 3, 2026 at 9:00 AM Maria Lopez <maria@a.test> wrote:",
             "Am Di., 3. März 2026 um 09:00 Uhr schrieb Maria Lopez <maria@a.test>:",
             "Le mar. 3 mars 2026 à 09:00, Maria Lopez <maria@a.test> a écrit :",
             "El mar, 3 mar 2026 a las 09:00, Maria Lopez <maria@a.test> escribió:"),
            ("outlook", "Sent: Tuesday, March 3, 2026 9:00 AM", "Gesendet: Dienstag, 3. März 2026 09:00",
             "Envoyé : mardi 3 mars 2026 09:00",
             "Enviado: martes, 3 de marzo de 2026 09:00"),
            ("apple", "> On 3 Mar 2026, at 09:00, Maria Lopez <maria@a.test> wrote:",
             "> Am 03.03.2026 um 09:00 schrieb Maria Lopez <maria@a.test>:",
             "> Le 3 mars 2026 à 09:00, Maria Lopez <maria@a.test> a écrit :",
             "> El 3 mar 2026, a las 09:00, Maria Lopez <maria@a.test> escribió:"),
            ("android", "On March 3, 2026 9:00:00 AM GMT+01:00, Maria Lopez <maria@a.test> wrote:",
             "Am 3. März 2026 09:00:00 GMT+01:00 schrieb Maria Lopez <maria@a.test>:",
             "Le 3 mars 2026 09:00:00 GMT+01:00, Maria Lopez <maria@a.test> a écrit :",
             "El 3 de marzo de 2026 09:00:00 GMT+01:00, Maria Lopez <maria@a.test> escribió:"),
            ("plain", "On Tue, Mar 03, 2026 at 09:00:00AM +0100, Maria Lopez <maria@a.test> wrote:",
             "Am 03.03.2026 um 09:00 schrieb Maria Lopez <maria@a.test>:",
             "Le 03/03/2026 à 09:00, Maria Lopez <maria@a.test> a écrit :",
             "El 03/03/2026 a las 09:00, Maria Lopez <maria@a.test> escribió:"),
        ):
            self.assertIn(f"\n{english}\n", quote(client, NEW, ORIGINAL)[0])
            self.assertIn(f"\n{german}\n", quote(client, NEW, ORIGINAL, language="de")[0])
            self.assertIn(f"\n{french}\n", quote(client, NEW, ORIGINAL, language="fr")[0])
            self.assertIn(f"\n{spanish}\n", quote(client, NEW, ORIGINAL, language="es")[0])

    def test_languages(self) -> None:
        """Each language that mail is written in has its own phrases; any other, known or not, has those of English."""
        for client in CLIENTS:
            said = [quote(client, NEW, ORIGINAL, language=code) for code in WRITTEN]
            self.assertEqual(len(set(said)), len(WRITTEN), client)
            for code in {*LANGUAGES, "xx", "../en"} - set(WRITTEN):
                self.assertEqual(quote(client, NEW, ORIGINAL, language=code), quote(client, NEW, ORIGINAL), code)
        dates = [replace(ORIGINAL, date=datetime(2026, 1 + n % 12, 1 + n, tzinfo=timezone.utc)) for n in range(28)]
        for code in WRITTEN:
            self.assertEqual(len({quote("outlook", NEW, one, language=code)[0] for one in dates}), 28, code)

    def test_apart_again(self) -> None:
        """In every language and client, what was written is told from what is quoted, with a date and without."""
        for language in ("en", "de", "fr", "es"):
            for client in CLIENTS:
                for original in (ORIGINAL, replace(ORIGINAL, date=None)):
                    text = quote(client, NEW, original, language=language)[0]
                    self.assertEqual(split_reply(text)[0], NEW, (language, client))

    def test_french_block(self) -> None:
        """Outlook's block in French, a blank before each colon."""
        self.assertIn(
            "\nDe : Maria Lopez <maria@a.test>\nEnvoyé : mardi 3 mars 2026 09:00\nÀ : Bob <bob@b.test>\n"
            "Cc : <c@d.test>\nObjet : Offer\n", quote("outlook", "Bonjour", ORIGINAL, language="fr")[0])

    def test_gmail(self) -> None:
        """All of Gmail's plain body."""
        self.assertEqual(quote("gmail", "Hi", ORIGINAL)[0], (
            "Hi\n\nOn Tue, Mar 3, 2026 at 9:00 AM Maria Lopez <maria@a.test> wrote:\n\n"
            "> Hello Bob,\n>\n> here it is.\n> > old\n>\n> Maria\n"))

    def test_gmail_wraps(self) -> None:
        """Gmail breaks a long attribution once."""
        original = replace(ORIGINAL, from_=ORIGINAL.from_._replace(name="Maria Magdalena Lopez de la Cruz"))
        self.assertIn("Maria Magdalena Lopez de la Cruz\n<maria@a.test> wrote:\n", quote("gmail", "Hi", original)[0])

    def test_outlook(self) -> None:
        """Outlook's block, and the original without marks below it."""
        self.assertEqual(quote("outlook", "Hi", ORIGINAL)[0], (
            "Hi\n\n________________________________\nFrom: Maria Lopez <maria@a.test>\n"
            "Sent: Tuesday, March 3, 2026 9:00 AM\nTo: Bob <bob@b.test>\nCc: <c@d.test>\nSubject: Offer\n\n"
            "Hello Bob,\n\nhere it is.\n> old\n\nMaria\n"))

    def test_html(self) -> None:
        """The marks of each program, the new text as its own paragraphs with links; plain has none."""
        for client, marks in (
            ("gmail", ('<div dir="ltr">', 'class="gmail_quote"', 'class="gmail_attr"')),
            ("outlook", ('class="MsoNormal"', "border-top:solid #E1E1E1", "<b>From:</b>")),
            ("apple", ('<blockquote type="cite">', "Apple-interchange-newline")),
            ("iphone", ('<body dir="auto">', '<blockquote type="cite">')), ("android", ('class="gmail_quote"',)),
        ):
            html = quote(client, NEW, ORIGINAL)[1]
            for mark in (*marks, '<a href="https://x.test/a?b=1&amp;c=2">https://x.test/a?b=1&amp;c=2</a>.', "&lt; 5"):
                self.assertIn(mark, html, client)
            text = render(html)
            self.assertEqual(split_reply(text)[0].split(), NEW.split(), text)
            self.assertIn("here it is.", text)
        self.assertEqual(quote("plain", NEW, ORIGINAL)[1], "")

    def test_without_original(self) -> None:
        """A mail that quotes nothing is the new text, in both forms."""
        for client in CLIENTS:
            text, html = quote(client, NEW, None)
            self.assertEqual(text, NEW + "\n")
            self.assertEqual(render(html).split() if html else [], NEW.split() if client != "plain" else [], client)

    def test_zone_and_missing_date(self) -> None:
        """When it came is told, in the zone of who answers; a mail of unknown date is still attributed."""
        came = datetime(2026, 3, 4, 17, tzinfo=timezone(timedelta(hours=-5)))
        for original in (ORIGINAL, replace(ORIGINAL, date=None)):
            self.assertIn("Mar 4, 2026 at 5:00 PM", quote("gmail", "Hi", original, at=came)[0])
        text = quote("gmail", "Hi", replace(ORIGINAL, date=None))[0]
        self.assertIn("On an earlier day, Maria Lopez <maria@a.test> wrote:", text)
        self.assertEqual(split_reply(text)[0], "Hi")
        self.assertNotIn("Sent:", quote("outlook", "Hi", replace(ORIGINAL, date=None))[0])

    def test_hours(self) -> None:
        """Noon and midnight by the twelve-hour clock."""
        for hour, told in ((0, "12:00 AM"), (12, "12:00 PM"), (13, "1:00 PM")):
            original = replace(ORIGINAL, date=datetime(2026, 3, 3, hour, tzinfo=timezone.utc))
            self.assertIn(told, quote("gmail", "Hi", original)[0])

    def test_markup_in_the_original(self) -> None:
        """Names, subjects and texts of others are text in our HTML."""
        evil = replace(ORIGINAL, from_=ORIGINAL.from_._replace(name="<b>x</b>"), subject="<script>",
                       text="<script>y</script>", html="<p onclick=x>a<script>y</script></p>")
        for client in CLIENTS[:-1]:
            for forward in (False, True):
                html = quote(client, "Hi", evil, forward=forward)[1]
                for markup in ("<script", "<b>x", "onclick"):
                    self.assertNotIn(markup, html, client)

    def test_html_originals(self) -> None:
        """An original in HTML is quoted as HTML, cleaned."""
        original = replace(ORIGINAL, html="<style>x</style><p style='color: red; top: 0'>It is <b>here</b></p>")
        for client in CLIENTS[:-1]:
            self.assertIn('<p style="color: red">It is <b>here</b></p>', quote(client, "Hi", original)[1])

    def test_long_originals(self) -> None:
        """Only so much is quoted."""
        for client in CLIENTS:
            text, html = quote(client, "Hi", replace(ORIGINAL, text="x " * 1_000_000, html="<p>x " * 1_000_000))
            self.assertLess(len(text) + len(html), 2_000_000)


class SplitTests(SynchronousTestCase):
    """What is new."""

    def test_dialects(self) -> None:
        """The new text comes back from every dialect, answered or passed on; the library for it agrees."""
        for language in ("en", "de"):
            for client in CLIENTS:
                for forward in (False, True):
                    text = quote(client, NEW, ORIGINAL, forward=forward, language=language)[0]
                    new, quoted = split_reply(text)
                    self.assertEqual(new, NEW, text)
                    self.assertIn("here it is.", quoted)
                    if not forward:
                        self.assertEqual(EmailReplyParser(languages=[language]).parse_reply(text), NEW, text)

    @given(st.lists(st.sampled_from([
        "Hello", "on Monday", "I wrote to you:", "", "From here on", "- a list", "Best,", "Bob", "-- ", "wrote:",
        "To: be, or not", "On second thought, yes:", "https://x.test/", "5 > 3",
    ]), min_size=1, max_size=12).map("\n".join), st.sampled_from(CLIENTS), st.sampled_from(["en", "de"]))
    @settings(max_examples=200)
    def test_recovered(self, new: str, client: str, language: str) -> None:
        """Prose that only looks a little like an attribution stays."""
        new = new.strip("\n")
        assume(new)
        self.assertEqual(split_reply(quote(client, new, ORIGINAL, language=language)[0])[0], new)

    def test_nested(self) -> None:
        """An answer to an answer is one answer and the rest."""
        text = ""
        for client in (*CLIENTS, *CLIENTS):
            text = quote(client, "Answer", replace(ORIGINAL, text=text or "First"))[0]
            self.assertEqual(split_reply(text)[0], "Answer")

    def test_places(self) -> None:
        """Below, in between, above, or nothing quoted at all."""
        for text, new in (
            ("Only this.", "Only this."), ("", ""), ("> a\n> b\n\nBelow", "Below"),
            ("On 3 Mar 2026, at 09:00, M <m@a.test> wrote:\n> a\n\nyes\n\n> b\n\nno", "yes\nno"),
            ("Yes\n\nOn Tue, Mar 3, 2026 at 9:00 AM M\n<m@a.test>\nwrote:\n\n> a", "Yes"),
            ("Yes\n-----Original Message-----\nFrom: M\nSent: x\n\na", "Yes"),
            ("Ja\n\nVon: M <m@a.test>\nGesendet: gestern\nAn: B\nBetreff: x\n\na", "Ja"),
            ("Yes\n\n*From:* M\n*Sent:* x\n*To:* B\n\na", "Yes"),
            ("Le 3 mars 2026 à 09:00, M a écrit :\n> a", ""),
            ("On Monday I wrote:\nsomething", "On Monday I wrote:\nsomething"),
            ("From: the desk\nof Bob", "From: the desk\nof Bob"),
        ):
            self.assertEqual(split_reply(text)[0], new, text)

    @given(st.text(alphabet="On wrote:>\n<@.a1-_FrmSentTo ", max_size=300))
    @settings(max_examples=200)
    def test_any_text(self, text: str) -> None:
        """No line is lost and none is made up."""
        new, quoted = split_reply(text)
        self.assertEqual(sorted(line for line in f"{new}\n{quoted}".split("\n") if line.strip()),
                         sorted(line for line in text.split("\n") if line.strip()))

    def test_cost(self) -> None:
        """A megabyte of near attributions takes a moment."""
        for unit in ("On 1 wrote x:\n", "On 1\n", "From: a\n", ">\n", "> On 1 @ wrote\n", "-----\n",
                     "wrote: " * 50 + "\n", "\n"):
            self.assertLess(seconds(split_reply, unit * (1_000_000 // len(unit))), 3.0, unit[:20])
