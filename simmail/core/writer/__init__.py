"""The words personas write while no writer is asked: recognised intents, picked-up facts, voices from data files."""

from simmail.core.writer.kinds import idle
from simmail.core.writer.request import Kind, Promised, SeenPage, WordsRequest, Written
from simmail.core.writer.write import write

__all__ = ["Kind", "Promised", "SeenPage", "WordsRequest", "Written", "idle", "write"]
