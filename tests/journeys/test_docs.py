"""What the documents say is true: their lines work as printed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess

from twisted.trial.unittest import SkipTest

from tests.docs.blocks import DOCS, answers, top_level
from tests.journeys.running import DEMO, ROOT, JourneyCase, ended


class DocumentTests(JourneyCase):
    """A newcomer pastes."""

    def test_http_api(self) -> None:
        """Each line of the newcomer's page works, and answers with the fields that are shown."""
        if shutil.which("curl") is None:
            raise SkipTest("curl is not installed")
        service = self.service(DEMO)
        service.start()
        environment = {**os.environ, "BASE": f"http://127.0.0.1:{service.port('http')}", "KEY": service.key}
        person = json.loads((service.state / "first-login.json").read_text(encoding="utf-8"))["admin@sim.test"]
        folder = self.folder()
        snapshot = ""
        for line, shown in answers():
            line = re.sub(r"/snapshots/s_\w+", f"/snapshots/{snapshot}", line)
            line = line.replace('"email": "admin@sim.test", "password": "…"',
                                f'"email": "admin@sim.test", "password": "{person}"')
            ran = ended(["sh", "-c", line], env=environment, cwd=folder)
            self.assertEqual(ran.returncode, 0, line)
            if not shown.lstrip().startswith(("{", "[")):
                continue
            answer = json.loads(ran.stdout)
            self.assertEqual("error" in answer, '"error"' in shown, (line, answer))
            if isinstance(answer, list):
                self.assertTrue(answer, line)
                answer = answer[0]
            self.assertLessEqual(top_level(shown), set(answer), line)
            if str(answer.get("id")).startswith("s_"):
                snapshot = answer["id"]

    def test_mail(self) -> None:
        """The lines of the pages on SMTP, faults and IMAP work, and print what stands below them."""
        if shutil.which("curl") is None:
            raise SkipTest("curl is not installed")
        service = self.service(DEMO)
        service.start()
        environment = {**os.environ, "BASE": f"http://127.0.0.1:{service.port('http')}", "KEY": service.key,
                       "SMTP": f"127.0.0.1:{service.port('smtp')}", "IMAP": f"127.0.0.1:{service.port('imap')}",
                       "READER": "reader@sim.test:open-sesame"}
        told: list[str] = []
        for name in ("smtp", "faults", "imap"):
            page = (DOCS / f"{name}.rst").read_text(encoding="utf-8")
            found = re.findall(
                r"^    ((?:curl|printf|for) .+)\n(?:\n((?:    (?!curl -|printf).+\n)+))?", page, re.MULTILINE)
            self.assertGreater(len(found), 3)
            for line, shown in found:
                ran = ended(["sh", "-c", line], env=environment, stderr=subprocess.STDOUT)
                self.assertEqual(ran.returncode, 0, (line, ran.stdout))
                self.assertNotIn('"error"', ran.stdout, line)
                if shown:
                    self.assertEqual(ran.stdout, re.sub("^    ", "", shown, flags=re.MULTILINE), line)
                told.append(ran.stdout)
        for wanted in ('"subject":"Hello"', "User unknown", '"type":"fault.hit"', '"scenario":"gmail-over-quota"',
                       "Bring the keys."):
            self.assertIn(wanted, "\n".join(told).replace('": "', '":"'))

    def test_readme(self) -> None:
        """The README's lines are those that are printed, and its links lead somewhere."""
        path = ROOT / "README.rst"
        if not path.exists():
            raise SkipTest("not run from a checkout")
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"<([a-z/.-]+\.rst)>`_", text):
            self.assertTrue((ROOT / target).exists(), target)
        service = self.service(DEMO)
        service.start()
        for printed in service.out.read_text(encoding="utf-8").rstrip().split("\n")[-3:]:
            for name, port in (("smtp", 2525), ("imap", 2143), ("http", 8025)):
                printed = printed.replace(f"127.0.0.1:{service.port(name)}", f"127.0.0.1:{port}")
            printed = printed.replace(f"'Authorization: Bearer {service.key}'",
                                      '"Authorization: Bearer $(cat .state/admin.key)"')
            printed = printed.replace(f"-u 'app@sim.test:{service.password}'", "-u app@sim.test")
            self.assertIn(printed, text)
