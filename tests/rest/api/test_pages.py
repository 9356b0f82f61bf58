"""The dashboard, the console and their files."""

from __future__ import annotations

import gzip
import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from simmail.rest.render.assets import assets
from tests.rest.served import ServedTestCase

ROOT = Path(str(files("simmail.pages")))


class PageTests(ServedTestCase):
    """What is served to everyone."""

    def test_files(self) -> None:
        """Pages ask no other host, run no script but their own, and take no text for script."""
        for path, content_type in (
                ("/", "text/html"), ("/docs", "text/html"), ("/assets/app/main.js", "text/javascript"),
                ("/assets/docs/docs.css", "text/css"), ("/client.js", "text/javascript")):
            answer = self.ask("GET", path, role="")
            self.assertEqual((answer.status, answer.headers["content-type"]), (200, f"{content_type}; charset=utf-8"))
            policy = answer.headers["content-security-policy"]
            self.assertTrue(policy.startswith("default-src 'none'") and "unsafe" not in policy)
            self.assertTrue(policy.endswith("require-trusted-types-for 'script'; trusted-types 'none'"))
            self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
        for name, asset in assets().items():
            if not name.startswith("vendor/") and not name.endswith(".svg"):
                for foreign in (b"http://", b"https://", b"innerHTML", b"eval(", b"onclick="):
                    self.assertNotIn(foreign, asset.octets, name)

    def test_again(self) -> None:
        """Files come packed where the client can unpack them, and not at all where it has them."""
        plain = self.ask("GET", "/assets/app/main.js", role="")
        packed = self.ask("GET", "/assets/app/main.js", role="", **{"Accept-Encoding": "br, gzip;q=0.8"})
        self.assertEqual((packed.headers["content-encoding"], gzip.decompress(packed.body)), ("gzip", plain.body))
        refused = self.ask("GET", "/assets/app/main.js", role="", **{"Accept-Encoding": "gzip;q=0"})
        self.assertEqual(refused.body, plain.body)
        had = self.ask("GET", "/assets/app/main.js", role="", **{"If-None-Match": plain.headers["etag"]})
        self.assertEqual((had.status, had.body), (304, b""))

    def test_missing(self) -> None:
        """Who looks for a page that is not there gets one that leads on; a program gets JSON."""
        page = self.ask("GET", "/nothing", role="", Accept="text/html,*/*;q=0.8")
        self.assertEqual((page.status, page.headers["content-type"]), (404, "text/html; charset=utf-8"))
        self.assertIn(b'href="/"', page.body)
        self.assertIn("script-src 'self'", page.headers["content-security-policy"])
        for path in ("/nothing", "/assets/app/nothing.js", "/assets/app/..%2Fmain.js"):
            answer = self.ask("GET", path, role="")
            self.assertEqual((answer.status, answer.headers["content-type"]), (404, "application/json"), path)

    def test_light(self) -> None:
        """All of the dashboard but its charts is at most 100 KB on the line."""
        whole = sum(len(one.zipped) for name, one in assets().items()
                    if not name.startswith(("docs", "vendor/uplot")) and not name.endswith(".txt"))
        self.assertLess(whole, 100_000)


class SourceTests(ServedTestCase):
    """What the files are made of."""

    def test_libraries(self) -> None:
        """What others wrote is as they published it."""
        table = (ROOT / "vendor/libraries.txt").read_text()
        listed = dict(re.findall(r"(\S+\.(?:js|css))\s+([0-9a-f]{64})$", table, re.MULTILINE))
        found = {one.name: sha256(one.read_bytes()).hexdigest() for one in (ROOT / "vendor").iterdir()
                 if one.suffix in (".js", ".css")}
        self.assertEqual(found, listed)

    def test_texts(self) -> None:
        """Every text that is asked for is there, once, and every one that is there is asked for."""
        texts = "".join(one.read_text() for one in (ROOT / "texts").glob("*.js"))
        there = re.findall(r'^  "([^"]+)":', texts, re.MULTILINE)
        self.assertEqual(sorted(there), sorted(set(there)))
        source = "".join(
            one.read_text() for folder in ("app", "parts", "views") for one in (ROOT / folder).glob("*.js"))
        asked = set(re.findall(r'(?<![\w.])t\("([^"]+)"', source)) | {"nav." + one for one in re.findall(
            r"^  (\w+): view\(", source, re.MULTILINE)}
        asked |= {f"{one}.{n}" for one in re.findall(r'counted\("([^"]+)"', source) for n in ("one", "many")}
        asked |= set(re.findall(r'title: "(nav\.[^"]+)"', source))
        made = tuple(re.findall(r"(?<![\w.])t\(`([^`$]+)\$", source))
        self.assertEqual(asked - set(there), set())
        self.assertEqual([one for one in there if one not in asked and not one.startswith(made)], [])
        index = (ROOT / "texts/index.js").read_text()
        for one in (ROOT / "texts").glob("*.js"):
            if one.name != "index.js":
                self.assertIn(f'from "./{one.name}"', index)

    def test_imports(self) -> None:
        """What a file imports is there."""
        for one in ROOT.glob("*/*.js"):
            if one.parent.name != "vendor":
                for wanted in re.findall(r'(?:from|import\() ?"(/assets/[^"]+|\./[^"]+)"', one.read_text()):
                    path = ROOT / wanted.removeprefix("/assets/") if wanted[0] == "/" else one.parent / wanted
                    self.assertTrue(path.is_file(), f"{one.name}: {wanted}")
                for view in re.findall(r': view\("(\w+)"', one.read_text()):
                    self.assertTrue((ROOT / "views" / f"{view}.js").is_file(), view)

    def test_pictures(self) -> None:
        """The documentation shows each view, light and dark, in pictures that are small."""
        folder = Path(str(files("simmail.docs"))) / "screenshots"
        views = re.findall(r"^  (\w+): view\(", (ROOT / "app/views.js").read_text(), re.MULTILINE)
        pictures = {f"{one}-{kind}.webp" for one in (*views, "person") for kind in ("light", "dark")}
        page = (folder.parent / "dashboard.rst").read_text()
        self.assertEqual(set(re.findall(r"image:: screenshots/(.+)", page)), pictures)
        sizes = {one.name: one.stat().st_size for one in folder.iterdir()}
        self.assertEqual(set(sizes), pictures)
        self.assertTrue(min(sizes.values()) > 1000 and sum(sizes.values()) < 900_000, sizes)
