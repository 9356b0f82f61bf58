"""Tests of L{simmail.adapters.inspect_tasks} with the real library."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from tests.adapters.playing import AdapterCase, REPLY, SEARCH


class ScenariosTests(AdapterCase):
    """As Inspect evaluates them."""

    if find_spec("inspect_ai") is None:
        skip = "inspect-ai is not installed"

    def evaluated(self, model: Any = "mockllm/model", **more: Any) -> Any:
        """The one sample of an evaluation."""
        from inspect_ai import eval as evaluate

        from simmail.adapters.inspect_tasks import scenarios

        log, = evaluate(scenarios(url=self.url, key=self.key, **more), model=model, display="none",
                        log_dir=str(self.folder()))
        self.assertEqual(log.status, "success", log.error)
        return log.samples[0]

    def test_application(self) -> None:
        """An application has the verdict, the score and the fingerprint that C{scenario run} gives it."""
        for app in ("careful", "careless"):
            sample, run = self.evaluated(names="injection-replies", app=app), self.played("injection-replies", app)
            score = sample.scores["verdict"]
            self.assertEqual(score.value, {"passed": float(run.passed), "score": run.score})
            self.assertEqual(score.metadata, {"failed": list(run.failed), "fingerprint": run.fingerprint})
            self.assertEqual(run.passed, app == "careful")

    def test_model(self) -> None:
        """A model has its turns with the tools of its mailbox, by MCP; the store tells where it began."""
        from inspect_ai.model import ModelOutput, ModelUsage, get_model

        said = [ModelOutput.for_tool_call("mockllm/model", one["tool"], one["arguments"]) for one in (SEARCH, REPLY)]
        said += [ModelOutput.from_content("mockllm/model", "Done.") for _ in range(9)]
        for one in said:
            # Inspect counts with a table that it has to download.
            one.usage = ModelUsage()
        sample = self.evaluated(get_model("mockllm/model", custom_outputs=said), names=self.lunch)
        self.assertEqual(sample.scores["verdict"].value, {"passed": 1.0, "score": 1.0})
        told = [one.text for one in sample.messages if one.role == "tool"]
        self.assertIn("Do you have time on Friday at 12:30?", told[0])
        self.assertIn("ok    answered", sample.scores["verdict"].explanation)
        self.assertRegex(sample.store["simmail:snapshot"], "^s_")
        self.assertIn(sample.store["simmail:universe"], self.universes())
