"""
Thunderbird on a screen of its own: a profile that asks nothing, opened, watched and photographed.

Its own log of what it said to the server and heard (C{MOZ_LOG}) tells whether it was satisfied; the picture is for
people.  Wants Xvfb, xdotool and ImageMagick besides.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

WIDTH, HEIGHT = 1280, 800

_PREFERENCES = {
    "app.donation.eoy.version.viewed": 999, "app.update.enabled": False, "browser.rights.3.shown": True,
    "datareporting.healthreport.uploadEnabled": False, "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.update.enabled": False, "extensions.getAddons.cache.enabled": False,
    "mail.biff.show_alert": False, "mail.chat.enabled": False, "mail.provider.enabled": False,
    "mail.rights.version": 1, "mail.shell.checkDefaultClient": False, "mail.spotlight.firstRunDone": True,
    "mail.pane_config.dynamic": 0, "mail.startup.enabledMailCheckOnce": True, "mail.threadpane.listview": 1,
    "mailnews.start_page.enabled": False,
    "mailnews.auto_config_url": "", "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "services.settings.server": "data:,",
    "toolkit.telemetry.reportingpolicy.firstRun": False, "trailhead.firstrun.didSeeAboutWelcome": True,
    "mail.inappnotifications.enabled": False, "browser.safebrowsing.downloads.remote.url": "",
    "toolkit.startup.max_resumed_crashes": -1,
    "mail.accountmanager.accounts": "account1,account2", "mail.accountmanager.defaultaccount": "account1",
    "mail.accountmanager.localfoldersserver": "server2",
    "mail.account.account1.identities": "id1", "mail.account.account1.server": "server1",
    "mail.server.server1.type": "imap", "mail.server.server1.socketType": 0,
    # 3: the password as it is.
    "mail.server.server1.authMethod": 3,
    "mail.server.server1.login_at_startup": True, "mail.server.server1.check_new_mail": True,
    "mail.server.server1.directory-rel": "[ProfD]ImapMail/server1",
    "mail.account.account2.server": "server2", "mail.server.server2.type": "none",
    "mail.server.server2.hostname": "Local Folders", "mail.server.server2.name": "Local Folders",
    "mail.server.server2.userName": "nobody", "mail.server.server2.directory-rel": "[ProfD]Mail/Local Folders",
}


class Account(NamedTuple):
    """One mailbox to be opened."""

    user: str
    password: str
    name: str


def make_profile(folder: Path, port: int, account: Account) -> None:
    """Write a profile with one account on a port of this machine, and its password."""
    folder.mkdir(parents=True)
    server = "mail.server.server1."
    preferences = {
        **_PREFERENCES,
        "mail.identity.id1.fullName": account.name,
        "mail.identity.id1.useremail": account.user.partition("*")[0],
        server + "hostname": "127.0.0.1", server + "port": port, server + "userName": account.user,
        server + "name": account.name,
    }
    (folder / "prefs.js").write_text("".join(
        f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()))
    username, password = _sealed(folder, (account.user, account.password))
    (folder / "logins.json").write_text(json.dumps({
        "nextId": 2, "potentiallyVulnerablePasswords": [], "dismissedBreachAlertsByLoginGUID": {}, "version": 3,
        "logins": [{
            "id": 1, "hostname": "imap://127.0.0.1", "httpRealm": "imap://127.0.0.1", "formSubmitURL": None,
            "usernameField": "", "passwordField": "", "encryptedUsername": username, "encryptedPassword": password,
            "guid": "{00000000-0000-0000-0000-000000000001}", "encType": 1, "timeCreated": 1, "timeLastUsed": 1,
            "timePasswordChanged": 1, "timesUsed": 1,
        }]}))


class _Item(ctypes.Structure):
    """SECItem of NSS."""

    _fields_ = [("type", ctypes.c_uint), ("data", ctypes.c_void_p), ("len", ctypes.c_uint)]


def _sealed(folder: Path, texts: Sequence[str]) -> list[str]:
    """Texts as Thunderbird keeps passwords: under a key of the profile, which is made here."""
    nss = None
    for name in ("libnss3.so", "/usr/lib/thunderbird/libnss3.so"):
        try:
            nss = ctypes.CDLL(name)
            break
        except OSError:
            continue
    assert nss is not None, "there is no libnss3.so"
    nss.PK11_GetInternalKeySlot.restype = ctypes.c_void_p
    assert nss.NSS_InitReadWrite(b"sql:" + os.fsencode(folder)) == 0, "NSS refuses the profile"
    slot = ctypes.c_void_p(nss.PK11_GetInternalKeySlot())
    if nss.PK11_NeedUserInit(slot):
        assert nss.PK11_InitPin(slot, None, b"") == 0, "NSS makes no key"
    found = []
    for text in texts:
        octets = text.encode()
        buffer = ctypes.create_string_buffer(octets, len(octets))
        key, given, sealed = _Item(), _Item(0, ctypes.cast(buffer, ctypes.c_void_p), len(octets)), _Item()
        assert nss.PK11SDR_Encrypt(ctypes.byref(key), ctypes.byref(given), ctypes.byref(sealed), None) == 0
        found.append(base64.b64encode(ctypes.string_at(sealed.data, sealed.len)).decode())
    nss.PK11_FreeSlot(slot)
    nss.NSS_Shutdown()
    return found


class Thunderbird:
    """
    One run of the program.

    @ivar said: what it said to the server and heard, up to now.
    """

    def __init__(self, home: Path, port: int, account: Account) -> None:
        make_profile(home / "profile", port, account)
        self._name = account.name
        self._log = home / "imap"
        reading, writing = os.pipe()
        self._screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"],
            pass_fds=(writing,), stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as answer:
            display = ":" + answer.readline().strip()
        self._environment = {
            **os.environ, "DISPLAY": display, "HOME": str(home), "GDK_BACKEND": "x11", "LIBGL_ALWAYS_SOFTWARE": "1",
            "MOZ_LOG": "IMAP:4,sync", "MOZ_LOG_FILE": str(self._log), "MOZ_CRASHREPORTER_DISABLE": "1"}
        self._program = subprocess.Popen(
            ["thunderbird", "--profile", str(home / "profile"), "--no-remote", "--new-instance"], env=self._environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    @property
    def said(self) -> str:
        """The log of its connections."""
        return "".join(path.read_text(errors="replace") for path in sorted(self._log.parent.glob(self._log.name + "*")))

    def wait(self, what: str, ready: Callable[[], bool], seconds: float = 60.0) -> None:
        """Until something holds."""
        until = time.monotonic() + seconds
        while not ready():
            assert self._program.poll() is None, f"Thunderbird ended before {what}"
            assert time.monotonic() < until, f"Thunderbird: no {what} after {seconds:.0f} s"
            time.sleep(0.3)

    def do(self, *arguments: str) -> str:
        """A command of xdotool; what it says."""
        return subprocess.run(("xdotool", *arguments), env=self._environment, capture_output=True, text=True).stdout

    def shows(self, folder: str) -> bool:
        """Whether a window is open on a folder of the account."""
        found = self.do("search", "--onlyvisible", "--name", f"^{folder} - {self._name} - Mozilla Thunderbird$")
        return bool(found.strip())

    def click(self, x: int, y: int) -> None:
        """Click somewhere on the screen, once it is painted."""
        time.sleep(1)
        self.do("mousemove", str(x), str(y), "click", "1")
        time.sleep(0.5)

    def picture(self, file: Path) -> None:
        """What is on the screen, once it is painted."""
        time.sleep(2)
        subprocess.run(("import", "-window", "root", str(file)), env=self._environment, check=True)

    def check(self) -> None:
        """The server has refused nothing."""
        refused = re.findall(r"CreateNewLineFromSocket: (\d+ (?:NO|BAD) .*|\* BYE .*)", self.said)
        assert not refused, f"Thunderbird was refused: {refused}"

    def close(self) -> None:
        """End it."""
        for process in (self._program, self._screen):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
