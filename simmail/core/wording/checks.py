"""
Whether the words of a model say what was decided and nothing else.

No model judges a model: figures, names, dates and sentences are compared with the plan, and the text is read as any
mail is.  Each check has a name, which an event tells when it fails; what it says may be shown to the model, so it
quotes nothing that is withheld.  Source: decisions, section 9 ("Writer").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from simmail.core.language import tables as languages
from simmail.core.language.promised import promised
from simmail.core.language.reader import Findings, read_mail
from simmail.core.language.tables import Language
from simmail.core.message.mail import Mail
from simmail.core.mime.address import Address
from simmail.core.wording.chat import Worded
from simmail.core.wording.plan import Planned, WordingPlan
from simmail.core.wording.prompt import prompt_file

#: So many words one after another are a copy; a text shares less than this of its runs of three words with the last
#: mail.
RUN, MOST_SHARED = 8, 0.6

_NUMBER = re.compile(r"\d+(?:[.,:/\u2009\u00a0-]?\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_ADDRESS = re.compile(
    r"h(?:tt|xx)ps?://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.-]+|\S*\[\.\]\S*|"
    r"\w+ (?:dot|punkt|point|punto) (?:com|net|org)\b", re.IGNORECASE)
_HOST = re.compile(r"\b[\w-]{2,63}(?:\.[\w-]{2,63}){0,8}\.(?:[a-z]{2,24}|[A-Z]{2,24})\b(?:/\S*)?")
_MARKUP = re.compile(r"```|</?(?:a|b|br|div|i|iframe|img|p|script|span|style|table)\b[^<>]*>", re.IGNORECASE)
_SPOKEN = re.compile(r"[\w']+")
_CONTROL = re.compile(
    r"[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_SPELLED = re.compile(r"(?<![^\W_])([^\W_])[ ._*-]{1,3}(?=[^\W_](?![^\W_]))")
_SENTENCE_END = ".!?:;\n\"\u201c\u201e\u00bf\u00a1(-\u2013\u2022*"


class UnderCheck(NamedTuple):
    """What the checks look at."""

    planned: Planned
    worded: Worded
    fence: str
    now: datetime
    leaks: Callable[[str], bool]

    @property
    def text(self) -> str:
        """The words."""
        return self.worded.text

    @property
    def plan(self) -> WordingPlan:
        """The plan they were made from."""
        return self.planned.plan

    @property
    def language(self) -> Language:
        """The language they should be in."""
        return languages.language(self.plan.language)


def failed(planned: Planned, worded: Worded, fence: str, now: datetime, leaks: Callable[[str], bool]) -> str:
    """
    Return the first check that the words fail, as its name and why, C{""} for none.

    @param leaks: whether a text tells a secret.
    """
    looked_at = UnderCheck(planned, worded, fence, now, leaks)
    for name, check in CHECKS.items():
        why = check(looked_at)
        if why:
            return f"{name}: {why}"
    return ""


def _empty(one: UnderCheck) -> str:
    return "" if one.text.strip() else "there is no text"


def _characters(one: UnderCheck) -> str:
    if _CONTROL.search(one.text):
        return "the text holds control characters"
    marked = _MARKUP.search(one.text) and not _MARKUP.search(one.plan.draft)
    return "the text holds HTML or marks of code" if marked else ""


def _length(one: UnderCheck) -> str:
    count, span = len(one.text.split()), one.plan.words
    return "" if span.least <= count <= span.most else f"{count} words instead of {span.least} to {span.most}"


def _added(one: UnderCheck, phrases: Iterable[str]) -> bool:
    """Whether the text has one of some phrases, as whole words, that its draft does not have."""
    text, draft = _spoken(one.text), _spoken(one.plan.draft)
    return any(f" {words} " in text and f" {words} " not in draft for words in phrases)


def _spoken(text: str) -> str:
    """The words of a text in lower case, a blank around each."""
    return " " + " ".join(_SPOKEN.findall(text.lower().replace("\u2019", "'"))) + " "


def _betrayed(one: UnderCheck) -> str:
    low = " ".join(one.text.lower().split())
    if one.fence.strip("<>").lower() in low:
        return "the text repeats the fence"
    return "the text speaks of what no person speaks of" if _added(one, prompt_file().betraying) else ""


def _secret(one: UnderCheck) -> str:
    # Also letter by letter.
    return "the text tells a secret" if one.leaks(one.text) or one.leaks(_SPELLED.sub(r"\1", one.text)) else ""


def _facts(one: UnderCheck) -> str:
    unknown = [label for label in one.worded.used_facts if label not in one.plan.facts]
    if unknown:
        return "used_facts names what is no fact of the plan"
    low = one.text.lower()
    return "the text tells a fact that is not to be told" if any(
        value.lower() in low for value in one.planned.withheld) else ""


def _allowed(plan: WordingPlan) -> str:
    """Everything that the text may name."""
    values = [value for act in plan.acts for value in act.values() if isinstance(value, str)]
    return "\n".join((plan.draft, *values, *plan.facts.values(), *plan.person.values()))


def _numbers(one: UnderCheck) -> str:
    allowed = set(_NUMBER.findall(_allowed(one.plan)))
    if any(number not in allowed for number in _NUMBER.findall(one.text)):
        return "the text has a number that the plan does not have"
    names = set(prompt_file().numbers.get(one.plan.language, ()))
    endings = prompt_file().number_endings.get(one.plan.language, ())
    said, known = (set(_spoken(text).split()) for text in (one.text, _allowed(one.plan)))
    return "the text has a number in words that the plan does not have" if any(
        word in names or word.endswith(endings) for word in said - known) else ""


def _denial(one: UnderCheck) -> str:
    said, drafted = _denies(one.text), _denies(one.plan.draft)
    if said and not drafted:
        return "the text says no or not where the draft does not"
    return "the text does not say the no or not of the draft" if drafted and not said else ""


def _denies(text: str) -> bool:
    spoken = _spoken(text)
    for words in prompt_file().harmless:
        spoken = spoken.replace(f" {words} ", " ")
    return any(
        word in prompt_file().denying or word.endswith("n't") or word.startswith("n'") for word in spoken.split())


@cache
def _weighty() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile("|".join(
        rf"(?<!\w){re.escape(word.rstrip('*'))}" + (r"(?!\w)" if word[-1].isalpha() else "")
        for word in group), re.IGNORECASE) for group in prompt_file().weighty)


def _weight(one: UnderCheck) -> str:
    allowed = _allowed(one.plan)
    found = next((match.group() for group in _weighty()
                  if (match := group.search(one.text)) and not group.search(allowed)), None)
    return f"the text speaks of '{found}' where the plan does not" if found else ""


def _kept(one: UnderCheck) -> str:
    wanted = {number for number in _NUMBER.findall(one.plan.draft) if len(number) > 2}
    if wanted - set(_NUMBER.findall(one.text)):
        return "the text leaves out a figure that the draft tells"
    low = one.text.lower()
    return "the text leaves out a fact that the draft tells" if any(
        value.lower() not in low for value in one.plan.facts.values()) else ""


def _days(one: UnderCheck) -> str:
    language = one.language
    named = {word.lower() for word in (*language.weekdays, *language.months)}
    near = set(language.near_days)
    said, known = (
        {word.lower() for word in _WORD.findall(text)} for text in (one.text, _allowed(one.plan)))
    if (said & (named | near)) - known - _both_ways(one.text, named):
        return "the text names a day that the plan does not name"
    drafted = {word.lower() for word in _WORD.findall(one.plan.draft)}
    return "the text leaves out a day that the draft names" if (
        drafted & {word.lower() for word in language.weekdays}) - said else ""


def _both_ways(text: str, named: set[str]) -> set[str]:
    """Names of months that are words of another meaning as well ("may", "march"), where they are not capital."""
    return {word.lower() for word in _WORD.findall(text) if word.islower() and word in named and len(word) <= 5}


def _names(one: UnderCheck) -> str:
    if one.language.code == "de":
        return ""  # every noun is capital there
    text, received = one.text, "\n".join(part for foreign in one.plan.foreign for part in foreign)
    known = f"{_allowed(one.plan)}\n{received}".lower()
    for match in _WORD.finditer(text):
        word, before = match.group(), text[:match.start()].rstrip(" ")
        if not word[0].isupper() or len(word) < 2 or not before or before[-1] in _SENTENCE_END:
            continue
        if word.split("'")[0].split("\u2019")[0].lower() not in known and word.lower() not in one.language.common_words:
            return "the text has a name that the plan does not have"
    return ""


def _addresses(one: UnderCheck) -> str:
    allowed = _allowed(one.plan).lower()
    return "the text has an address or a link that the plan does not have" if any(
        found.lower().rstrip(".,;)") not in allowed
        for pattern in (_ADDRESS, _HOST) for found in pattern.findall(one.text)) else ""


def _language(one: UnderCheck) -> str:
    told = languages.tell(one.text)
    # Of a few words it cannot be told.
    right = told in (one.plan.language, languages.tell(one.plan.draft))
    return "" if right else f"the text is not in {one.plan.language}"


def _question(one: UnderCheck) -> str:
    if one.plan.asks:
        return "" if "?" in one.text else "the text does not ask the question that the draft asks"
    return "the text asks a question" if "?" in one.text and "?" not in one.plan.draft else ""


def _runs(text: str, length: int) -> set[tuple[str, ...]]:
    words = [word.lower() for word in _WORD.findall(text)]
    return {tuple(words[at:at + length]) for at in range(len(words) - length + 1)}


def _echo(one: UnderCheck) -> str:
    received = "\n".join(text for _, text in one.plan.foreign)
    copied = _runs(one.text, RUN) & _runs(received, RUN) - _runs(one.plan.draft, RUN)
    return "the text repeats sentences of the mail that is answered" if copied else ""


def _copy(one: UnderCheck) -> str:
    mine, before = _runs(one.text, 3), _runs(one.plan.before, 3)
    return "the text is nearly the same as the last mail" if mine and len(
        mine & before) > MOST_SHARED * len(mine) else ""


def _read(text: str, one: UnderCheck) -> Findings:
    nobody = Address("", "reader@example.org")
    return read_mail(Mail(
        message_id="", in_reply_to="", references=(), from_=nobody, reply_to=(), to=(nobody,), cc=(), subject="",
        date=None, text=text, html="", format="text", attachments=(), headers=(), size=len(text)), one.now,
        one.language)


def _promise(one: UnderCheck) -> str:
    if one.plan.promises:
        return ""
    if _added(one, prompt_file().promising):
        return "the text promises what was not to be promised"
    if not promised(_read(one.text, one)):
        return ""
    return "" if promised(_read(one.plan.draft, one)) else "the text promises what was not to be promised"


def _agreement(one: UnderCheck) -> str:
    said, drafted = _read(one.text, one), _read(one.plan.draft, one)
    if said.agrees and not drafted.agrees or _added(one, prompt_file().accepting):
        return "the text agrees to what the draft does not agree to"
    if said.called_off and not drafted.called_off:
        return "the text calls off what the draft does not call off"
    return "the text proposes a time that the draft does not propose" if {
        slot.start for slot in said.slots} - {slot.start for slot in drafted.slots} else ""


#: The checks, by name, in the order they are made.
CHECKS: MappingProxyType[str, Callable[[UnderCheck], str]] = MappingProxyType({
    "text": _empty, "characters": _characters, "secret": _secret, "betrayal": _betrayed, "facts": _facts,
    "numbers": _numbers, "addresses": _addresses, "days": _days, "language": _language, "length": _length,
    "kept": _kept, "names": _names, "question": _question, "promise": _promise, "agreement": _agreement,
    "weight": _weight, "denial": _denial, "echo": _echo, "copy": _copy})
