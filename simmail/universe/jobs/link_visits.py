"""
Personas at their browsers: jobs of kind C{link}.

Such a job opens links of one mail and may look its sender up.  The pages are
fetched before the job's turn comes, so that a slow site holds up neither
mail nor the API, and those of several jobs that are due one after another at
once; then what was found is committed as C{link.*} events at the job's due time,
with C{job.done}, what the persona remembers, and what the reply that is planned
will know of it.

What a page answers is an input: it is in the events and changes no draw.  A
page that cannot be opened is not a failure of the job.  Each event is
recorded once; after a crash between the fetch and the commit the page is
fetched again, since no one can ask for a page exactly once.

Sources: API contract, "Events" ("Links"); decisions, sections 8 and 11.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec.structs import replace
from twisted.internet.defer import CancelledError, Deferred, FirstError, gatherResults
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Lock
from simmail.core.decide.link_policy import permitted
from simmail.core.decide.page_visit import Errand, Visit, imagine
from simmail.core.net.egress import NOWHERE, public_name
from simmail.core.net.url import BadUrl, parse
from simmail.core.records import notes
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.records.persona import Persona
from simmail.core.records.settings import LinkPolicy
from simmail.core.rng import Dice
from simmail.interfaces import IBrowser
from simmail.universe.committer import Committer
from simmail.universe.maillog import MailLog
from simmail.universe.pending import PendingJobs
from simmail.universe.people.memory import Memories
from simmail.universe.people.personas import Personas, persona_tag
from simmail.universe.settings import Settings

#: Pages that the people of one universe open at once.
AT_ONCE = 8

#: Links a reply is told of.
MOST_TOLD = 20

_FORBIDDEN = "the link policy does not allow this host"


class VisitedPages(NamedTuple):
    """
    What one job's errands brought.

    @ivar links: one for each of C{data["open"]}, None for what the policy forbids by now.
    @ivar site: what was at C{url}, for a sender that was to be looked up and may be.
    """

    links: tuple[Visit | None, ...]
    url: str = ""
    site: Visit | None = None


class _Going:
    """A job whose pages are being fetched."""

    def __init__(self, job: Job, done: Deferred[VisitedPages]) -> None:
        self.job = job
        self.done = done

    def waited(self) -> Deferred[None]:
        """Deferred that fires when they are there, or are not to be had."""
        waiter: Deferred[None] = Deferred()

        def tell(result: Any) -> Any:
            waiter.callback(None)
            return result

        self.done.addBoth(tell)
        return waiter


class LinkVisits:
    """
    The looks at web pages of one universe.

    @param lab_hosts: hosts, with their ports, that are served here over plain HTTP.
    """

    def __init__(
        self, browser: IBrowser, lab_hosts: Sequence[str], settings: Settings, people: Personas, memories: Memories,
        pending: PendingJobs, dice: Dice, now: Callable[[], datetime], committer: Committer, mail_log: MailLog,
        reactor: IReactorTime,
    ) -> None:
        self._browser = browser
        self._lab_hosts = lab_hosts
        self._settings = settings
        self._people = people
        self._memories = memories
        self._pending = pending
        self._dice = dice
        self._now = now
        self._committer = committer
        self._mail_log = mail_log
        self._room = Lock(reactor, AT_ONCE)
        self._going: dict[str, _Going] = {}
        self._stopped = False

    # Fetching, ahead of the job's turn

    def begin(self, job: Job) -> Deferred[None]:
        """Fetch what a job needs, once; the Deferred fires when it is there."""
        going = self._going.get(job.id)
        if going is None or going.job is not job:
            self._forget(job.id)
            going = self._going[job.id] = _Going(job, Deferred.fromCoroutine(self._fetched(job)))
        return going.waited()

    def keep(self, pending: Mapping[str, Job]) -> None:
        """Forget what was fetched for jobs that are not these any more."""
        for one in [one for one, going in self._going.items() if pending.get(one) is not going.job]:
            self._forget(one)

    def _forget(self, job_id: str) -> None:
        going = self._going.pop(job_id, None)
        if going is not None:
            going.done.addErrback(lambda _: None)
            going.done.cancel()

    def stop(self) -> None:
        """Break everything off, begin nothing more."""
        self._stopped = True
        for one in list(self._going):
            self._forget(one)

    async def _fetched(self, job: Job) -> VisitedPages:
        policy = self._settings.links
        persona = self._people.known(job.persona_id or "")
        if persona is None or persona.paused is True or not policy.enabled:
            return VisitedPages(())
        opened: list[dict[str, Any]] = job.data.get("open", [])
        try:
            links = await gatherResults([self._opened(one, job, policy) for one in opened], consumeErrors=True)
        except FirstError as error:
            error.subFailure.raiseException()
        domain = job.data.get("look_up", "")
        if not domain or not permitted(domain, policy):
            return VisitedPages(tuple(links))
        url, site = await self._site(domain, job, policy)
        return VisitedPages(tuple(links), url, site)

    def _opened(self, one: dict[str, Any], job: Job, policy: LinkPolicy) -> Deferred[Visit | None]:
        return Deferred.fromCoroutine(self._open(one, job, policy))

    async def _open(self, one: dict[str, Any], job: Job, policy: LinkPolicy) -> Visit | None:
        try:
            if not permitted(parse(one["url"]).host, policy):
                return None
        except BadUrl as error:
            return Visit(error=str(error))
        if one["broken"]:
            # The sender's own machine: whoever reads the mail finds nobody there.
            return Visit(error="the connection was refused")
        return await self._visit(self._errand(one["url"], job, policy, bool(one.get("one_click"))))

    async def _site(self, domain: str, job: Job, policy: LinkPolicy) -> tuple[str, Visit]:
        """A sender's site as somebody finds it who types the domain: secure, else as it comes."""
        urls = [f"http://{one}/" for one in self._lab_hosts if one.rpartition(":")[0] == domain]
        if not urls:
            urls = [f"https://{domain}/", f"http://{domain}/"] if public_name(domain) else [f"https://{domain}/"]
        for url in urls:
            site = await self._visit(self._errand(url, job, policy))
            if not site.error or site.error == NOWHERE:
                break
        return url, site

    def _errand(self, url: str, job: Job, policy: LinkPolicy, one_click: bool = False) -> Errand:
        return Errand(
            url, job.id, policy.user_agent, policy.allow if isinstance(policy.allow, tuple) else None,
            policy.deny if isinstance(policy.deny, tuple) else (), one_click)

    async def _visit(self, errand: Errand) -> Visit:
        if self._stopped:
            raise CancelledError()
        visit: Visit = await self._room.run(self._browser.visit, errand)
        return visit

    # The job itself

    async def perform(self, job: Job, drop: Callable[[Job, str], Awaitable[None]]) -> None:
        """Commit what was found, fetching it now if nobody has begun to; C{drop}: for a job with nothing to do."""
        persona = self._people.known(job.persona_id or "")
        if persona is None:
            await drop(job, "the persona is gone")
        elif persona.paused is True:
            await drop(job, "the persona is paused")
        elif not self._settings.links.enabled:
            await drop(job, "opening links is switched off")
        else:
            self.begin(job)
            going = self._going.pop(job.id)
            await self._tell(job, persona, await going.done)

    async def _tell(self, job: Job, persona: Persona, found: VisitedPages) -> None:
        recorder = _VisitRecorder(job, persona, self._now())
        for one, visit in zip(job.data.get("open", ()), found.links):
            recorder.link(one, visit)
        domain = job.data.get("look_up", "")
        if found.site is not None:
            recorder.sender(domain, found.url, found.site, self._made_up(domain, found.site))
        elif domain:
            recorder.event("link.skipped", url="", why=_FORBIDDEN, domain=domain)
        recorder.events.append(Event("job.done", recorder.now, {
            "id": job.id, "kind": job.kind, "persona_id": job.persona_id, "note": recorder.summary()},
            persona_tag(persona)))
        jobs = [replace(job, state="done", note=recorder.summary())]
        reply = self._pending.reply_in(persona.id, job.thread, job.data.get("to", ""))
        if reply is not None and recorder.links:
            told = [*reply.data.get("visited", ()), *recorder.links][-MOST_TOLD:]
            jobs.append(replace(reply, data={**reply.data, "visited": told}))
        puts: tuple[tuple[str, str, bytes], ...] = ()
        if recorder.notes:
            memory = await self._memories.memory(persona.id)
            notes.add_own(memory, job.case_id or "", recorder.notes)
            puts = (("memory", persona.id, notes.encode(memory)),)
        await self._committer.commit_surely(Commit(
            once=job.id, jobs=tuple(jobs), puts=puts, events=tuple(recorder.events)))
        for put in puts:
            self._memories.cache.put(*put)
        self._pending.add(jobs)
        self._mail_log.line("visited {count} pages for {persona}: {note}", count=len(recorder.links),
                            persona=persona.address, note=recorder.summary())

    def _made_up(self, domain: str, site: Visit) -> str:
        """What the persona takes for a site that is not there, C{""} when it notices that."""
        if not site.error or self._settings.links.missing_site == "notice":
            return ""
        return imagine(domain, self._dice).text


def _left(one: dict[str, Any], visit: Visit) -> bool:
    """Whether opening a link unsubscribed: the button has to be answered with success, a page only to be there."""
    if one.get("one_click"):
        return 200 <= visit.status < 300
    return bool(one.get("leaves")) and not visit.broken


class _VisitRecorder:
    """
    Writes down what came of one job.

    @ivar links: what a reply is told of each link; notes: what the persona remembers.
    """

    def __init__(self, job: Job, persona: Persona, now: datetime) -> None:
        self._job = job
        self._persona = persona
        self.now = now
        self.events: list[Event] = []
        self.links: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self._said: list[str] = []

    def summary(self) -> str:
        """All of it in a sentence."""
        good = sum(1 for one in self.links if not one["broken"])
        bad = len(self.links) - good
        parts = [f"opened {good} link{'s' if good != 1 else ''}"] if good else []
        parts += [f"found {bad} broken"] if bad else []
        return ", ".join(parts + self._said) or "opened nothing"

    def event(self, type: str, **data: Any) -> None:
        """Something happened."""
        self.events.append(Event(type, self.now, {
            "persona_id": self._persona.id, "persona": self._persona.name, **data,
            "message_id": self._job.message_id or ""}, persona_tag(self._persona)))

    def link(self, one: dict[str, Any], visit: Visit | None) -> None:
        """What was found behind a link."""
        if visit is None:
            self.event("link.skipped", url=one["url"], why=_FORBIDDEN)
            return
        about = {"url": one["url"], "text": one["text"], "why": one["why"]}
        if visit.error:
            self.event("link.failed", **about, error=visit.error, ms=visit.ms)
        else:
            self.event("link.opened", **about, status=visit.status, final_url=visit.final_url, title=visit.title,
                       content_type=visit.content_type, ms=visit.ms)
        self.links.append({
            "url": one["url"], "text": one["text"], "opened": not visit.error, "broken": visit.broken,
            "title": visit.title, "form": visit.form, "leaves": one.get("leaves", False), "left": _left(one, visit)})

    def sender(self, domain: str, url: str, site: Visit, imagined: str) -> None:
        """What was found of the sender."""
        data: dict[str, Any] = {"domain": domain, "url": url, "reason": self._job.data.get("reason", "")}
        day = f"{self.now:%Y-%m-%d}"
        if not site.error:
            self.event("link.sender", **data, status=site.status, final_url=site.final_url, title=site.title,
                       ms=site.ms)
            self.notes.append(f"{day}: looked up {domain}: {site.title or site.final_url}")
        elif imagined:
            self.event("link.sender", **data, why=imagined, quality="imagined", error=site.error)
            self.notes.append(f"{day}: looked up {domain} (imagined): {imagined}")
        else:
            self.event("link.sender", **data, why=f"there is no site at {domain}", quality="missing",
                       error=site.error)
            self.notes.append(f"{day}: looked up {domain}: there is no such site")
        self._said.append(f"looked up {domain}")
