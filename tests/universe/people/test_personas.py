"""Tests for C{simmail.universe.people.personas}: who there is."""

from __future__ import annotations

from typing import Any

from simmail.core.language.names import named_by
from simmail.errors import Conflict, Invalid, NotFound
from simmail.testing.universe import now, turned
from tests.universe.people.test_inbox_worker import said
from tests.universe.test_road import MAIL, RoadTestCase, persona

APP, MARIA = "app@sim.test", "maria@acme.test"


class PeopleTestCase(RoadTestCase):
    """A universe and its people."""

    def setUp(self) -> None:
        """Nobody yet."""
        super().setUp()
        self.people = self.universe.people

    def create(self, **fields: Any) -> Any:
        """A persona who always answers."""
        return now(self.people.create(persona(**fields)))


class CreationTests(PeopleTestCase):
    """Creating, changing, deleting."""

    def test_order_changes_nothing(self) -> None:
        """Ids and drawn values depend on who is created, not on who was before."""
        def made(order: tuple[str, ...]) -> dict[str, Any]:
            people = self.server.universe(f"u{''.join(order)}", seed="same").people
            for name in order:
                now(people.create({"addresses": [f"{name}@acme.test"]}))
            return {one.address: one for one in people.everyone()}

        self.assertEqual(made(("a", "b", "c")), made(("c", "a", "b")))

    def test_somebody_else_comes_after(self) -> None:
        """Who has an address after somebody has gone is another person, also once the first has moved on."""
        first = self.create()
        now(self.people.delete(first.id))
        second = self.create()
        now(self.people.patch(second.id, {"addresses": ["moved@acme.test"]}))
        third = self.create()
        self.assertEqual(len({first.id, second.id, third.id}), 3)

    def test_survives_a_restart(self) -> None:
        """How often an address was somebody's is not forgotten."""
        first = self.create()
        now(self.people.delete(first.id))
        now(self.people.start())
        self.assertNotEqual(self.create().id, first.id)

    def test_in_use(self) -> None:
        """An address, and an external id, belongs to one persona."""
        self.create(external_ids={"crm": "7"})
        self.assertRaises(Invalid, self.create)
        error = self.assertRaises(Invalid, self.create, addresses=["b@acme.test"], external_ids={"crm": "7"})
        self.assertEqual(error.field, "external_ids")
        other = self.create(addresses=["b@acme.test"])
        self.assertRaises(Invalid, now, self.people.patch(other.id, {"addresses": [MARIA]}))
        self.assertEqual(self.people.at(MARIA).name, "Maria Rossi")  # type: ignore[union-attr]

    def test_by_external_id(self) -> None:
        """A persona is found by the id that another system has for it."""
        made = self.create(external_ids={"crm": "7"})
        self.assertEqual(self.people.by_external("crm", "7"), made)
        self.assertRaises(NotFound, self.people.by_external, "crm", "8")

    def test_patch(self) -> None:
        """A change is seen at once, under the addresses it has now only."""
        made = self.create()
        now(self.people.patch(made.id, {"addresses": ["m@acme.test"], "paused": True}))
        self.assertIsNone(self.people.at(MARIA))
        self.assertIs(self.people.at("m@acme.test").paused, True)  # type: ignore[union-attr]
        self.assertTrue(self.universe.store.exists("m@acme.test"))
        self.assertEqual([event["data"]["id"] for event in self.events("persona.updated")], [made.id] * 2)

    def test_delete(self) -> None:
        """Memory, relations and jobs are gone, mailbox and mail stay."""
        made = self.create()
        self.server.send(self.universe, APP, MARIA, MAIL)
        now(self.people.delete(made.id))
        self.assertEqual(self.universe.pending.by_id, {})
        self.assertEqual(now(self.universe.database.table("main", "dossiers:" + made.id)), {})
        self.assertEqual(len(self.inbox(MARIA)), 1)
        self.assertRaises(NotFound, self.people.found, made.id)
        self.assertRaises(NotFound, now, self.universe.memories.memory(made.id))

    def test_sorted_by_name(self) -> None:
        """The list is by name, whatever was changed."""
        made = self.create()
        self.create(addresses=["b@acme.test"], name="Bo")
        self.assertEqual([one.name for one in self.people.everyone()], ["Bo", "Maria Rossi"])
        now(self.people.patch(made.id, {"name": "Anna"}))
        self.assertEqual([one.name for one in self.people.everyone()], ["Anna", "Bo"])

    def test_colleagues(self) -> None:
        """People of one domain or organisation know one another; of one mail provider they do not."""
        maria = self.create(org="Acme")
        self.create(addresses=["b@acme.test"], name="B")
        self.create(addresses=["c@gmail.com"], name="C", org="Acme")
        other = self.create(addresses=["d@gmail.com"], name="D")
        self.assertEqual(set(self.people.colleagues(maria)), {"b@acme.test", "c@gmail.com"})
        self.assertEqual(self.people.colleagues(other), {})
        now(self.people.patch(maria.id, {"addresses": ["m@gmail.com"]}))
        self.assertEqual(set(self.people.colleagues(self.people.found(maria.id))), {"c@gmail.com"})

    def test_configured_cannot_be_deleted(self) -> None:
        """Who comes from a file stays until the file says otherwise."""
        now(self.people.configured([persona()]))
        made = self.people.at(MARIA)
        assert made is not None
        self.assertRaises(Conflict, now, self.people.delete(made.id))


class StrangerTests(PeopleTestCase):
    """Who is behind addresses never seen before."""

    def test_created_once(self) -> None:
        """A stranger has what its address suggests, is the same again, and is told of."""
        made = now(self.people.stranger("Maria.Rossi@acme.example"))
        self.assertEqual((made.provider, made.name, made.org, made.address),
                         ("stranger", "Maria Rossi", "Acme", "maria.rossi@acme.example"))
        self.assertIs(now(self.people.stranger("maria.rossi@acme.example")), made)
        (event,) = self.events("persona.created")
        self.assertEqual(set(event["data"]), {
            "persona_id", "persona", "address", "temperament", "mode", "why"})
        self.assertEqual((event["data"]["mode"], event["persona"]["id"]), ("basic", made.id))

    def test_same_in_any_order(self) -> None:
        """Strangers are who they are in whatever order mail reaches them."""
        addresses = [f"user{n}@x.test" for n in range(20)]

        def made(name: str, order: list[str]) -> list[Any]:
            people = self.server.universe(name, seed="same").people
            for address in order:
                now(people.stranger(address))
            return [now(people.stranger(address)) for address in addresses]

        self.assertEqual(made("a", addresses), made("b", addresses[::-1]))

    def test_whoever_is_there(self) -> None:
        """Nobody is made twice."""
        made = self.create()
        self.assertEqual(now(self.people.stranger(MARIA)), made)

    def test_mail_draws_an_answer(self) -> None:
        """Where the rules say so, mail to an unknown address meets a stranger who may answer it."""
        now(self.universe.settings.put("recipients", {"default": {"stranger": "basic"}}))
        self.universe.policy.refresh()
        for n in range(10):
            self.server.send(self.universe, APP, f"u{n}@x.test", said(b"Hello, is this right?", n))
        self.assertEqual(len(self.events("persona.created")), 10)
        self.assertEqual(len(self.events("persona.received")), 10)
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        self.assertGreater(len(self.events("persona.sent")), 2)

    def test_names(self) -> None:
        """What an address says of somebody, and what it does not."""
        for address, fields in (
            ("maria.rossi@acme.example", {"name": "Maria Rossi", "org": "Acme"}),
            ("j-p_smith2@gmail.com", {"name": "J P Smith"}),
            ("info@norrland-print.example", {"role": "Info", "org": "Norrland Print"}),
            ("x9f3k2@acme.co.uk", {"org": "Acme"}),
            ("tom+orders@mail.acme.com", {"name": "Tom", "org": "Acme"}),
            ("a@[127.0.0.1]", {"name": "A"}), ("1234@localhost", {}),
        ):
            self.assertEqual(named_by(address), fields, address)


class ConfiguredTests(RoadTestCase):
    """Personas from a file."""

    def test_exactly_those_listed(self) -> None:
        """The file says who there is: new ones come, missing ones go, unchanged ones keep their id."""
        now(self.universe.people.configured([persona(), persona(addresses=["b@acme.test"], name="B")]))
        first = self.universe.people.at("maria@acme.test")
        now(self.universe.people.configured([persona()]))
        self.assertEqual(self.universe.people.at("maria@acme.test"), first)
        self.assertIsNone(self.universe.people.at("b@acme.test"))

    def test_cannot_be_edited(self) -> None:
        """A persona from a file is neither changed nor deleted by the API."""
        now(self.universe.people.configured([persona()]))
        person = self.universe.people.at("maria@acme.test")
        assert person is not None
        self.assertRaises(Conflict, now, self.universe.people.patch(person.id, {"name": "X"}))
        self.assertRaises(Conflict, now, self.universe.people.delete(person.id))

    def test_bad_entry_is_named(self) -> None:
        """A bad entry is refused by its place, and nothing changes."""
        error = self.assertRaises(
            Invalid, now, self.universe.people.configured([persona(), {"name": "no address"}]))
        self.assertIn("personas.1", error.field)
        self.assertEqual(len(self.universe.people), 0)
