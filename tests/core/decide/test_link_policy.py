"""Which links a persona opens."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.link_policy import Choice, HABITS, decide, habit
from simmail.core.mime.address import Address
from simmail.core.net.hosts import matches
from simmail.core.records.settings import LinkPolicy
from simmail.core.rng import Dice
from tests.core.scenes import mail, person

#: Opens every link it may.
KEEN = person(style={"links": "curious"})


class Always(Dice):
    """Dice that always say yes."""

    def uniform(self, *key: Any) -> float:
        """The least there is."""
        return 0.0


def chosen(
    text: str, policy: LinkPolicy = LinkPolicy(), stranger: bool = False, html: str = "", **fields: Any
) -> Choice:
    """What somebody eager does with the links of a text."""
    return decide(mail(text, html=html, **fields), KEEN, policy, Always("x"), stranger)


class PolicyTests(SynchronousTestCase):
    """What may be opened at all."""

    def test_defaults(self) -> None:
        """The policy's defaults are the contract's."""
        shown = msgspec.json.decode(msgspec.json.encode(LinkPolicy()))
        del shown["user_agent"]
        self.assertEqual(shown, {
            "enabled": True, "allow_private": False, "max_links": 3, "unsubscribe": False, "sender_check": 0.35,
            "missing_site": "imagine", "local_links": "ignore"})

    def test_refused(self) -> None:
        """Each kind of link that is never opened is told of with its reason."""
        for url, word in (
            ("https://user:pw@a.site/", "password"), ("https://a.site:25/", "port 25"), ("https://a.site:587/", "port"),
            ("http://localhost:3000/reset", "testing link"), ("http://127.0.0.1/", "testing link"),
            ("http://127.1/", "proper host"), ("http://2130706433/", "proper host"), ("https://shop.test/", "testing"),
            ("http://[::ffff:7f00:1]/", "testing link"), ("https://a.site:6379/", "port"),
            ("http://192.168.1.9/x", "testing link"), ("http://[::1]/", "testing link"),
            ("http://intranet/", "testing link"), ("https://a.site/unsubscribe?u=1", "unsubscribe"),
            ("https://a.site:x/", "proper"),
        ):
            choice = chosen(f"Look: {url} now")
            self.assertEqual(choice.open, (), url)
            self.assertIn(word, choice.skip[0].why, url)
        choice = chosen("", html="<a href='mailto:x@y.test'>x</a>")
        self.assertIn("only web links", choice.skip[0].why)

    def test_off(self) -> None:
        """Switched off, nothing is opened, looked up or told of."""
        self.assertEqual(chosen("https://a.site/", LinkPolicy(enabled=False), True)[:3], ((), (), ""))

    def test_hosts(self) -> None:
        """allow and deny take exact hosts and *.domain; deny wins."""
        for policy, expected in (
            (LinkPolicy(allow=("a.site",)), ["a.site"]), (LinkPolicy(allow=("*.a.site",)), ["x.a.site"]),
            (LinkPolicy(deny=("a.site",)), ["x.a.site", "b.site"]),
            (LinkPolicy(allow=("*.a.site", "a.site"), deny=("X.a.site",)), ["a.site"]), (LinkPolicy(allow=()), []),
        ):
            choice = chosen("https://a.site/ https://x.a.site/ https://b.site/", policy)
            self.assertEqual([one.url for one in choice.open], [f"https://{host}/" for host in expected], policy)
        self.assertFalse(matches("ya.site", ("*.a.site",)))

    def test_most(self) -> None:
        """max_links are opened; the others are told of."""
        choice = chosen(" ".join(f"https://a{n}.site/" for n in range(6)))
        self.assertEqual((len(choice.open), len(choice.skip)), (3, 3))
        self.assertIn("3 links", choice.skip[0].why)
        self.assertEqual(chosen("https://a.site/", LinkPolicy(max_links=0)).open, ())

    def test_local_links_found_broken(self) -> None:
        """With local_links broken they are clicked, marked so that nothing is dialled."""
        choice = chosen("http://localhost:3000/ https://a.site/", LinkPolicy(local_links="broken"))
        self.assertEqual([one.broken for one in choice.open], [True, False])

    def test_unsubscribe(self) -> None:
        """Followed only where the policy says so."""
        html = "<a href='https://a.site/u/1'>Unsubscribe here</a>"
        self.assertEqual(chosen("", html=html).open, ())
        self.assertEqual(len(chosen("", LinkPolicy(unsubscribe=True), html=html).open), 1)

    def test_unsubscribe_in_words(self) -> None:
        """What stands before a bare link tells it as well, in four languages; a link after it is another."""
        for words in ("To unsubscribe:", "Newsletter abbestellen:", "Se désinscrire :", "Para darse de baja:",
                      "Cancelar suscripción:", "Ne plus recevoir ces messages :"):
            choice = chosen(f"News: https://a.site/news\n\n{words}\nhttps://a.site/u/1\n")
            self.assertEqual([one.url for one in choice.open], ["https://a.site/news"], words)
            self.assertEqual([one.why for one in choice.skip], ["unsubscribe links are not followed"], words)
            left = chosen(f"{words} https://a.site/u/1", LinkPolicy(unsubscribe=True)).open
            self.assertEqual([one.leaves for one in left], [True], words)

    def test_one_click(self) -> None:
        """The button is there unless a signature leaves the fields out that make it; without any it is told."""
        offered = (("List-Unsubscribe", "<mailto:u@a.site>, <https://a.site/u>"),
                   ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
        for signatures, pressed, word in (
            ((), True, "no DKIM signature"),
            (("v=1; d=a.site; h=From:List-Unsubscribe : list-unsubscribe-post:To; b=x",), True, ""),
            (("v=1; d=a.site; h=from:to; b=x",), False, "no DKIM signature covers"),
            (("h=from", "h=list-unsubscribe:list-unsubscribe-post"), True, ""), (("nonsense",), False, "covers"),
        ):
            choice = chosen("Hi", LinkPolicy(unsubscribe=True), headers=(
                *offered, *(("DKIM-Signature", one) for one in signatures)))
            self.assertEqual([(one.url, one.one_click, one.leaves) for one in choice.open],
                             [("https://a.site/u", True, True)] * pressed, signatures)
            whys = [one.why for one in (*choice.open, *choice.skip)]
            self.assertEqual(len(whys), 1)
            self.assertIn(word, whys[0])
            self.assertEqual("DKIM" in whys[0], bool(word))
        self.assertEqual(chosen("Hi", headers=offered).open, ())

    def test_sender(self) -> None:
        """An unknown sender's domain is looked up, a mail provider's is not, nor one the policy forbids."""
        self.assertEqual(chosen("x", stranger=True).look_up, "app.test")
        self.assertEqual(chosen("x", stranger=False).look_up, "")
        free = chosen("x", stranger=True, from_=Address("", "a@gmail.com"))
        self.assertEqual((free.look_up, free.skip[0].domain), ("", "gmail.com"))
        forbidden = chosen("x", LinkPolicy(deny=("app.test",)), stranger=True)
        self.assertEqual((forbidden.look_up, forbidden.skip[0].domain), ("", "app.test"))
        self.assertEqual(chosen("x", LinkPolicy(sender_check=0), stranger=True).look_up, "")
        colleague = chosen("x", stranger=True, from_=Address("", "boss@" + KEEN.address.partition("@")[2]))
        self.assertEqual((colleague.look_up, colleague.skip), ("", ()))

    def test_told(self) -> None:
        """The plan is a sentence."""
        self.assertEqual(chosen("https://a.site/", stranger=True).told(), "Open 1 link and look up app.test")
        self.assertEqual(chosen("https://a.site/ https://b.site/").told(), "Open 2 links")


class HabitTests(SynchronousTestCase):
    """How often."""

    def test_habits(self) -> None:
        """Over 2,000 mails each habit opens its share of links."""
        self.assertEqual(dict(HABITS), {"usual": 0.5, "curious": 0.85, "wary": 0.15, "never": 0.0})
        for name, chance in HABITS:
            persona = person(style={"links": name})
            self.assertEqual(habit(persona), (name, chance))
            opened = sum(len(decide(mail("https://a.site/"), persona, LinkPolicy(), Dice(str(n)), False).open)
                         for n in range(2000))
            self.assertLess(abs(opened / 2000 - chance), 0.045, name)

    def test_never_looks_up(self) -> None:
        """Who never opens links looks nobody up."""
        persona = person(style={"links": "never"})
        self.assertEqual(decide(mail(), persona, LinkPolicy(), Always("x"), True).look_up, "")

    @given(st.text(max_size=200), st.text(max_size=200), st.booleans())
    def test_anything(self, text: str, html: str, stranger: bool) -> None:
        """Any mail is decided, within the limits."""
        choice = decide(mail(f"https://{text}", html=html), KEEN, LinkPolicy(), Dice("x"), stranger)
        self.assertLessEqual(len(choice.open), 3)
        for one in choice.skip:
            self.assertTrue(one.why)
