"""
Refusals, in domain words.

Nothing here knows a status number: C{smtp.replies}, C{imap} and C{rest.errors}
translate each class at their own edge.  Any exception that is not a L{Refusal}
is a defect: the edges log it with an id and answer 451, NO or 500.
"""

from __future__ import annotations

import errno

#: What the system says of a disk that is full, read-only, broken or gone, and of one process that has too much open:
#: others can mend it, and then what was asked works.
_PASSING = frozenset({
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ENOENT, errno.ENOTDIR, errno.ENODEV, errno.ENXIO,
    errno.ESTALE, errno.ENOTCONN, errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE})


class Refusal(Exception):
    """Something asked for is not done, and nothing has changed.  C{str()} is the text for the client."""


class Invalid(Refusal):
    """
    A value is malformed, missing or out of range.

    @ivar field: the dotted path of the field at fault, C{""} for the whole.
    """

    def __init__(self, field: str, text: str) -> None:
        super().__init__(f"{field}: {text}" if field else text)
        self.field = field


class NotFound(Refusal):
    """There is no such mailbox, message, persona, case, job ..."""


class Conflict(Refusal):
    """The state of the thing forbids it (a persona from YAML, a job that has run)."""


class Unauthenticated(Refusal):
    """No credentials, or wrong ones."""


class Forbidden(Refusal):
    """The role is too low, or the key belongs to another universe."""


class FeatureMissing(Refusal):
    """The plan lacks the feature."""


class OverAllowance(Refusal):
    """A numeric allowance of the plan is used up (people, logins, streams)."""


class OverMailLimit(Refusal):
    """The plan's mail for this month is used up."""


class TooLarge(Refusal):
    """More octets, parts or recipients than the limit at the door."""


class TooMany(Refusal):
    """
    Too many requests or attempts.

    @ivar retry_after: real seconds after which trying again makes sense.
    """

    def __init__(self, text: str, retry_after: float) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class TimedOut(Refusal):
    """A wait ended without what was awaited."""


class Unavailable(Refusal):
    """Redis or the mail store is away; trying again later makes sense."""


class Fenced(Unavailable):
    """Another server has taken the universe: nothing that is done for it here becomes true."""


class Elsewhere(Unavailable):
    """
    Another process of the service has the universe, and does what is asked.

    @ivar universe: its id, C{""} of the server's own things, None while others have to be asked which it is.
    @ivar login: address and name of who has signed in there, None for nobody yet.
    """

    def __init__(self, universe: str | None = None, login: tuple[str, str] | None = None) -> None:
        super().__init__("it cannot be reached just now; try again later")
        self.universe = universe
        self.login = login


class Replaced(Unavailable):
    """Another universe was put in the place of the one that was asked: whoever asks again asks that."""


def of_disk(error: BaseException) -> Unavailable | None:
    """
    Say of an error of the system what those are told who wanted something of the disk.

    @return: None: it is no such error, or a defect.
    """
    if isinstance(error, OSError) and error.errno in _PASSING:
        return Unavailable(f"the disk refuses: {error.strerror or error}; try again later")
    return None
