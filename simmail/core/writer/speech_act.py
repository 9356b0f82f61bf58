"""
What a mail can say: the acts, and what each has to know.

Every act is worded in the template files of each voice.  A line there may
name anything of L{KNOWN}; it is used only when all it names is known, and
every act has lines that get by with its C{needs}.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from msgspec import Struct

from simmail.core.language.questions import MailQuestion
from simmail.core.records.conversation import Remark
from simmail.core.writer.exchanges.bank import PREFIX
from simmail.core.writer.request import Promised

#: What lines may name.  Persons: who writes (me, org) and who reads (first, name, company).
KNOWN = frozenset({
    "first", "name", "company", "me", "org", "ref", "amount", "dated", "about", "subject", "doc", "slot", "counter",
    "counter2", "option", "other", "topic", "thing", "question", "label", "value", "is", "it", "yes", "no", "by",
    "when", "addressee", "want", "deadline", "what", "sender", "file", "until", "back", "case", "deed",
    "minutes", "date", "figure", "rating", "owed", "times", "contract", "link", "title", "day", "item", "asker",
    "task", "undone", "colleague", "area", "hedge",
    "position", "place", "tongue", "own", "fault", "phone", "who",
})


class Act(Struct, frozen=True):
    """C{needs}: what is always known when it is said.  C{asks}: its question wants an answer."""

    needs: frozenset[str] = frozenset()
    asks: bool = False


def _acts(table: Mapping[str, str], asking: frozenset[str]) -> Mapping[str, Act]:
    return MappingProxyType({
        name: Act(needs=frozenset(needs.split()), asks=name in asking) for name, needs in table.items()
    })


#: Every act by name, intents first.
ACTS: Mapping[str, Act] = _acts({
    "document.attach": "doc is it", "document.promise": "doc by is it", "document.ask": "doc is it",
    "document.refuse": "doc is it", "document.noted": "doc is it",
    "meeting.accept": "slot", "meeting.social": "slot", "meeting.agenda": "", "meeting.purpose": "",
    "meeting.counter": "counter counter2", "meeting.open": "counter counter2",
    "meeting.late": "counter counter2",
    "debt.pay": "by", "invoice.pay": "by",
    "invoice.ask": "", "invoice.doubt": "", "invoice.dispute": "", "invoice.noted": "",
    "invoice.known": "label value",
    "sales.interest": "", "sales.decline": "", "sales.later": "", "sales.who": "",
    "redress.choose": "option", "redress.accept": "", "redress.reject": "", "redress.details": "", "redress.proof": "",
    "taken.told": "value", "taken.warm": "value", "taken.trouble": "value by", "taken.matter": "subject by",
    "trouble.look": "by fault", "complaint.sorry": "by", "complaint.ask": "", "complaint.deny": "",
    "confirmation.ack": "", "confirmation.check": "",
    "thanks.welcome": "",
    "newsletter.like": "", "newsletter.off": "", "newsletter.who": "",
    "code.worked": "", "code.notme": "", "code.expired": "",
    "wrong.tell": "addressee me",
    "support.solved": "", "support.test": "by", "support.still": "", "support.details": "",
    "received.ack": "", "received.check": "",
    "chaser.answer": "by", "chaser.sent": "what is it", "chaser.paid": "what",
    "task.do": "by", "task.ask": "", "task.noted": "",
    "feedback.give": "", "feedback.refuse": "", "empty.tell": "",
    "information.ack": "", "information.ask": "", "information.seen": "",
    "change.noted": "item", "change.heard": "item",
    "answer.fact": "label value",
    "answer.yes": "yes", "answer.no": "no", "answer.option": "option", "answer.when": "when by",
    "answer.back": "", "answer.either": "", "answer.so": "yes", "answer.not_so": "no",
    "answer.stated": "value", "answer.denied": "value", "answer.find_out": "value",
    "answer.unsaid": "", "answer.checked": "value", "answer.noted": "", "answer.weigh": "value", "answer.was": "",
    "answer.item": "topic by when", "answer.wish": "value by", "answer.suits": "slot", "answer.unsuited": "slot",
    "answer.told": "value", "answer.regret": "", "answer.rest": "",
    "answer.own": "value", "answer.life": "value", "answer.propose": "", "answer.way": "option",
    "answer.need": "by", "answer.confirm": "",
    "answer.do": "by", "answer.dont": "", "answer.glad": "", "answer.sorry": "",
    "answer.said_so": "value", "answer.said_not": "value", "answer.recall": "value", "answer.piece": "value",
    "answer.sum": "value", "answer.never": "", "answer.open": "", "dropped.ok": "", "date.none": "value",
    "answer.nothing": "", "answer.nearest": "value",
    "answer.gone": "",
    "answer.called_off": "", "answer.details": "value",
    "answer.secret": "", "answer.will": "task", "answer.wont": "undone",
    "answer.unknown": "", "answer.think": "",
    "answer.past": "", "answer.me": "", "answer.who": "colleague area",
    "answer.why": "", "answer.number": "value", "answer.pass_on": "colleague area",
    "application.thank": "", "application.ask": "", "application.decline": "",
    "data_request.do": "by", "data_request.ask": "", "signature.sign": "doc is it", "signature.ask": "",
    "signature.refuse": "", "legal.refer": "", "legal.dispute": "", "details.ask": "", "greeting.back": "",
    "private.warm": "",
    "moved.sympathy": "", "moved.loss": "", "moved.pet": "", "moved.birth": "", "moved.wedding": "", "moved.passed": "",
    "moved.failed": "", "moved.leaving": "", "moved.relief": "", "moved.hurt": "", "moved.joke": "",
    "moved.other": "", "moved.worry": "", "moved.funeral": "when", "moved.trouble": "",
    "moved.apology": "", "moved.reproach": "", "moved.thanked": "", "moved.pity": "",
    "moved.passed_by": "", "moved.missing": "", "moved.unwell": "", "moved.onward": "", "parcel.fetch": "",
    "moved.setback": "", "offered.take": "", "offered.leave": "",
    "missing.tell": "", "phishing.refuse": "", "phishing.report": "", "phishing.fall": "", "phishing.cards": "",
    "meeting.visit": "slot",
    "injection.refuse": "", "injection.puzzled": "", "ticket.ack": "", "ticket.ask": "",
    "status.look": "by ref", "status.ask": "ref", "status.wait": "ref",
    "tongue.unread": "own", "tongue.again": "own",
    "refund.sum": "by ref amount", "refund.do": "by ref", "refund.ask": "",
    "redress.insist": "want", "bargain.name": "value amount", "bargain.last": "value amount", "bargain.take": "amount",
    "closing.bye": "",
    "bill.pay": "by", "bill.ask": "", "bill.check": "", "bill.noted": "",
    "account.do": "by", "account.leave": "", "account.ask": "", "account.noted": "",
    "alert.me": "", "alert.notme": "",
    "rejection.accept": "", "rejection.ask": "",
    "recruiting.interest": "", "recruiting.decline": "", "recruiting.who": "",
    "delay.accept": "", "delay.object": "", "delay.ask": "",
    "event.come": "", "event.decline": "", "event.ask": "",
    "cancelled.fine": "", "cancelled.object": "",
    "booked.ok": "slot", "booked.move": "counter counter2",
    "contact.welcome": "", "contact.ask": "",
    "news.like": "", "news.ask": "", "news.noted": "",
    "feedback.rate": "rating",
    "notice.ack": "", "notice.agree": "", "notice.ask": "", "notice.object": "",
    "outage.ack": "", "outage.ask": "", "outage.object": "",
    "incident.ack": "", "incident.ask": "", "incident.object": "",
    "terms.ack": "", "terms.ask": "", "terms.object": "",
    "prices.ack": "", "prices.ask": "", "prices.object": "",
    "report.ack": "", "report.ask": "", "payment.pay": "by", "payment.ask": "", "invite.accept": "slot",
    "ended.ack": "", "ended.ask": "",
    "offer.decide": "by", "offer.accept": "", "offer.ask": "", "offer.haggle": "",
    "enquiry.promise": "by", "enquiry.ask": "", "order.accept": "by", "order.ask": "",
    "alternatives.choose": "option", "alternatives.ask": "", "alternatives.object": "",
    "delivery.choose": "day", "delivery.noted": "", "bank.check": "", "bank.ack": "",
    "renewal.extend": "", "renewal.ask": "", "renewal.end": "", "returns.do": "by", "returns.ask": "",
    "approval.yes": "", "approval.ask": "", "approval.no": "",
    "access.grant": "", "access.ask": "", "access.refuse": "",
    "minutes.do": "by", "minutes.ack": "", "minutes.ask": "", "agenda.fine": "", "agenda.add": "",
    "bug.look": "by", "bug.ask": "", "bug.deny": "", "deletion.do": "by", "deletion.ask": "",
    "webinar.come": "", "webinar.decline": "", "webinar.ask": "", "beta.join": "", "beta.decline": "", "beta.ask": "",
    "congrats.thanks": "", "sick.wish": "", "grief.condole": "", "introduced.glad": "", "introduced.ask": "",
    "answer.opinion": "", "meeting.interview": "slot", "confirmation.paid": "",
    "settle.thanks": "", "settle.still": "", "invoice.paid": "by",
    "opener.forgive": "",
    "lead.topic": "topic thing",
    "opener.plain": "", "opener.warm": "", "opener.impatient": "", "extra.close": "", "extra.ask": "",
    "batch.lead": "",
    "access.images": "", "link.broken": "link",
    "link.title": "title link", "link.form": "link", "link.login": "link",
    "followup": "", "followup.late": "counter counter2", "correction.day": "by", "correction.add": "",
    "initiate.want": "want", "initiate.about": "case", "initiate.plain": "",
    "deliver.document": "what is it", "deliver.late": "what is it", "deliver.answer": "value", "deliver.done": "",
    "deliver.unfound": "what", "deliver.task": "task", "deliver.about": "about",
    "deliver.explained": "", "deliver.payment": "what",
    "nudge": "what is it", "forward.note": "", "ooo.away": "until back",
}, asking=frozenset({
    "document.ask", "document.refuse", "meeting.agenda", "meeting.purpose", "meeting.counter", "meeting.open",
    "meeting.late", "invoice.ask", "invoice.doubt", "invoice.dispute", "sales.interest", "sales.who", "redress.details",
    "redress.proof", "redress.reject", "complaint.ask", "confirmation.check", "newsletter.who", "code.notme",
    "code.expired", "support.still", "support.details", "received.check", "task.ask", "information.ask", "empty.tell",
    "answer.back", "access.images", "bill.ask", "bill.check", "account.ask", "alert.notme", "rejection.ask",
    "recruiting.interest", "recruiting.who", "delay.object", "delay.ask", "event.ask", "booked.move", "contact.ask",
    "news.ask", "notice.ask", "notice.object", "outage.ask", "outage.object", "incident.ask", "incident.object",
    "terms.ask", "terms.object", "prices.ask", "prices.object", "report.ask", "payment.ask",
    "ended.ask", "offer.ask", "offer.haggle", "enquiry.ask", "order.ask",
    "alternatives.ask", "alternatives.object", "bank.check", "renewal.ask", "returns.ask", "approval.ask", "access.ask",
    "minutes.ask", "agenda.add", "bug.ask", "bug.deny", "deletion.ask", "webinar.ask", "beta.ask", "introduced.ask",
    "date.none", "refund.ask", "redress.insist", "bargain.name", "bargain.last", "application.ask", "data_request.ask",
    "signature.ask",
    "signature.refuse", "details.ask", "missing.tell",
    "injection.puzzled", "ticket.ask", "status.ask", "answer.back",
    "settle.still", "initiate.want", "initiate.about", "initiate.plain", "followup", "followup.late", "nudge",
}))


#: Acts by which it shows that a mail is no cheerful one.
_GRAVE = frozenset({
    "moved.loss", "moved.pet", "moved.failed", "moved.setback", "moved.hurt", "moved.unwell", "moved.other",
    "moved.worry", "moved.trouble", "moved.missing", "moved.reproach", "moved.pity", "taken.trouble", "answer.regret",
    "trouble.look", "complaint.sorry", "grief.condole"})
#: An act of an exchange (L{simmail.core.writer.exchanges.bank}) needs nothing, and waits for nothing.
_EXCHANGED = Act()


def act_named(name: str) -> Act:
    """
    Return an act.

    @raise KeyError: there is none of that name.
    """
    return _EXCHANGED if name.startswith(PREFIX) else ACTS[name]


class Said(Struct, frozen=True):
    """
    One act of one mail, with what it may name.

    @ivar lead: what leads it in, among several answers.
    @ivar number: its place in a numbered list, 0 for none; quote: a question that stands above it.
    @ivar joins: it belongs to the paragraph of the act before it.
    @ivar promise: what saying it promises.
    @ivar documents: what saying it attaches; remarks: what it says, for the thread.
    @ivar asked: the question that it answers.
    """

    act: str
    values: Mapping[str, str]
    lead: Said | None = None
    number: int = 0
    quote: str = ""
    joins: bool = False
    promise: Promised | None = None
    documents: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    asked: MailQuestion | None = None

    @property
    def is_exchange(self) -> bool:
        """Whether it is of the bank of exchanges."""
        return self.act.startswith(PREFIX)


def is_grave(said: Iterable[Said]) -> bool:
    """Return whether what is said answers a mail that is no cheerful one."""
    return any(act.act in _GRAVE for act in said)
