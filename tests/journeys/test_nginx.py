"""nginx in front, with the file that is shipped: it asks who may sign in, and passes clients on."""

from __future__ import annotations

import imaplib
import json
import re
import shutil
import smtplib
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from tests.journeys.running import JourneyCase, message, SOON, until

SHIPPED = Path(__file__).parents[2] / "etc" / "operation" / "nginx.conf"
MODULE = Path("/usr/lib/nginx/modules/ngx_mail_module.so")
PROGRAM = shutil.which("nginx") or "/usr/sbin/nginx"
WHO = "app@ash.example"


class NginxJourney(JourneyCase):
    """A service to which nobody else connects."""

    skip = None if MODULE.exists() and Path(PROGRAM).exists() else "nginx with its mail module is not installed"

    def test_all(self) -> None:
        """Logins are let in and refused, over IMAP and SMTP; the service knows whose they are."""
        service = self.service({"server": {"demo": False}})
        service.start()
        key = service.universe("ash", "2026-03-02T09:00:00Z")
        service.good("POST", "/api/accounts", {"address": WHO, "password": "secret of ash 100%"}, key)
        self.assertEqual(service.stop(), 0)
        service.change({
            "server": {"demo": False, "proxies": ["127.0.0.1"]}, "listen": {"auth": 0},
            "smtp": {"plain_auth_allowed": True}, "imap": {"plain_auth_allowed": True}})
        (service.state / "endpoints.json").unlink(missing_ok=True)
        service.begin()
        until((service.state / "endpoints.json").exists)
        service.endpoints = json.loads((service.state / "endpoints.json").read_text())
        folder, ports = self.folder(), {}
        text = SHIPPED.read_text().replace("127.0.0.1:8026", f"127.0.0.1:{service.port('auth')}")
        text = text.replace("modules/ngx_mail_module.so", str(MODULE)).replace("worker_processes auto", "daemon off")
        for port in ("993", "587"):
            with socket.create_server(("127.0.0.1", 0)) as free:
                ports[port] = free.getsockname()[1]
            text, changed = re.subn(rf"listen {port}\b", f"listen 127.0.0.1:{ports[port]}", text)
            self.assertEqual(changed, 1)
        for name in ("certificate.pem", "key.pem"):
            shutil.copy(service.state / name, folder / name)
        (folder / "nginx.conf").write_text(text)
        nginx = subprocess.Popen(
            [PROGRAM, "-p", str(folder), "-c", str(folder / "nginx.conf")], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        self.addCleanup(nginx.communicate)
        self.addCleanup(nginx.terminate)

        def listens() -> bool:
            try:
                socket.create_connection(("127.0.0.1", ports["587"]), SOON).close()
                return True
            except OSError:
                return False

        until(listens)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with smtplib.SMTP("127.0.0.1", ports["587"], timeout=SOON, source_address=("127.0.0.5", 0)) as client:
            client.starttls(context=context)
            client.login(WHO, "secret of ash 100%")
            client.sendmail(WHO, [WHO], message(WHO, WHO, "through", "Hello."))
        with imaplib.IMAP4_SSL("127.0.0.1", ports["993"], ssl_context=context, timeout=SOON) as imap:
            with self.assertRaisesRegex(imaplib.IMAP4.error, "Authentication failed"):
                imap.login(WHO, "wrong")
        with imaplib.IMAP4_SSL("127.0.0.1", ports["993"], ssl_context=context, timeout=SOON) as imap:
            imap.login(WHO, "secret of ash 100%")
            imap.select()
            found = until(lambda: imap.search(None, "SUBJECT", "through")[1][0])
            (_, raw), *_ = imap.fetch(found.split()[-1], "(BODY[HEADER.FIELDS (RECEIVED)])")[1]
        self.assertIn("[127.0.0.5]", raw.decode())
        with smtplib.SMTP("127.0.0.1", ports["587"], timeout=SOON) as client:
            client.starttls(context=context)
            with self.assertRaises(smtplib.SMTPAuthenticationError) as raised:
                client.login(WHO, "wrong")
            self.assertEqual(raised.exception.smtp_code, 535)
        # Who does not say whose password it is gets no answer.
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://127.0.0.1:{service.port('auth')}/auth", timeout=SOON)
        refused.exception.close()
        self.assertEqual(refused.exception.code, 400)
