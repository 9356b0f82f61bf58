"""Threads of two mails in four languages, and what is asked about them later."""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from simmail.core.decide.remarks import heard
from simmail.core.language.meaning import IMeaning
from simmail.core.language.prose import read_prose
from simmail.core.language.reader import read_mail
from simmail.core.language.tables import language
from simmail.core.records.conversation import Remark
from simmail.core.writer.request import Written
from tests.core.writer.samples import NOW, mail, wrote

#: The mails that came before, by language: a repair, a move of offices, a garden, a print.
BEFORE: dict[str, tuple[str, ...]] = {
    "en": ("Hello Maria,\n\nthe repair of the roof comes to £1,450 plus £180 for the scaffolding. Our job number is "
           "MR-2207. We start on Tuesday 10 March at 8:30.\n\nOwen",
           "Hello Maria,\n\nI'll bring two men, Gary and Steve. Gary needs the key to the loft. We finish on Friday "
           "13 March. We use grey slate. We meet at the back gate.\n\nOwen"),
    "de": ("Hallo Maria,\n\nder Umzug kostet 2.400 Euro für den Transport und 350 Euro für die Kartons. Unsere "
           "Auftragsnummer ist UN-5518. Wir fangen am Montag, dem 9. März, um 7:30 Uhr an.\n\nDirk",
           "Hallo Maria,\n\nwir kommen mit vier Leuten und zwei Lastwagen. Herr Kühn leitet den Umzug. Am Mittwoch, "
           "dem 11. März, sind wir fertig. Wir treffen uns am hinteren Tor.\n\nDirk"),
    "fr": ("Bonjour Maria,\n\nle jardin coûte 1 200 € pour les arbres et 340 € pour la pelouse. Le numéro du devis est "
           "JD-914. Nous commençons le mardi 10 mars à 9h30.\n\nPaul",
           "Bonjour Maria,\n\nnous viendrons à trois. Sophie s'occupe de la pelouse et Marc des arbres. Nous aurons "
           "fini le vendredi 13 mars. Les pots seront bleus.\n\nPaul"),
    "es": ("Hola, Maria:\n\nel presupuesto es de 620 € por los folletos y 85 € por el envío. El número de pedido es "
           "PF-3306. Empezamos el martes 10 de marzo a las 10:30.\n\nJavier",
           "Hola, Maria:\n\nimprimimos 5.000 ejemplares en papel mate. Marta se encarga del diseño y Pablo del envío. "
           "Entregamos el viernes 13 de marzo.\n\nJavier"),
}
#: Begins what Maria wrote herself.
MINE = "me: "
#: What greets in each language, and the subject.
FRAME = {"en": ("Hello Maria,", "Re: Roof"), "de": ("Hallo Maria,", "AW: Umzug"),
         "fr": ("Bonjour Maria,", "Re: Jardin"), "es": ("Hola, Maria:", "Re: Folletos")}
#: What Maria has answered so far.
OWN = {
    "en": "Hello Owen,\n\nthank you for your mail, it is all here.",
    "de": "Hallo Dirk,\n\nvielen Dank für die Nachricht.",
    "fr": "Bonjour Paul,\n\nmerci pour votre message, tout est là.",
    "es": "Hola, Javier:\n\nmuchas gracias por su correo.",
}


def remarks(code: str, texts: tuple[str, ...] = ()) -> tuple[Remark, ...]:
    """What was said in the mails of a language, or in some others, in the last days; "me: " is Maria's own."""
    found: list[Remark] = []
    for number, text in enumerate(texts or BEFORE[code]):
        at = NOW - timedelta(days=3) + timedelta(hours=8 * number)
        if text.startswith(MINE):
            found += [Remark("said", "persona", "", at, sentence, message_id=f"<own{number}@norrland-print.example>")
                      for sentence in read_prose(text.removeprefix(MINE), language(code)).sentences]
            continue
        one = replace(mail(text, FRAME[code][1], date=at), message_id=f"<before{number}@brightdesk.example>")
        found += heard(read_mail(one, at), (), tuple(found), at)
    return tuple(found)


def asked(
    code: str, sentence: str, temperament: str, before: tuple[Remark, ...], meaning: IMeaning | None = None
) -> Written:
    """What is answered to a sentence."""
    greeting, subject = FRAME[code]
    own = (mail(OWN[code], subject),)
    return wrote(replace(mail(f"{greeting}\n\n{sentence}\n\nX", subject), in_reply_to="<own@norrland-print.example>"),
                 temperament=temperament, remarks=before, own=own, meaning=meaning)
