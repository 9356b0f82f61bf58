"""Tests of L{simmail.adapters.are_trace}; with the real library where that is installed."""

from __future__ import annotations

import json
from importlib.util import find_spec

from simmail.adapters.are_trace import exported
from simmail.adapters.episode import Episode
from simmail.scenario.library import load
from tests.adapters.playing import AdapterCase, REPLY


class ExportedTests(AdapterCase):
    """A run as others read it."""

    def test_trace(self) -> None:
        """What came and what was answered is in it, in order and with its instants, and ARE imports it."""
        episode = Episode(self.admin, load(self.lunch))
        episode.act(json.dumps(REPLY))
        episode.act(json.dumps({"tool": "send_email", "arguments": {
            "to": ["maria@acme.test"], "cc": ["boss@acme.test"], "subject": "Menu", "text": "Here."}}))
        while episode.played is None:
            episode.act('{"tool": "end_turn"}')
        trace = exported(episode.client, episode.script, episode.played, 7)
        episode.close()
        done = [(one["event_type"], one["action"]["function"],
                 {arg["name"]: arg["value"] for arg in one["action"]["args"]}) for one in trace["completed_events"]]
        self.assertEqual(done[:3], [
            ("ENV", "send_email_to_user_only", {
                "sender": "maria@acme.test", "subject": "Lunch?", "content": "Do you have time on Friday at 12:30?"}),
            ("AGENT", "reply_to_email", {
                "email_id": "<step-1@acme.test>", "folder_name": "INBOX", "content": "Yes, Friday at 12:30 is fine."}),
            ("AGENT", "send_email", {"recipients": '["maria@acme.test"]', "subject": "Menu", "content": "Here.",
                                     "cc": '["boss@acme.test"]'})])
        self.assertEqual([one["event_type"] for one in trace["events"]][:2], ["USER", "ENV"])
        self.assertEqual(trace["metadata"]["annotation"]["validation_decision"], "Valid")
        self.assertEqual(trace["metadata"]["definition"]["start_time"], 1772442000.0)
        if find_spec("are") is not None:
            self.imported(json.dumps(trace))

    def imported(self, trace: str) -> None:
        """Its own model and its own importer take it."""
        from are.simulation.data_handler.importer import JsonScenarioImporter
        from are.simulation.data_handler.models import ExportedTrace

        ExportedTrace.model_validate_json(trace)
        scenario, done, _ = JsonScenarioImporter().import_from_json(trace)
        self.assertEqual((scenario.scenario_id, scenario.seed, scenario.status.name), ("lunch", 7, "Valid"))
        self.assertEqual([one.action.args.get("recipients") for one in done][2], ["maria@acme.test"])
        scenario.initialize()
        self.assertEqual([one.function_name() for one in scenario.events][:2],
                         ["send_message_to_agent", "send_email_to_user_only"])
        self.assertEqual(scenario.get_app("EmailClientV2").user_email, "app@acme.test")
