"""
The running service against its own OpenAPI document, by schemathesis: what it generates draws no 5xx, no status
and no answer that is not declared.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

from tests.journeys.running import DEMO, JourneyCase

CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
          "response_headers_conformance", "unsupported_method")

#: Calls that are held open, and those that take away the key and universe in use.
LEFT_OUT = r"/api/(wait|events/stream|admin/keys|admin/universes/\{id\}|admin/orgs/\{id\}|session).*"


class SchemathesisTests(JourneyCase):
    """Generated calls."""

    def test_generated(self) -> None:
        """Examples, the edges of each schema, and a few generated calls of every operation."""
        self.assertIsNotNone(find_spec("schemathesis"), "schemathesis is a requirement of the tests")
        service = self.service({**DEMO, "http": {"rate": 0, "console_rate": 0}})
        service.start()
        document = f"http://127.0.0.1:{service.port('http')}/api/openapi.json"
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "run", document,
             "--header", f"Authorization: Bearer {service.key}", "--checks", ",".join(CHECKS), "--max-examples", "4",
             "--phases", "examples,coverage,fuzzing", "--exclude-path-regex", LEFT_OUT, "--generation-deterministic",
             "--no-color", "--workers", "1"],
            cwd=service.state, capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stdout[-6000:] + done.stderr[-2000:])
        self.assertRegex(done.stdout, r"generated, \d+ passed")
        self.assertNotIn("Traceback", service.logged())
