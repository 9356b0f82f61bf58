"""What spam rules look at, and the rules, each by an example."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.mime.address import Address
from simmail.core.rules.spam import SpamScore, score
from simmail.core.rules.spam_rules import LOOKED_AT, RULES, UNSEEN, letter
from tests.core.scenes import APP, MARIA, attached, mail


def judged(text: str = "Hello", sender: str = APP, recipient: str = MARIA, **fields: Any) -> SpamScore:
    """The score of a mail."""
    return score(mail(text, **fields), sender, recipient)


def fired(found: SpamScore) -> set[str]:
    """The names of the rules that fired."""
    return {rule.name for rule in found.rules}


LINKED = '<a href="{}">{}</a>'
CROWD = tuple(Address("", f"a{n}@x.test") for n in range(25))
PROSE = "We would like to tell you about the meeting of next week and what will be on the table there. "

#: rule: (a mail that it catches, one much like it that it does not).
EXAMPLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "GTUBE": ({"text": "x XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X x"}, {"text": "GTUBE"}),
    "SUBJECT_CAPS": ({"subject": "READ THIS AT ONCE"}, {"subject": "NATO and the EU meet"}),
    "SUBJECT_MARKS": ({"subject": "Win $$$ now!"}, {"subject": "It works!"}),
    "SUBJECT_MISSING": ({"subject": " "}, {"subject": "x"}),
    "SUBJECT_FAKE_REPLY": ({"subject": "Re: offer"}, {"subject": "Re: offer", "in_reply_to": "<1@x>"}),
    "FROM_MISSING": ({"from_": Address("A", "")}, {}),
    "FROM_NAME_ADDRESS": ({"from_": Address("service@bank.example", "x@evil.example")},
                          {"from_": Address("alice@app.test", "alice@app.test")}),
    "FROM_DIGITS": ({"from_": Address("", "win84736251@x.test")}, {"from_": Address("", "orders2026@x.test")}),
    "BRAND_ELSEWHERE": ({"from_": Address("PayPal Service", "x@pay-check.test")},
                        {"from_": Address("American Express", "x@mail.american-express.test")}),
    "FORGED_MAILER": ({"headers": (("X-Mailer", "Microsoft Outlook Express 6.00"),)},
                      {"headers": (("X-Mailer", "Microsoft Outlook Express 6.00"), ("X-MimeOLE", "Produced By"))}),
    "REPLY_TO_FREE": ({"reply_to": (Address("", "x@gmail.com"),)}, {"reply_to": (Address("", "help@other.test"),)}),
    "SENDER_DIFFERS": ({"sender": "b@elsewhere.test"}, {"sender": "b@bounces.app.test"}),
    "NOT_ADDRESSED": ({"to": (Address("", "x@y.test"),)}, {"to": ()}),
    "SHOUTING": ({"text": PROSE.upper() * 2}, {"text": PROSE + "NASA"}),
    "EXCLAIMING": ({"text": "Look!!!"}, {"text": "Look! Here!"}),
    "OBFUSCATED": ({"text": "V1agra"}, {"text": "Via Appia"}),
    "MILLIONS": ({"text": "the sum of US$18,500,000.00 (Eighteen)"}, {"text": "$5,000 or EUR 12,001.00, EUR 9.999,00"}),
    "REPLICA": ({"text": "Replica watches, Rolex from $199"}, {"text": "a replica of the ship"}),
    "LOTTERY": ({"text": "You\u2019ve won"}, {"text": "We won the match"}),
    "ADVANCE_FEE": ({"text": "I am a barrister, you are next of kin"}, {"text": "my kind regards to your kin"}),
    "PHARMACY": ({"text": "cheap viagra"}, {"text": "the pharmacy is open"}),
    "QUICK_MONEY": ({"text": "make money fast"}, {"text": "the money came fast"}),
    "CRYPTO": ({"text": "guaranteed returns"}, {"text": "the returns department"}),
    "LOAN": ({"text": "no credit check"}, {"text": "please check the credit note"}),
    "ADULT": ({"text": "hot singles near you"}, {"text": "hot soup"}),
    "GAMBLING": ({"text": "online casino"}, {"text": "we meet at the casino"}),
    "EXTORTION": ({"text": "I recorded you with your webcam"}, {"text": "the meeting was recorded"}),
    "HURRY": ({"text": "Act now, limited time"}, {"text": "There is no hurry"}),
    "PHISHING": ({"text": "Verify your account: https://evil.example/x"},
                 {"text": "Verify your account: https://www.app.test/x and http://localhost/y"}),
    "LINK_MISMATCH": ({"html": LINKED.format("https://evil.example/", "www.bank.example")},
                      {"html": LINKED.format("https://www.bank.example/", "login.bank.example")}),
    "LINK_NUMBER": ({"text": "http://8.8.8.8/x"}, {"text": "http://127.0.0.1:3000/x http://192.168.0.4/"}),
    "LINK_SHORTENED": ({"text": "https://bit.ly/x"}, {"text": "https://bit.ly.app.test/x"}),
    "LINK_CREDENTIALS": ({"text": "https://bank.example@evil.example/"}, {"text": "https://a.test/?x=a@b.test"}),
    "LINK_FOREIGN": ({"text": "https://xn--pple-43d.example/"}, {"text": "https://apple.example/"}),
    "MANY_LINKS": ({"text": " ".join(f"https://a{n}.test/" for n in range(20))},
                   {"text": " ".join(f"https://a{n}.test/" for n in range(20)) + PROSE * 20}),
    "IMAGE_ONLY": ({"text": "Look", "html": "<img src=x>"}, {"text": PROSE, "html": "<img src=x>"}),
    "HTML_ONLY": ({"format": "html", "html": "<p>x"}, {"format": "both", "html": "<p>x"}),
    "HTML_HIDDEN": ({"html": '<p style="font-size: 0px">x'}, {"html": '<p style="font-size: 10px">x'}),
    "HTML_FORM": ({"html": "<form><input type='password'></form>"}, {"html": "<p>a form</p>"}),
    "ATTACHED_PROGRAM": ({"attachments": (attached("invoice.pdf.exe"),)}, {"attachments": (attached("exe.pdf"),)}),
    "ATTACHED_MACROS": ({"attachments": (attached("Report.DOCM"),)}, {"attachments": (attached("r.docx"),)}),
    "NO_WAY_OUT": ({"text": "newsletter: special offer"}, {"text": "newsletter: special offer. Unsubscribe: x"}),
    "UNSUBSCRIBE_HEADER": ({"headers": (("List-Unsubscribe", "<mailto:x@y.test>"),)}, {}),
    "CROWD": ({"to": CROWD}, {"to": CROWD[:3]}),
    "CONVERSATION": ({"in_reply_to": "<1@x>", "references": ("<1@x>",)}, {"in_reply_to": "<1@x>"}),
}


class RuleTests(SynchronousTestCase):
    """Each rule."""

    def test_every_rule(self) -> None:
        """Each rule fires on its example, tells what it saw, and does not fire on what is much like it."""
        self.assertEqual(set(EXAMPLES), {rule.name for rule in RULES})
        self.assertGreaterEqual(len(RULES), 30)
        for name, (caught, passed) in EXAMPLES.items():
            rules = [rule for rule in judged(**caught).rules if rule.name == name]
            self.assertEqual(len(rules), 1, name)
            self.assertTrue(rules[0].score and rules[0].description, name)
            self.assertNotIn(name, fired(judged(**passed)), name)

    def test_advertising(self) -> None:
        """Advertising without a way out is seen in every language that has words for it, and so is the way out."""
        for text, way in (
            ("Shop now: a special offer for you.", "You can opt out at any time."),
            ("Jetzt bestellen: 20 % Rabatt im Schlussverkauf!", "Hier abbestellen."),
            ("Profitez de notre offre spéciale.", "Pour ne plus recevoir ces messages, écrivez-nous."),
            ("Compra ahora con descuento.", "Puede darse de baja aquí."),
        ):
            self.assertIn("NO_WAY_OUT", fired(judged(text)), text)
            self.assertNotIn("NO_WAY_OUT", fired(judged(f"{text} {way}")), text)

    def test_described(self) -> None:
        """Names are unique and every rule says what it is about."""
        self.assertEqual(len({rule.name for rule in RULES}), len(RULES))
        self.assertTrue(all(rule.description for rule in RULES))

    def test_only_unsubscribing_and_conversations_take_off(self) -> None:
        """Everything else adds."""
        for name, (caught, _) in EXAMPLES.items():
            for rule in judged(**caught).rules:
                if rule.name == name:
                    self.assertEqual(rule.score < 0, name in ("UNSUBSCRIBE_HEADER", "CONVERSATION"), name)


class TextTests(SynchronousTestCase):
    """What rules look at."""

    def test_seen(self) -> None:
        """Letters nobody sees hide no words, and are counted; apostrophes are straight; white space is one blank."""
        one = letter(mail("fr\u200bee vi\u00adagra\n\n  it\u2019s", subject="ACT now"), "A@B.test", "C@D.test")
        self.assertEqual((one.low, one.unseen, one.words), ("act now free viagra it's", 2, 3))
        self.assertEqual((one.envelope_sender, one.recipient), ("a@b.test", "c@d.test"))

    def test_links_and_headers(self) -> None:
        """Hosts of links, and the first value of each header field."""
        one = letter(mail("see http://A.site/x and mailto:b@c.test", headers=(("X-A", "1"), ("x-a", "2"))), "", "")
        self.assertEqual((one.hosts[0], one.headers), ("a.site", {"x-a": "1"}))

    @given(st.text(st.sampled_from("aB " + UNSEEN + "\n<>"), max_size=40))
    def test_any_text(self, text: str) -> None:
        """Nothing unseen is left in what is compared."""
        one = letter(mail(text, subject=text), "", "")
        self.assertFalse(set(one.low) & set(UNSEEN))
        self.assertEqual(one.low, one.low.lower())

    def test_large(self) -> None:
        """Only the beginning of a large mail is looked at."""
        self.assertEqual(len(letter(mail("x" * LOOKED_AT * 2), "", "").text), LOOKED_AT)
