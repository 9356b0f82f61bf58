"""Tests of L{simmail.scenario.script}: what a file says is read, and what is wrong with it is named with its line."""

from __future__ import annotations

import re
from typing import Any

import yaml
from hypothesis import given, settings, strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.rules.yaml_text import line_of
from simmail.errors import Invalid
from simmail.scenario.library import load, shipped
from simmail.scenario.script import START, ScenarioFile, ScenarioStep, script_of
from tests.docs.blocks import DOCS

SMALL = """name: small
title: A small one
people:
  - {addresses: [maria@acme.test]}
steps:
  - send: {from: maria@acme.test, text: Hello}
  - advance: 4h
expect:
  - {id: answer, to: [maria@acme.test]}
careless: [answer]
"""


class ScriptTests(SynchronousTestCase):
    """Files of scenarios."""

    def wrong(self, text: str) -> str:
        """What a file is refused with."""
        return str(self.assertRaises(Invalid, script_of, text.encode(), "small.yaml"))

    def test_small(self) -> None:
        """What is left out has its default; the step is what it says."""
        script = script_of(SMALL.encode(), "small.yaml")
        self.assertEqual((script.clock, script.app.address, script.app.every), (START, "app@acme.test", None))
        self.assertEqual([step.kind for step in script.steps], ["send", "advance"])

    def test_on(self) -> None:
        """YAML 1.1 takes C{on} for true; here it is what an expectation is about."""
        (one,) = script_of(SMALL.replace("to: [maria@acme.test]}", "on: {kind: order}}").encode(), "f").expect
        assert one.on is not None
        self.assertEqual(one.on.kind, "order")

    def test_told(self) -> None:
        """The page on scenarios has a row for each that is shipped, and no other."""
        page = (DOCS / "scenarios.rst").read_text(encoding="utf-8")
        table = page.partition("Those that are shipped")[2]
        rows = re.findall(r"^``([\w-]+)`` +(\S.+?)  +(``.+``)$", table, re.MULTILINE)
        self.assertEqual(rows, [
            (one.name, one.title, ", ".join(f"``{part}``" for part in one.careless)) for one in shipped()])

    def test_refused(self) -> None:
        """A wrong field is named by its file, line and path, with what is allowed."""
        for old, new, said in (
            ("advance: 4h", "advance: 4 moons", "small.yaml:7: steps.1.advance: must be a duration"),
            ("advance: 4h", "wait: 4h", "small.yaml:7: steps.1.wait: unknown field"),
            ("- advance: 4h", "- {advance: 4h, absent: 4h}",
             "small.yaml:7: steps.1: must be exactly one of advance, until, absent, send,"),
            ("text: Hello", "body: Hello", "small.yaml:6: steps.0.send.body: unknown field"),
            ("[maria@acme.test]}\nsteps", "[maria@acme.test], temperament: mad}\nsteps",
             "small.yaml:4: people.0.temperament: must be one of responsive, "),
            ("careless: [answer]", "careless: [a]", "small.yaml:10: careless.0: must be one of answer"),
            ("careless: [answer]", "require: {attack: 1}", "small.yaml:10: require.attack: must be one of answered, "),
            ("careless: [answer]", "faults: [{kind: greylist, stage: data}]", "small.yaml:10: faults.0.stage: "),
            ("careless: [answer]", "world: {streams: [{id: a, kind: inquiry}]}", "small.yaml:10: world.streams.0.to: "),
            ("careless: [answer]", "cases: [{title: ''}]", "small.yaml:10: cases.0.title: must not be empty"),
            ("careless: [answer]", "  - {id: answer, subject: x}", "small.yaml:10: expect.1.id: is the id of another"),
            ("title: A small one\n", "", "small.yaml:1: title: is required"),
            ("name: small", "name: [", "small.yaml: while parsing"),
            (SMALL, "", "small.yaml: must be an object"),
        ):
            self.assertEqual(self.wrong(SMALL.replace(old, new))[:len(said)], said)

    @settings(max_examples=50, deadline=None)
    @given(st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(("4h", "a@b.test")),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
            (*ScenarioFile.__struct_fields__, *ScenarioStep.__struct_fields__, "from", "text", "id")), inner,
            max_size=4), max_leaves=12))
    def test_anything(self, value: Any) -> None:
        """Whatever a file holds, it is read or refused with a place that is in it."""
        octets = yaml.safe_dump(value, allow_unicode=True).encode("utf-8", "surrogatepass")
        try:
            script_of(octets, "f")
        except Invalid as error:
            self.assertTrue(error.field.partition(":")[0] == "f", error)
            line = int(error.field.partition(":")[2] or 1)
            self.assertTrue(1 <= line <= octets.count(b"\n") + 1)

    def test_line(self) -> None:
        """The line of a field, or of what it should stand in."""
        octets = b"a:\n  b: 1\n  c:\n    - d\n    - e: 2\n"
        found = [line_of(octets, field) for field in ("a", "a.b", "a.c.0", "a.c.1.e", "a.c.1.f", "a.c.7", "z")]
        self.assertEqual(found, [1, 2, 4, 5, 5, 3, 1])

    def test_shipped(self) -> None:
        """Each file has the name of its scenario, says what it is about, and what the careless one fails."""
        found = list(shipped())
        self.assertGreaterEqual(len(found), 12)
        for script in found:
            self.assertEqual(load(script.name), script)
            self.assertTrue(script.about and script.app.task and script.careless, script.name)
            self.assertTrue(all(one.what for one in script.expect), script.name)
        self.assertIn("is none of", str(self.assertRaises(Invalid, load, "nothing")))
