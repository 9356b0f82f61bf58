"""The installed package starts as well as the checkout does."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

from twisted.trial.unittest import SkipTest

import simmail
from tests.journeys.running import ROOT, SOON, JourneyCase, until


class WheelTests(JourneyCase):
    """A wheel holds everything that runs."""

    def wheel(self) -> Path:
        """Build one from a source distribution of a copy: the checkout stays as it is."""
        if not (ROOT / "setup.cfg").exists():
            raise SkipTest("not run from a checkout")
        source, built = self.folder() / "source", self.folder()
        source.mkdir()
        for name in ("simmail", "twisted", "etc"):
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "dropin.cache"))
        for name in ("setup.cfg", "pyproject.toml", "README.rst", "LICENSE"):
            shutil.copy(ROOT / name, source / name)
        for command in (
                [sys.executable, "-c",
                 f"from setuptools import build_meta\nbuild_meta.build_sdist({str(built)!r})"],
                [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
                 "--disable-pip-version-check", "--wheel-dir", str(built),
                 str(built / f"simmail_server-{simmail.__version__}.tar.gz")]):
            ran = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=source)
            self.assertEqual(ran.returncode, 0, ran.stderr)
        return built / f"simmail_server-{simmail.__version__}-py3-none-any.whl"

    def installed(self, wheel: Path) -> Path:
        """Install it into an environment of its own, which has what it needs from this one."""
        made = self.folder() / "environment"
        venv.create(made, symlinks=True)
        place = made / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
        (place / "required.pth").write_text("\n".join(
            path for path in sys.path if path.endswith("site-packages")), encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "pip", "--python", str(made), "install", "--quiet", "--no-deps", "--no-index",
             "--disable-pip-version-check", str(wheel)], check=True, timeout=120)
        return made

    def test_wheel(self) -> None:
        """It holds every module and data file, the plugin, the documents; what it installs serves."""
        wheel = self.wheel()
        with zipfile.ZipFile(wheel) as archive:
            held = {name for name in archive.namelist() if ".dist-info/" not in name}
        page = f"simmail_server-{simmail.__version__}.data/data/share/man/man1/simmail.1"
        wanted = {
            str(path.relative_to(ROOT)) for path in (ROOT / "simmail").rglob("*")
            if path.is_file() and "__pycache__" not in path.parts}
        wanted |= {f"simmail/{path.relative_to(ROOT)}" for path in (ROOT / "etc").rglob("*")
                   if path.is_file() and "__pycache__" not in path.parts}
        wanted |= {"twisted/plugins/simmail_plugin.py", page}
        self.assertEqual(held, wanted)

        target, state = self.installed(wheel), self.folder() / "state"
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        config = self.folder() / "config.yaml"
        config.write_text("listen: {smtp: 0, smtps: 0, submission: 0, imap: 0, imaps: 0, http: 0}\n")
        command = [str(target / "bin" / "simmail")]
        ran = subprocess.run([*command, "version"], env=environment, capture_output=True, text=True, cwd=target)
        self.assertEqual(ran.stdout, f"simmail {simmail.__version__}\n")
        for words, told in (
                (["-c", "from twisted.scripts.twistd import run; run()", "--help"], "simmail"),
                (["-m", "pytest", "--help"], "--simmail-url"),
                (["-c", "import simmail; print(simmail.__file__)"], str(target))):
            ran = subprocess.run([str(target / "bin" / "python"), *words], env=environment, capture_output=True,
                                 text=True, cwd=target)
            self.assertIn(told, ran.stdout, ran.stderr)
        process = subprocess.Popen(
            [*command, "run", "--state", str(state), "--config", str(config)],
            env=environment, cwd=target, stdout=subprocess.PIPE, text=True)
        try:
            ready = [*command, "ready", "--state", str(state), "--wait", str(SOON)]
            self.assertEqual(subprocess.run(ready, env=environment, cwd=target).returncode, 0)
        finally:
            process.terminate()
            out, _ = process.communicate(timeout=SOON)
        self.assertEqual(process.returncode, 0)
        self.assertIn("SMTP 127.0.0.1:", out)
        until(lambda: not (state / "redis" / "redis.sock").exists())

    def test_requirements(self) -> None:
        """What is imported is required: no module comes from a package that setup.cfg does not name."""
        import ast

        config = configparser.ConfigParser(interpolation=None)
        config.read(ROOT / "setup.cfg")
        if not config.has_section("options"):
            raise SkipTest("not run from a checkout")
        required = {line.split(">")[0].split("[")[0].strip().lower()
                    for line in config["options"]["install_requires"].split("\n") if line.strip()}
        sources = {"OpenSSL": "pyopenssl", "argon2": "argon2-cffi", "yaml": "pyyaml", "zope": "zope.interface",
                   "service_identity": "service-identity", "dkim": "dkimpy", "dns": "dnspython",
                   "requests_aws4auth": "requests-aws4auth"}
        # These are loaded by a program that is there then, with what it requires itself.
        plugin = config["options.entry_points"]["pytest11"].partition("=")[2].strip().replace(".", "/") + ".py"
        loaded = {plugin: {"pytest"}, "simmail/docs/conf.py": {"docutils", "sphinx"},
                  "simmail/adapters/gym.py": {"gymnasium"}, "simmail/adapters/openenv.py": {"openenv", "pydantic"},
                  "simmail/adapters/inspect_tasks.py": {"anyio", "inspect_ai"},
                  "simmail/adapters/agentdojo_mail.py": {"agentdojo"}}
        others = {ROOT / path: names for path, names in loaded.items()}
        missing = set()
        for path in (ROOT / "simmail").rglob("*.py"):
            also = others.get(path, set())
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = ([alias.name for alias in node.names] if isinstance(node, ast.Import) else
                         [node.module] if isinstance(node, ast.ImportFrom) and node.module else [])
                for name in names:
                    top = name.partition(".")[0]
                    if top not in sys.stdlib_module_names and top != "simmail":
                        if sources.get(top, top.lower()) not in required | also:
                            missing.add(top)
        self.assertEqual(missing, set())
