"""
The universes of a server that are open, and which of them mail and logins are for.

Source: decisions, section 1.
"""

from __future__ import annotations

from simmail.errors import NotFound
from simmail.universe.universe import Universe


class Universes:
    """
    The open universes, sorted by id.

    @param default: the id of the one for mail of nobody's.
    """

    def __init__(self, default: str) -> None:
        self._default = default
        self._by_id: dict[str, Universe] = {}

    def add(self, universe: Universe) -> None:
        """Take in a universe that was started."""
        self._by_id[universe.id] = universe
        # In order once, for they are asked for more often than they change.
        self._by_id = dict(sorted(self._by_id.items()))

    def remove(self, universe_id: str) -> None:
        """Let go of a universe that is going to be closed."""
        self._by_id.pop(universe_id, None)

    def __contains__(self, universe_id: str) -> bool:
        return universe_id in self._by_id

    def all(self) -> list[Universe]:
        """Return all universes, sorted by id."""
        return list(self._by_id.values())

    def get(self, universe_id: str) -> Universe:
        """
        Return one universe.

        @raise NotFound: there is none of that id.
        """
        universe = self._by_id.get(universe_id)
        if universe is None:
            raise NotFound(f"no universe {universe_id}")
        return universe

    def route(self, recipient: str) -> Universe:
        """
        Say where mail from an unauthenticated session goes (decisions, section 1).

        @raise NotFound: there is no default universe.
        """
        name = self._default
        default = self._by_id.get(name) if name != "demo" else None
        others = [one for one in self._by_id.values() if one.id not in ("demo", name)]
        # Whether an address is there may be a look at the disk: the default is asked only if that decides something.
        having = [one for one in others if one.store.exists(recipient)]
        domain = recipient.rpartition("@")[2]
        found = having or [one for one in others if domain in one.policy.rules.domains]
        if len(found) != 1 or default is not None and (
                default.store.exists(recipient) or not having and domain in default.policy.rules.domains):
            return self.get(name)
        return found[0]

    def default_universe(self, login: str = "") -> Universe | None:
        """Return the universe a login belongs to, else the one for mail of nobody's; None when there is no such."""
        name = login.strip().lower()
        if name:
            for one in self._by_id.values():
                if one.policy.login(name) is not None:
                    return one
        return self._by_id.get(self._default)
