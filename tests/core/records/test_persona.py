"""The persona as stored and as declared."""

from __future__ import annotations

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.fields import convert
from simmail.core.records.persona import Behaviors, Hours, OutOfOffice, Persona, Style, Timing
from simmail.errors import Invalid


class PersonaTests(SynchronousTestCase):
    """One declaration for all who read it."""

    def test_left_out(self) -> None:
        """What is not set is not stored."""
        for kind in (Style, Hours, Timing, Behaviors):
            self.assertEqual(msgspec.json.encode(kind()), b"{}")

    def test_stored_alike(self) -> None:
        """A persona that was stored reads back with the same bounds as one from outside."""
        fields = {"id": "p_1", "provider": "api", "created": "2026-03-01T09:00:00Z", "name": "Jo",
                  "addresses": ["a@b.test", "c@d.test"], "temperament": "busy", "timing": {"reply_rate": 0.5}}
        persona = convert(fields, Persona)
        self.assertEqual(msgspec.json.decode(msgspec.json.encode(persona), type=Persona), persona)
        self.assertEqual(persona.address, "a@b.test")
        fields["timing"] = {"reply_rate": 5}
        self.assertRaises(msgspec.ValidationError, msgspec.convert, fields, Persona)
        self.assertEqual(self.assertRaises(Invalid, convert, fields, Persona).field, "timing.reply_rate")

    def test_absence(self) -> None:
        """An absence ends on the day it begins, or later."""
        self.assertEqual(OutOfOffice("2026-03-01", "2026-03-01").to, "2026-03-01")
        self.assertRaises(ValueError, OutOfOffice, "2026-03-02", "2026-03-01")

    def test_schema(self) -> None:
        """The bounds are in the schema that is shown."""
        (_,), parts = msgspec.json.schema_components([Persona])
        self.assertEqual(parts["Style"]["properties"]["typos"], {"type": "number", "minimum": 0, "maximum": 1})
        self.assertEqual(parts["Persona"]["properties"]["addresses"]["maxItems"], 100)
