"""
Tests for meetings: which mails ask their reader to meet, and at which of the times that stand in them.
"""

from __future__ import annotations

from datetime import datetime, timezone

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.reader import read_mail
from simmail.core.writer.write import drafted
from tests.core.writer.samples import mail, request

#: Mails with days and hours that ask nobody to meet.
NONE = (
    "Delivery rather Monday or Thursday? And will an 18-tonne lorry fit through the gate?",
    "What time does the shift start in the morning? I take the bus at 6:10 on Monday.",
    "There was no hot water on Sunday morning, neither at 7 nor at 9. What went wrong?",
    "The shelves could go out on Wednesday 11th, or all of it together on Monday 16th. Which is cheaper?",
    "Is the dinner on Saturday at 8 vegetarian?",
    "Your parcel comes on Thursday between 10:00 and 12:00. Who takes it in?",
    "Could you send me the offer by Thursday at 12:00?",
    "Lieferung lieber Mo oder Do?",
    "Wann würde es morgens losgehen? Der Bus kommt am Montag um 6:30 Uhr an.",
    "Kommen die Steine am Montag um 9 Uhr mit dem LKW?",
    "Brauche ich für den Termin am Montag um 9 Uhr den Ausweis?",
    "Est-ce vous ou Mme Ferrand qui viendra chercher Nino mardi à 16h30 ?",
    "La livraison du mardi 10 à 9 h était incomplète. Que s'est-il passé ?",
    "Otra vez el compresor a las 8 de la mañana del sábado. ¿Qué ha pasado?",
    "Il treno parte martedì alle 9:15. Quanto costa il biglietto?",
)
#: Mails that ask to meet, and the days (of March 2026) of the times that they leave to their reader.
ASKED: tuple[tuple[str, set[int]], ...] = (
    ("Are you free on Thursday at 14:00 for a call about the roof?", {5}),
    ("Shall we sit down together? I could do Wednesday at 10:00 or Thursday at 14:00.", {4, 5}),
    ("I have to cancel Wednesday, sorry. She has Thursday at 9:30 or Friday at 11:00. Which would you like?", {5, 6}),
    ("Could we move our appointment to Friday at 11:00?", {6}),
    ("Can we move our call on Wednesday at 14:00 to Thursday at 15:00?", {5}),
    ("Could you come to our office on Thursday at 15:00?", {5}),
    ("It rains on Wednesday, so we take Friday at 10:00. Does that suit you?", {6}),
    ("When can we meet next week?", set()),
    ("Wollen wir uns zusammensetzen? Ich könnte am Mittwoch um 10 Uhr oder am Donnerstag um 14 Uhr.", {4, 5}),
    ("Könnten Sie am Donnerstag um 15 Uhr vorbeikommen?", {5}),
    ("Mittwoch klappt nicht mehr. Geht auch Freitag um 10 Uhr?", {6}),
    ("Können wir den Termin von Mittwoch um 14 Uhr auf Donnerstag um 15 Uhr verschieben?", {5}),
    ("Pourrions-nous nous voir jeudi à 10 h ?", {5}),
    ("Je dois annuler mercredi. On peut le décaler à vendredi à 11 h, ça vous va ?", {6}),
    ("¿Le viene bien el jueves a las 10:30 o el viernes a las 12:00?", {5, 6}),
    ("El miércoles no puedo. Lo pasamos al viernes a las 12:00, ¿te cuadra?", {6}),
    ("Me ha surgido algo. ¿Podríamos mover la cita del miércoles a las 10 al viernes a las 12?", {6}),
    ("Sei libero giovedì alle 10:00?", {5}),
)
#: A Monday.
NOW = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)
MEETING = ("meeting.", "booked.", "event.", "invite.")


class AskedTests(SynchronousTestCase):
    """Who asks to meet."""

    def test_not_asked(self) -> None:
        """A day or an hour beside another question is none to meet at, and nobody answers with one."""
        for text in NONE:
            found = read_mail(mail(text, "A question"), NOW)
            self.assertEqual((found.proposed, found.asks_to_meet), ((), False), text)
            for temperament in ("responsive", "difficult"):
                said = drafted(request(mail(text, "A question"), temperament=temperament)).said
                self.assertFalse([one.act for one in said if one.act.startswith(MEETING)], text)

    def test_asked(self) -> None:
        """The times that are offered are the ones to choose from, and not what was called off or stands beside."""
        for text, days in ASKED:
            found = read_mail(mail(text, "A question"), NOW)
            self.assertTrue(found.asks_to_meet, text)
            self.assertEqual({slot.start.day for slot in found.proposed}, days, text)

    def test_one_time(self) -> None:
        """One answer names one time, of those that are offered; two only where none suits, or none is offered."""
        for text, days in ASKED[:-1]:
            for temperament in ("responsive", "procedural", "ghost"):
                said = drafted(request(mail(text, "A question"), temperament=temperament)).said
                remarks = [remark for one in said for remark in one.remarks]
                agreed = {one.when.day for one in remarks if one.kind == "agreed" and one.when is not None}
                self.assertTrue(remarks, text)
                self.assertTrue(len(agreed) == 1 and agreed <= days if agreed else not days, f"{text}: {agreed}")

    def test_free_days(self) -> None:
        """What is known of free days chooses between the times, and is not told beside the one that is taken."""
        text = "She has Wednesday 4th at 10:00 or Thursday 5th at 14:00. Which would you like?"
        for temperament in ("responsive", "difficult", "ghost"):
            told = drafted(request(mail(text, "Your appointment"), temperament=temperament, facts={
                "free": "Wednesday 4th is taken all day, Thursday 5th is fine"})).written.text
            self.assertIn("Thursday", told)
            self.assertNotIn("Wednesday", told)
