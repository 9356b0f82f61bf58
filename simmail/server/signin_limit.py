"""
How often passwords may be tried: over SMTP, IMAP, the service's pages, and where a member tests one.

Failures are counted by address and login, and by address alone (decisions, section 23, "Failed logins"; promises,
S3).  A try counts from its beginning: of those made at once no more are looked at than of those made one after
another.  From this machine itself the right password is never refused; a wrong one is, as from anywhere.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.python.failure import Failure

from simmail.core.net.loopback import is_loopback
from simmail.errors import TooMany, Unauthenticated, Unavailable
from simmail.interfaces import IPeers
from simmail.server.documents import SERVER

T = TypeVar("T")

#: Real seconds for which a failure counts.
WINDOW = 60.0

#: Addresses remembered; then those that tried nothing for longest are forgotten.
MOST_PLACES = 10_000

#: Tries of one address that may wait for their turn; connections are limited elsewhere, this is for what they left.
MOST_WAITING = 10_000

#: Those who waited and are told in one turn of the reactor.
AT_ONCE = 50


class _Tally:
    """
    What was tried: by one address, or with one login from there.

    @ivar failures: when, in Unix time, the oldest first; trying: passwords being looked at.
    """

    __slots__ = ("most", "failures", "trying")

    def __init__(self, most: int) -> None:
        self.most = most
        self.failures: deque[float] = deque(maxlen=most)
        self.trying = 0

    def left(self, now: float) -> float:
        """Real seconds until one more failure is allowed; 0 when it is."""
        while self.failures and self.failures[0] <= now - WINDOW:
            self.failures.popleft()
        return self.failures[0] + WINDOW - now if len(self.failures) >= self.most else 0.0

    @property
    def room(self) -> bool:
        """Whether one more may be looked at now: not if it were one too many, should all of these fail."""
        failed = len(self.failures)
        return self.trying < (self.most - failed if failed < self.most else self.most)


class _Login(_Tally):
    """One login, tried from one address; C{waiting}: who wants a password looked at, in order."""

    __slots__ = ("waiting",)

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.waiting: deque[Deferred[float]] = deque()


class _Place(_Tally):
    """
    One address.

    @ivar here: it is this machine's own.
    @ivar logins: what is tried from there; queue: those of them that somebody waits for, in turn; waiting: how many do.
    @ivar called: somebody will look at the queue in the next turn of the reactor.
    """

    __slots__ = ("here", "logins", "queue", "waiting", "called")

    def __init__(self, most: int, here: bool) -> None:
        super().__init__(most)
        self.here = here
        self.logins: dict[str, _Login] = {}
        self.queue: OrderedDict[str, _Login] = OrderedDict()
        self.waiting = 0
        self.called = False

    def tidy(self, now: float) -> None:
        """Forget logins that nobody tries and whose failures count no more."""
        for name, login in list(self.logins.items()):
            login.left(now)
            if not (login.failures or login.trying or login.waiting):
                del self.logins[name]


class SignInTry(NamedTuple):
    """A password that is being looked at; C{over}: real seconds for which a wrong one is refused."""

    place: _Place
    login: _Login
    over: float


class SignInLimit:
    """
    Counts failures, and makes who tries too often wait.

    @param reactor: C{IReactorTime}.
    @param per_login, per_address: failures within a minute, of a login from one address, and of one address.
    """

    def __init__(self, reactor: IReactorTime, per_login: int, per_address: int) -> None:
        self._reactor = reactor
        self._per_login = per_login
        self._per_address = per_address
        self._places: OrderedDict[str, _Place] = OrderedDict()
        self._elsewhere: dict[int, tuple[SignInTry, IDelayedCall]] = {}
        self._number = 0

    def __len__(self) -> int:
        return len(self._places)

    async def attempt(self, remote: str, login: str, look: Callable[[], Awaitable[T]]) -> T:
        """
        What C{look()} answers; C{Unauthenticated} raised by it is a failure.

        @param remote: the address it comes from.
        @param login: the name that is tried, the same for all that open the same door.
        @raise TooMany: so many have failed that this one is not looked at; from this machine: and it is wrong as well.
        """
        attempt = await self._begin(remote, login)
        failed = False
        try:
            return await look()
        except Unauthenticated:
            if attempt.over:
                raise _too_many(attempt.over) from None
            failed = True
            raise
        finally:
            self._end(attempt, failed)

    async def _begin(self, remote: str, login: str) -> SignInTry:
        """Begin to look at a password, in its turn; C{_end} ends that.  @raise TooMany: as C{attempt}."""
        place = self._place(remote)
        tried = self._login(place, login)
        return SignInTry(place, tried, await self._turn(place, login, tried))

    # For other processes, which look at passwords and have them counted here

    async def begin(self, remote: str, login: str) -> tuple[int, float]:
        """Begin to look at a password elsewhere: its number, and how long a wrong one is refused; ends by itself."""
        attempt = await self._begin(remote, login)
        self._number += 1
        self._elsewhere[self._number] = attempt, self._reactor.callLater(WINDOW, self.end, self._number, False)
        return self._number, attempt.over

    def end(self, number: int, failed: bool) -> None:
        """It has been looked at."""
        attempt, timer = self._elsewhere.pop(number, (None, None))
        if attempt is not None and timer is not None:
            if timer.active():
                timer.cancel()
            self._end(attempt, failed)

    def _place(self, remote: str) -> _Place:
        place = self._places.get(remote)
        if place is None:
            if len(self._places) >= MOST_PLACES:
                self._forget()
            place = self._places[remote] = _Place(self._per_address, is_loopback(remote))
        self._places.move_to_end(remote)
        return place

    def _forget(self) -> None:
        """Forget the address that tried nothing for longest, and does not try just now."""
        for remote, place in self._places.items():
            if not place.trying and not place.waiting:
                del self._places[remote]
                return

    def _login(self, place: _Place, name: str) -> _Login:
        login = place.logins.get(name)
        if login is None:
            now = self._reactor.seconds()
            _refuse(place, place.left(now))
            if len(place.logins) >= 2 * self._per_address:
                place.tidy(now)
            login = place.logins[name] = _Login(self._per_login)
        return login

    async def _turn(self, place: _Place, name: str, login: _Login) -> float:
        """
        Wait until the password may be looked at.

        @return: real seconds for which a wrong one is refused; 0 when failures are still allowed.
        """
        if not login.waiting:
            over = _begun(place, login, self._reactor.seconds())
            if over is not None:
                return over
        if place.waiting >= MOST_WAITING:
            raise _too_many(1.0)
        turn: Deferred[float] = Deferred()
        login.waiting.append(turn)
        place.queue.setdefault(name, login)
        place.waiting += 1
        return await turn

    def _end(self, attempt: SignInTry, failed: bool) -> None:
        place, login, _ = attempt
        place.trying -= 1
        login.trying -= 1
        if failed:
            now = self._reactor.seconds()
            place.failures.append(now)
            login.failures.append(now)
        self._call(place)

    def _call(self, place: _Place) -> None:
        # In a turn of their own: who is told may be done at once, and the next would be told inside of that.
        if place.queue and not place.called:
            place.called = True
            self._reactor.callLater(0, self._serve, place)

    def _serve(self, place: _Place) -> None:
        """Tell those whose turn it is, one of each login after the other."""
        place.called = False
        now, told, full = self._reactor.seconds(), 0, []
        while place.queue and told < AT_ONCE:
            if not place.room and (place.here or not place.left(now)):
                # Nobody may go on, nobody is to be refused: the end of one that is looked at comes back here.
                break
            name, login = place.queue.popitem(last=False)
            turn = login.waiting[0]
            over: float | None = 0.0
            try:
                if not turn.called:
                    over = _begun(place, login, now)
            except TooMany as error:
                login.waiting.popleft()
                turn.errback(error)
            else:
                if over is None:
                    full.append((name, login))
                    continue
                login.waiting.popleft()
                # Whoever waited no more was cancelled.
                if not turn.called:
                    turn.callback(over)
            told += 1
            place.waiting -= 1
            if login.waiting:
                place.queue[name] = login
        more = told == AT_ONCE
        for name, login in reversed(full):
            place.queue[name] = login
            place.queue.move_to_end(name, last=False)
        if more:
            self._call(place)


class SharedSignInLimit(SignInLimit):
    """
    Counts at the process that has the server's own things, so that tries at several are counted together.

    While that one is away each counts what it sees.
    """

    def __init__(self, reactor: IReactorTime, per_login: int, per_address: int, peers: IPeers) -> None:
        super().__init__(reactor, per_login, per_address)
        self._peers = peers

    async def attempt(self, remote: str, login: str, look: Callable[[], Awaitable[T]]) -> T:
        if self._peers.mine(SERVER):
            return await super().attempt(remote, login, look)
        try:
            number, over = await self._peers.ask_owner(SERVER, "attempt", remote, login)
        except Unavailable:
            return await super().attempt(remote, login, look)
        failed = False
        try:
            return await look()
        except Unauthenticated:
            if over:
                raise _too_many(over) from None
            failed = True
            raise
        finally:
            self._peers.ask_owner(SERVER, "attempted", number, failed).addErrback(_not_counted)


def _not_counted(failure: Failure) -> None:
    """Whoever counts has gone, and with it what was counted."""
    failure.trap(Unavailable)


def _begun(place: _Place, login: _Login, now: float) -> float | None:
    """
    Begin to look at a password, if there is room: answers as C{_turn}; None: not now.

    @raise TooMany: too many have failed.
    """
    over = max(place.left(now), login.left(now))
    _refuse(place, over)
    if not (place.room and login.room):
        return None
    place.trying += 1
    login.trying += 1
    return over


def _refuse(place: _Place, over: float) -> None:
    if over and not place.here:
        raise _too_many(over)


def _too_many(seconds: float) -> TooMany:
    return TooMany("too many sign-ins; try again later", seconds)
