"""
For pytest: C{pytest --simmail} gives each test that asks for C{simmail} a universe of its own.

Imported by every run of pytest where the distribution is installed: what it needs is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from simmail.client import Client
    from simmail.testing.service import OwnService

PLACE: pytest.StashKey[tuple[str, str]] = pytest.StashKey()
OWN: pytest.StashKey[OwnService] = pytest.StashKey()
UNIVERSE: pytest.StashKey[Client] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("simmail", "a universe of simulated e-mail for each test")
    group.addoption("--simmail", action="store_true", help="start a service for the run, unless --simmail-url is given")
    group.addoption("--simmail-url", metavar="URL", help="use the service there")
    group.addoption("--simmail-key", metavar="KEY", default="", help="an admin key of it")


def pytest_configure(config: pytest.Config) -> None:
    """Begin, in the process that leads: where there are several, the others are told where the service is."""
    config.addinivalue_line("markers", "simmail(seed): draw what happens in the test's universe from another seed")
    given = getattr(config, "workerinput", {}).get("simmail")
    if given is not None:
        config.stash[PLACE] = tuple(given)
    elif config.getoption("--simmail-url"):
        config.stash[PLACE] = (config.getoption("--simmail-url"), config.getoption("--simmail-key"))
    elif config.getoption("--simmail"):
        from simmail.testing.service import OwnService

        # It begins while tests are looked for.
        config.stash[OWN] = OwnService()


def _place(config: pytest.Config) -> tuple[str, str] | None:
    """Where the service is, and the key of the run."""
    return config.stash[OWN].place if OWN in config.stash else config.stash.get(PLACE, None)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what was begun."""
    if OWN in config.stash:
        config.stash[OWN].stop()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a process of pytest-xdist where the service is."""
    node.workerinput["simmail"] = _place(node.config)


@pytest.fixture(scope="session")
def simmail_admin(pytestconfig: pytest.Config) -> Iterator[Client]:
    """The service, with the key of the run."""
    from simmail.client import Client

    place = _place(pytestconfig)
    if place is None:
        raise pytest.UsageError("the fixture simmail needs --simmail, or --simmail-url and --simmail-key")
    with Client(*place) as client:
        yield client


@pytest.fixture(scope="session")
def simmail_base(simmail_admin: Client) -> Iterator[Client]:
    """The universe that those of the tests begin as; what all need is put into it, once."""
    from simmail.testing.service import START

    with simmail_admin.create(clock=START, seed="tests") as client:
        yield client
        simmail_admin.delete(client.universe)


@pytest.fixture
def simmail(request: pytest.FixtureRequest, simmail_admin: Client, simmail_base: Client) -> Iterator[Client]:
    """A universe of the test's own, with its own login."""
    marker = request.node.get_closest_marker("simmail")
    with simmail_base.fork(**(marker.kwargs if marker is not None else {})) as client:
        request.node.stash[UNIVERSE] = client
        yield client
        del request.node.stash[UNIVERSE]
        simmail_admin.delete(client.universe)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell what happened in the universe of a test that failed."""
    report = yield
    if report.failed and report.when == "call" and UNIVERSE in item.stash:
        from simmail.client import ApiError

        try:
            told = item.stash[UNIVERSE].explain()
        except ApiError as error:
            told = str(error)
        report.sections.append(("simmail: what happened", told))
    return report
