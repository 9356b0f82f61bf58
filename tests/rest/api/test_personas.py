"""Personas, their memory and relations, over HTTP."""

from __future__ import annotations

from simmail.core.records import notes
from tests.rest.served import ServedTestCase


class PersonaTests(ServedTestCase):
    """The life of a persona."""

    def test_create_and_read(self) -> None:
        """A new persona has an id, a provider and a mailbox, and reads back as it was answered."""
        made = self.persona(name="Maria", role="Buyer", style={"client": "gmail"}, external_ids={"crm": "4711"})
        self.assertEqual((made["provider"], made["name"], made["temperament"], made["knows"]),
                         ("api", "Maria", "responsive", "some"))
        self.assertTrue(made["id"].startswith("p_"))
        self.assertEqual(self.good("GET", f"/api/personas/{made['id']}", role="viewer"), made)
        self.assertIn("maria@acme.test", [one["address"] for one in self.good("GET", "/api/mailboxes")])
        self.assertNotIn("who", made)

    def test_list_is_sorted(self) -> None:
        """The list is an array, sorted by name."""
        self.assertEqual(self.good("GET", "/api/personas"), [])
        for name in ("Zoe", "anna", "Max"):
            self.persona(f"{name}@acme.test".lower(), name=name)
        self.assertEqual([one["name"] for one in self.good("GET", "/api/personas")], ["anna", "Max", "Zoe"])

    def test_refused(self) -> None:
        """Every bad field is named, and nothing is created."""
        for fields, text in (
            ({}, "addresses"), ({"addresses": []}, "addresses"), ({"addresses": ["nope"]}, "addresses.0"),
            ({"addresses": ["a@b.test"], "colour": "red"}, "colour: unknown field"),
            ({"addresses": ["a@b.test"], "style": {"colour": 1}}, "style.colour: unknown field"),
            ({"addresses": ["a@b.test"], "temperament": "jolly"}, "temperament"),
            ({"addresses": ["a@b.test"], "timing": {"reply_rate": 2}}, "timing.reply_rate"),
            ({"addresses": ["a@b.test"], "timing": {"delay": {"median": "soon"}}}, "timing.delay.median"),
            ({"addresses": ["a@b.test"], "timing": {"hours": {"tz": "Mars/Olympus"}}}, "timing.hours.tz"),
            ({"addresses": ["a@b.test"], "timing": {"hours": {"tz": "../../etc/passwd"}}}, "timing.hours.tz"),
            ({"addresses": ["a@b.test"], "name": "a\r\nBcc: x@y.test"}, "name"),
            ({"addresses": "a@b.test"}, "addresses"), ({"addresses": ["a@b.test"], "name": 5}, "name"),
            ({"addresses": ["a@b.test"], "id": "p_mine"}, "id"),
            ([], "the body must be an object"),
        ):
            self.assertIn(text, self.bad(400, "POST", "/api/personas", fields))
        self.assertEqual(self.good("GET", "/api/personas"), [])

    def test_address_in_use(self) -> None:
        """An address belongs to one persona."""
        made = self.persona()
        self.assertIn(made["id"], self.bad(400, "POST", "/api/personas", {"addresses": ["Maria@ACME.test"]}))

    def test_patch(self) -> None:
        """Fields left out stay, a nested object is replaced whole, and what was read may be sent back."""
        made = self.persona(style={"client": "gmail", "length": "short"}, role="Buyer")
        path = f"/api/personas/{made['id']}"
        for method in ("PATCH", "PUT"):
            changed = self.good(method, path, {"style": {"client": "outlook"}})
            self.assertEqual((changed["style"]["client"], changed["role"]), ("outlook", "Buyer"))
            self.assertNotIn("length", changed["style"])
        self.assertTrue(self.good("PATCH", path, {**changed, "paused": True})["paused"])
        self.assertIn("provider", self.bad(400, "PATCH", path, {**changed, "provider": "mail"}))

    def test_config_persona(self) -> None:
        """A persona from a YAML file cannot be changed or deleted: 409."""
        from simmail.testing.universe import now

        made = now(self.universe.people.create({"addresses": ["y@acme.test"]}, "config"))
        self.assertIn("YAML", self.bad(409, "PATCH", f"/api/personas/{made.id}", {"paused": True}))
        self.assertIn("YAML", self.bad(409, "DELETE", f"/api/personas/{made.id}"))

    def test_nobody(self) -> None:
        """An unknown id is 404 on every call, before anything in the body is looked at."""
        for method, path in (("GET", ""), ("PATCH", ""), ("PUT", ""), ("DELETE", ""), ("GET", "/memory"),
                             ("POST", "/memory"), ("DELETE", "/memory"), ("GET", "/relations"),
                             ("DELETE", "/relations")):
            body = {"colour": 1} if method in ("PATCH", "PUT", "POST") else None
            self.bad(404, method, "/api/personas/p_nobody" + path, body)

    def test_delete(self) -> None:
        """A deleted persona is gone; its mailbox and mail are kept."""
        made = self.persona()
        self.write()
        self.assertEqual(self.good("DELETE", f"/api/personas/{made['id']}"), {"status": "deleted"})
        self.bad(404, "GET", f"/api/personas/{made['id']}")
        self.assertEqual(len(self.good("GET", "/api/mailboxes/maria@acme.test/messages")), 1)
        self.assertEqual(self.good("GET", "/api/jobs?state=pending"), [])


class MemoryTests(ServedTestCase):
    """What a persona is told to know."""

    def test_notes(self) -> None:
        """Notes are kept by case, with their source in front; all or one case's can be cleared."""
        path = f"/api/personas/{self.persona()['id']}/memory"
        self.assertEqual(self.good("GET", path), {})
        self.good("POST", path, {"text": "likes tea"}, "member")
        self.good("POST", path, {"text": "owes 5 EUR", "case_id": "c1", "source": "erp"})
        self.assertEqual(self.good("GET", path), {"": ["likes tea"], "c1": ["(erp) owes 5 EUR"]})
        self.assertEqual(self.good("DELETE", path + "?case_id="), {"status": "deleted"})
        self.assertEqual(self.good("GET", path), {"c1": ["(erp) owes 5 EUR"]})
        self.good("DELETE", path)
        self.assertEqual(self.good("GET", path), {})

    def test_threads(self) -> None:
        """What was said in threads is told beside the notes, when it is asked for."""
        path = f"/api/personas/{self.persona()['id']}/memory"
        self.assertEqual(self.good("GET", path + "?threads=1"), {"memory": {}, "threads": [], "appointments": []})
        self.write(subject="Order 77120", text="When do you need the chairs?")
        found = self.good("GET", path + "?threads=1")
        self.assertEqual(found["memory"], self.good("GET", path))
        (thread,) = found["threads"]
        self.assertEqual(set(thread), {"key", "case_id", "remarks"})
        told = [(one["kind"], one.get("value")) for one in thread["remarks"]]
        for one in (("stated", "77120"), ("asked", "When do you need the chairs?")):
            self.assertIn(one, told)
        self.good("DELETE", path)
        self.assertEqual(self.good("GET", path + "?threads=1"), {"memory": {}, "threads": [], "appointments": []})
        self.assertIn("threads", self.bad(400, "GET", path + "?threads=x"))

    def test_given_notes_stay(self) -> None:
        """What was given stays however much a persona remembers itself; there are at most so many of them."""
        self.patch(notes, "MOST_OWN", 3)
        self.patch(notes, "MOST_GIVEN", 2)
        made = self.persona(external_ids={"crm": "4711"})
        path = f"/api/personas/{made['id']}/memory"
        self.good("POST", path, {"text": "likes tea"})
        self.good("POST", "/api/memory/by-external", {"system": "crm", "id": "4711", "text": "owes 5 EUR"})
        for number in range(6):
            self.write(subject=f"Invoice {number}", text=f"Here is invoice INV-{number} over 5 EUR.")
            self.good("POST", "/api/clock/advance", {"by": "2d"})
        memory = self.good("GET", path)[""]
        self.assertEqual(memory[:2], ["likes tea", "(crm) owes 5 EUR"])
        self.assertEqual(len(memory), 5)
        for body in ({"text": "one more"}, {"text": "one more", "case_id": "c1"}):
            self.assertIn("at most 2 notes", self.bad(400, "POST", path, body))
        self.assertIn("at most 2 notes", self.bad(
            400, "POST", "/api/memory/by-external", {"system": "crm", "id": "4711", "text": "x"}))
        self.assertEqual(self.good("GET", path)[""], memory)
        self.good("DELETE", path)
        self.good("POST", path, {"text": "one more"})

    def test_text_is_required(self) -> None:
        """A note without text is refused."""
        path = f"/api/personas/{self.persona()['id']}/memory"
        self.assertEqual(self.bad(400, "POST", path, {}), "text: is required")
        self.assertIn("text", self.bad(400, "POST", path, {"text": " "}))

    def test_by_external(self) -> None:
        """A note by external id; its source is the system unless another is named; nobody with it is 404."""
        made = self.persona(external_ids={"crm": "4711"})
        note = {"system": "crm", "id": "4711", "text": "asked for a discount"}
        self.assertEqual(self.good("POST", "/api/memory/by-external", note), {"persona_id": made["id"], "status": "ok"})
        self.good("POST", "/api/memory/by-external", {**note, "source": "Bob"})
        self.assertEqual(self.good("GET", f"/api/personas/{made['id']}/memory"),
                         {"": ["(crm) asked for a discount", "(Bob) asked for a discount"]})
        self.bad(404, "POST", "/api/memory/by-external", {**note, "id": "4712"})
        for field in ("system", "id", "text"):
            without = {name: value for name, value in note.items() if name != field}
            self.assertEqual(self.bad(400, "POST", "/api/memory/by-external", without), f"{field}: is required")
        self.assertIn("id", self.bad(400, "POST", "/api/memory/by-external", {**note, "id": ""}))

    def test_sheet(self) -> None:
        """What somebody knows of itself is there to read, the same each time, in its own language."""
        made = self.persona()
        found = self.good("GET", f"/api/personas/{made['id']}/sheet", role="viewer")
        told = {one["field"]: one["value"] for one in found}
        self.assertEqual((told["name"], told["email"]), (made["name"], made["addresses"][0]))
        self.assertGreater(len(told), 40)
        self.assertTrue(all(one["label"] and one["value"] for one in found))
        self.assertEqual(self.good("GET", f"/api/personas/{made['id']}/sheet"), found)

    def test_relations(self) -> None:
        """Somebody who wrote is known; they can be forgotten."""
        path = f"/api/personas/{self.persona()['id']}/relations"
        self.assertEqual(self.good("GET", path), {"relations": [], "stances": []})
        self.write()
        (relation,) = self.good("GET", path)["relations"]
        self.assertEqual(relation["address"], "app@sim.test")
        self.assertLessEqual({"name", "persona_id", "warmth", "trust", "patience", "last_contact", "open_promises"},
                             set(relation))
        self.good("DELETE", path + "?address=else@sim.test")
        self.assertEqual(len(self.good("GET", path)["relations"]), 1)
        self.good("DELETE", path + "?address=App@sim.test")
        self.assertEqual(self.good("GET", path), {"relations": [], "stances": []})

    def test_temperaments(self) -> None:
        """All seven, with their odds and figures."""
        found = {one["name"]: one for one in self.good("GET", "/api/temperaments", role="viewer")}
        self.assertEqual(len(found), 7)
        self.assertEqual((found["busy"]["weight"], found["busy"]["reply_rate"], found["busy"]["median_delay"]),
                         (25, 0.75, "3h"))
        self.assertTrue(found["ghost"]["text"])
