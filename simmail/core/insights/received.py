"""
What the application does with the mail it gets: counted on the day that mail came.

What it should have done is told by C{world.mail}.  Of other mail that people send to it an answer is expected where
they ask something, or ask again.  An answer is known by its C{In-Reply-To}; without one, by whom it goes to and by its
subject.  Source: decisions, section 15 (C{application}).
"""

from __future__ import annotations

from simmail.core.insights.cells import APPLICATION, DAY, Figure, time_slot
from simmail.core.insights.events import CountedEvent
from simmail.core.insights.sent import Directory
from simmail.core.insights.state import ReceivedMail, State
from simmail.core.message.base_subject import base_subject, is_reply

#: Kinds of the World's mail that machines send.
AUTOMATIC = frozenset(("auto_reply", "bounce_backscatter", "newsletter", "notification"))

#: Nobody reads what is sent there.
_MACHINES = frozenset(("mailer-daemon", "no-reply", "noreply", "donotreply", "do-not-reply"))


class ReceivedFold:
    """Grades what the application does with its mail."""

    def __init__(self, state: State, people: Directory) -> None:
        self._state = state
        self._people = people

    def take(self, row: CountedEvent) -> None:
        """Count an event, if it is about such mail."""
        if row.type == "mail.delivered":
            self._wrote(row)
        elif row.type == "persona.sent":
            self._sent(row)
        elif row.type == "world.mail":
            self._world(row)
        elif row.type == "persona.ignored" and row.data.get("why") == "loop":
            conversation = f"{row.text('persona_id')} {_subject(row)}"
            if self._state.loop(conversation, row.day):
                self._state.add(row.day, APPLICATION, Figure.LOOPS)

    # Mail that comes

    def _sent(self, row: CountedEvent) -> None:
        own = tuple(one.lower() for one in (*row.texts("to"), *row.texts("cc")) if self._people.at(one) is None)
        if not own or not row.addresses:
            return
        automatic = row.data.get("kind") == "ooo"
        asked = row.data.get("kind") == "nudge" or "?" in row.text("text")
        self._came(row, row.addresses[0].lower(), own, not automatic and asked, automatic, False)

    def _world(self, row: CountedEvent) -> None:
        sender = row.text("from") or next(iter(row.addresses), "")
        expected = row.data.get("expected")
        self._came(row, sender.lower(), tuple(one.lower() for one in row.texts("to")), expected == "answer",
                   row.data.get("kind") in AUTOMATIC, expected == "junk")

    def _came(
        self, row: CountedEvent, sender: str, to: tuple[str, ...], wanted: bool, automatic: bool, junk: bool
    ) -> None:
        message_id, state = row.text("message_id"), self._state
        known = state.received.get(message_id)
        if known is None:
            state.add(row.day, APPLICATION, Figure.RECEIVED)
            state.add(row.day, APPLICATION, Figure.WANTED, int(wanted))
            if message_id:
                state.keep_received(message_id, ReceivedMail(
                    row.number, message_id, row.at, sender, to, _subject(row), wanted, automatic, junk))
        elif row.type == "world.mail" and not known.answers:
            # It was heard of before; who made it knows what it is.
            state.add(known.at // DAY, APPLICATION, Figure.WANTED, int(wanted) - int(known.wanted))
            known.wanted, known.automatic, known.junk = wanted, automatic, junk
            state.changed_mail(known)

    # Mail that answers

    def _wrote(self, row: CountedEvent) -> None:
        state, to = self._state, dict.fromkeys(one.lower() for one in row.texts("to"))
        sender, named = row.text("from").lower(), row.text("in_reply_to")
        answered = state.received.get(named)
        threaded = answered is not None and answered.sender in to
        if answered is not None and threaded:
            # Who answers the first mail of a thread again may mean a later one.
            later = self._waiting(answered.sender, sender, answered.subject) if answered.answers else None
            self._answer(row, later or answered)
            del to[answered.sender]
        for one in to:
            if not state.has_received_from(one):
                if one.partition("@")[0] in _MACHINES:
                    state.add(row.day, APPLICATION, Figure.TO_AUTOMATIC)
                continue
            # The next issue of a newsletter has the subject of the last, and answers nobody.
            answers = not threaded and (named or is_reply(row.text("subject")))
            waiting = self._waiting(one, sender, _subject(row)) if answers else None
            if waiting is not None:
                # A mail of one's own that is followed up is in the thread.
                self._answer(row, waiting, astray=named not in state.sent)

    def _waiting(self, sender: str, to: str, subject: str) -> ReceivedMail | None:
        """The newest mail of somebody about a subject that has no answer."""
        return next((mail for mail in self._state.received_from(sender)
                     if not mail.answers and mail.subject == subject and to in mail.to), None)

    def _answer(self, row: CountedEvent, mail: ReceivedMail, astray: bool = False) -> None:
        state, day = self._state, mail.at // DAY
        slots: list[int] = []
        if mail.answers:
            slots.append(Figure.DUPLICATE)
        else:
            slots += (Figure.ANSWERED, time_slot(row.at - mail.at))
            if mail.wanted:
                slots.append(Figure.ANSWERED_WANTED)
            if mail.junk:
                slots.append(Figure.ANSWERED_SPAM)
        if mail.automatic:
            slots.append(Figure.TO_AUTOMATIC)
        if astray:
            slots.append(Figure.WRONG_THREAD)
        mail.answers += 1
        state.changed_mail(mail)
        for slot in slots:
            state.add(day, APPLICATION, slot)


def _subject(row: CountedEvent) -> str:
    return base_subject(row.text("subject")).casefold()
