"""A language is a folder of data: a third one needs nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml
from twisted.trial.unittest import SynchronousTestCase

import simmail
from simmail.core.language_data import LANGUAGES

HERE = Path(simmail.__file__).parent

#: A made-up language: English under other words, as far as it is used here.
_WORDS: dict[str, Any] = {
    "code": "zz", "common_words": ["zum", "blip", "dorf", "krax", "uns", "velo"], "letters": "ŵ",
    "weekdays": ["Ando", "Bendo", "Cendo", "Dendo", "Endo", "Fendo", "Gendo"],
    "weekday_forms": {name: n for n, name in enumerate("ando bendo cendo dendo endo fendo gendo".split())},
    "promising": ["krax velo"], "deeds": {"mando": ""}, "promise_ends": ["zib"], "due_words": ["zib"],
    "promise_fillers": ["uns"], "definite": ["la"], "determiners": ["la"], "nagging": ["dondo respo"],
    "idle_questions": ["blip frago"], "greeting_words": ["salu"], "zones": {"zzt": 180},
}

#: Run with that folder: what is read and written in it.
_PROGRAM = """
import json
from datetime import timedelta
from simmail.core.language.promised import promised
from simmail.core.language.reader import Findings
from simmail.core.language.tables import LANGUAGES, tell
from simmail.core.writer import write
from tests.core.writer.samples import NOW, mail, request
text = "Salu Maria,\\n\\nblip frago? Dorf uns velo zum. Krax velo mando la plano zib Endo 10:00 ZZT."
found = Findings(mail(text), NOW)
written = write(request(mail("Salu Maria,\\n\\nzum blip dorf velo krax uns?")))
print(json.dumps({
    "languages": LANGUAGES, "told": tell("zum blip dorf velo"), "english": tell("we are the ones and you know it"),
    "question": found.asks_question, "addressee": found.addressee,
    "promised": [(one.what, one.due.isoformat()) for one in promised(found)],
    "nagging": Findings(mail("Dondo respo!"), NOW).nagging,
    "language": written.language, "greeting": written.text.split()[0],
}))
"""

#: Another, in which mail is only read.
_READ: dict[str, Any] = {
    "code": "yy", "common_words": ["salve", "quando", "mittes", "chartam", "nostram", "vale"], "letters": "ŷ"}

#: Run with that folder: what seven people of four countries answer in.
_UNREAD_PROGRAM = """
import json
from simmail.core.language_data import LANGUAGES, WRITTEN
from simmail.core.writer import write
from tests.core.writer.samples import TEMPERAMENTS, mail, maria, request
latin = mail("Salve Maria, quando mittes chartam nostram? Vale, Dana", "Charta")
print(json.dumps({"only read": sorted(set(LANGUAGES) - set(WRITTEN)), "answers": [
    [(one.language, one.question, one.text) for one in (write(request(latin, persona=maria(
        temperament, addresses=(f"maria@print.{country}",)))) for temperament in TEMPERAMENTS)]
    for country in ("se", "de", "fr", "yy")]}))
"""


class FolderTests(SynchronousTestCase):
    """The core with one folder more."""

    def test_third_language(self) -> None:
        """It is told from the others, read and written in."""
        root = self.copied()
        templates = root / "simmail" / "core" / "templates"
        shutil.copytree(templates / "en", templates / "zz")
        self.change(templates / "zz" / "language.yaml", _WORDS)
        for voice in ("common", "responsive"):
            path = templates / "zz" / f"{voice}.yaml"
            data = yaml.load(path.read_text(), Loader=yaml.BaseLoader)
            for near, lines in data["greeting"].items():
                data["greeting"][near] = [f"Salu{line[line.find(' '):]}" if " " in line else "Salu," for line in lines]
            path.write_text(yaml.safe_dump(data, allow_unicode=True))
        self.assertEqual(self.ran(root, _PROGRAM), {
            "languages": [*LANGUAGES, "zz"], "told": "zz", "english": "en", "question": False, "addressee": "Maria",
            "promised": [["la plano", "2026-03-06T07:00:00+00:00"]], "nagging": True, "language": "zz",
            "greeting": "Salu",
        })

    def test_only_read(self) -> None:
        """A mail in a language that has no words is answered in one of the reader's own, which it is asked for in."""
        root = self.copied()
        folder = root / "simmail" / "core" / "templates" / "yy"
        folder.mkdir()
        shutil.copy(folder.parent / "en" / "language.yaml", folder)
        self.change(folder / "language.yaml", _READ)
        ran = self.ran(root, _UNREAD_PROGRAM)
        self.assertIn("yy", ran["only read"])
        for answers, (code, own) in zip(ran["answers"], (
                ("en", "English"), ("de", "Deutsch oder Englisch"), ("fr", "français ou anglais"), ("en", "English"))):
            self.assertEqual([one[0] for one in answers], [code] * len(answers))
            for _, question, text in answers:
                self.assertIn(own, text)
                self.assertNotIn("{", text)
                self.assertFalse(question, text)  # nobody reminds of that

    def copied(self) -> Path:
        """A copy of what the core needs."""
        root = Path(self.mktemp())
        for part in ("core", "testing"):
            shutil.copytree(HERE / part, root / "simmail" / part, ignore=shutil.ignore_patterns("__pycache__"))
        for one in HERE.glob("*.py"):
            shutil.copy(one, root / "simmail" / one.name)
        return root

    def ran(self, root: Path, program: str) -> Any:
        """What a program prints that is run with a copy."""
        ran = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=root,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((str(root.resolve()), str(HERE.parent)))})
        self.assertEqual(ran.stderr, "")
        return yaml.safe_load(ran.stdout)

    def change(self, path: Path, fields: dict[str, Any]) -> None:
        """Write a data file anew with some fields changed."""
        data = yaml.load(path.read_text(), Loader=yaml.BaseLoader)
        self.assertLessEqual(set(fields), set(data))
        path.write_text(yaml.safe_dump({**data, **fields}, allow_unicode=True))
