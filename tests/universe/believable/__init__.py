"""
Mails of ordinary life and conversations, and what a person who read them would answer.

The set is there to measure how believable people are, not to be tuned on: it was written before anybody looked at the
words people have, and whoever mends words looks at patterns of failure, not at the expectations here.

  - C{people.yaml}: who gets the mails.  Each mail and each conversation is played seven times, once for each
    temperament, in a universe of its own.
  - C{mails_*.yaml}: one mail each: C{from}, C{to} (of C{people.yaml}), C{at} (the instant of its arrival, in the
    reader's zone, in the week from 7 September 2026), C{subject}, C{text}, C{html}, C{calendar}, C{attached}; what its
    reader knows: C{case} (C{keys}, C{facts}, C{secrets}, C{wants}) and C{notes}; C{kind} and C{language} (of a good
    answer).  C{answer} is C{due}, C{welcome} (none is well, too) or C{none} (best unanswered).
  - C{conversations_*.yaml}: eight turns of one side; they depend only loosely on what comes back.  A turn with
    C{recall} asks for what was said before.  A turn may keep words of the answer (C{keep}), and a later one ask for
    them (C{given}, C{<name>}); C{never} holds from that turn to the end, for all that the person writes.
  - C{right_answers.yaml}: what is right to say at a C{recall} turn; keeps the expectations honest.
  - C{patterns.yaml}: regular expressions by name (C{<yes>}), those that no answer may hold, and words that give another
    language away.

C{good} and C{bad} tell a critic what to look for.  C{must} and C{must_not} are regular expressions that a program
looks for in the new text of an answer, without the signature: what holds one of C{must_not} is wrong
whatever else it says; at a C{recall} turn an answer is right when it holds all of C{must} besides.

C{scripts/bench/believability} plays all of it, counts what a program can count and writes a sheet for a critic, who
gives each answer 0 (wrong or absurd), 1 (could answer any mail), 2 (relevant) or 3 (a person who read that mail).
"""
