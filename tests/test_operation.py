"""What is shipped for operation in C{etc/operation} agrees with the service: ports, variables, commands, signals."""

from __future__ import annotations

import configparser
import json
import re
import shlex
from pathlib import Path
from typing import Any

import yaml
from msgspec.structs import asdict
from twisted.trial.unittest import SynchronousTestCase

import simmail
from simmail.cli.command import _parser
from simmail.config import Config, Listen, load
from simmail.rest.api import health

FOLDER = Path(simmail.__file__).parent.parent / "etc" / "operation"

#: Those that are open unless told otherwise.
PORTS = {name: port for name, port in asdict(Listen()).items() if name != "host" and port is not None}
PROBED = {route.path for route in health.ROUTES}


class OperationTests(SynchronousTestCase):
    """Each file, read as its program reads it."""

    def text(self, name: str) -> str:
        """Return a file."""
        return (FOLDER / name).read_text(encoding="utf-8")

    def container(self) -> dict[str, str]:
        """Return the variables of the container file."""
        [given] = re.findall(r"^ENV (.+?)(?<!\\)$", self.text("Containerfile"), re.MULTILINE | re.DOTALL)
        return dict(one.split("=", 1) for one in shlex.split(given.replace("\\\n", " ")))

    def test_container(self) -> None:
        """Its variables are options, its ports the service's, its commands there are, and it does not run as root."""
        text, given = self.text("Containerfile"), self.container()
        self.assertEqual(load(None, given).listen.host, "0.0.0.0")
        [exposed] = re.findall(r"^EXPOSE (.+)$", text, re.MULTILINE)
        self.assertEqual({int(port) for port in exposed.split()}, set(PORTS.values()))
        for found in re.findall(r"^(?:CMD|HEALTHCHECK .*CMD) (\[.+\])$", text, re.MULTILINE):
            _parser("").parse_args([word for word in json.loads(found) if word != "simmail"])
        self.assertRegex(text, r"\nUSER 10025:10025\n")
        self.assertIn(f"VOLUME {given['SIMMAILD_STATE']}\n", text)
        for copied in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE):
            for name in copied.split():
                self.assertTrue((FOLDER.parents[1] / name).exists() or not (FOLDER.parents[1] / "setup.cfg").exists())

    def test_compose(self) -> None:
        """What each variable stands for when nobody sets it can be, and all ports are this machine's only."""
        service = yaml.safe_load(self.text("compose.yaml"))["services"]["simmail"]
        given = {name: re.sub(r"\A\$\{\w+:-(.*)\}\Z", r"\1", one) for name, one in service["environment"].items()}
        for name, one in service["environment"].items():
            self.assertTrue(one.startswith("${" + name + ":-"), one)
        config = load(None, {**self.container(), **given})
        self.assertEqual((config.redis.url, config.server), ("redis://redis:6379/0", Config().server))
        self.assertEqual(service["ports"], [f"127.0.0.1:{port}:{port}" for port in (
            PORTS[name] for name in ("smtp", "smtps", "submission", "imap", "imaps", "http"))])
        self.assertEqual(service["volumes"], [f"state:{self.container()['SIMMAILD_STATE']}"])

    def test_kubernetes(self) -> None:
        """One replica with its volume and secret; ports by name, and probes of what is served."""
        found: dict[str, Any] = {one["kind"]: one for one in yaml.safe_load_all(self.text("kubernetes.yaml"))}
        self.assertEqual(set(found), {"Secret", "Service", "PersistentVolumeClaim", "StatefulSet"})
        spec = found["StatefulSet"]["spec"]
        pod = spec["template"]["spec"]
        [container] = pod["containers"]
        self.assertEqual((spec["replicas"], spec["serviceName"]), (1, found["Service"]["metadata"]["name"]))
        for selector in (spec["selector"]["matchLabels"], found["Service"]["spec"]["selector"]):
            self.assertEqual(selector, spec["template"]["metadata"]["labels"])
        self.assertEqual({one["name"]: one["containerPort"] for one in container["ports"]}, PORTS)
        self.assertEqual([(one["port"], one["targetPort"]) for one in found["Service"]["spec"]["ports"]],
                         [(port, name) for name, port in PORTS.items()])
        scraped = found["Service"]["metadata"]["annotations"]
        self.assertEqual((scraped["prometheus.io/port"], scraped["prometheus.io/path"] in PROBED),
                         (str(PORTS["http"]), True))
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            asked = container[probe]["httpGet"]
            self.assertTrue(asked["path"] in PROBED and asked["port"] == "http")
        given = {**self.container(), **found["Secret"]["stringData"],
                 **{one["name"]: one["value"] for one in container["env"]}}
        self.assertEqual(load(None, given).tls.names, ("localhost", "simmail"))
        self.assertEqual(container["envFrom"], [{"secretRef": {"name": found["Secret"]["metadata"]["name"]}}])
        self.assertEqual({one["name"] for one in container["volumeMounts"]}, {one["name"] for one in pod["volumes"]})
        [claim] = [one["persistentVolumeClaim"]["claimName"] for one in pod["volumes"] if "emptyDir" not in one]
        self.assertEqual(claim, found["PersistentVolumeClaim"]["metadata"]["name"])
        self.assertTrue(given["SIMMAILD_STATE"].startswith(container["volumeMounts"][0]["mountPath"]))
        self.assertEqual(f"USER {pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}",
                         *re.findall("^USER .+$", self.text("Containerfile"), re.MULTILINE))

    def test_systemd(self) -> None:
        """Its commands and variables are simmail's; what rotates logs sends a signal that it heeds, to it alone."""
        unit = configparser.ConfigParser(interpolation=None, delimiters=("=",))
        unit.optionxform = str  # type: ignore[assignment, method-assign]
        unit.read_string(self.text("simmail.service"))
        service = unit["Service"]
        for name in ("ExecStart", "ExecStartPost"):
            _parser("").parse_args(shlex.split(service[name])[1:])
        given = dict(one.split("=", 1) for one in service["Environment"].split())
        load(None, given)
        self.assertEqual(given["SIMMAILD_STATE"], f"/var/lib/{service['StateDirectory']}")
        self.assertTrue(given["SIMMAILD_LOG"].startswith(f"/var/log/{service['LogsDirectory']}/"))
        self.assertEqual(set(re.findall("^ListenStream=(.+)$", self.text("simmail.socket"), re.MULTILINE)),
                         {f"{Listen().host}:{port}" for port in PORTS.values()})
        rotated = self.text("simmail.logrotate")
        self.assertIn(f"\n{Path(given['SIMMAILD_LOG']).parent}/*.log {{\n", rotated)
        self.assertIn("--kill-whom=main --signal=USR1 simmail.service", rotated)

    def test_prometheus(self) -> None:
        """It is scraped where it listens."""
        [job] = yaml.safe_load(self.text("prometheus.yaml"))["scrape_configs"]
        self.assertIn(job["metrics_path"], PROBED)
        self.assertEqual(job["static_configs"], [{"targets": [f"{Listen().host}:{Listen().http}"]}])
