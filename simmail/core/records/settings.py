"""
Settings documents of a universe: its pace and its link policy.

Source: API contract, "Settings"; decisions, sections 7 and 11.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Hosts = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=253)], ...], Meta(max_length=1000)]

DEFAULT_USER_AGENT = "Mozilla/5.0 (compatible; simmail)"


#: Who words mail: a model, where one is configured, or templates.
WriterMode = Literal["on", "off"]


#: What delays may be multiplied by at most.
MOST_FACTOR = 1_000_000


class Pace(Struct, frozen=True):
    """
    The C{pace} setting.

    @ivar factor: what delays are multiplied by, without unit; 0 counts as 1.
    @ivar ignore_hours: personas reply at any hour and day.
    """

    factor: float = 1.0
    ignore_hours: bool = False

    @property
    def scale(self) -> float:
        """What delays are multiplied by."""
        return self.factor or 1.0


class LinkPolicy(Struct, frozen=True, omit_defaults=False):
    """
    The C{links} settings document.

    @ivar enabled: whether personas open links at all.
    @ivar allow_private: links to localhost and private networks are never opened; it cannot be switched on.
    @ivar allow: if set, only these hosts (exact, or C{*.domain}); deny: hosts never opened.
    @ivar max_links: links opened for one mail; unsubscribe: whether unsubscribe links may be followed.
    @ivar user_agent: what requests claim to be; sender_check: how often an unknown sender's site is looked up, 0 to 1.
    @ivar missing_site: what is made of a sender's site that is not there: it is imagined, or its absence noticed.
    @ivar local_links: what links to the sender's own machine are taken for: something to ignore, or broken.
    """

    enabled: bool = True
    allow_private: bool = False
    allow: Hosts | UnsetType = UNSET
    deny: Hosts | UnsetType = UNSET
    max_links: Annotated[int, Meta(ge=0, le=100)] = 3
    unsubscribe: bool = False
    user_agent: Annotated[str, Meta(max_length=200)] = DEFAULT_USER_AGENT
    sender_check: Annotated[float, Meta(ge=0, le=1)] = 0.35
    missing_site: Literal["imagine", "notice"] = "imagine"
    local_links: Literal["ignore", "broken"] = "ignore"
