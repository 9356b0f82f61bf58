"""Makes C{twistd simmail} known; imports nothing, so that no reactor is installed by looking."""

from twisted.application.service import ServiceMaker

simmail = ServiceMaker(
    "simmail", "simmail.tap", "A universe of simulated e-mail: SMTP, IMAP and an HTTP API.", "simmail"
)
