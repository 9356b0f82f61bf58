"""
C{/api/insights}: what became of the mail; and C{/share/<token>}: such a report for whoever was given its address.

Source: API contract, "Insights and shares"; decisions, section 15.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from simmail.core.insights.report import InsightsReport
from simmail.errors import Forbidden, NotFound, Refusal
from simmail.rest.answer import JSON, Octets
from simmail.rest.errors import error_reply
from simmail.rest.render.share_page import POLICY, gone_page, share_page
from simmail.rest.route import Body, Call, Deleted, Query, Route
from simmail.universe.insights.shares import Days, Share, SharedReport, Title
from simmail.universe.universe import Universe

HEADING = "Insights and shares"

#: For who has the address, and for nobody else: neither kept nor found by a search.
_PRIVATE: tuple[tuple[str, str], ...] = (
    ("Cache-Control", "no-store"), ("X-Robots-Tag", "noindex, nofollow, noarchive"),
    ("Referrer-Policy", "no-referrer"),
)
_HEADERS: tuple[tuple[str, str], ...] = (
    *_PRIVATE, ("Content-Security-Policy", POLICY), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("X-Frame-Options", "DENY"),
)
_SUFFIX = ".json"


class WhichDays(Query, frozen=True):
    """C{days}: how many simulated days, today (UTC) among them."""

    days: Days = 30


class NewShare(Body, frozen=True):
    """
    A report to be shared.

    @ivar title: shown at the top; days: how many simulated days back, whenever it is looked at.
    """

    title: Title
    days: Days = 30


class ShareAddress(Struct, frozen=True):
    """
    Where a shared report is.

    @ivar token: the share's name in paths; path: of its page; with C{.json} behind it, of the same as JSON.
    """

    token: str
    path: str


async def read_insights(call: Call) -> InsightsReport:
    report: InsightsReport = await call.universe.insights.report(call.query.days)
    return report


def list_shares(call: Call) -> list[Share]:
    return call.universe.shares.list()


async def create_share(call: Call) -> ShareAddress:
    made = await call.universe.shares.create(call.body.title, call.body.days)
    return ShareAddress(made.token, f"/share/{made.token}")


async def find_share(call: Call) -> Share:
    return call.universe.shares.get(call.path["token"])


async def revoke_share(call: Call) -> Deleted:
    await call.universe.shares.revoke(call.path["token"])
    return Deleted()


# For everybody

async def read_share(call: Call) -> Octets:
    """One path stands for the page and, with its suffix, for the JSON."""
    token: str = call.path["token"]
    if token.endswith(_SUFFIX):
        return await read_share_json(call)
    try:
        universe, share = _shared(call, token)
        page = share_page(await universe.shares.shown(share), universe.name)
    except NotFound as refusal:
        return Octets(gone_page(), "text/html; charset=utf-8", _HEADERS, error_reply(refusal).status)
    return Octets(page, "text/html; charset=utf-8", _HEADERS)


async def read_share_json(call: Call) -> Octets:
    """The same figures as JSON."""
    try:
        universe, share = _shared(call, call.path["token"].removesuffix(_SUFFIX))
        return Octets(msgspec.json.encode(await universe.shares.shown(share)), JSON, _PRIVATE)
    except Refusal as refusal:
        status, octets, headers = error_reply(refusal)
        return Octets(octets, JSON, (*headers, *_PRIVATE), status)


def _shared(call: Call, token: str) -> tuple[Universe, Share]:
    """
    Find a share in whatever universe it is.

    @raise NotFound: there is none.  @raise Forbidden, FeatureMissing: its owner may not show it.
    """
    server = call.services.server
    for universe in server.universes():
        try:
            share = universe.shares.get(token)
        except NotFound:
            continue
        if server.org_of(universe).suspended:
            raise Forbidden("the organization is suspended")
        universe.plan().require("insights")
        return universe, share
    raise NotFound("there is no such share")


_FIGURES: dict[str, Any] = {
    "sent": 412, "delivered": 401, "bounced": 11, "bounced_by_kind": {"unknown": 8, "full": 3}, "deferred": 4,
    "junked": 6, "ignored": 120, "replied": 263, "auto_replied": 9, "clicked": 151, "clicks": 204, "unsubscribed": 3,
    "reply_rate": {"rate": 0.6559, "n": 401}, "median_reply": "1h24m", "p90_reply": "9h36m",
    "spam_score": {"mean": 1.3, "n": 412}, "broken_links": 2}
_CAMPAIGN: dict[str, Any] = {"sender": "billing@shop.example", "subject": "Your invoice is ready", **_FIGURES}
_REPORT: dict[str, Any] = {
    "from": "2026-03-02T00:00:00Z", "to": "2026-03-02T17:30:00Z", "total": _FIGURES, "campaigns": [_CAMPAIGN],
    "by_day": [{"day": "2026-03-02", "sent": 412, "delivered": 401, "bounced": 11, "deferred": 4, "junked": 6,
                "ignored": 120, "replied": 263, "clicked": 151, "unsubscribed": 3, "received": 270, "answered": 118}],
    "by_temperament": [{
        "temperament": "responsive", "received": 180, "junked": 2, "ignored": 9, "replied": 168, "auto_replied": 3,
        "clicked": 90, "reply_rate": {"rate": 0.9333, "n": 180}, "median_reply": "21m"}],
    "by_domain": [{
        "domain": "acme.example", "sent": 60, "delivered": 58, "bounced": 2, "deferred": 0, "junked": 1, "ignored": 15,
        "replied": 41, "auto_replied": 1, "clicked": 22, "unsubscribed": 0, "reply_rate": {"rate": 0.7069, "n": 58}}],
    "application": {
        "received": 270, "answered": 118, "unanswered": 7, "median_first_answer": "4m10s", "duplicate_replies": 1,
        "replies_to_automatic_mail": 0, "loops": 0, "wrong_thread": 2, "answered_spam": 0}}
_TOKEN = "shr_q3mZ0bKc7XyVt2LhWn5sRd8uJf1PaEgO4iTxYv6wBkM"
_SHARE: dict[str, Any] = {"token": _TOKEN, "title": "March mailing", "days": 30, "created": "2026-03-02T17:30:00Z"}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/insights", read_insights, "Say what became of the mail of the last days", InsightsReport,
          feature="insights", query=WhichDays, query_example="days=30", answer_example=_REPORT),
    Route("GET", "/api/insights/shares", list_shares, "List shared reports", list[Share], feature="insights",
          answer_example=[_SHARE]),
    Route("POST", "/api/insights/shares", create_share,
          "Share a report: whoever has its address sees it, as it is then, without addresses and names", ShareAddress,
          role="member", feature="insights", body=NewShare, example={"title": "March mailing", "days": 30},
          answer_example={"token": _TOKEN, "path": f"/share/{_TOKEN}"}),
    Route("DELETE", "/api/insights/shares/{token}", revoke_share, "Share a report no more", Deleted, role="member",
          feature="insights", locate=find_share, answer_example={"status": "deleted"}),
    Route("GET", "/share/{token}", read_share, "Show a shared report as a page", role=None, media="text/html",
          limited=True, statuses=(402, 403, 404, 429, 503)),
    Route("GET", "/share/{token}.json", read_share_json, "Read a shared report", SharedReport, role=None, limited=True,
          statuses=(402, 403, 404, 429, 503), answer_example={
              "title": "March mailing", "universe": "main",
              "insights": {**_REPORT, "campaigns": [{**_CAMPAIGN, "sender": "shop.example"}]}}),
)
