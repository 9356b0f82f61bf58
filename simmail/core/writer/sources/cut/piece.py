"""
The piece of a sentence that answers a question: its day for "when", its name for "who", its place for "where".

Nobody quotes a whole mail where a word will do.  What answers is found by the type of the question and by what the
question does not say itself; where nothing of that type stands in the sentence, no piece is cut.
"""

from __future__ import annotations

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.tables import restating
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.writer.sources.cut.amounts import CLOCK, Amounts
from simmail.core.writer.sources.cut.asked_sentence import Sentence
from simmail.core.writer.sources.cut.words import cutting, is_verb, read, times
from simmail.core.writer.sources.cut.persons_places import Persons, Whereabouts
from simmail.core.writer.sources.said_words import content
from simmail.core.writer.sources.cut.things import Things


def piece(question: MailQuestion, sentence: str, language: Language, but: str = "") -> str:
    """
    Return the piece of a sentence that answers a question, as it stands there, C{""} where none does.

    @param but: what does not hold any more.
    """
    how = cutting(language.code)
    if not how.joints:
        return ""
    asked = content(question.text, language.code) | content(but, language.code)
    here = Sentence(question, sentence, read(sentence, asked, language), language, but)
    amounts, persons = Amounts(here), Persons(here)
    things = Things(here, amounts, persons)
    match question.type:
        case "when":
            found = amounts.when() or amounts.long(led=True)
        case "much":
            found = amounts.much() or ("" if here.of_money() else amounts.many())
        case "many":
            found = things.which() or amounts.many()
        case "long":
            found = amounts.measure() or amounts.long()
        case "who":
            found = here.by_preposition() or persons.who()
        case "where":
            found = things.which() or ("" if here.chooses() else Whereabouts(here).where())
        case "why":
            found = _Reason(here).why()
        case "what" | "how" | "choice":
            found = things.what()
        case _:
            found = ""
    found = found.strip(" ,;:-–")
    first = next(iter(found.split()), "")
    if first.islower() and not language.inflected and content(first, language.code) & asked and mentions_any(
            here.low, tuple(f" {one}" for one in how.called)):
        found = found.removeprefix(first).strip()  # "what is my sister called": of "sister Joan" the name
    return found


def turned(text: str, language: Language, far: bool) -> str:
    """
    Return words as the other side says them: "my sister" is "your sister"; C{""} where they cannot be.

    @param far: the reader is called "Sie", "vous", "usted".
    """
    how = cutting(language.code)
    found: list[str] = []
    said = text.split()
    for at, word in enumerate(said):
        bare = word.strip(".,;:()")
        new = how.turned.get(bare) or how.turned.get(bare.lower(), "")
        if new:
            near, _, distant = new.partition("|")
            before, behind = (found[-1].lower() if found else ""), next(iter(said[at + 1:at + 2]), "")
            if before in how.thanking:
                found.append(word)
                continue
            if found and bare.lower() in how.objects and (before in how.places | {"for", "with", "of"} or _is_object(
                    before, "" if word != bare else behind.lower().strip(".,;:()"), language)):
                near = how.objects[bare.lower()]
            new = distant if far and distant else near
            if bare.lower() in how.company and restating(language.code).ours.intersection(
                    one.strip(".,;:()").lower() for one in text.split()[len(found) + 1:len(found) + 3]):
                new = how.company[bare.lower()]
            new = f"{new[:1].upper()}{new[1:]}" if bare[:1].isupper() and not bare[1:2].isupper() and (
                not found) else new
            found.append(word.replace(bare, new))
        elif bare.lower() in how.unturned and bare not in language.polite_words:
            return ""
        else:
            found.append(how.agreeing.get(f"{found[-1].lower() if found else ''} {word.lower()}", word))
    return " ".join(found)


def _is_object(before: str, behind: str, language: Language) -> bool:
    """Whether a pronoun between two words is an object: "ring you first", but "hope you can"."""
    restate = restating(language.code)
    return (before in restate.verbs or is_verb(before, language)) and behind not in {
        *restate.modals, *restate.auxiliaries, *restate.verbs}


class _Reason:
    # Why something is.

    def __init__(self, sentence: Sentence) -> None:
        self._in = sentence

    def why(self) -> str:
        """Return a reason, as a clause."""
        low = f" {self._in.sentence.lower()} "
        for cue in self._in.how.because:
            at = low.find(f" {cue} ")
            if at >= 0:
                return self._clause(at)
        for cue in self._in.how.so:
            for mark in (f", {cue} ", f" {cue} "):
                at = low.find(mark)
                if at > 0:
                    head = self._in.sentence[:max(0, at - 1)]
                    return head.rpartition(": ")[2]
        moving = asking(self._in.language.code).moving
        head, found, tail = self._in.sentence.rstrip(" .!").partition(": ")
        first, comma, second = tail.partition(", ")
        if found and comma and mentions_any(head, moving):
            moved = times(read(first, (), self._in.language), self._in.how) or mentions_any(first, moving)
            return second if moved and not CLOCK.search(second) else (
                first)  # "small change: the lorry broke down, we come on Friday"
        for mark in (": ", ", ", "; "):
            # "Joan can't come, she has the children."
            first, found, second = self._in.sentence.rstrip(" .!").rpartition(mark)
            if found and len(second.split()) > 2 and mentions_any(f" {first.lower()} ", (
                    *self._in.how.refusing, *moving)) and not times(read(second, (), self._in.language), self._in.how):
                return second
        return ""

    def _clause(self, start: int) -> str:
        rest = self._in.sentence[start:]
        cuts = [at for mark in (", ", "; ", ". ") if (at := rest.find(mark)) > 0]
        return rest[:min(cuts, default=len(rest))].rstrip(" .!")
