"""
Settings documents of a universe: its pace and its link policy.

Source: API contract, "Settings"; decisions, sections 7 and 11.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

DEFAULT_USER_AGENT = "Mozilla/5.0 (compatible; simmail)"


class Pace(Struct, frozen=True):
    """The C{pace} setting: delays times C{factor} (0 counts as 1); C{ignore_hours}: at any hour and day."""

    factor: float = 1.0
    ignore_hours: bool = False

    @property
    def scale(self) -> float:
        """What delays are multiplied by."""
        return self.factor or 1.0


class LinkPolicy(Struct, frozen=True, omit_defaults=False):
    """
    The C{links} settings document.

    @ivar allow: if set, only these hosts (exact, or C{*.domain}); deny: hosts never opened.
    @ivar max_links: links opened for one mail.
    @ivar unsubscribe: whether unsubscribe links may be followed.
    @ivar sender_check: how often (0 to 1) an unknown sender is looked up.
    @ivar missing_site: what is made of a sender's site that is not there.
    @ivar local_links: what links to the sender's own machine are taken for.
    """

    enabled: bool = True
    allow_private: bool = False
    allow: tuple[str, ...] | UnsetType = UNSET
    deny: tuple[str, ...] | UnsetType = UNSET
    max_links: int = 3
    unsubscribe: bool = False
    user_agent: str = DEFAULT_USER_AGENT
    sender_check: float = 0.35
    missing_site: Literal["imagine", "notice"] = "imagine"
    local_links: Literal["ignore", "broken"] = "ignore"
