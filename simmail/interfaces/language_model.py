"""
The seam to a language model that words what personas write.
"""

from __future__ import annotations

from zope.interface import Attribute, Interface


class ILanguageModel(Interface):
    """Answers questions; where it is and what may be reached at all is its own matter."""

    name = Attribute("What the model is called, C{''} where none is configured.")
    level = Attribute("C{core.wording.chat.Level}: how far it can be told what an answer looks like.")
    trouble = Attribute("Why nothing is asked of it just now, C{''} for no reason.")
    counted = Attribute("Whether an answer costs something: what was recorded is free.")

    def ask(query):
        """
        Ask one question (C{core.wording.chat.ChatQuery}).

        @return: Deferred of C{core.wording.chat.ChatAnswer}, within the configured time; where there is none its
            C{error} says why.  It fails with C{NotFound} when answers are replayed and this one is not among them,
            and with C{CancelledError} when the service ends.
        """

    def probe():
        """
        Find out whether somebody answers and what can be asked of them, unless there is C{trouble}; C{level} and
        C{trouble} tell it then.

        @return: Deferred of None; it does not fail.
        """
