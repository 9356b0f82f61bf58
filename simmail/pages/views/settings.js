// Settings that belong to no other view: how long mail and events are kept, deleting all mail, putting mail into a mailbox.

import { html } from "/assets/vendor/preact.js";
import { post, remove } from "/assets/app/api.js";
import { t } from "/assets/texts/index.js";
import { confirm } from "/assets/parts/dialog.js";
import { Settings } from "/assets/parts/document.js";
import { Form } from "/assets/parts/form.js";
import { attempt, notice } from "/assets/parts/notice.js";

export default function All({ role }) {
  const admin = role === "admin";
  const prune = () => attempt(async () => {
    const gone = await post("/api/retention/prune");
    notice(t("settings.pruned", gone));
  });
  const empty = async () => {
    if (await confirm(t("settings.empty.ask"))) attempt(() => remove("/api/messages", { all: true }), t("mail.deleted"));
  };
  const inject = async (values) => { await post("/api/inject", values); notice(t("settings.injected")); };
  return html`<h1>${t("nav.settings")}</h1><div class="two"><section><h2>${t("settings.retention")}</h2><p class="help">${t("settings.retention.help")}</p>
      <${Settings} path="/api/retention" may=${admin} fields=${[{ name: "mail_days", label: t("settings.mail_days"), kind: "number" }, { name: "event_days", label: t("settings.event_days"), kind: "number" }]} />
      ${admin && html`<p class="actions"><button type="button" onClick=${prune}>${t("settings.prune")}</button><button type="button" class="danger" onClick=${empty}>${t("settings.empty")}</button></p>`}</section>
    ${role !== "viewer" && html`<section><h2>${t("settings.inject")}</h2><p class="help">${t("settings.inject.help")}</p><${Form} onSubmit=${inject} action=${t("settings.inject.do")} fields=${[
    { name: "to", label: t("mail.to"), kind: "email", required: true }, { name: "folder", label: t("settings.folder"), placeholder: "INBOX" }, { name: "from", label: t("mail.from"), kind: "email" },
    { name: "subject", label: t("mail.subject") }, { name: "text", label: t("mail.body"), kind: "textarea", rows: 4 }, { name: "raw", label: t("settings.raw"), kind: "textarea", rows: 6 }]} /></section>`}</div>`;
}
