"""
Where nginx's mail module asks who may sign in, and which server a connection is for.

It is asked at a port of its own on this machine, for it says whose password it tries, and is no proxy of that question.
Any server of an installation takes any connection, so it is always this one.  Source: nginx, ngx_mail_auth_http_module.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

from simmail.core.net.hosts import is_address
from simmail.errors import Elsewhere, Forbidden, TooMany, Unauthenticated, Unavailable

if TYPE_CHECKING:
    from simmail.server.server import MailServer

#: Listeners by what nginx calls the protocol.
_LISTENERS = {"imap": "imap", "smtp": "smtp"}
#: Real seconds before a client may try again, which nginx keeps.
WAIT = 1

Headers = Mapping[str, str]


class NginxAuth(Resource):
    """
    Answers C{GET /auth}.

    @param endpoints: host and port of each listener, by its name in lower case.
    """

    log = Logger()
    isLeaf = True

    def __init__(self, server: MailServer, endpoints: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__()
        self._server = server
        self._endpoints = endpoints

    def render_GET(self, request: Request) -> bytes | int:
        """Answer by headers, as nginx wants it."""
        if request.path != b"/auth":
            request.setResponseCode(404)
            return b""
        asked = {name: request.getHeader(f"Auth-{name}") or "" for name in ("Method", "User", "Pass", "Protocol")}
        remote = request.getHeader("Client-IP") or ""
        if not is_address(remote):
            request.setResponseCode(400)
            return b"Client-IP must be an address\n"

        def answer(headers: Headers) -> None:
            for name, value in headers.items():
                request.setHeader(name, value)
            if not request._disconnected:
                request.finish()

        Deferred.fromCoroutine(self.asked(asked, remote)).addCallback(answer).addErrback(
            lambda failure: self.log.failure("nginx was not answered", failure))
        return NOT_DONE_YET

    async def asked(self, asked: Mapping[str, str], remote: str) -> Headers:
        """Return what is to be done; C{asked}: headers C{Auth-*} by the rest of their names."""
        protocol = asked["Protocol"]
        here = self._endpoints.get(_LISTENERS.get(protocol, ""))
        if here is None:
            return {"Auth-Status": f"No {protocol} here"}
        if asked["Method"] != "none":
            try:
                await self._server.sign_in(
                    unquote(asked["User"]), unquote(asked["Pass"]), "imap" if protocol == "imap" else "smtp", remote)
            except Elsewhere:
                # Whoever has it looks at the password, and at what it is asked for.
                pass
            except Unauthenticated:
                return _refused("Authentication failed", "535 5.7.8", True)
            except Forbidden as error:
                return _refused(str(error), "535 5.7.8", False)
            except TooMany:
                return _refused("Too many failed logins; try again later", "454 4.7.0", False)
            except Unavailable:
                return _refused("Temporarily unavailable, try again later", "454 4.7.0", True)
        return {"Auth-Status": "OK", "Auth-Server": _address(str(here["host"])), "Auth-Port": str(here["port"])}


def nginx_auth_site(server: MailServer, endpoints: Mapping[str, Mapping[str, Any]]) -> Site:
    """Return the factory that answers nginx."""
    site = Site(NginxAuth(server, endpoints))
    site.noisy = False
    return site


def _refused(why: str, code: str, again: bool) -> Headers:
    return {"Auth-Status": why, "Auth-Error-Code": code, **({"Auth-Wait": str(WAIT)} if again else {})}


def _address(host: str) -> str:
    """Where somebody on this machine reaches it."""
    if not is_address(host) or ip_address(host).is_unspecified:
        return "::1" if ":" in host else "127.0.0.1"
    return host
