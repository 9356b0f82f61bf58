"""
The scenario library: faults as they happen out there, each one rule.

Codes and texts are the providers' own, as their documentation and their
bounces show them; what stands in for an address in them is filled in.
Source: decisions, section 12.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simmail.core.records.fields import convert
from simmail.core.records.persona import Hours
from simmail.core.rules.fault_rule import FaultKind, FaultRule, Match, Stage, shown
from simmail.errors import NotFound


class Scenario(Struct, frozen=True):
    """
    One entry of the library.

    @ivar source: where the reply or behaviour is documented.
    @ivar id: its name in paths; provider: who behaves so; name: what it is called.
    @ivar description: what happens, in a sentence or two; rule: what it adds.
    """

    id: str
    provider: str
    name: str
    description: str
    source: str
    rule: FaultRule


class ScenarioChoice(Struct, frozen=True, forbid_unknown_fields=True):
    """
    What to have instead of the scenario's own.

    @ivar match: a suffix of the address in question; empty: the scenario's own.
    @ivar window: when it holds; null: the scenario's own.
    """

    match: Match = ""
    window: Hours | None = None


def added(scenario_id: str, match: str = "", window: Any = None) -> FaultRule:
    """
    Return a scenario as an enabled rule.

    @param match, window: of a L{ScenarioChoice}.
    @raise NotFound: there is none of that id.
    @raise Invalid: a bad match or window.
    """
    scenario = SCENARIOS.get(scenario_id)
    if scenario is None:
        raise NotFound(f"no fault scenario {scenario_id}")
    choice = convert({"match": match, "window": window}, ScenarioChoice)
    rule = scenario.rule
    return replace(rule, match=choice.match or rule.match, window=rule.window if window is None else choice.window)


def library() -> list[dict[str, Any]]:
    """The library as the API shows it."""
    found = []
    for one in SCENARIOS.values():
        rule = shown(one.rule)
        del rule["hits"]
        found.append({"id": one.id, "provider": one.provider, "name": one.name, "description": one.description,
                      "source": one.source, "rule": rule})
    return found


_GMAIL = "Google Workspace Admin Help, Gmail SMTP errors and codes (support.google.com/a/answer/3726730)"
_EXCHANGE = "Microsoft Learn, Email non-delivery reports and SMTP errors in Exchange Online"
_OUTLOOK = "Outlook.com Postmaster, troubleshooting (sendersupport.olc.protection.outlook.com/pm)"
_YAHOO = "Yahoo Sender Hub, SMTP error codes (senders.yahooinc.com/smtp-error-codes)"
_APPLE = "Apple Support, postmaster information for iCloud Mail (support.apple.com/102322)"
_POSTFIX = "Postfix documentation, postconf(5) and SMTPD_POLICY_README"
_OBSERVED = "bounces as senders publish them (smtpfieldmanual.com)"


def _scenario(
    scenario_id: str, provider: str, name: str, description: str, source: str, kind: FaultKind, stage: Stage,
    code: int = 0, enhanced: str = "", message: str = "", **fields: Any,
) -> tuple[str, Scenario]:
    rule = FaultRule(kind, stage, name, code=code, enhanced=enhanced, message=message, scenario=scenario_id, **fields)
    return scenario_id, Scenario(scenario_id, provider, name, description, source, rule)


SCENARIOS: Mapping[str, Scenario] = MappingProxyType(dict((
    # Google
    _scenario(
        "gmail-rate-limit", "Gmail", "Gmail: unusual rate of mail",
        "More than 20 messages in ten minutes: the rest is deferred until the rate falls.", _GMAIL,
        "rate_limit", "mail", 421, "4.7.28",
        "Our system has detected an unusual rate of\n"
        "unsolicited mail originating from your IP address. To protect our\n"
        "users from spam, mail sent from your IP address has been temporarily\nrate limited. - gsmtp",
        limit=20, interval="10m", per="ip"),
    _scenario(
        "gmail-unauthenticated", "Gmail", "Gmail: sender is not authenticated",
        "Neither SPF nor DKIM vouches for the message: it is refused after its content was sent.", _GMAIL,
        "reject", "body", 550, "5.7.26",
        "This mail has been blocked because the sender is unauthenticated.\n"
        "Gmail requires all senders to authenticate with either SPF or DKIM.\n- gsmtp"),
    _scenario(
        "gmail-over-quota", "Gmail", "Gmail: inbox out of storage",
        "The recipient's storage is used up; Gmail defers, so a retry may succeed.", _GMAIL,
        "defer", "rcpt", 452, "4.2.2",
        "The recipient's inbox is out of storage space. Please direct the\nrecipient to\n"
        "https://support.google.com/mail/?p=OverQuotaTemp - gsmtp"),
    _scenario(
        "gmail-recipient-rate", "Gmail", "Gmail: recipient gets too much mail",
        "A single recipient is written to too often: more than five messages an hour are deferred.", _GMAIL,
        "rate_limit", "rcpt", 450, "4.2.1",
        "The user you are trying to contact is receiving mail at a rate that\n"
        "prevents additional messages from being delivered. Please resend your\nmessage at a later time. - gsmtp",
        limit=5, interval="1h", per="recipient"),
    _scenario(
        "gmail-daily-limit", "Gmail", "Gmail: daily sending limit",
        "The account has sent all it may send today.", _GMAIL,
        "reject", "mail", 550, "5.4.5", "Daily user sending limit exceeded. - gsmtp"),
    _scenario(
        "gmail-app-password", "Gmail", "Gmail: application-specific password required",
        "The password is right, but the account has two-step verification.", _GMAIL,
        "auth_fail", "auth", 534, "5.7.9",
        "Application-specific password required. For more information, go to\n"
        "https://support.google.com/mail/?p=InvalidSecondFactor - gsmtp"),
    _scenario(
        "gmail-dmarc-policy", "Gmail", "Gmail: refused by the domain's DMARC policy",
        "Nothing that vouches is aligned with From, and its domain asks to refuse that.", _GMAIL,
        "reject", "body", 550, "5.7.26",
        "Unauthenticated email from {domain} is not accepted due to\n"
        "domain's DMARC policy. Please contact the administrator of\n{domain} domain if this was a legitimate mail. "
        "To learn about the DMARC\ninitiative, go to https://support.google.com/mail/?p=DmarcRejection - gsmtp"),
    _scenario(
        "gmail-not-aligned", "Gmail", "Gmail: From is not aligned",
        "A sender of many mails vouches for another domain than the one in From: its mail is deferred.", _GMAIL,
        "defer", "body", 421, "4.7.32",
        "Your email has been rate limited because the From: header (RFC5322)\nin this message isn't aligned with "
        "either the authenticated SPF or DKIM\norganizational domain. - gsmtp"),
    _scenario(
        "gmail-no-dmarc", "Gmail", "Gmail: no DMARC record",
        "A sender of many mails has no DMARC policy: its mail is deferred.", _GMAIL,
        "defer", "body", 421, "4.7.40",
        "Your email has been rate limited because the sending domain doesn't\nhave a DMARC record, or the DMARC record "
        "doesn't specify a DMARC policy. - gsmtp"),
    _scenario(
        "gmail-from-missing", "Gmail", "Gmail: no valid address in From",
        "From is missing or names no address.", _GMAIL,
        "reject", "body", 550, "5.7.1",
        "Messages missing a valid address in From:\nheader, or having no From: header, are not accepted. - gsmtp"),
    _scenario(
        "gmail-from-multiple", "Gmail", "Gmail: several addresses in From",
        "From names more than one author.", _GMAIL,
        "reject", "body", 550, "5.7.1", "Messages with multiple addresses in From:\nheader are not accepted. - gsmtp"),
    _scenario(
        "gmail-message-id", "Gmail", "Gmail: no valid Message-ID",
        "The message has no Message-ID, or one of another form.", _GMAIL,
        "reject", "body", 550, "5.7.1", "Messages missing a valid messageId header\nare not accepted. - gsmtp"),
    _scenario(
        "gmail-duplicate-headers", "Gmail", "Gmail: fields that stand twice",
        "A field that must stand once stands twice or more.", _GMAIL,
        "reject", "body", 550, "5.7.1",
        "This message is not RFC 5322 compliant because it has\nduplicate headers. To reduce the amount of spam sent "
        "to Gmail,\nthis message has been blocked. - gsmtp"),
    _scenario(
        "gmail-too-large", "Gmail", "Gmail: message too large",
        "The message is over Google's limit.", _GMAIL,
        "reject", "body", 552, "5.3.4",
        "Your message exceeded Google's message size limits. For more\ninformation, visit "
        "https://support.google.com/mail/?p=MaxSizeError - gsmtp"),
    # Microsoft
    _scenario(
        "outlook-authentication", "Outlook.com", "Outlook.com: required authentication level",
        "A domain that sends many mails does not pass SPF, DKIM and DMARC: since 5 May 2025 its mail is refused.",
        "Microsoft Support, Fix NDR error 550 5.7.515 in Outlook.com",
        "reject", "body", 550, "5.7.515",
        "Access denied, sending domain {domain} does not meet the required authentication level."),
    _scenario(
        "exchange-server-busy", "Exchange Online", "Exchange Online: server busy",
        "A new sending pattern is throttled: the first message of every recipient is deferred for a while.", _EXCHANGE,
        "greylist", "rcpt", 451, "4.7.500", "Server busy. Please try again later from [{ip}]. (AS77712344)",
        delay_ms=15 * 60_000),
    _scenario(
        "exchange-banned-ip", "Exchange Online", "Exchange Online: banned sending IP",
        "The sending address is on Microsoft's own block list.", _EXCHANGE,
        "reject", "mail", 550, "5.7.606",
        "Access denied, banned sending IP [{ip}]. To request removal from this list please visit "
        "https://sender.office.com/ and follow the directions."),
    _scenario(
        "exchange-unknown-recipient", "Exchange Online", "Exchange Online: recipient address rejected",
        "The edge knows every recipient and refuses all others.", _EXCHANGE,
        "reject", "rcpt", 550, "5.4.1", "Recipient address rejected: Access denied."),
    _scenario(
        "exchange-thread-limit", "Exchange Online", "Exchange: recipient thread limit exceeded",
        "The mailbox database takes no more deliveries for one recipient at once: every third message is deferred.",
        _EXCHANGE, "defer", "body", 432, "4.3.2", "STOREDRV.Deliver; recipient thread limit exceeded", every=3),
    _scenario(
        "exchange-smtp-auth-disabled", "Exchange Online", "Exchange Online: SMTP AUTH is switched off",
        "Name and password are right, the tenant does not allow SMTP AUTH.", _EXCHANGE,
        "auth_fail", "auth", 535, "5.7.139",
        "Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant. Visit "
        "https://aka.ms/smtp_auth_disabled for more information."),
    _scenario(
        "outlook-block-list", "Outlook.com", "Outlook.com: network on the block list",
        "Consumer mailboxes of Microsoft refuse the sender's network.", _OUTLOOK,
        "reject", "mail", 550, "5.7.1",
        "Unfortunately, messages from [{ip}] weren't sent. Please contact your Internet service provider since part of "
        "their network is on our block list (S3140)."),
    # Yahoo and Apple
    _scenario(
        "yahoo-complaints", "Yahoo", "Yahoo: deferred for complaints or volume",
        "Users complained or the volume is unexpected: everything is deferred.", _YAHOO,
        "defer", "mail", 421, "4.7.0",
        "[TSS04] Messages from {ip} temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see "
        "https://postmaster.yahooinc.com/error-codes"),
    _scenario(
        "yahoo-policy", "Yahoo", "Yahoo: not accepted for policy reasons",
        "The content is refused for good after it was sent.", _YAHOO,
        "reject", "body", 554, "5.7.9",
        "Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes"),
    _scenario(
        "yahoo-unauthenticated", "Yahoo", "Yahoo: sender is not authenticated",
        "The message fails the checks of its domain's owner (SPF, DKIM, DMARC).", _YAHOO,
        "reject", "body", 554, "5.7.9",
        "Message not accepted for policy reasons. See https://senders.yahooinc.com/error-codes"),
    _scenario(
        "icloud-local-policy", "iCloud", "iCloud: rejected due to local policy",
        "Apple's content filter refuses the message.", _APPLE,
        "reject", "body", 550, "5.7.1",
        "[CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137"),
    _scenario(
        "icloud-volume", "iCloud", "iCloud: deferred due to excessive volume",
        "One recipient gets mail too fast.", _OBSERVED,
        "rate_limit", "rcpt", 421, "4.7.1",
        "Messages to {recipient} deferred due to excessive volume. Try again later - "
        "https://support.apple.com/en-us/HT204137", limit=10, interval="1h", per="recipient"),
    _scenario(
        "icloud-over-quota", "iCloud", "iCloud: user is over quota",
        "The mailbox is full, and Apple says so for good.", _OBSERVED,
        "reject", "rcpt", 552, "5.2.2", "<{recipient}>: user is over quota"),
    # Gateways
    _scenario(
        "proofpoint-blocked", "Proofpoint", "Proofpoint: sending address blocked",
        "The gateway hangs up before the first command.", "Proofpoint, IP reputation look-up (ipcheck.proofpoint.com)",
        "reject", "connect", 554, "5.7.1", "Blocked - see https://ipcheck.proofpoint.com/?ip={ip}"),
    _scenario(
        "mimecast-greylisting", "Mimecast", "Mimecast: greylisting",
        "A sender not seen before has to come back after a minute.",
        "Mimecast Community, SMTP error codes (article DOC-1369)",
        "greylist", "rcpt", 451, "4.7.1",
        "Internal resources are temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451",
        delay_ms=60_000),
    _scenario(
        "mimecast-spoofing", "Mimecast", "Mimecast: anti-spoofing policy",
        "The message claims to come from the recipient's own domain.",
        "Mimecast Community, SMTP error codes (article DOC-1369)",
        "reject", "body", 550, "5.7.1",
        "Rejected by header based Anti-Spoofing policy - https://community.mimecast.com/docs/DOC-1369#550"),
    _scenario(
        "barracuda-blocked", "Barracuda", "Barracuda: message blocked",
        "The gateway's intent analysis dislikes the content.",
        "Barracuda Campus, Email Security Gateway, error messages",
        "reject", "body", 550, "5.7.1", "permanent failure for one or more recipients ({recipient}:blocked)"),
    _scenario(
        "spamhaus-listed", "Postfix with Spamhaus", "Listed on Spamhaus ZEN",
        "A block list query makes every recipient a refusal.",
        "Postfix documentation, reject_rbl_client; Spamhaus, ZEN blocklist",
        "reject", "rcpt", 554, "5.7.1",
        "Service unavailable; Client host [{ip}] blocked using zen.spamhaus.org; "
        "https://www.spamhaus.org/query/ip/{ip}"),
    # Servers of one's own
    _scenario(
        "postgrey", "Postfix", "Postfix: greylisting",
        "Every new combination of peer, sender and recipient is deferred for five minutes.",
        "Postgrey; Postfix documentation, SMTPD_POLICY_README",
        "greylist", "rcpt", 450, "4.2.0",
        "<{recipient}>: Recipient address rejected: Greylisted, please try again later",
        delay_ms=300_000),
    _scenario(
        "postfix-disk-full", "Postfix", "Postfix: insufficient system storage",
        "The queue's disk is full: nothing is accepted, nothing is lost.", _POSTFIX,
        "defer", "mail", 452, "4.3.1", "Insufficient system storage"),
    _scenario(
        "postfix-milter-down", "Postfix", "Postfix: a filter is not available",
        "The content filter does not answer, one message in five is deferred.", _POSTFIX,
        "defer", "body", 451, "4.7.1", "Service unavailable - try again later", rate=0.2),
    _scenario(
        "corporate-content-filter", "Corporate", "Content filter: banned attachment",
        "amavis refuses what it takes for an executable.", "amavisd-new documentation, README.banned",
        "reject", "body", 554, "5.7.0", "Reject, id=21514-03 - BANNED: .exe,.exe-ms,setup.exe"),
    _scenario(
        "maintenance-window", "Corporate", "Nightly maintenance",
        "From two to four in the morning no connection is taken.", "RFC 3463, code X.3.2",
        "defer", "connect", 421, "4.3.2", "System not accepting network messages",
        window=Hours("UTC", "mon-sun", "02:00", "04:00")),
    _scenario(
        "ses-throttling", "Amazon SES", "SES: maximum sending rate exceeded",
        "More than 14 messages a second are deferred.",
        "Amazon SES Developer Guide, errors related to the sending quotas",
        "rate_limit", "mail", 454, "4.7.0", "Throttling failure: Maximum sending rate exceeded.",
        limit=14, interval="1s"),
    _scenario(
        "tarpit", "Any", "Slow server: five seconds an answer",
        "Every recipient is answered late; senders with short time-outs give up.",
        "Exchange Server documentation, TarpitInterval",
        "delay", "rcpt", delay_ms=5_000),
    _scenario(
        "slow-line", "Any", "Slow line: 2,000 octets a second",
        "The message goes through, slowly.", "RFC 5321 section 4.5.3.2",
        "throttle", "data", bytes_per_second=2_000),
    _scenario(
        "dropped-data", "Any", "Connection lost in the middle of a message",
        "One message in ten: the connection breaks while its text is being sent.", "RFC 5321 section 4.1.1.4",
        "drop", "body", rate=0.1),
    _scenario(
        "lost-answer", "Any", "Answer lost after the message was taken",
        "The message is delivered, the connection breaks before the sender is told: a retry makes a duplicate.",
        "RFC 1047", "drop", "deliver", rate=0.1),
    _scenario(
        "expired-certificate", "Any", "Expired certificate",
        "The certificate shown after STARTTLS expired yesterday: clients that verify must break off and not fall back "
        "to plain text.", "RFC 5280 section 6.1.3; RFC 8314 section 4.1", "tls_fail", "starttls",
        certificate="expired"),
    _scenario(
        "foreign-certificate", "Any", "Certificate of another host",
        "The certificate shown after STARTTLS is for mail.elsewhere.invalid, as behind a wrongly set up proxy.",
        "RFC 6125 section 6; RFC 8314 section 4.1", "tls_fail", "starttls", certificate="wrong_host"),
    _scenario(
        "tls-broken", "Any", "TLS out of order",
        "STARTTLS is announced and answered with 454; clients that insist on TLS must not fall back to plain text.",
        "RFC 3207 section 4", "tls_fail", "starttls", 454, "4.7.0", "TLS not available due to temporary reason"),
    _scenario(
        "silent-loss", "Any", "Accepted and never delivered",
        "One message in fifty vanishes after a 250.", "RFC 5321 section 6.1", "discard", "deliver", rate=0.02),
    _scenario(
        "duplicated", "Any", "Delivered twice",
        "One message in twenty arrives twice.", "RFC 1047", "duplicate", "deliver", rate=0.05),
    _scenario(
        "late-delivery", "Any", "Delivered two hours late",
        "A queue on the way is stuck.", "RFC 5321 section 4.5.4.1", "late", "deliver", delay_ms=2 * 60 * 60_000),
    _scenario(
        "truncated", "Any", "Message cut short",
        "A gateway loses the second half of the message.", "RFC 5321 section 4.5.3.1.7",
        "corrupt", "deliver", rate=0.05),
)))
