"""The sheet a critic reads: every mail, what a good answer is, and the answers, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.universe.believable.specimens import Background, Conversation, Specimen
from tests.universe.believable.stage import Letter, Played
from tests.universe.believable.verdicts import Verdict


def of_mail(
    mail: Specimen, played: Mapping[str, Played], verdicts: Mapping[str, Verdict], blind: bool = False
) -> str:
    """
    One mail with its answers by temperament.

    @param blind: leave out what is expected, and what a program found.
    """
    lines = [f"## mails / {mail.name}", "", f"{mail.kind}, {mail.language}, to {mail.to}, {mail.at}", "",
             *_quoted(f"From: {mail.from_}\nSubject: {mail.subject}\n{_files(mail.attached)}\n"
                      f"{mail.text or mail.html or '(no text)'}"),
             *_known(mail.case, mail.notes)]
    if not blind:
        lines += ["", f"Good: {mail.good}", "", f"Bad: {mail.bad}"]
    for temperament, one in played.items():
        lines += ["", f"### {mail.name} / {temperament}", *_letters(one.letters)]
        if not one.letters:
            lines += ["", f"(silence: {one.silences.get(0, 'nothing is recorded')})"]
        if not blind:
            lines += _faults(verdicts[temperament])
    return "\n".join(lines) + "\n\n"


def of_conversation(
    conversation: Conversation, played: Mapping[str, Played], verdicts: Mapping[str, list[Verdict]],
    blind: bool = False
) -> str:
    """One conversation, told once for each temperament."""
    lines = [f"## conversations / {conversation.name}", "",
             f"{conversation.language}, to {conversation.to}: {conversation.about}",
             *_known(conversation.case, conversation.notes)]
    for temperament, one in played.items():
        lines += ["", f"### {conversation.name} / {temperament}"]
        for number, turn in enumerate(conversation.turns):
            subject = turn.subject or ("" if number else conversation.subject)
            lines += ["", f"#### Turn {number + 1}{' (recall)' if turn.recall and not blind else ''}", "",
                      *_quoted((f"Subject: {subject}\n\n" if subject else "") + turn.text)]
            if not blind:
                lines += ["", f"Good: {turn.good}"]
            lines += _letters(one.answers(number))
            if not one.answers(number):
                lines += ["", f"(silence: {one.silences.get(number, 'nothing is recorded')})"]
            if not blind:
                lines += _faults(verdicts[temperament][number])
    return "\n".join(lines) + "\n\n"


def _files(names: tuple[str, ...]) -> str:
    return f"Attached: {', '.join(names)}\n" if names else ""


def _quoted(text: str) -> list[str]:
    return [f"> {line}".rstrip() for line in text.strip().split("\n")]


def _known(case: Background | None, notes: tuple[str, ...]) -> list[str]:
    said = [f"knows {name}: {value}" for name, value in case.facts.items()] if case else []
    said += [f"keeps secret {name}: {value}" for name, value in case.secrets.items()] if case else []
    said += [f"wants {case.wants}"] if case and case.wants else []
    said += [f"remembers: {note}" for note in notes]
    return ["", *(f"- {one}" for one in said)] if said else []


def _letters(letters: tuple[Letter, ...] | list[Letter]) -> Iterator[str]:
    for one in letters:
        extras = [*one.files, *([f"calendar {one.calendar}"] if one.calendar else [])]
        yield ""
        yield f"**{one.kind}, {one.at:%a %d %b %H:%M}{', with ' + ', '.join(extras) if extras else ''}**  "
        yield from (f"{line}  ".rstrip() if not line else f"{line}  " for line in one.text.split("\n"))


def _faults(verdict: Verdict) -> list[str]:
    return ["", *(f"- program: {one}" for one in verdict.faults)] if verdict.faults else []
