"""The words personas write while no writer is asked: recognised intents, picked-up facts, voices from data files."""

from simmail.core.words.request import Kind, Promised, WordsRequest, Written
from simmail.core.words.write import write

__all__ = ["Kind", "Promised", "WordsRequest", "Written", "write"]
