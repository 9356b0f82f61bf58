"""
What changes in the results of searches that are kept up to date, and CANCELUPDATE.

Only messages that were touched are looked at again.
Source: RFC 5267 section 4, RFC 5465 section 7.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from simmail.errors import Refusal
from simmail.imap.command.copymove import selected_of
from simmail.imap.fetch.fetch import show
from simmail.imap.search.contexts import Context, MOST_SORTED, Question
from simmail.imap.search.engine import Search
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import No

if TYPE_CHECKING:
    from simmail.imap.search.results import Wanted
    from simmail.imap.server import ImapServer


async def update(imap: ImapServer) -> None:
    """Tell what the messages that were touched make of the results."""
    selected = selected_of(imap)
    contexts = selected.contexts
    contexts.expecting = False
    last = selected.uids[-1] if selected.uids else 0
    touched = sorted(uid for uid in contexts.touched if uid <= last)
    # Others the client does not know yet.
    contexts.touched = {uid for uid in contexts.touched if uid > last}
    came = {uid for uid in contexts.came if uid <= last}
    contexts.came -= came
    if not touched:
        return
    for context in contexts.all():
        present = [uid for uid in touched if selected.knows(uid) and not selected.is_gone(uid)]
        try:
            told = await _changed(imap, context, present, came)
        except (No, Refusal) as error:
            told = contexts.give_up(context, str(error))
        await imap.send(told)


async def _changed(imap: ImapServer, context: Context, touched: Sequence[int], came: Container[int]) -> bytes:
    selected, question = selected_of(imap), context.question
    search = Search(selected, imap.login.universe.clock.now(), imap.breathe)
    found = set(await search.among(question.key, touched))
    held = set(context.holding(touched))
    fresh = sorted(found - held)
    told = context.without(selected, sorted(held - found))
    if not fresh:
        return told
    results: Sequence[int] = sorted([*context.results, *fresh])
    if question.criteria is not None:
        if len(results) > MOST_SORTED:
            raise No("Too many results")
        results = await selected.folder.ordered(results, question.criteria)
        there = set(results)
        # What went meanwhile.
        told += context.without(selected, context.holding(set(context.results) - there))
        fresh = [uid for uid in fresh if uid in there]
    if question.items:
        await show(imap, selected, question.items, [uid for uid in fresh if uid in came])
    return told + context.with_more(selected, fresh, results)


def keep_updated(imap: ImapServer, wanted: Wanted | None, question: Question, results: Sequence[int]) -> None:
    """Where C{UPDATE} was asked for, tell from now on what changes; or that this is not done."""
    if wanted is not None and b"UPDATE" in wanted.options:
        refused = selected_of(imap).contexts.begin(imap.tag, question, results)
        if refused:
            imap.write(refused)


def check_update(imap: ImapServer, wanted: Wanted | None) -> None:
    """@raise Bad: C{UPDATE} is asked for under a tag that is in use."""
    if wanted is not None and b"UPDATE" in wanted.options:
        selected_of(imap).contexts.expect(imap.tag)


async def cancel_update(imap: ImapServer, arguments: Arguments) -> None:
    """CANCELUPDATE."""
    tags: list[bytes] = []
    while not tags or not arguments.at_end():
        arguments.space()
        tags.append(arguments.astring())
    selected_of(imap).contexts.cancel(tags)
