"""German questions said again as statements."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.german.statement import either_stated, stated, turned_round, wondered

#: Questions to somebody who speaks for himself and says "Sie", and what is so, and what is not.
_STATED = {
    "Ist das Zimmer am Freitag noch frei?": (
        "das Zimmer ist am Freitag noch frei", "das Zimmer ist am Freitag nicht mehr frei"),
    "Habt ihr meine Mail bekommen?": ("wir haben deine Mail bekommen", "wir haben deine Mail nicht bekommen"),
    "Muss er einen Ausweis mitbringen?": ("er muss einen Ausweis mitbringen", "er muss keinen Ausweis mitbringen"),
    "Hat ihn jemand abgegeben?": ("jemand hat ihn abgegeben", "niemand hat ihn abgegeben"),
    "Kannst du mir sagen, ob das Zimmer noch frei ist?": (
        "das Zimmer ist noch frei", "das Zimmer ist nicht mehr frei"),
    "Ist in Ihrem Haus etwas frei?": ("in meinem Haus ist etwas frei", "in meinem Haus ist nichts frei"),
    "Ist schon jemand da?": ("es ist schon jemand da", "es ist noch niemand da"),
    "Sind alle angekommen?": ("alle sind angekommen", "es sind nicht alle angekommen"),
    "Gibt es noch Karten?": ("es gibt noch Karten", "es gibt keine Karten mehr"),
    "Haben Sie noch einen Tisch für sechs?": (
        "ich habe noch einen Tisch für sechs", "ich habe keinen Tisch mehr für sechs"),
    "Würden Sie sich in der ersten Woche um Amir kümmern?": (
        "ich kümmere mich in der ersten Woche um Amir", "ich kümmere mich in der ersten Woche nicht um Amir"),
    "Dürfen wir uns die Werkstatt ansehen?": (
        "Sie dürfen sich die Werkstatt ansehen", "Sie dürfen sich die Werkstatt nicht ansehen"),
    "Könnte ich dich unter vier Augen sprechen?": (
        "du kannst mich unter vier Augen sprechen", "du kannst mich nicht unter vier Augen sprechen"),
    "Können Sie kurz die Formel in der Tabelle ansehen?": (
        "ich kann die Formel in der Tabelle ansehen", "ich kann die Formel in der Tabelle nicht ansehen"),
    "Hat das früher schon einmal funktioniert?": (
        "das hat früher schon einmal funktioniert", "das hat früher noch nie funktioniert"),
    "Wäre ein zweiter Termin in Ordnung?": (
        "ein zweiter Termin ist in Ordnung", "ein zweiter Termin ist nicht in Ordnung"),
    "Hätten Sie Zeit, uns zu helfen?": ("ich habe Zeit", "ich habe keine Zeit"),
    "Bleibt es beim Abgabetermin am 15.?": (
        "es bleibt beim Abgabetermin am 15.", "es bleibt nicht beim Abgabetermin am 15."),
    "Hast du meinen Rasenmäher noch?": (
        "ich habe deinen Rasenmäher noch", "ich habe deinen Rasenmäher nicht mehr"),
    "Stimmt es, dass du morgen kommst?": ("ich komme morgen", "ich komme morgen nicht"),
    "Haben Sie am Freitag, 25. September, nachmittags noch einen Raum, mit Beamer?": (
        "ich habe am Freitag 25. September nachmittags noch einen Raum mit Beamer",
        "ich habe am Freitag 25. September nachmittags keinen Raum mehr mit Beamer"),
    "Bist du heute Abend da, dann hole ich es ab?": (
        "ich bin heute Abend da", "ich bin heute Abend nicht da"),
    "Genügt ein Scan?": ("ein Scan genügt", "ein Scan genügt nicht"),
    "Geht einer davon?": ("einer davon geht", ""),
    "Ist die Katze über die Tastatur gelaufen?": (
        "die Katze ist über die Tastatur gelaufen", "die Katze ist nicht über die Tastatur gelaufen"),
    "Hast du am Mittwoch um 11 Zeit?": ("ich habe am Mittwoch um 11 Zeit", "ich habe am Mittwoch um 11 keine Zeit"),
    "Ist Ihnen im Bad etwas aufgefallen?": ("mir ist im Bad etwas aufgefallen", "mir ist im Bad nichts aufgefallen"),
    "Hast du schon ein neues angefordert?": (
        "ich habe schon ein neues angefordert", "ich habe noch kein neues angefordert"),
    "Kennst du die?": ("die kenne ich", "die kenne ich nicht"),
    "Brauchst du den noch?": ("den brauche ich noch", "den brauche ich nicht mehr"),
    "Wäre es Ihnen recht, wenn ich am Montag komme?": ("es ist mir recht", "es ist mir nicht recht"),
    # Nobody knows what denies these.
    "Kann man gekochte Nudeln einfrieren?": ("man kann gekochte Nudeln einfrieren", ""),
    "Brauchst du zwei Karten?": ("ich brauche zwei Karten", ""),
}


class StatedTests(SynchronousTestCase):
    """A yes or a no in full."""

    def test_offered(self) -> None:
        """The second of two deeds has the verb of the first, or one of its own."""
        self.assertEqual(either_stated("Sollen wir die 16 schon schicken oder lieber alles zusammen?", True, True),
                         ("lieber die 16 schon schicken", "lieber alles zusammen schicken"))
        self.assertEqual(either_stated("Soll ich den Techniker heute rufen oder reicht Montag?", True, True),
                         ("lieber den Techniker heute rufen", "Montag reicht"))
        self.assertEqual(either_stated("Wollen Sie ihnen schreiben oder soll ich?", True, True)[-1],
                         "machen bitte Sie das")

    def test_stated(self) -> None:
        """The verb comes second, persons change sides, and what is denied is where German denies it."""
        for question, both in _STATED.items():
            self.assertEqual(stated(question, False, True), both, question)

    def test_for_others(self) -> None:
        """Who speaks for a firm says "wir" and "unser"."""
        self.assertEqual(stated("Können Sie auch am Samstag liefern?", True, True), (
            "wir können auch am Samstag liefern", "wir können am Samstag nicht liefern"))
        self.assertEqual(stated("Gehört das Rad Ihnen?", True, True), (
            "das Rad gehört uns", "das Rad gehört uns nicht"))

    def test_near(self) -> None:
        """Who is asked as "du" says "du", whatever it says else; who is asked as neither what it says."""
        self.assertEqual((stated("Darf ich dein Rad leihen?", False, True) or ("", ""))[0], "du darfst mein Rad leihen")
        self.assertEqual((stated("Darf ich mitkommen?", False, False) or ("", ""))[0], "du darfst mitkommen")
        self.assertEqual((stated("Darf ich mitkommen?", False, True) or ("", ""))[0], "Sie dürfen mitkommen")

    def test_unclear(self) -> None:
        """Nothing is said where subject or sense is not certain."""
        for question in (
            "Kommst du nicht mit?", "Können wir tauschen?", "Sollen wir fahren?", "Weißt du, wann er kommt?",
            "Hat den Schlüssel jemand?", "Treffpunkt der Bahnhof?", "Bist du da oder nicht?", "Kommst?", "?",
            "Kommt die letzte noch?",
            "Haben Sie gelesen, was gilt, oder fange ich von vorn an?",
            "Gehört das Rad der Nachbarin?", "Kommst du und hilfst uns?",
        ):
            self.assertIsNone(stated(question, False, True), question)

    def test_either(self) -> None:
        """Two clauses, or two deeds of one."""
        self.assertEqual(either_stated("Reicht ein PDF oder brauchen Sie die Word-Datei?", False, True), (
            "ein PDF reicht", "ich brauche die Word-Datei"))
        self.assertEqual(either_stated("Fliegst du lieber oder nimmst du den Zug?", False, True), (
            "ich fliege lieber", "ich nehme den Zug"))
        self.assertEqual(either_stated("Tee oder Kaffee?", False, True), ())
        self.assertEqual(either_stated("Soll ich ihn reparieren lassen oder gleich einen neuen kaufen?", False, True), (
            "lieber reparieren lassen", "lieber gleich einen neuen kaufen"))
        self.assertEqual(either_stated("Sollen wir sie schicken oder holen Sie sie selbst ab?", False, True), (
            "lieber schicken", "ich hole sie selbst ab"))
        self.assertEqual(either_stated("Holst du mich ab oder soll ich ein Taxi nehmen?", False, False), (
            "ich hole dich ab", "lieber ein Taxi nehmen"))
        self.assertEqual(either_stated("Kommst du am Montag oder am Dienstag?", False, True), ())

    def test_turned_round(self) -> None:
        """A clause with its verb second is asked with it first; one with it last is no such clause."""
        self.assertEqual(turned_round("Du kommst am Freitag"), "kommst du am Freitag")
        self.assertEqual(turned_round("Sie tauschen ihn kostenlos um"), "tauschen Sie ihn kostenlos um")
        self.assertEqual(turned_round("wir die Anlage noch ändern sollen"), "")

    def test_wondered(self) -> None:
        """Behind "ich weiß nicht" the verb goes last."""
        for question, clause in {
            "Welche Unterlagen brauchen wir?": "welche Unterlagen Sie brauchen",
            "Wann fängt die Führung an?": "wann die Führung anfängt",
            "Wie viel darf ein Geschäftsessen kosten?": "wie viel ein Geschäftsessen kosten darf",
            "Wissen Sie, wann das Bad wieder öffnet?": "wann das Bad wieder öffnet",
            "In welchem Raum findet es statt?": "in welchem Raum es stattfindet",
            "Wann läuft es wieder?": "wann es wieder läuft",
            "Wie breit ist das Sofa?": "wie breit das Sofa ist",
            "Wie wäre es mit Freitag?": "",
            "Was meinst du, wollen wir?": "",
        }.items():
            self.assertEqual(wondered(question, False, True), clause, question)
