"""Whether people in the mass are as the table says."""

from __future__ import annotations

from statistics import median
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide import delay as timing
from simmail.core.decide.after_sending import aftermath
from simmail.core.decide.decide import react
from simmail.core.decide.decision import Follow, Ignore, Relate, SpamVerdict, keyed
from simmail.core.mime.address import Address
from simmail.core.records.job import Job
from simmail.core.records.persona import SPREAD, TEMPERAMENTS
from simmail.core.records.relationship import Dossier, ThreadState
from simmail.core.records.settings import LinkPolicy, Pace
from simmail.core.rng import Dice
from simmail.core.rules.spam import THRESHOLDS, score
from simmail.core.time.working_hours import is_open
from simmail.core.writer import Written
from tests.core.scenes import APP, MARIA, NOW, SEED, after, mail, of, only, person, plans, situation

COUNT = 2000
NO_LINKS = LinkPolicy(enabled=False)


class TableTests(SynchronousTestCase):
    """2,000 seeded personas of each temperament get one plain mail each."""

    def test_rates_and_delays(self) -> None:
        """Reply rates lie within four standard errors of the table, median delays within those of a median."""
        for temperament in TEMPERAMENTS:
            delays = []
            for n in range(COUNT):
                persona = person(f"p_{temperament.name}_{n}", temperament=temperament.name)
                reactions = react(situation(persona=persona, links=NO_LINKS))
                for plan in plans("reply", reactions):
                    delays.append((plan.due - NOW).total_seconds())
                self.assertEqual(len(plans("reply", reactions)) + len(of(Ignore, reactions)), 1)
            rate = temperament.reply_rate
            error = (rate * (1 - rate) / COUNT) ** 0.5
            self.assertLess(abs(len(delays) / COUNT - rate), 4 * error, temperament.name)
            # The logarithm of a log-normal sample's median has a standard error of 1.2533 sigma / sqrt(n).
            wanted = temperament.median_delay.total_seconds()
            factor = SPREAD ** (4 * 1.2533 / len(delays) ** 0.5)
            self.assertTrue(wanted / factor < median(delays) < wanted * factor, (temperament.name, median(delays)))

    def test_spread(self) -> None:
        """Two thirds of the delays lie within one geometric deviation of the median."""
        persona = person(timing={"delay": {"median": "1h", "spread": 3}})
        within = sum(
            1200 <= timing.delay(persona, Pace(), Dice(str(n))).total_seconds() <= 10800 for n in range(COUNT))
        self.assertLess(abs(within / COUNT - 0.6827), 0.045)

    def test_own_numbers_win(self) -> None:
        """timing.reply_rate and delay take the place of the temperament's."""
        own = {"reply_rate": 0.3, "delay": {"median": "10m", "spread": 1}}
        planned = []
        for n in range(COUNT):
            planned += plans("reply", react(situation(
                persona=person(f"p_{n}", temperament="responsive", timing=own), links=NO_LINKS)))
        self.assertLess(abs(len(planned) / COUNT - 0.3), 0.042)
        self.assertEqual({plan.due for plan in planned}, {after(minutes=10)})

    def test_pace(self) -> None:
        """The pace factor multiplies delays; 0 counts as 1."""
        persona = person(timing={"reply_rate": 1, "delay": {"median": "1h", "spread": 2}})

        def delay(factor: float) -> float:
            plan = plans("reply", react(situation(persona=persona, pace=Pace(factor))))[0]
            return float((plan.due - NOW).total_seconds())

        self.assertLess(abs(delay(0.1) - delay(1) / 10), 1)
        self.assertLess(abs(delay(2) - delay(1) * 2), 2)
        self.assertEqual(delay(0), delay(1))

    def test_sender_checks(self) -> None:
        """A third of unknown senders is looked up, known ones never."""
        found = sum(len(plans("link", react(situation(persona=person(f"p_{n}"))))) for n in range(COUNT))
        self.assertLess(abs(found / COUNT - 0.35), 0.045)
        known = Dossier(APP, received=1)
        self.assertEqual([], [plan for n in range(200) for plan in plans(
            "link", react(situation(persona=person(f"p_{n}"), dossier=known)))])


HOURS = st.fixed_dictionaries(
    {"tz": st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia",
                            "Australia/Lord_Howe"])},
    optional={"days": st.sampled_from(["mon-fri", "sat", "fri-mon", "mon,wed"]),
              "from": st.sampled_from(["09:00", "00:00", "22:00", "02:30"]),
              "to": st.sampled_from(["17:00", "06:00", "23:59", "02:45"])})
SPANS = st.builds(
    lambda start, days: {"from": f"{after(days=start):%Y-%m-%d}", "to": f"{after(days=start + days):%Y-%m-%d}"},
    st.integers(-3, 300), st.integers(0, 20))


class HoursTests(SynchronousTestCase):
    """No reply outside working hours or in an absence."""

    @settings(max_examples=400, deadline=None)
    @given(hours=HOURS, ooo=st.lists(SPANS, max_size=4), minutes=st.integers(0, 500_000), seed=st.integers(0, 99),
           temperament=st.sampled_from(["responsive", "flaky", "ghost"]), ignore=st.booleans())
    def test_never_off_work(self, hours: dict[str, Any], ooo: list[Any], minutes: int, seed: int, temperament: str,
                            ignore: bool) -> None:
        """Whatever the zone, the day and the change of clocks; with ignore_hours only absences are kept."""
        persona = person(temperament=temperament, timing={"reply_rate": 1, "hours": hours, "ooo": ooo})
        now = after(minutes=minutes)
        text = "I will send the plan by Friday. Could you read https://x.example/?"
        pace = Pace(ignore_hours=ignore)
        reactions = react(situation(mail(text), persona, now=now, seed=Dice(str(seed)), pace=pace))
        plan = plans("reply", reactions)[0]
        self.assertGreaterEqual(plan.due, now)
        self.assertIsNone(timing.absence(persona, plan.due))
        if not ignore:
            self.assertTrue(is_open(timing.hours(persona), plan.due), plan.due)
            for link in plans("link", reactions):
                self.assertTrue(is_open(timing.hours(persona), link.due), link.due)
        for notice in plans("ooo", reactions):
            self.assertIsNotNone(timing.absence(persona, now))
            self.assertLess((notice.due - now).total_seconds(), 600)

    def test_ignoring_hours(self) -> None:
        """At night the reply waits for the morning and takes its time then, unless hours are ignored."""
        persona = person(timing={"reply_rate": 1, "delay": {"median": "20m", "spread": 1},
                                 "hours": {"tz": "UTC", "days": "mon-fri", "from": "09:00", "to": "17:00"}})
        night = after(hours=13)
        due = plans("reply", react(situation(persona=persona, now=night)))[0].due
        self.assertTrue(after(hours=23, minutes=20) <= due <= after(hours=24, minutes=40), due)
        ignoring = react(situation(persona=persona, now=night, pace=Pace(ignore_hours=True)))
        self.assertEqual(plans("reply", ignoring)[0].due, after(hours=13, minutes=20))

    def test_mornings_are_not_one_rush(self) -> None:
        """Of what came at night a part is answered in the first half hour, the rest over the day, slow people last."""
        hours = {"tz": "UTC", "days": "mon-fri", "from": "09:00", "to": "17:00"}
        middle = {}
        for temperament in ("responsive", "busy", "flaky"):
            minutes = []
            for n in range(400):
                persona = person(f"p_{n}", temperament=temperament, timing={"reply_rate": 1, "hours": hours})
                plan = plans("reply", react(situation(persona=persona, now=after(hours=12), links=NO_LINKS)))[0]
                minutes.append((plan.due - after(hours=23)).total_seconds() / 60)
            minutes.sort()
            middle[temperament] = minutes[200]
            self.assertLess(sum(one <= 30 for one in minutes), 120, temperament)
            self.assertGreater(minutes[-1], 90)
        self.assertTrue(45 < middle["responsive"] < 90, middle)
        self.assertTrue(180 < middle["busy"] < 270, middle)
        # Nine hours are more than a working day has.
        self.assertGreater(middle["flaky"], 24 * 60)

    def test_habits(self) -> None:
        """Some check their mail early and some late, the same day by day."""
        hours = {"tz": "UTC", "days": "mon-fri", "from": "09:00", "to": "17:00"}
        delay = {"median": "1m", "spread": 1}
        first = {}
        for n in range(40):
            persona = person(f"p_{n}", timing={"reply_rate": 1, "hours": hours, "delay": delay})
            found = [(plans("reply", react(situation(
                persona=persona, now=after(hours=12), links=NO_LINKS, seed=Dice(str(night)))))[0].due - after(
                    hours=23)).total_seconds() / 60 for night in range(12)]
            self.assertLessEqual(max(found) - min(found), 20, n)
            first[n] = min(found)
        self.assertLess(min(first.values()), 15)
        self.assertGreater(max(first.values()), 45)

    def test_mornings_are_not_one_instant(self) -> None:
        """What waited for the morning is not all answered in its first second."""
        dues: set[Any] = set()
        for n in range(50):
            persona = person(f"p_{n}", timing={"reply_rate": 1, "hours": {"tz": "UTC", "from": "09:00", "to": "17:00"}})
            dues.update(plan.due for plan in plans("reply", react(situation(persona=persona, now=after(hours=10)))))
        self.assertGreater(len(dues), 40)


class FilterTests(SynchronousTestCase):
    """Filters are ordered."""

    def test_levels(self) -> None:
        """Over mails of all scores, strict files most as junk, then normal, then lenient; none files nothing."""
        texts = ("Hello", "Act now! Limited time, order now", "You have won the lottery, claim your prize",
                 "viagra, no prescription!!!", "Verify your account at https://evil.example/",
                 "Dear beloved, an inheritance of $9,000,000 for the next of kin",
                 "You have won the lottery! Claim your prize: free spins, viagra!!!")
        subjects = ("Hi", "ACT NOW AND SAVE MONEY", "Win $$$ today!!!", "")
        counts = {level: 0 for level in THRESHOLDS}
        for text in texts:
            for subject in subjects:
                found = score(mail(text, subject=subject), APP, MARIA).score
                junked = [
                    level for level in ("lenient", "normal", "strict") if SpamVerdict(found, THRESHOLDS[level]).junk]
                # Junk for a filter is junk for every stricter one.
                self.assertEqual(junked, [level for level in ("lenient", "normal", "strict")][3 - len(junked):])
                for level in junked:
                    counts[level] += 1
        self.assertGreater(len(texts) * len(subjects), counts["strict"])
        self.assertTrue(counts["strict"] > counts["normal"] > counts["lenient"] > 0, counts)
        self.assertEqual(counts["none"], 0)
        self.assertEqual(dict(THRESHOLDS), {"strict": 3.0, "normal": 5.0, "lenient": 8.0, "none": None})


class PingPongTests(SynchronousTestCase):
    """Conversations end."""

    def test_two_eager_personas(self) -> None:
        """Two who always answer each other write a handful of mails, then stop."""
        people = [person("p_a", addresses=["a@x.test"], timing={"reply_rate": 1}),
                  person("p_b", addresses=["b@x.test"], timing={"reply_rate": 1})]
        threads = {who.id: ThreadState("<1@x.test>") for who in people}
        dossiers: dict[str, Any] = {}
        now, sent = NOW, 0
        sender, reader = people
        for _ in range(50):
            one = mail("And what do you think?", from_=Address(sender.name, sender.address),
                       to=(Address("", reader.address),))
            dossier = dossiers.get(reader.id)
            dice = keyed(SEED, sender.address, reader.address, (dossier.received if dossier else 0) + 1)
            reactions = react(situation(
                one, reader, dossier=dossier, sender_id=sender.id, thread=threads[reader.id], now=now, dice=dice))
            dossiers[reader.id] = only(Relate, reactions).dossier
            threads[reader.id] = only(Follow, reactions).thread
            planned = plans("reply", reactions)
            if not planned:
                break
            now, sent = planned[0].due, sent + 1
            plan = planned[0]
            job = Job(plan.id, "reply", "running", now, now, reader.id, thread=plan.thread, data=plan.data)
            following = aftermath(job, reader, one, [one], Written(subject="Re", text="x"), dossiers[reader.id],
                                  threads[reader.id], dice, now, Pace())
            dossiers[reader.id] = only(Relate, following).dossier
            threads[reader.id] = only(Follow, following).thread
            sender, reader = reader, sender
        self.assertTrue(2 <= sent <= 8, sent)
