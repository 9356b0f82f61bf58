// How programs connect: settings to copy for each.

import { html, useState } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";
import { Code } from "./copy.js";
import { Tabs } from "./tabs.js";

const SECURITY = { none: "none", starttls: "STARTTLS", tls: "SSL/TLS" };

// Text for one program; smtp and imap: {address, port, security}.
const RECIPES = {
  Thunderbird: ({ smtp, imap, login }) => [
    `IMAP server    ${imap.address}   port ${imap.port}   ${SECURITY[imap.security]}`,
    `SMTP server    ${smtp.address}   port ${smtp.port}   ${SECURITY[smtp.security]}`,
    "Authentication  normal password", `User name      ${login}`].join("\n"),
  Django: ({ smtp, login }) => [
    'EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"', `EMAIL_HOST = "${smtp.address}"`, `EMAIL_PORT = ${smtp.port}`,
    `EMAIL_HOST_USER = "${login}"`, 'EMAIL_HOST_PASSWORD = "…"', ...(smtp.security === "tls" ? ["EMAIL_USE_SSL = True"] : [])].join("\n"),
  Nodemailer: ({ smtp, login }) => [
    'import nodemailer from "nodemailer";', "const mail = nodemailer.createTransport({",
    `  host: "${smtp.address}", port: ${smtp.port}, secure: ${smtp.security === "tls"},`,
    `  auth: { user: "${login}", pass: "…" }, tls: { rejectUnauthorized: false },`, "});"].join("\n"),
  Python: ({ smtp, imap, login }) => [
    "import imaplib, smtplib", `smtp = smtplib.SMTP("${smtp.address}", ${smtp.port})`, `smtp.login("${login}", "…")`,
    `imap = imaplib.IMAP4("${imap.address}", ${imap.port})`, `imap.login("${login}", "…")`].join("\n"),
  curl: ({ smtp, imap, login }) => [
    `printf 'From: ${login}\\r\\nTo: maria@acme.test\\r\\nSubject: Lunch?\\r\\n\\r\\nOn Friday at 12:30?\\r\\n' | \\`,
    `  curl -sS smtp://${smtp.address}:${smtp.port} --mail-from ${login} --mail-rcpt maria@acme.test -T -`,
    `curl -sS -u '${login}:…' 'imap://${imap.address}:${imap.port}/INBOX;MAILINDEX=1'`].join("\n"),
};

export function Recipes({ connection, universe }) {
  const [name, setName] = useState("Thunderbird");
  const service = (wanted) => connection.services.find((one) => one.name === wanted);
  const smtp = service("SMTP") || service("SUBMISSION") || service("SMTPS");
  const imap = service("IMAP") || service("IMAPS");
  if (!smtp || !imap) return html`<p class="empty">${t("recipes.none")}</p>`;
  const login = universe === "main" ? "app@sim.test" : `app@sim.test%${universe}`;
  return html`<${Tabs} label=${t("recipes.label")} names=${Object.keys(RECIPES)} current=${name} onPick=${setName}>
    <${Code} text=${RECIPES[name]({ smtp, imap, login })} /><//>
    <p class="help">${t("recipes.logins")}</p>
    <table class="services"><caption class="hidden">${t("recipes.services")}</caption><tbody>${connection.services.map((one) => html`<tr>
      <th scope="row">${one.name}</th><td>${one.address}:${one.port}</td><td>${SECURITY[one.security]}</td></tr>`)}</tbody></table>
    ${connection.certificate && html`<p class="help">${t("recipes.certificate")} <code>${connection.certificate.sha256.slice(0, 32)}…</code>
      <a href="/api/connection/cert?universe=${universe}" download="simmail.pem">${t("recipes.pem")}</a></p>`}`;
}
