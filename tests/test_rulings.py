"""
Where each ruling of the decisions, section 23, is shown: a test or a dialog for every one that is in force.

Those of the AI writer and of webhooks come with them.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

_HTTP, _MORE = "rest.test_rulings.RulingTests.", "rest.test_rulings_more.RulingTests."
_SESSION, _ACCOUNTS = "rest.api.test_session.", "server.test_accounts."

#: By paragraph, the ruling in short and where it is shown: tests, and dialogs with a line of theirs.
RULINGS: dict[str, dict[str, str]] = {
    "Addresses": {
        "lower case; +tag; one in use, a used (system, id): 400": _HTTP + "test_addresses",
        "A-labels and U-labels": _HTTP + "test_international_addresses",
    },
    "Personas": {
        "name, links, filter; drawn values stored, unset omitted": _MORE + "test_persona_defaults",
        "memory; config DELETE is 409": _HTTP + "test_personas",
        "hours over midnight; ooo inclusive in hours.tz": _MORE + "test_hours",
        "pace changes affect jobs planned afterwards": _MORE + "test_pace",
        "a relation, a stance": _HTTP + "test_relations",
    },
    "Recipients": {
        "default rule": _HTTP + "test_recipients_default",
        "bad_kinds in equal shares": "core.rules.test_recipients.DrawTests.test_equal_shares",
        "shares of bad kinds by default": "core.rules.test_recipients.DrawTests.test_rate",
        "order": _MORE + "test_recipient_order",
        "status is one map": _HTTP + "test_recipients_one_map",
        "the application's own are never strangers": _MORE + "test_application_addresses",
        "stranger ai in mode off, and over the people limit": _MORE + "test_strangers",
        "refused or answered by DSN; persona.bounced either way": _MORE + "test_bounced",
        "send answers 200": _HTTP + "test_send_answers_200",
    },
    "Mail": {
        "Reply-To, else From; arrays in events": _MORE + "test_replies_go",
        "DSNs to the envelope sender": _MORE + "test_notices_go",
        "inject, move, delete: no events, no reactions": _HTTP + "test_mail_without_events",
        "APPEND, COPY, MOVE: no events, no reactions": _MORE + "test_clients_cause_nothing",
        "save_sent": "smtp.test_session.StoredTests.test_sent_copy",
        "APPEND to Sent of what is there": "dialogs/imap/append-sent.txt: answers that copy",
        "signatures": _HTTP + "test_signature",
        "one mail.delivered; plan one sentence": _MORE + "test_delivered_once",
        "a forward is initiate": _MORE + "test_forward",
        "counts in events": _HTTP + "test_prune",
    },
    "IDLE, waits": {
        "waits are driven by folders, the log by events": _MORE + "test_folder_changes",
        "IDLE is driven by folders": "dialogs/imap/idle.txt: EXISTS",
        "settings.updated, account.updated": _HTTP + "test_settings_events",
    },
    "Logins": {
        "messages, no password, DELETE and POST": _HTTP + "test_logins",
        "the test answers both protocols": _ACCOUNTS + "AccountTests.test_two_protocol_test",
        "auth.ok and auth.failed, SMTP and IMAP": _ACCOUNTS + "AccountTests.test_sign_in",
        "auth.ok and auth.failed, dashboard": _SESSION + "SignInTests.test_recorded",
    },
    "Roles and order of errors": {
        "401, 403, 402, 404, 400": _HTTP + "test_order_of_errors",
        "429 before 403": _MORE + "test_429_before_403",
        "POSTs that store nothing; DELETE answers": _HTTP + "test_roles",
        "deleting by query": _HTTP + "test_delete_by_query",
        "suspended: 403": "rest.test_auth.KeyTests.test_suspended",
        "suspended: SMTP": "dialogs/smtp/auth-required.txt: 535 5.7.13",
        "suspended: IMAP": "dialogs/imap/login-refused.txt: [CONTACTADMIN]",
        "suspended: clocks": _HTTP + "test_suspended_clock",
        "changes with a cookie": _HTTP + "test_cookie_origin",
        "header or query name the universe": _SESSION + "UniverseTests.test_named",
    },
    "Demo": {
        "GET only, as viewer": _SESSION + "DemoTests.test_read_only",
        "5/s per address, shared with passes": _SESSION + "DemoTests.test_per_address",
        "demo: false": _SESSION + "DemoTests.test_switched_off",
        "kinds of callers, and their role": _MORE + "test_kinds",
    },
    "Connection": {"services": _MORE + "test_connection"},
    "Settings": {
        "the bare policy; local_links": _HTTP + "test_links",
        "allow_private; a writer that is not configured": _MORE + "test_allow_private",
        "pace and retention keep": _HTTP + "test_kept",
        "retention above the cap": _HTTP + "test_retention_cap",
        "folder order": _MORE + "test_folder_order",
    },
    "Plans": {
        "months; one message counts one": _HTTP + "test_plans",
        "over learned_per_month; send over mail_per_month": _MORE + "test_over_the_plan",
        "SMTP over mail_per_month": "dialogs/smtp/not-taken.txt: 550 5.4.5",
    },
    "Time-outs": {
        "SMTP": "dialogs/smtp/timeouts.txt: 421",
        "IMAP after login": "imap.test_session.LimitTests.test_idle_timeout",
        "IMAP before login": "imap.test_session.LimitTests.test_login_deadline",
        "SIGHUP": "journeys.test_clients.ClientTests.test_new_certificate",
        "master login": "dialogs/imap/master.txt: LOGIN app@sim.test*boss@sim.test",
    },
    "Full message": {
        "case null, safe empty": _HTTP + "test_full_message",
        "listings; remote=1": _MORE + "test_listings",
    },
    "Promises in tests": {
        "over HTTP": "journeys.test_http_attacks",
        "over SMTP": "journeys.test_smtp_attacks",
        "of mail": "journeys.test_promises",
    },
}


class RulingsTests(SynchronousTestCase):
    """The register."""

    def test_shown(self) -> None:
        """What it names is there."""
        for paragraph, rulings in RULINGS.items():
            for ruling, where in rulings.items():
                self.assertTrue(_is_there(where), f"{paragraph}: {ruling} is said to be in {where}")


def _is_there(where: str) -> bool:
    file, line, text = where.partition(": ")
    if line:
        return text in (Path(__file__).parent / file).read_text()
    module, dot, name = f"tests.{where}".partition("Tests.")
    if not dot:
        return import_module(module) is not None
    module, _, kind = f"{module}Tests".rpartition(".")
    return hasattr(getattr(import_module(module), kind, None), name)
