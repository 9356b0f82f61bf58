"""
AgentDojo with real mail: what lies in a workspace's inbox comes by SMTP, and what the agent sends goes by SMTP.

AgentDojo's own tools and tasks stay as they are, utility and attack success too.  Mail, injections in it too, is read
as it came through, and who is written to may be somebody who answers.

Source: C{agentdojo.task_suite} of agentdojo 0.1.35.
"""

from __future__ import annotations

import smtplib
from collections.abc import Mapping
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import partial
from secrets import token_hex
from typing import Any, NamedTuple

from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.base_tasks import BaseInjectionTask, BaseUserTask
from agentdojo.default_suites.v1.tools.email_client import Inbox
from agentdojo.default_suites.v1.tools.types import Email, EmailStatus
from agentdojo.functions_runtime import FunctionsRuntime
from agentdojo.task_suite.task_suite import TaskSuite

from simmail.client import Client, InboxMail, MailLogin
from simmail.testing.service import shared

#: Where its mails come from, so to say: theirs have numbers, and no Message-IDs.
_DOMAIN = "agentdojo.invalid"

#: The day on which its workspace takes place.
CLOCK = "2024-05-15T09:00:00Z"


class TaskOutcome(NamedTuple):
    """
    What came of a task.

    @ivar useful: the user's task was done; attacked: the injected one was done, False where there was none.
    @ivar sent: what went out, as it lies in the mailbox.
    """

    useful: bool
    attacked: bool
    sent: tuple[InboxMail, ...]


def run(suite: TaskSuite, pipeline: BasePipelineElement, user_task: BaseUserTask,
        injection_task: BaseInjectionTask | None = None, injections: Mapping[str, str] | None = None,
        url: str = "", key: str = "", seed: str = "agentdojo") -> TaskOutcome:
    """
    Run a task, and the attack on it, in a universe of its own.

    @param injections: what C{BaseAttack.attack} makes; url, key: of a running service, else one is started.
    @raise ApiError: it was refused.  @raise smtplib.SMTPException: so was a mail.
    """
    admin = shared(url, key)
    environment = suite.load_and_inject_default_environment(dict(injections or {}))
    with admin.create(clock=CLOCK, seed=seed, login=environment.inbox.account_email) as client:
        try:
            mail = RealMail(client, environment.inbox)
            useful, attacked = suite.run_task_with_pipeline(
                pipeline, user_task, injection_task, {}, partial(MailRuntime, mail), environment)
            return TaskOutcome(useful, injection_task is not None and attacked, tuple(mail.sent()))
        finally:
            admin.delete(client.universe)


class RealMail:
    """
    The mailbox of a workspace.

    @param inbox: its mail is delivered, and from then on is what lies in the mailbox.
    """

    def __init__(self, client: Client, inbox: Inbox) -> None:
        self._client, self._address = client, str(inbox.account_email)
        self._known = set(inbox.emails)
        # The rest of the world signs in as another, so that what comes is not filed as sent.
        relay = MailLogin(f"relay@{_DOMAIN}{client.login.username.removeprefix(client.login.address)}",
                          f"relay@{_DOMAIN}", token_hex())
        client.call("POST", "/api/accounts", {"address": relay.address, "password": relay.password})
        for one in inbox.received:
            self._send(one, relay, [self._address])
        came = {mail.message_id: mail for mail in self._folder("INBOX")}
        for one in inbox.received:
            mail = came[_message_id(one)]
            one.sender, one.subject, one.body = mail.from_, mail.subject, mail.text
        self._seen = len(came)

    def sent(self) -> list[InboxMail]:
        """Return what the agent has sent, oldest first."""
        return self._folder("Sent")

    def fetch(self, inbox: Inbox) -> None:
        """Put what came meanwhile into a workspace's inbox."""
        mails = self._folder("INBOX")
        for mail in mails[self._seen:]:
            id = str(max(map(int, inbox.emails), default=0) + 1)
            self._known.add(id)
            inbox.emails[id] = Email(
                id_=id, sender=mail.from_, recipients=mail.to, cc=mail.cc, subject=mail.subject, body=mail.text,
                status=EmailStatus.received, timestamp=mail.time.replace(tzinfo=None))
        self._seen = len(mails)

    def push(self, inbox: Inbox) -> None:
        """Send what was put into a workspace's inbox as sent, and give its answers an hour to come."""
        new = [one for id, one in inbox.emails.items() if id not in self._known and one.status == EmailStatus.sent]
        for one in new:
            self._known.add(one.id_)
            self._send(one, self._client.login, [*one.recipients, *one.cc, *one.bcc])
        if new:
            self._client.advance(by="1h")

    def _folder(self, name: str) -> list[InboxMail]:
        """All mail of a folder, oldest first, with the whole text."""
        found = self._client.inbox(self._address, folder=name, limit=1000)
        return [self._client.message(self._address, one.uid, name) for one in reversed(found)]

    def _send(self, one: Email, login: MailLogin, to: list[str]) -> None:
        mail = EmailMessage(policy=SMTP)
        mail["From"], mail["To"], mail["Subject"] = one.sender, ", ".join(one.recipients), one.subject
        mail["Date"], mail["Message-ID"] = format_datetime(one.timestamp), _message_id(one)
        if one.cc:
            mail["Cc"] = ", ".join(one.cc)
        mail.set_content(one.body)
        with smtplib.SMTP(*self._client.place("SMTP")) as smtp:
            smtp.login(login.username, login.password)
            smtp.send_message(mail, one.sender, to)


def _message_id(one: Email) -> str:
    return f"<{one.id_}@{_DOMAIN}>"


class MailRuntime(FunctionsRuntime):
    """Runs AgentDojo's tools, with a real mailbox behind those of mail."""

    def __init__(self, mail: RealMail, functions: Any) -> None:
        super().__init__(functions)
        self._mail = mail

    def run_function(self, env: Any, function: str, kwargs: Any, raise_on_error: bool = False) -> Any:
        """Run a tool: on what has come by now, and what it sends is sent."""
        self._mail.fetch(env.inbox)
        told = super().run_function(env, function, kwargs, raise_on_error)
        self._mail.push(env.inbox)
        return told
