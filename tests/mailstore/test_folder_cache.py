"""Folders are loaded once for all who hold them; some that nobody holds are kept."""

from __future__ import annotations

import gc
from typing import Any

from twisted.internet.defer import Deferred

from simmail.errors import NotFound
from simmail.mailstore import folder_cache
from tests.contracts.mailstores import a_delivery, result_of
from tests.mailstore.folders import MARIA, FolderCase


class CacheTests(FolderCase):
    """C{FolderCache}."""

    def test_one_for_all(self) -> None:
        """Whoever asks gets the same, also while it is being loaded."""
        self.assertIs(self.loaded("INBOX"), self.folder)
        self.store = self.provider.restart()
        first, second = (Deferred.fromCoroutine(self.store.cache.load((MARIA, "INBOX"))) for _ in range(2))
        self.assertIs(result_of(first), result_of(second))

    def test_some_are_kept(self) -> None:
        """Of too many those go that nobody has asked for longest; who is listened to stays."""
        self.patch(folder_cache, "_MOST_KEPT", 3)
        self.patch(folder_cache, "_LOADS", 1)
        self.archive = None
        for number in range(6):
            result_of(self.store.create_folder(MARIA, f"F{number}"))
            self.loaded(f"F{number}")
        gc.collect()
        cache = self.store.cache
        self.assertIs(cache.loaded((MARIA, "INBOX")), self.folder)
        self.assertEqual([cache.loaded((MARIA, f"F{number}")) is not None for number in range(6)],
                         [False] * 4 + [True] * 2)

    def test_goes_without_a_collection(self) -> None:
        """A folder that nobody holds any more is gone at once: nothing in it refers to it in a circle."""
        self.fill(2)
        result_of(self.folder.flag([1], ["\\Seen"], "+"))
        self.provider.clock.advance(2)
        result_of(self.folder.digests([1, 2]))
        self.provider.clock.pump([0.5] * 4)
        cache = self.store.cache
        gc.disable()
        try:
            self.folder = None
            cache._kept.clear()
            self.assertIsNone(cache.get((MARIA, "INBOX")))
        finally:
            gc.enable()

    def test_saved(self) -> None:
        """What goes is saved, so that it need not be listed again."""
        self.fill(2)
        self.assertTrue(self.folder.dirty)
        result_of(self.store.cache.save())
        self.assertFalse(self.folder.dirty)

    def test_dropped(self) -> None:
        """Who holds a folder that is dropped is told; the next who asks gets another one."""
        self.kinds()
        self.store.cache.drop(self.folder)
        self.assertEqual(self.kinds(), [("reset", ())])
        self.assertIsNot(self.loaded("INBOX"), self.folder)
        self.assertRaises(NotFound, self.folder.require)

    def test_from_outside(self) -> None:
        """Folders that are not loaded look from outside as they do when they are."""
        self.fill(2, "\\Seen")
        result_of(self.store.accept(a_delivery(9, MARIA, (MARIA, "Lists"))))

        def looks() -> dict[str, Any]:
            return {one.name: one for one in result_of(self.store.folders(MARIA))}

        before = looks()
        self.assertEqual((before["INBOX"].total, before["INBOX"].unseen, before["Lists"].total), (3, 1, 1))
        self.folder = self.archive = None
        self.store = self.provider.restart()
        self.assertEqual(looks(), before)
        self.assertEqual(looks(), before)
