// Recipients: what happens to addresses never seen before, and a tester that tells it for one address.

import { html, useState } from "/assets/vendor/preact.js";
import { get, patch } from "/assets/app/api.js";
import { link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Form } from "/assets/parts/form.js";
import { Settings } from "/assets/parts/document.js";
import { notice } from "/assets/parts/notice.js";

const KINDS = ["ok", "unknown", "domain", "full", "disabled", "blocked"];

// What the service says would happen to mail for an address, and what leads there.
const Verdict = ({ of: one, universe }) => html`<section role="status"><p><strong>${t(`recipients.would.${one.kind}`)}</strong> ${one.reply ? html`<code>${one.reply}</code>` : t("recipients.silence")}</p>
  <ul class="notes">${one.faults.map((fault) => html`<li><a href=${link(universe, "faults")}>${t("recipients.by.fault", { rule: fault.rule || fault.index + 1, kind: fault.kind, stage: fault.stage })}</a></li>`)}
    ${one.bad && html`<li>${t(`recipients.by.${one.forced ? "status" : "bad"}`, { bad: one.bad })}</li>`}
    ${one.persona_id && html`<li><a href=${link(universe, "people", [one.persona_id])}>${t("recipients.by.persona", { name: one.persona })}</a></li>`}
    ${!one.forced && !one.faults.length && one.kind !== "deliver" && html`<li>${t(`recipients.by.${one.rule ? "domain" : "default"}`, { domain: one.rule })}</li>`}
    ${one.kind === "create" && html`<li>${t("recipients.field.stranger")}: ${t(`recipients.stranger.${one.stranger}`)}</li>`}</ul></section>`;

// The fields of one rule, in an object of that name.
const rule = (field, of) => ["create", "silent", "bad_rate", "bad_kinds", "fail_at", "stranger"].map((name) => ({ ...field(name, {
  create: { kind: "checkbox" }, silent: { kind: "checkbox" }, bad_rate: { kind: "number" }, bad_kinds: { kind: "list", rows: 1, help: KINDS.slice(1).join(", ") },
  fail_at: { kind: "select", options: [["dsn", t("recipients.dsn")], ["rcpt", t("recipients.rcpt")]] },
  stranger: { kind: "select", options: ["off", "basic", "ai"].map((one) => [one, t(`recipients.stranger.${one}`)]) },
}[name]), name: `${of}${name}` }));

export default function Recipients({ route, role }) {
  const may = role === "admin";
  const [answer, setAnswer] = useState(null);
  const ask = async (values) => setAnswer(await get("/api/recipients/check", values));
  const set = async ({ address, status }) => {
    const rules = await get("/api/recipients");
    const { [address.toLowerCase()]: before, ...others } = rules.status;
    await patch("/api/recipients", { status: status === "ok" ? others : { ...others, [address.toLowerCase()]: status } });
    notice(t("saved"));
  };
  const field = (name, more) => ({ name, label: t(`recipients.field.${name}`), ...more });
  return html`<h1>${t("nav.recipients")}</h1><div class="two"><section><h2>${t("recipients.tester")}</h2>
      <${Form} fields=${[field("address", { kind: "email", required: true }), field("from", { kind: "email" })]} onSubmit=${ask} action=${t("recipients.ask")} />
      ${answer && html`<${Verdict} of=${answer} universe=${route.universe} />`}
      ${may && html`<h2>${t("recipients.force")}</h2><${Form} onSubmit=${set} fields=${[field("address", { kind: "email", required: true }), { ...field("kind", { kind: "select", options: KINDS }), name: "status" }]} />`}</section>
    <section><h2>${t("recipients.rules")}</h2><${Settings} path="/api/recipients" events=${["settings.updated"]} may=${may} fields=${[
    ...rule(field, "default."), field("domains", { kind: "rows", key: "domain", fresh: { create: true }, of: [field("domain", { required: true }), ...rule(field, "")] }),
    field("status", { kind: "rows", key: "address", only: "kind", of: [field("address", { kind: "email", required: true }), field("kind", { kind: "select", options: KINDS.slice(1) })] }), field("seed")]} /></section></div>`;
}
