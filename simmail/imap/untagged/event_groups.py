"""
Which events of which mailboxes a client wants to be told of.

Source: RFC 5465 sections 5 and 6.
"""

from __future__ import annotations

from collections.abc import Collection, Container
from typing import NamedTuple

from simmail.imap.wire.fetch_items import Item

ABOUT_MESSAGES = frozenset(("MessageNew", "MessageExpunge", "FlagChange"))
#: All that are told, as they are spelled.
EVENTS = ("MessageNew", "MessageExpunge", "FlagChange", "MailboxName", "SubscriptionChange", "MailboxMetadataChange",
          "ServerMetadataChange")


class EventGroup(NamedTuple):
    """
    Events of some mailboxes, none of them for C{NONE}.

    @ivar kind: C{"ALL"}, C{"SUBSCRIBED"}, C{"SUBTREE"} or C{"MAILBOXES"}; of the last two C{names}.
    """

    kind: str
    names: frozenset[str]
    events: frozenset[str]

    def holds(self, name: str, subscribed: Container[str]) -> bool:
        """Whether a mailbox is one of these."""
        if self.kind == "ALL":
            return True
        if self.kind == "SUBSCRIBED":
            return name in subscribed
        if name in self.names:
            return True
        if self.kind != "SUBTREE":
            return False
        at = name.rfind("/")
        while at > 0:
            if name[:at] in self.names:
                return True
            at = name.rfind("/", 0, at)
        return False


class EventGroups(NamedTuple):
    """
    What one client asked for.

    @ivar selected: events of the mailbox it has selected; delayed: messages vanish from it only when a command ends.
    @ivar items: what is fetched of messages that come there.
    """

    groups: tuple[EventGroup, ...] = ()
    selected: frozenset[str] = frozenset()
    delayed: bool = False
    items: tuple[Item, ...] = ()

    def events(self, name: str, subscribed: Container[str]) -> frozenset[str]:
        """Those of a mailbox, as far as they do not depend on whether it is selected; none where one group says so."""
        found = frozenset[str]()
        for group in self.groups:
            if group.holds(name, subscribed):
                if not group.events:
                    return group.events
                found |= group.events
        return found

    @property
    def server(self) -> bool:
        """Whether changes of the server's annotations are told."""
        return any("ServerMetadataChange" in group.events for group in self.groups)

    @property
    def annotations(self) -> bool:
        """Whether those of any annotations are."""
        return self.server or any("MailboxMetadataChange" in group.events for group in self.groups)

    @property
    def by_subscription(self) -> bool:
        """Whether it depends on subscriptions."""
        return any(group.kind == "SUBSCRIBED" for group in self.groups)

    def existing(self, names: Collection[str], parents: Container[str]) -> EventGroups:
        """The same without names that mean nothing (RFC 5465 section 3.1: they are ignored)."""
        return self._replace(groups=tuple(group._replace(names=frozenset(
            name for name in group.names
            if name in names or (group.kind == "SUBTREE" and name in parents))) for group in self.groups))
