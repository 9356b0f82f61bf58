"""People who sign in: cookie, origin, universes, passes, the demo."""

from __future__ import annotations

from typing import Any

from simmail.config import Config, Http, Server
from simmail.daemon.bootstrap import PERSON
from simmail.rest.site import api_site
from simmail.server.demo import create_demo
from simmail.server.users import PASS, SESSION
from simmail.testing.universe import MemoryServer, now
from tests.rest.client import Answer, ask
from tests.rest.served import ServedTestCase

PASSWORD = "correct horse"
OWN = {"Origin": "http://localhost"}


class SessionTestCase(ServedTestCase):
    """Two organisations, and somebody who is a member of one and a viewer of the other."""

    def setUp(self) -> None:
        """Make them."""
        super().setUp()
        roster = self.server.roster
        now(roster.create_org("rival"))
        self.server.universe("other", org="rival")
        now(roster.users.create("ann@x.test", PASSWORD, {"default": "member"}))
        self.cookie = self.sign_in("ann@x.test")

    def sign_in(self, email: str) -> str:
        """The cookie of a new session, as a browser sends it."""
        answer = ask(self.site, "POST", "/api/session", {"email": email, "password": PASSWORD}, headers=OWN)
        self.assertEqual(answer.status, 200, answer.body)
        self.set = answer.headers["set-cookie"]
        return self.set.partition(";")[0]

    def by(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """One request with the cookie."""
        return ask(self.site, method, path, body, headers={"Cookie": self.cookie, **headers})


class SignInTests(SessionTestCase):
    """Sessions."""

    def test_named_at_sign_in(self) -> None:
        """An e-mail address that ends with a universe means that one where requests name none."""
        self.server.universe("shop")
        self.assertEqual(self.by("GET", "/api/status").status, 400)
        self.cookie = self.sign_in("Ann@x.test%shop")
        self.assertEqual(self.by("GET", "/api/status").status, 200)
        now(self.server.roster.universe("shop").store.create("here@shop.test"))
        self.assertEqual([one["address"] for one in self.by("GET", "/api/mailboxes").json()], ["here@shop.test"])
        refused = ask(self.site, "POST", "/api/session", {"email": "ann@x.test%other", "password": PASSWORD},
                      headers=OWN)
        self.assertEqual(refused.status, 403)
        now(self.server.roster.delete_universe("shop"))
        self.assertEqual(self.by("GET", "/api/mailboxes").json(), [])

    def test_cookie(self) -> None:
        """SameSite=Strict, HttpOnly, for this server; nothing of it is in the body or may be kept."""
        for part in ("HttpOnly", "SameSite=Strict", "Path=/", f"Max-Age={int(SESSION)}"):
            self.assertIn(part, self.set)
        answer = ask(self.site, "POST", "/api/session", {"email": "Ann@X.test ", "password": PASSWORD})
        self.assertEqual(answer.json(), {
            "user": {"email": "ann@x.test", "orgs": {"default": "member"}, "administrator": False}})
        self.assertEqual(answer.headers["cache-control"], "no-store")

    def test_refused(self) -> None:
        """A wrong password or name: the same 401; a page of another site: 403."""
        for email in ("ann@x.test", "bob@x.test"):
            answer = ask(self.site, "POST", "/api/session", {"email": email, "password": "wrong"})
            self.assertEqual((answer.status, answer.error), (401, "wrong e-mail or password"))
        for headers in ({"Origin": "http://evil.test"}, {"Sec-Fetch-Site": "cross-site"}):
            answer = ask(self.site, "POST", "/api/session", {"email": "ann@x.test", "password": PASSWORD},
                         headers=headers)
            self.assertEqual(answer.status, 403)

    def test_recorded(self) -> None:
        """auth.ok and auth.failed are in the log of the person's universes, with proto dashboard."""
        ask(self.site, "POST", "/api/session", {"email": "ann@x.test", "password": "wrong"})
        failed, good = self.good("GET", "/api/events?type=auth.*")
        self.assertEqual([(one["type"], one["data"]["proto"], one["data"]["username"]) for one in (good, failed)], [
            ("auth.ok", "dashboard", "ann@x.test"), ("auth.failed", "dashboard", "ann@x.test")])
        self.assertEqual(self.server.roster.universe("other").log.last, 0)

    def test_me(self) -> None:
        """A person: kind user, user, orgs, universes with the role."""
        me = self.by("GET", "/api/me").json()
        self.assertEqual((me["kind"], me["user"]["email"], me["orgs"]),
                         ("user", "ann@x.test", [{"id": "default", "name": "default", "role": "member"}]))
        self.assertEqual([(one["id"], one["role"]) for one in me["universes"]], [("main", "member")])

    def test_sign_out(self) -> None:
        """After signing out the cookie is nobody's, and is cleared."""
        answer = self.by("DELETE", "/api/session", **OWN)
        self.assertEqual((answer.status, answer.json()), (200, {"status": "deleted"}))
        self.assertIn("Max-Age=0", answer.headers["set-cookie"])
        self.assertEqual(self.by("GET", "/api/me").status, 401)

    def test_ends(self) -> None:
        """A session ends by itself."""
        self.server.reactor.advance(SESSION + 1)
        self.assertEqual(self.by("GET", "/api/me").status, 401)

    def test_key_is_preferred(self) -> None:
        """A key beside the cookie is what counts, and no origin is asked for."""
        answer = self.by("POST", "/api/send", {"from": "a@b.test", "to": ["c@d.test"], "text": "x"},
                         Authorization=f"Bearer {self.keys['member']}")
        self.assertEqual(answer.status, 200)


class UniverseTests(SessionTestCase):
    """Which universe a person acts in."""

    def test_only_one(self) -> None:
        """Somebody with one universe need not name it; a role too low names the role."""
        self.assertEqual(self.by("GET", "/api/status").status, 200)
        answer = self.by("PUT", "/api/retention", {}, **OWN)
        self.assertEqual((answer.status, answer.error), (403, "your role is member; this call needs admin"))

    def test_named(self) -> None:
        """Header or query name it; another organisation's and one that is not there are 403 alike."""
        now(self.server.roster.users.change("ann@x.test", orgs={"default": "member", "rival": "viewer"}))
        answer = self.by("GET", "/api/status")
        self.assertEqual((answer.status, answer.error),
                         (400, "universe: name one in X-Service-Universe or ?universe="))
        for headers, query in (({"X-Service-Universe": "other"}, ""), ({}, "?universe=other")):
            self.assertEqual(self.by("GET", "/api/status" + query, **headers).status, 200)
        answer = self.by("POST", "/api/inject", {}, **OWN, **{"X-Service-Universe": "other"})
        self.assertEqual((answer.status, answer.error), (403, "your role is viewer; this call needs member"))
        now(self.server.roster.users.change("ann@x.test", orgs={"default": "member"}))
        for name in ("other", "nope"):
            self.assertEqual(self.by("GET", "/api/status", **{"X-Service-Universe": name}).error,
                             f"ann@x.test may not open the universe {name}")

    def test_nowhere(self) -> None:
        """Somebody without an organisation may see who they are, and nothing else."""
        now(self.server.roster.users.change("ann@x.test", orgs={}))
        self.assertEqual(self.by("GET", "/api/me").json()["universes"], [])
        self.assertEqual(self.by("GET", "/api/status").status, 403)

    def test_administrator(self) -> None:
        """An administrator signs in and administers, whatever universe is named."""
        now(self.server.roster.users.create(PERSON, PASSWORD, {"default": "viewer"}, administrator=True))
        self.cookie = self.sign_in(PERSON)
        self.assertEqual(self.by("GET", "/api/admin/orgs").status, 200)
        self.assertEqual(len(self.by("GET", "/api/me").json()["universes"]), 2)
        made = self.by("POST", "/api/admin/orgs", {"id": "third", "plan": "self-hosted"}, **OWN)
        self.assertEqual(made.json(), {"id": "third", "name": "third", "plan": "self-hosted", "suspended": False})
        self.assertEqual(self.by("POST", "/api/admin/orgs", {"id": "third"}, **OWN).status, 409)
        self.assertEqual(self.by("DELETE", f"/api/admin/users/{PERSON}", **OWN).status, 409)
        self.assertEqual(self.by("DELETE", "/api/admin/users/ann@x.test", **OWN).json(), {"status": "deleted"})
        self.assertEqual([one["email"] for one in self.by("GET", "/api/admin/users").json()], [PERSON])


class PassTests(SessionTestCase):
    """Passes of the console."""

    def token(self, **headers: str) -> dict[str, Any]:
        """A new pass."""
        answer = self.by("POST", "/api/session/pass", **OWN, **headers)
        self.assertEqual(answer.status, 200, answer.body)
        found: dict[str, Any] = answer.json()
        return found

    def test_pass(self) -> None:
        """15 minutes, at most member, for one universe."""
        now(self.server.roster.users.change("ann@x.test", orgs={"default": "admin"}))
        made = self.token()
        self.assertEqual((made["universe"], made["role"], made["seconds"]), ("main", "member", 900))
        me = ask(self.site, "GET", "/api/me", key=made["token"]).json()
        self.assertEqual((me["kind"], me["universes"][0]["role"]), ("pass", "member"))
        self.assertEqual(ask(self.site, "PUT", "/api/retention", {}, made["token"]).error,
                         "your role is member; this call needs admin")
        self.assertEqual(ask(self.site, "GET", "/api/me?universe=other", key=made["token"]).status, 403)
        self.assertEqual(ask(self.site, "POST", "/api/session/pass", key=made["token"]).status, 403)
        self.server.reactor.advance(PASS + 1)
        self.assertEqual(ask(self.site, "GET", "/api/me", key=made["token"]).status, 401)

    def test_role_taken_away(self) -> None:
        """A pass does not outlive what the person may do."""
        token = self.token()["token"]
        now(self.server.roster.users.change("ann@x.test", orgs={"default": "viewer"}))
        self.assertEqual(ask(self.site, "PUT", "/api/pace", {}, token).status, 403)
        now(self.server.roster.users.change("ann@x.test", orgs={}))
        self.assertEqual(ask(self.site, "GET", "/api/status", key=token).status, 403)

    def test_sign_out(self) -> None:
        """The passes of a session end with it, also those still being made, and leave nothing behind; no others do."""
        users = self.server.roster.users
        ours, now_open = self.token()["token"], len(users._tickets)
        session = self.cookie.partition("=")[2]
        self.cookie = self.sign_in("ann@x.test")
        other = self.token()["token"]
        self.assertEqual(ask(self.site, "GET", "/api/me", key=ours).status, 200)
        now(users.sign_out(session))
        self.assertEqual([ask(self.site, "GET", "/api/me", key=one).status for one in (ours, other)], [401, 200])
        self.assertEqual(len(users._tickets), now_open)
        self.assertEqual(len(now(self.server.database.table("", "tickets"))), now_open)
        late = now(users.create_pass(users.get("ann@x.test"), "main", session))
        self.assertEqual(ask(self.site, "GET", "/api/me", key=late).status, 401)

    def test_only_for_people(self) -> None:
        """A key gets none."""
        self.assertIn("signed-in people", self.bad(403, "POST", "/api/session/pass"))


class DemoTests(SessionTestCase):
    """The universe anybody may look at."""

    config = Config(http=Http(rate=0, console_rate=5, console_burst=10))

    def setUp(self) -> None:
        """Make it."""
        super().setUp()
        self.assertTrue(now(create_demo(self.server.roster)))

    def test_full_of_life(self) -> None:
        """There are people, conversations and a case, and the clock stands."""
        status = ask(self.site, "GET", "/api/status?universe=demo").json()
        self.assertEqual((status["personas"], status["cases"], status["clock"]["frozen"]), (5, 1, True))
        self.assertGreater(status["messages"], 10)
        threads = ask(self.site, "GET", "/api/cases/c_demo_invoice/threads?universe=demo").json()
        self.assertEqual([one["subject"] for one in threads], ["Invoice INV-2041"])
        self.assertFalse(now(create_demo(self.server.roster)))

    def test_to_be_tried(self) -> None:
        """The names in paths that the OpenAPI document gives as examples are there, so that the console shows some."""
        self.site = api_site(Config(http=Http(rate=0, console_rate=0)), self.server.roster, self.server.reactor)
        document = ask(self.site, "GET", "/api/openapi.json").json()
        tried = 0
        for path, methods in document["paths"].items():
            operation = methods.get("get")
            names = [one for one in (operation or {}).get("parameters", ()) if one["in"] == "path"]
            # What is shared has a token that nobody knows ahead; the demo administers nothing.
            if not names or "{n}" in path or path.startswith(("/share/", "/api/admin/")) or path in (
                    "/api/jobs/{id}", "/api/accounts/{address}", "/api/inspect/addresses/{token}"):
                continue
            for one in names:
                path = path.replace(f"{{{one['name']}}}", str(one["example"]))
            self.assertEqual(ask(self.site, "GET", path + "?universe=demo").status, 200, path)
            tried += 1
        self.assertGreater(tried, 8)

    def test_repeatable(self) -> None:
        """It is the same on every server."""
        other = MemoryServer(self.config, real=0.0)
        now(create_demo(other.roster))
        site = api_site(self.config, other.roster, other.reactor)
        path = "/api/fingerprint?universe=demo"
        self.assertEqual(ask(site, "GET", path).json(), ask(self.site, "GET", path).json())

    def test_per_address(self) -> None:
        """5 a second for each address, shared with passes."""
        token = self.by("POST", "/api/session/pass", **OWN).json()["token"]
        for n in range(10):
            answer = ask(self.site, "GET", "/api/me?universe=demo", headers={}) if n % 2 else ask(
                self.site, "GET", "/api/me", key=token)
            self.assertEqual(answer.status, 200)
        self.assertEqual(ask(self.site, "GET", "/api/me?universe=demo").status, 429)
        self.assertEqual(ask(self.site, "GET", "/api/me", key=token).status, 429)
        self.assertEqual(self.by("GET", "/api/me").status, 200)
        self.server.reactor.advance(1.0)
        self.assertEqual([ask(self.site, "GET", "/api/me?universe=demo").status for _ in range(6)], [200] * 5 + [429])

    def test_read_only(self) -> None:
        """Nobody changes it, not even an administrator who is signed in."""
        self.assertEqual(ask(self.site, "PUT", "/api/pace?universe=demo", {}).status, 401)
        self.assertEqual(ask(self.site, "GET", "/api/wait?universe=demo&to=a@b.test&advance=1").status, 403)
        now(self.server.roster.users.create(PERSON, PASSWORD, {}, administrator=True))
        self.cookie = self.sign_in(PERSON)
        answer = self.by("PUT", "/api/pace?universe=demo", {}, **OWN)
        self.assertEqual((answer.status, answer.error), (403, "your role is viewer; this call needs member"))

    def test_switched_off(self) -> None:
        """server.demo: false."""
        site = api_site(Config(server=Server(demo=False)), self.server.roster, self.server.reactor)
        self.assertEqual(ask(site, "GET", "/api/status?universe=demo").status, 401)
