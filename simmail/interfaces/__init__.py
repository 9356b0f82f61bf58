"""
The seams: one interface for each part that has a real and an in-memory provider.

Both providers of each pass the same contract tests (C{tests/contracts}, C{tests/mailstore/contracts}).
Methods that return a Deferred say so; everything else answers at once.
Every method may raise (or fail with) C{errors.Unavailable}.
"""

from __future__ import annotations

from simmail.interfaces.browser import IBrowser
from simmail.interfaces.database import IDatabase
from simmail.interfaces.folder import IFolder, IFolderEvents, IOpened
from simmail.interfaces.language_model import ILanguageModel
from simmail.interfaces.mailstore import IAnnotations, IHeld, IMailImages, IMailStore
from simmail.interfaces.objects import IObjectStore
from simmail.interfaces.peers import INodes, IPeers, Handover
from simmail.interfaces.replicas import IReplicas
from simmail.interfaces.webhook_sender import IWebhookSender

__all__ = [
    "IAnnotations", "IBrowser", "IDatabase", "IFolder", "IFolderEvents", "IHeld", "ILanguageModel", "IMailImages",
    "IMailStore", "INodes", "IObjectStore", "IOpened", "IPeers", "IReplicas", "IWebhookSender", "Handover",
]
