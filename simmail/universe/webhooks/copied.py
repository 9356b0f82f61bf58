"""
What becomes of webhooks where a universe was copied: nothing that was sent is sent again.

In what was put back they go on with what happens next; in a fork they are switched off, for their receivers belong to
the original.  Source: decisions, section 16.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from simmail.core.records.commit import Commit
from simmail.core.webhook.endpoint import Webhook, WebhookState
from simmail.universe.webhooks.webhooks import ATTEMPTS, LIST, TABLE


def silenced(table: Mapping[str, bytes], attempts: Iterable[str], last: int, off: bool) -> Commit:
    """
    Return what makes the webhooks of a copy begin anew behind the event C{last}.

    @param table: their table as it was copied; attempts: the keys of that of attempts; off: switch them off.
    """
    if LIST not in table:
        return Commit()
    webhooks = msgspec.json.decode(table[LIST], type=tuple[Webhook, ...])
    begun = msgspec.json.encode(WebhookState(place=last))
    puts = [(TABLE, one.id, begun) for one in webhooks]
    if off:
        puts.append((TABLE, LIST, msgspec.json.encode(tuple(replace(one, enabled=False) for one in webhooks))))
    return Commit(puts=tuple(puts), drops=tuple((ATTEMPTS, key) for key in attempts))
