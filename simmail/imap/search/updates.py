"""
What changes in the results of searches that are kept up to date, and CANCELUPDATE.

Only messages that were touched are looked at again.
Source: RFC 5267 section 4, RFC 5465 section 7.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from simmail.errors import Refusal
from simmail.imap.connection import ImapConnection
from simmail.imap.contexts import MOST_SORTED, SearchContext, SearchProgram
from simmail.imap.fetch.fetch import show
from simmail.imap.search.engine import SearchEngine
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import No

if TYPE_CHECKING:
    from simmail.imap.search.results import Wanted


async def update(imap: ImapConnection) -> None:
    """Tell what the messages that were touched make of the results."""
    selected = imap.require_selected()
    contexts = selected.contexts
    contexts.expecting = False
    last = selected.uids[-1] if selected.uids else 0
    touched = sorted(uid for uid in contexts.touched if uid <= last)
    # Others the client does not know yet.
    contexts.touched = {uid for uid in contexts.touched if uid > last}
    arrived = {uid for uid in contexts.arrived if uid <= last}
    contexts.arrived -= arrived
    if not touched:
        return
    for context in contexts.all():
        present = [uid for uid in touched if selected.knows(uid) and not selected.is_expunged(uid)]
        try:
            response = await _changed(imap, context, present, arrived)
        except (No, Refusal) as error:
            response = contexts.give_up(context, str(error))
        await imap.send(response)


async def _changed(
    imap: ImapConnection, context: SearchContext, touched: Sequence[int], arrived: Container[int]
) -> bytes:
    selected, program = imap.require_selected(), context.program
    search = SearchEngine(selected, imap.now(), imap.yield_to_reactor)
    found = set(await search.among(program.key, touched))
    held = set(context.holding(touched))
    fresh = sorted(found - held)
    response = context.without(selected, sorted(held - found))
    if not fresh:
        return response
    results: Sequence[int] = sorted([*context.results, *fresh])
    if program.criteria is not None:
        if len(results) > MOST_SORTED:
            raise No("Too many results")
        results = await selected.folder.ordered(results, program.criteria)
        there = set(results)
        # What went meanwhile.
        response += context.without(selected, context.holding(set(context.results) - there))
        fresh = [uid for uid in fresh if uid in there]
    if program.items:
        await show(imap, selected, program.items, [uid for uid in fresh if uid in arrived])
    return response + context.with_more(selected, fresh, results)


def keep_updated(imap: ImapConnection, wanted: Wanted | None, program: SearchProgram, results: Sequence[int]) -> None:
    """Where C{UPDATE} was asked for, tell from now on what changes; or that this is not done."""
    if wanted is not None and b"UPDATE" in wanted.options:
        refused = imap.require_selected().contexts.begin(imap.tag, program, results)
        if refused:
            imap.write(refused)


def check_update(imap: ImapConnection, wanted: Wanted | None) -> None:
    """@raise Bad: C{UPDATE} is asked for under a tag that is in use."""
    if wanted is not None and b"UPDATE" in wanted.options:
        imap.require_selected().contexts.expect(imap.tag)


async def cancel_update(imap: ImapConnection, arguments: Arguments) -> None:
    """CANCELUPDATE."""
    tags: list[bytes] = []
    while not tags or not arguments.at_end():
        arguments.space()
        tags.append(arguments.astring())
    imap.require_selected().contexts.cancel(tags)
