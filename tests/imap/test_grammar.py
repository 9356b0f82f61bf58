"""Generated commands: what the grammar of the RFCs allows is never BAD."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.imap.play import House

NUMBER = st.sampled_from(["1", "2", "*"])
SET = st.lists(NUMBER | st.builds("{}:{}".format, NUMBER, NUMBER), min_size=1, max_size=3).map(",".join)
TEXT = st.sampled_from(["hello", '"two words"', '"a \\"b\\" \\\\"', '""', "{3+}\r\nabc", "{0+}\r\n", "NIL", "x]y"])
FLAG = st.sampled_from(["\\Seen", "\\deleted", "$Forwarded", "blue", "\\Recent"])
FLAGS = st.lists(FLAG, max_size=3).map(lambda flags: f"({' '.join(flags)})")
PATH = st.lists(st.integers(1, 3).map(str), max_size=3).map(".".join)
NAMES = st.lists(st.sampled_from(["From", "To", '"X-Y"', "{4+}\r\nDate"]), min_size=1, max_size=3).map(
    lambda names: f"({' '.join(names)})")
PARTIAL = st.sampled_from(["", "<0.10>", "<5.1>", "<1000.4294967295>"])
SECTION = st.one_of(
    PATH, st.sampled_from(["HEADER", "TEXT"]), st.builds("{}.MIME".format, PATH.filter(bool)),
    st.builds("{}.{}".format, PATH.filter(bool), st.sampled_from(["HEADER", "TEXT"])),
    st.builds("HEADER.FIELDS{} {}".format, st.sampled_from(["", ".NOT"]), NAMES),
    st.builds("{}.HEADER.FIELDS {}".format, PATH.filter(bool), NAMES))
ITEM = st.one_of(
    st.sampled_from([
        "ENVELOPE", "FLAGS", "INTERNALDATE", "RFC822", "RFC822.HEADER", "RFC822.SIZE", "RFC822.TEXT", "BODY",
        "BODYSTRUCTURE", "UID", "MODSEQ", "EMAILID", "THREADID", "PREVIEW", "PREVIEW (LAZY)", "SAVEDATE"]),
    st.builds("BODY{}[{}]{}".format, st.sampled_from(["", ".PEEK"]), SECTION, PARTIAL),
    st.builds("BINARY.PEEK[{}]{}".format, PATH, PARTIAL), st.builds("BINARY.SIZE[{}]".format, PATH))
ITEMS = st.one_of(
    st.sampled_from(["ALL", "FAST", "FULL"]), ITEM,
    st.lists(ITEM, min_size=1, max_size=4).map(lambda items: f"({' '.join(items)})"))
DAY = st.sampled_from(["1-Feb-2026", '"28-feb-2026"', "01-MAR-1999"])
KEY = st.deferred(lambda: st.one_of(
    st.sampled_from([
        "ALL", "ANSWERED", "DELETED", "DRAFT", "FLAGGED", "NEW", "OLD", "RECENT", "SEEN", "UNANSWERED", "UNDELETED",
        "UNDRAFT", "UNFLAGGED", "UNSEEN", "LARGER 10", "SMALLER 1000", "YOUNGER 60", "OLDER 60", "KEYWORD blue",
        "UNKEYWORD $Junk", "MODSEQ 1", "$", 'MODSEQ "/flags/\\\\seen" priv 2', "EMAILID Mabc", "THREADID Tabc",
        "SAVEDATESUPPORTED"]),
    SET, st.builds("UID {}".format, SET),
    st.builds("{} {}".format, st.sampled_from(
        ["BCC", "BODY", "CC", "FROM", "SUBJECT", "TEXT", "TO", "HEADER X"]), TEXT),
    st.builds("{} {}".format, st.sampled_from(
        ["BEFORE", "ON", "SINCE", "SENTBEFORE", "SENTON", "SENTSINCE", "SAVEDBEFORE", "SAVEDON",
         "SAVEDSINCE"]), DAY),
    st.builds("NOT {}".format, KEY), st.builds("OR {} {}".format, KEY, KEY),
    st.lists(KEY, min_size=1, max_size=2).map(lambda keys: f"({' '.join(keys)})")))
KEYS = st.lists(KEY, min_size=1, max_size=3).map(" ".join)
PAGE = st.sampled_from(["PARTIAL 1:2", "PARTIAL 4294967295:1", "PARTIAL -1:-2", "partial -9:-1"])
RETURNED = st.one_of(
    st.sampled_from(["RETURN () ", "RETURN (MIN MAX) ", "RETURN (ALL COUNT) ", "RETURN (UPDATE CONTEXT COUNT) "]),
    ITEMS.filter(lambda items: items[0] == "(").map("RETURN (UPDATE {} COUNT) ".format),
    PAGE.map("RETURN ({} MIN) ".format))
RETURN = st.sampled_from(["", "RETURN (ALL COUNT SAVE) ", "CHARSET UTF-8 "]) | RETURNED
MAILBOX = st.sampled_from(["INBOX", "Archive", '"Sent"', "{5+}\r\nDraft", "nowhere", '"a&APw-b"'])
SORT = st.lists(st.sampled_from(
    ["ARRIVAL", "CC", "DATE", "FROM", "REVERSE SIZE", "SUBJECT", "TO", "DISPLAYFROM"]),
    min_size=1, max_size=3).map(" ".join)
ITEMS_OF_STATUS = "(MESSAGES UNSEEN SIZE)"
URL = st.sampled_from(
    ["/INBOX/;UID=2", '"/INBOX;UIDVALIDITY=1/;UID=2/;SECTION=1.2"', ";UID=1/;section=HEADER/;PARTIAL=0.5",
     "{8+}\r\n/no/;UID", '"imap://user@server/x"'])
PIECES = st.lists(URL.map("URL {}".format) | st.just("TEXT {3+}\r\nabc"), min_size=1, max_size=3).map(
    lambda pieces: f"CATENATE ({' '.join(pieces)})")
MESSAGE = st.builds(
    " {}{}{}".format, st.just("") | FLAGS.map(lambda flags: flags + " "),
    st.sampled_from(["", '" 1-Feb-2026 10:00:00 +0100" ', '"11-Feb-2026 10:00:00 -0000" ']),
    st.just("{3+}\r\nabc") | PIECES)
COMMAND = st.one_of(
    st.builds("FETCH {} {}".format, SET, ITEMS), st.builds("FETCH {} {} (CHANGEDSINCE 1)".format, SET, ITEMS),
    st.builds("STORE {} {}FLAGS{} {}".format,
              SET, st.sampled_from(["", "+", "-"]), st.sampled_from(["", ".SILENT"]), FLAGS),
    st.builds("STORE {} (UNCHANGEDSINCE 5) +FLAGS {}".format, SET, FLAGS),
    st.builds("SEARCH {}{}".format, RETURN, KEYS),
    st.builds("SORT {}({}) UTF-8 {}".format, st.just("") | RETURNED, SORT, KEYS),
    st.builds("THREAD {} US-ASCII {}".format, st.sampled_from(["REFERENCES", "ORDEREDSUBJECT"]), KEYS),
    st.builds("COPY {} {}".format, SET, MAILBOX), st.builds("REPLACE {} {}{}".format, NUMBER, MAILBOX, MESSAGE))
ENTRY = st.sampled_from(["/private/comment", '"/SHARED/vendor/x"', "{8+}\r\n/shared/", "/private/a/b-c"]).filter(
    lambda entry: not entry.endswith("/"))
ENTRIES = ENTRY | st.lists(ENTRY, min_size=1, max_size=3).map(lambda entries: f"({' '.join(entries)})")
VALUE = st.sampled_from(["NIL", '"a \\"b\\""', "{3+}\r\nabc", "~{3+}\r\na\0c", '""'])
EVENT = st.lists(st.sampled_from([
    "MailboxName", "SUBSCRIPTIONCHANGE", "MailboxMetadataChange", "ServerMetadataChange",
    "MessageNew MessageExpunge", "MessageExpunge FlagChange messagenew", "AnnotationChange", "X-Other"]),
    min_size=1, max_size=3).map(lambda events: f"({' '.join(events)})")
SELECTED = st.builds("({} {})".format, st.sampled_from(["SELECTED", "selected-delayed"]), st.just("NONE") | st.builds(
    "(MessageNew{} MessageExpunge{})".format, st.just("") | st.lists(ITEM, min_size=1, max_size=3).map(
        lambda items: f" ({' '.join(items)})"), st.sampled_from(["", " FlagChange"])))
GROUP = st.builds("({} {})".format, st.one_of(
    st.sampled_from(["INBOXES", "personal", "SUBSCRIBED"]),
    st.builds("{} {}".format, st.sampled_from(["SUBTREE", "MAILBOXES"]), MAILBOX | st.lists(
        MAILBOX, min_size=1, max_size=3).map(lambda names: f"({' '.join(names)})"))), st.just("NONE") | EVENT)
PLAIN = st.one_of(
    st.builds("NOTIFY SET{} {}".format, st.sampled_from(["", " STATUS"]), st.one_of(
        SELECTED, GROUP, st.builds("{} {} {}".format, GROUP, SELECTED, GROUP))), st.just("NOTIFY NONE"),
    st.builds("GETMETADATA {}{} {}".format, st.sampled_from(["", "(MAXSIZE 5) ", "(depth infinity MAXSIZE 0) "]),
              MAILBOX | st.just('""'), ENTRIES),
    st.builds("SETMETADATA {} ({})".format, MAILBOX | st.just('""'), st.lists(
        st.builds("{} {}".format, ENTRY, VALUE), min_size=1, max_size=3).map(" ".join)),
    st.builds("{} {}".format, st.sampled_from(
        ["CREATE", "DELETE", "SUBSCRIBE", "UNSUBSCRIBE", "GETQUOTAROOT", "EXAMINE"]), MAILBOX),
    st.builds("STATUS {} {}".format, MAILBOX, st.just(ITEMS_OF_STATUS)),
    st.builds('LIST {}"" {}{}'.format, st.sampled_from(["", "(SUBSCRIBED) ", "(SPECIAL-USE SUBSCRIBED) ", "() "]),
              st.sampled_from(["*", "%", '"Ar*"', '(INBOX "S%")', "In%x"]),
              st.sampled_from(["", " RETURN ()", f" RETURN (CHILDREN STATUS {ITEMS_OF_STATUS})"])),
    st.builds("APPEND {}{}".format, MAILBOX, st.lists(MESSAGE, min_size=1, max_size=3).map("".join)))


class GrammarTests(SynchronousTestCase):
    """Any command of the grammar."""

    def check(self, command: str, before: str = "NOOP") -> None:
        """It is answered OK or NO, by its tag, and nothing is logged."""
        house = House()
        house.deliver("plain")
        house.deliver("mixed")
        client = house.signed_in("INBOX")
        client.do(f"e {before}")
        client.send(f"tag {command}\r\n".encode())
        last = client.taken().split(b"\r\n")[-2]
        self.assertRegex(last, rb"\Atag (OK|NO) ", command)
        self.assertEqual(self.flushLoggedErrors(), [])

    @settings(max_examples=300, deadline=None)
    @given(COMMAND, st.sampled_from(["", "UID "]))
    def test_on_messages(self, command: str, uid: str) -> None:
        """Commands on messages, by number and by UID."""
        self.check(uid + command)

    @settings(max_examples=50, deadline=None)
    @given(SET, ITEMS, PAGE, st.sampled_from(["", " CHANGEDSINCE 1"]))
    def test_pages(self, messages: str, items: str, page: str, since: str) -> None:
        """A page of some messages."""
        self.check(f"UID FETCH {messages} {items} ({page}{since})")

    @settings(max_examples=100, deadline=None)
    @given(COMMAND.filter(lambda command: not command.startswith(("SEARCH", "SORT", "THREAD"))))
    def test_by_uid_only(self, command: str) -> None:
        """Commands on messages where there are no sequence numbers, and none with them."""
        self.check("UID " + command, "ENABLE UIDONLY QRESYNC")
        house = House()
        house.deliver("plain")
        client = house.signed_in("INBOX")
        client.do("e ENABLE UIDONLY")
        client.send(f"tag {command}\r\n".encode())
        self.assertEqual(client.taken().split(b"\r\n")[-2][:21], b"tag BAD [UIDREQUIRED]")

    @settings(max_examples=100, deadline=None)
    @given(PLAIN)
    def test_on_mailboxes(self, command: str) -> None:
        """Commands on mailboxes."""
        self.check(command)
