"""An image is made of Maildirs that change meanwhile."""

from __future__ import annotations

import os
from random import Random

from simmail.errors import Conflict
from simmail.mailstore.maildir import image
from simmail.mailstore.maildir.image import ImageMaker, clearing, has_mail, leftovers, universes, vanish
from tests.contracts.mailstores import a_delivery
from tests.mailstore.maildirs import MARIA, MaildirTestCase, TOM

#: After all that tests write.
LATER = 4e9


class ImageTests(MaildirTestCase):
    """C{ImageMaker} and what goes with it."""

    def made(self, target: str, source: str = "main", still: bool = False, renewed: bool = False) -> bool:
        """An image; whether it has files of its own."""
        maker = ImageMaker(self.path, source, target, lambda: LATER, still, renewed)
        while maker.step():
            pass
        unsynced = maker.finish()
        maker.publish()
        return unsynced

    def names(self, universe: str) -> dict[str, list[str]]:
        """All files of a universe's messages, by directory."""
        found = {}
        for box in sorted(os.listdir(f"{self.path}/{universe}")):
            if not box.startswith("."):
                for directory in (box, *(f"{box}/{one}" for one in os.listdir(f"{self.path}/{universe}/{box}")
                                         if one.startswith("."))):
                    for part in ("new", "cur"):
                        path = f"{self.path}/{universe}/{directory}/{part}"
                        found[f"{directory}/{part}"] = sorted(os.listdir(path))
        return found

    def test_same(self) -> None:
        """It has the same files, which are no copies."""
        self.deliver(1, 2, 3)
        self.deliver(4, to=(TOM, "Sent"))
        self.assertTrue(self.made("kept"))
        self.assertEqual(self.names("kept"), self.names("main"))
        file = f"{MARIA}/{self.files()[0]}"
        self.assertEqual(os.stat(f"{self.path}/kept/{file}").st_ino, os.stat(f"{self.path}/main/{file}").st_ino)
        self.assertEqual(universes(self.path), ["kept", "main"])
        self.assertFalse(self.made("fork", "kept", True))
        self.assertEqual(self.names("fork"), self.names("main"))

    def test_changes(self) -> None:
        """Whatever comes, goes and is renamed between its steps, at the end it is as the source is."""
        self.patch(image, "_STEP", 0.0)
        random = Random(5)
        for number in range(150):
            self.deliver(number, to=(random.choice((MARIA, TOM)), random.choice(("INBOX", "Sent", "Work"))))
        maker = ImageMaker(self.path, "main", "kept", lambda: LATER)
        steps = 0
        while maker.step():
            steps += 1
            self.deliver(1000 + steps, to=(random.choice((MARIA, TOM)), random.choice(("INBOX", "Late"))))
            files = self.files(TOM)
            if files:
                os.unlink(f"{self.path}/main/{TOM}/{random.choice(files)}")
            files = [one for one in self.files() if one.startswith("new/")]
            if files:
                one = random.choice(files)
                os.rename(f"{self.path}/main/{MARIA}/{one}", f"{self.path}/main/{MARIA}/cur/{one[4:]}:2,S")
        self.assertGreater(steps, 10)
        maker.finish()
        maker.publish()
        self.assertEqual(self.names("kept"), self.names("main"))

    def test_opened_meanwhile(self) -> None:
        """What was an image when it was begun, and is changed by somebody before the end, is copied as it is then."""
        self.deliver(1)
        self.made("kept")
        maker = ImageMaker(self.path, "kept", "fork", lambda: LATER, True)
        os.unlink(f"{self.path}/kept/{MARIA}")
        maker.finish()
        maker.publish()
        self.assertEqual(self.names("fork"), {})

    def test_gone(self) -> None:
        """What is gone, half made or shared by nobody any more is to be cleared away, and nothing else is."""
        self.deliver(1)
        self.made("kept")
        self.assertEqual(leftovers(self.path), [])
        vanish(self.path, "kept")
        vanish(self.path, "nobody")
        maker = ImageMaker(self.path, "main", "other", lambda: LATER)
        maker.step()
        found = leftovers(self.path)
        self.assertEqual(sorted(one.split("/")[-2] for one in found), [".gone", ".making", ".shared"])
        self.assertIn(maker.fresh, found)
        self.assertFalse(has_mail(self.path, "kept"))

    def test_cleared(self) -> None:
        """A directory is removed a file at a step, and nothing that a link in it leads to."""
        self.deliver(1, 2)
        os.makedirs(f"{self.path}/old/a/b")
        os.symlink(f"{self.path}/main", f"{self.path}/old/a/link")
        for number in range(5):
            with open(f"{self.path}/old/a/b/{number}", "wb"):
                pass
        self.assertEqual(sum(1 for _ in clearing(f"{self.path}/old")), 8)
        self.assertFalse(os.path.exists(f"{self.path}/old"))
        self.assertEqual(list(clearing(f"{self.path}/old")), [])
        self.assertEqual(len(self.files()), 2)

    def test_refused(self) -> None:
        """It takes nobody's place, at its beginning nor at its end; an empty universe is no hindrance."""
        self.deliver(1)
        os.makedirs(f"{self.path}/kept/.tmp")
        maker = ImageMaker(self.path, "main", "kept", lambda: LATER)
        self.made("kept")
        self.assertRaises(Conflict, ImageMaker, self.path, "main", "kept", lambda: LATER)
        maker.finish()
        self.assertRaises(Conflict, maker.publish)
        self.assertEqual(self.names("kept"), self.names("main"))

    def test_renewed(self) -> None:
        """UIDVALIDITYs are greater than any; a UID file that cannot be understood is left out, to be made anew."""
        self.deliver(1)
        self.deliver(2, to=TOM)
        self.made("kept")
        with open(f"{self.path}/main/{TOM}/simmail-uids", "w", encoding="ascii") as file:
            file.write("nonsense")
        self.made("back", renewed=True)
        with open(f"{self.path}/back/{MARIA}/simmail-uids", encoding="ascii") as file:
            renewed = file.read()
        self.assertGreater(int(renewed.split()[2][1:]), self.folder(TOM).uids.uidvalidity)
        self.assertFalse(os.path.exists(f"{self.path}/back/{TOM}/simmail-uids"))
        self.maildirs.file(a_delivery("more", MARIA))
        self.assertEqual(len(self.names("back")[f"{MARIA}/new"]), 1)
