// Recipients: what happens to addresses never seen before, and a tester that tells it for one address.

import { html, useState } from "/assets/vendor/preact.js";
import { get, patch } from "/assets/app/api.js";
import { t } from "/assets/texts/index.js";
import { Form } from "/assets/parts/form.js";
import { Settings } from "/assets/parts/document.js";
import { notice } from "/assets/parts/notice.js";

const KINDS = ["ok", "unknown", "domain", "full", "disabled", "blocked"];

// What a rule would do, in the order of the contract: a fixed status, a mailbox that is there, silent, create, chance.
function verdict(rules, mailbox, address) {
  if (rules.status[address]) return t("recipients.would.status", { status: rules.status[address] });
  if (mailbox) return mailbox.persona ? t("recipients.would.persona", { name: mailbox.persona }) : t("recipients.would.mailbox");
  const domain = address.split("@")[1] || "";
  const rule = rules.domains[domain] || rules.default;
  const by = rules.domains[domain] ? t("recipients.by.domain", { domain }) : t("recipients.by.default");
  if (rule.silent) return t("recipients.would.silent", { by });
  if (!rule.create) return t("recipients.would.refuse", { by });
  const rate = Math.round((rule.bad_rate || 0) * 100);
  const end = rule.stranger && rule.stranger !== "off" ? t("recipients.would.stranger") : t("recipients.would.create");
  return `${rate ? t("recipients.would.chance", { rate, at: rule.fail_at, by }) : by}: ${end}`;
}

// The fields of one rule, in an object of that name.
const rule = (field, of) => ["create", "silent", "bad_rate", "bad_kinds", "fail_at", "stranger"].map((name) => ({ ...field(name, {
  create: { kind: "checkbox" }, silent: { kind: "checkbox" }, bad_rate: { kind: "number" }, bad_kinds: { kind: "list", rows: 1, help: KINDS.slice(1).join(", ") },
  fail_at: { kind: "select", options: [["dsn", t("recipients.dsn")], ["rcpt", t("recipients.rcpt")]] },
  stranger: { kind: "select", options: ["off", "basic", "ai"].map((one) => [one, t(`recipients.stranger.${one}`)]) },
}[name]), name: `${of}${name}` }));

export default function Recipients({ role }) {
  const may = role === "admin";
  const [answer, setAnswer] = useState("");
  const ask = async ({ address }) => {
    const wanted = address.toLowerCase();
    const [rules, boxes] = await Promise.all([get("/api/recipients"), get("/api/mailboxes")]);
    setAnswer(verdict(rules, boxes.find((one) => one.address === wanted), wanted));
  };
  const set = async ({ address, status }) => {
    const rules = await get("/api/recipients");
    const { [address.toLowerCase()]: before, ...others } = rules.status;
    await patch("/api/recipients", { status: status === "ok" ? others : { ...others, [address.toLowerCase()]: status } });
    notice(t("saved"));
  };
  const field = (name, more) => ({ name, label: t(`recipients.field.${name}`), ...more });
  return html`<h1>${t("nav.recipients")}</h1><div class="two"><section><h2>${t("recipients.tester")}</h2>
      <${Form} fields=${[field("address", { kind: "email", required: true })]} onSubmit=${ask} action=${t("recipients.ask")} />
      ${answer && html`<p role="status"><strong>${answer}</strong></p>`}
      ${may && html`<h2>${t("recipients.force")}</h2><${Form} onSubmit=${set} fields=${[field("address", { kind: "email", required: true }), { ...field("kind", { kind: "select", options: KINDS }), name: "status" }]} />`}</section>
    <section><h2>${t("recipients.rules")}</h2><${Settings} path="/api/recipients" events=${["settings.updated"]} may=${may} fields=${[
    ...rule(field, "default."), field("domains", { kind: "rows", key: "domain", fresh: { create: true }, of: [field("domain", { required: true }), ...rule(field, "")] }),
    field("status", { kind: "rows", key: "address", only: "kind", of: [field("address", { kind: "email", required: true }), field("kind", { kind: "select", options: KINDS.slice(1) })] }), field("seed")]} /></section></div>`;
}
