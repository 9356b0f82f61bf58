"""
What a test may ask of a universe as a whole; what fails says why.
"""

from __future__ import annotations

from simmail.client import Client


def assert_no_loops(client: Client) -> None:
    """Check that the application answered no machine, and talked in no circle.  @raise AssertionError: it did."""
    figures = client.application()
    if figures.loops or figures.replies_to_automatic_mail:
        raise AssertionError(
            f"{figures.loops} mail loops, {figures.replies_to_automatic_mail} answers to automatic mail")


def assert_score(client: Client, least: float) -> None:
    """Check the score.  @raise AssertionError: it is lower, or there is nothing to grade; with what was lost."""
    report = client.score(points="lost")
    if report.score is None or report.score < least:
        lost = [f"{part.id}: {point.why}" for part in report.parts for point in part.points]
        raise AssertionError("\n".join([f"the score is {report.score}, at least {least} is wanted", *lost]))
