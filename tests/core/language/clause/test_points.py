"""All that wants an answer in a mail."""

from __future__ import annotations

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.reader import Findings
from tests.core.writer.samples import NOW, mail


def read(text: str) -> list[tuple[str, str]]:
    """What wants an answer: each by its type, with the clause it asks about."""
    return [(one.type, one.behind) for one in Findings(mail(text), NOW).points]


class PointTests(SynchronousTestCase):
    """Questions and requests."""

    def test_requests(self) -> None:
        """A request without a question mark is one, in the order of the mail."""
        self.assertEqual(read("Please water the plants. Who has the key? And put them in the sun, please."),
                         [("request", ""), ("who", ""), ("request", "")])
        self.assertEqual(read("Bitte sag Erik Bescheid. Wann kommst du?"), [("request", ""), ("when", "")])

    def test_whether(self) -> None:
        """What is to be told behind "whether" is a question each; an "if" of a condition is none."""
        self.assertEqual(
            read("Please let me know by Friday whether your child may go by bus, and whether there are any allergies."),
            [("yes_no", "your child may go by bus"), ("yes_no", "there are any allergies")])
        self.assertEqual(read("If it rains, please close the window."), [("request", "")])
        self.assertEqual(read("Please let us know whether clause 7 can stay and who will sign."),
                         [("yes_no", "clause 7 can stay"), ("who", "")])

    def test_polite_list(self) -> None:
        """What is listed behind a polite request to be told is asked for, and the request itself is no question."""
        self.assertEqual([one[0] for one in read(
            "We would be grateful if you could let us know:\n\n1. how many days she was absent\n2. whether you would "
            "employ her again\n\nPamela")], ["many", "yes_no"])

    def test_taken_as_said(self) -> None:
        """What a later mail takes for agreed or given is a claim."""
        for text, claim in (
            ("And the gutter is to be painted green as we agreed, isn't it?", "the gutter is to be painted green"),
            ("Is the discount that you gave us in it?", "the discount"),
        ):
            found = Findings(replace(mail(text), in_reply_to="<0@x.example>"), NOW).points
            self.assertEqual([(one.behind, one.claims) for one in found], [(claim, True)], text)
        self.assertFalse(any(one.claims for one in Findings(mail("Is it green as we agreed?"), NOW).points))

    def test_claimed(self) -> None:
        """What is to be confirmed as agreed or allowed in a thread is a claim, also in the middle of a sentence."""
        for text, claim in (
            ("Und es bleibt bei den 60 Euro Pauschale, die Sie genannt hatten?", "es bleibt bei den 60 Euro Pauschale"),
            ("Merci beaucoup. Vous m'aviez accordé une remise, n'est-ce pas ?", "Vous m'aviez accordé une remise"),
        ):
            found = Findings(replace(mail(text), in_reply_to="<0@x.example>"), NOW).points
            self.assertEqual([(one.behind, one.claims) for one in found], [(claim, True)], text)

    def test_confirmed(self) -> None:
        """A thing to be confirmed is no thing to be sent, and ends where another way is left."""
        found = Findings(mail(
            "Monsieur,\n\nLe relevé annuel des compteurs d'eau aura lieu le mardi 22 septembre entre 8 h et 12 h. "
            "Merci de nous confirmer votre présence ou de nous indiquer à quel voisin vous laisserez vos clés."
            "\n\nLe syndic"), NOW).points
        self.assertEqual([(one.text, one.confirms) for one in found][0], ("Votre présence", True))

    def test_own_claim(self) -> None:
        """What the writer says it has said is asked about once."""
        self.assertEqual(read("You said you'd pay for the pitch, didn't you?"), [("yes_no", "")])
        self.assertEqual([one.behind for one in Findings(replace(
            mail("You said you'd pay for the pitch, didn't you?"), in_reply_to="<0@x.example>"), NOW).points],
            ["you'd pay for the pitch"])

    def test_which(self) -> None:
        """Which of two things is asked for stands in the sentence before."""
        self.assertEqual(read("You can have a place on 18 March or your £140 back. Which would you prefer?"),
                         [("choice", "")])
        self.assertEqual(read("The course is full. What would you prefer to do?"), [("what", "")])

    def test_numbered(self) -> None:
        """What is lettered or numbered in a statement is chosen from, each thing without its asides."""
        for text, options in (
            ("Let us know if you wish to (a) keep your half, (b) take on 9a as well, Mr Lund is giving up, or (c) go.",
             ("keep our half", "take on 9a as well", "go")),
            ("Let us know if you wish to keep your half, see (a) and (b) of the rules.", ()),
        ):
            points = Findings(mail(text), NOW).points
            self.assertEqual([one.options for one in points], [options], text)

    def test_condition(self) -> None:
        """A condition inside a request is none: the request is."""
        self.assertEqual(read("Please check the list and order paper if there are less than ten boxes."),
                         [("request", "")])
        self.assertEqual(read("Let me know if you can come."), [("yes_no", "you can come")])

    def test_checks(self) -> None:
        """A statement with "right?" behind it, or alone in the next sentence, is a question whether it is so."""
        self.assertEqual(read("You agreed to Wednesday, right?"), [("yes_no", "You agreed to Wednesday")])
        self.assertEqual(read("It arrives on 5 March. Is that right?"), [("yes_no", "It arrives on 5 March.")])

    def test_told(self) -> None:
        """What is asked to be told is of the type of its question word."""
        self.assertEqual(read("Please tell me which floor your office is on."), [("what", "")])

    def test_beside(self) -> None:
        """A paper beside a question, a question of a word, and a deed that is but named are asked for as well."""
        for text, kinds in (
            ("Could you send us the price list and let us know if you deliver on Sundays?", ["request", "yes_no"]),
            ("Can I have some more, and could you tell me whether he has to come, and how much it is?",
             ["yes_no", "yes_no", "much"]),
            ("Who decided this, can I appeal and by when?", ["who", "yes_no", "when"]),
            ("Do it or leave it?", ["choice"]),
            ("Replace the lot for 900 or patch it for 300. What do you reckon?", ["choice"]),
            ("Please reply with the reading, or tell us if you want a visit.", ["request"]),
            ("What shall we do with the wrong ones, do you send them back or throw away?", ["choice"]),
        ):
            self.assertEqual([one for one, _ in read(text)], kinds, text)

    def test_offered_once(self) -> None:
        """What was to be chosen from is chosen once."""
        text = ("The owner offers you\n\n- a further year at £895 (now £840), or\n- 6 months at £915.\n\nPlease let us "
                "know which you prefer.")
        self.assertEqual([one for one, _ in read(text)], ["choice"])

    def test_opinion(self) -> None:
        """An opinion comes last, and once."""
        self.assertEqual([kind for kind, _ in read("What do you think? Any thoughts? When does it start?")],
                         ["when", "opinion"])

    def test_listed(self) -> None:
        """What is listed behind a sentence that wants something is asked for, on a line of its own or not."""
        for text in ("For the grant I need:\n\na) number of members\nb) your policy\n\nThanks", (
                "We still need: 1. the number of members 2. the policy of the club")):
            self.assertEqual([one for one, _ in read(text)], ["many", "request"], text)
        self.assertEqual(read("Three things happened:\n- the van broke down\n- I had to walk home"), [])
        self.assertEqual(read("Wie heißt der Fahrer, den ich Ihnen genannt habe?"), [("who", "")])
