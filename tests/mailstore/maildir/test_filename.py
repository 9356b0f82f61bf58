"""Names of the files of messages, and listing them."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.filename import Row, letters_of, mask_of, packed, parse, path_of, unpacked
from simmail.mailstore.maildir.flags import MOST_KEYWORDS, SYSTEM
from tests.mailstore.maildirs import MARIA, MaildirTestCase

MASKS = st.integers(0, (1 << len(SYSTEM) + MOST_KEYWORDS) - 1)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=40)


class NameTests(MaildirTestCase):
    """What a name says."""

    @given(MASKS)
    def test_letters(self, mask: int) -> None:
        """Flags are letters and back; letters are sorted, as Maildir asks for."""
        letters = letters_of(mask)
        self.assertEqual((mask_of(letters), "".join(sorted(letters))), (mask, letters))

    @given(st.from_regex(r"[A-Za-z0-9_.-]{1,40}", fullmatch=True), st.integers(1, 0xFFFFFFFF), st.integers(0, 10**11),
           MASKS, st.booleans())
    def test_there_and_back(self, key: str, uid: int, size: int, mask: int, recent: bool) -> None:
        """What a path was made of is read from it."""
        part, _, name = path_of(key, uid, size, mask, recent).partition("/")
        self.assertEqual(part, "new" if recent else "cur")
        self.assertEqual(parse(name), (key, uid, size, None if recent else letters_of(mask)))
        self.assertEqual(filename.uid_of(f"{part}/{name}"), uid)

    def test_no_names_of_ours(self) -> None:
        """Names that the store does not make say nothing."""
        for name in ("1772.M1P1.host", "key,U=0,S=1", "key,U=01,S=1", "key,U=1,S=", "key,U=1", ",U=1,S=1",
                     "key,U=1,S=1:2", "a" * 121 + ",U=1,S=1", "key,U=1,S=1:2,S:", "key\n,U=1,S=1", "key,U=١,S=1"):
            self.assertIsNone(parse(name), name)

    @given(NAMES)
    def test_keys_of_strays(self, name: str) -> None:
        """Whatever another program calls a file, its key makes a name that can be read."""
        key = filename.key_of_stray(name)
        self.assertEqual(parse(f"{key},U=7,S=3"), (key, 7, 3, None))

    def test_key_kept(self) -> None:
        """A plain unique name is the key; an odd one is hashed, always to the same."""
        self.assertEqual(filename.key_of_stray("1772.M1P1.host,S=5:2,S"), "1772.M1P1.host")
        odd = filename.key_of_stray("\udcff\udcfe")
        self.assertEqual((len(odd), filename.key_of_stray("\udcff\udcfe")), (32, odd))
        self.assertNotEqual(filename.key_of_stray(".hidden"), ".hidden")

    def test_flags_of_strays(self) -> None:
        """System flags that another program set count, its keywords do not."""
        self.assertEqual(letters_of(filename.mask_of_stray("x:2,FSab")), "FS")
        self.assertEqual(filename.mask_of_stray("x:2,"), 0)
        self.assertEqual(filename.mask_of_stray("x:1,S"), 0)
        self.assertEqual(letters_of(filename.mask_of_stray("x:2,S,U=7")), "S")

    @given(st.lists(st.one_of(st.none(), st.binary(min_size=1, max_size=20))))
    def test_packed(self, names: list[bytes | None]) -> None:
        """Names of files cross as they are on disk, UTF-8 or not; none is the empty one."""
        paths = [os.fsdecode(name.replace(b"\0", b"x")) if name is not None else None for name in names]
        self.assertEqual(unpacked(packed(paths)), [path or "" for path in paths])


class ListingTests(MaildirTestCase):
    """What is in a folder."""

    def setUp(self) -> None:
        super().setUp()
        self.deliver(1, 2)
        self.directory = self.folder().directory

    def test_rows_and_strays(self) -> None:
        """Messages are rows; files without a UID are strays, hidden ones and half a message are not."""
        for name in ("new/1772.host", "cur/1773.host:2,S", "cur/.hidden", "new/d-9,U=9,S=4:2,S", "cur/d-8,U=8,S=4"):
            self.put(name, b"four")
        found = filename.listing(self.layout.root, self.directory, lambda uid, key: 5)
        self.assertEqual(sorted(found.rows), [1, 2])
        self.assertEqual(found.rows[1], Row(1, 0, found.rows[1].size, 5, 0, True, "d-1"))
        self.assertEqual(sorted(found.strays), [
            "cur/1773.host:2,S", "cur/d-8,U=8,S=4", "new/1772.host", "new/d-9,U=9,S=4:2,S"])
        self.assertEqual(sorted(filename.strays(self.layout.root, self.directory)), ["new/1772.host"])
        self.assertEqual(found.times, filename.times_of(self.layout.root, self.directory))

    def test_dates(self) -> None:
        """The date that is known is taken, else that of the file."""
        asked: list[tuple[int, str]] = []

        def date_of(uid: int, key: str) -> int | None:
            asked.append((uid, key))
            return None
        found = filename.listing(self.layout.root, self.directory, date_of)
        self.assertEqual(sorted(asked), [(1, "d-1"), (2, "d-2")])
        self.assertEqual({row.date for row in found.rows.values()}, {1772355600 * 10**6})

    def test_uid_twice(self) -> None:
        """Of two files with one UID one is a stray."""
        self.put("cur/other,U=1,S=4:2,", b"four")
        found = filename.listing(self.layout.root, self.directory, lambda uid, key: 5)
        self.assertEqual((sorted(found.rows), found.strays), ([1, 2], ["cur/other,U=1,S=4:2,"]))

    def test_expected(self) -> None:
        """Of files that are expected only is told that they are there."""
        self.put("cur/d-3,U=3,S=4:2,S", b"four")
        expected = frozenset(("cur/d-3,U=3,S=4:2,S", "cur/d-4,U=4,S=4:2,S"))
        found = filename.listing(self.layout.root, self.directory, lambda uid, key: 5, expected=expected)
        self.assertEqual((sorted(found.rows), set(found.same)), ([1, 2], {"cur/d-3,U=3,S=4:2,S"}))

    def test_found(self) -> None:
        """By key, by UID, and the highest UID."""
        root, directory = self.layout.root, self.directory
        path = self.files()[1]
        self.assertEqual(filename.find(root, directory, "d-2"), (2, path))
        self.assertIsNone(filename.find(root, directory, "d-"))
        self.assertEqual(filename.find_uid(root, directory, 2), path)
        self.assertIsNone(filename.find_uid(root, directory, 22))
        self.assertEqual((filename.uids(root, directory), filename.highest_uid(root, directory)), ({1, 2}, 2))
        self.assertEqual(list(filename.keys(root, directory)), sorted(map(hash, ("d-1", "d-2"))))

    def test_empty(self) -> None:
        """An empty folder has no highest UID."""
        directory = self.folders.open(MARIA, "Archive", create=False).directory
        self.assertEqual(filename.highest_uid(self.layout.root, directory), 0)
