"""
Verdicts are the same in any process and any order.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.core import everywhere

ROOT = Path(__file__).parent.parent.parent


def elsewhere(hash_seed: str, order: int) -> Any:
    """What another process finds."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.core.everywhere", str(order)], cwd=ROOT, capture_output=True, check=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)})
    return json.loads(done.stdout)


class EverywhereTests(SynchronousTestCase):
    """Recipient rules and seeded fault rates (decisions, "Conventions")."""

    def test_any_process_any_order(self) -> None:
        """Processes that hash differently and ask in different orders say the same."""
        here = [everywhere.recipients(1), everywhere.faults(1)]
        self.assertEqual(here, [everywhere.recipients(2), everywhere.faults(2)])
        for hash_seed, order in (("0", 1), ("1", 3), ("4294967295", 4)):
            self.assertEqual(elsewhere(hash_seed, order), here)

    def test_they_say_everything(self) -> None:
        """What is compared holds every kind of verdict, and hits of every rule."""
        said = everywhere.recipients(1).values()
        self.assertEqual({one[0] for one in said}, {"deliver", "create", "refuse", "bounce", "discard"})
        self.assertEqual({one[1] for one in said} - {None}, set(everywhere.KINDS))
        hit = Counter(index for one in everywhere.faults(1).values() for index in one)
        self.assertEqual(set(hit), {-1, 0, 1, 2})
