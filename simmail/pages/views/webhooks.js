// Webhooks: endpoints, how they fare, their attempts; test, redelivery, and why a signature does not match.

import { html, useState } from "/assets/vendor/preact.js";
import { get, post, put } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { t } from "/assets/texts/index.js";
import { Dialog } from "/assets/parts/dialog.js";
import { Form } from "/assets/parts/form.js";
import { attempt } from "/assets/parts/notice.js";
import { Loaded } from "/assets/parts/state.js";
import { Table } from "/assets/parts/table.js";
import { Tabs } from "/assets/parts/tabs.js";
import { Facts } from "/assets/parts/value.js";

const field = (name, more) => ({ name, label: t(`webhooks.field.${name}`), ...more });
const FIELDS = [field("name", { required: true }), field("url", { required: true, wide: true }), field("events", { kind: "list", help: t("webhooks.events.help") }),
  field("secret", { help: t("webhooks.secret.help") }), field("overlap", { placeholder: "24h" }), field("order", { kind: "select", options: ["any", "strict"].map((one) => [one, t(`webhooks.order.${one}`)]) }), field("enabled", { kind: "checkbox" })];

// "Name: value" on each line, as an endpoint's log has them.
const headersOf = (text) => Object.fromEntries(text.split("\n").map((line) => line.split(/:(.*)/s)).filter(([name, value]) => name.trim() && value !== undefined).map(([name, value]) => [name.trim(), value.trim()]));

export default function Webhooks({ role }) {
  const admin = role === "admin";
  const found = useData((signal) => get("/api/webhooks", {}, signal), [], ["settings.updated", "webhook.*"]);
  const attempts = useData((signal) => get("/api/webhooks/attempts", { limit: 50 }, signal), [], ["webhook.*", "persona.*", "mail.*"]);
  const [editing, setEditing] = useState(null);
  const [tab, setTab] = useState("attempts");
  const [verdict, setVerdict] = useState(null);
  // The rest is read, never put.
  const bare = (list) => list.map((one) => Object.fromEntries([...FIELDS.map(({ name }) => name)].map((name) => [name, one[name]])));
  const save = (list) => put("/api/webhooks", bare(list)).then(found.reload);
  const keep = async (values) => {
    const list = [...found.data];
    if (editing.at < 0) list.push(values); else list[editing.at] = values;
    await save(list);
    setEditing(null);
  };
  const verify = async ({ headers, ...values }) => setVerdict(await post("/api/webhooks/verify", { headers: headersOf(headers), ...values }));
  return html`<div class="bar"><h1>${t("nav.webhooks")}</h1>${admin && html`<button type="button" class="main" onClick=${() => setEditing({ at: -1, one: { enabled: true, order: "any" } })}>${t("webhooks.new")}</button>`}</div>
    <${Loaded} of=${found}>${(list) => html`<${Table} caption=${t("nav.webhooks")} rows=${list} id=${(one) => one.name || one.url} empty=${t("webhooks.none")} columns=${[
    { title: t("webhooks.field.name"), cell: (one) => one.name }, { title: t("webhooks.field.url"), cell: (one) => one.url },
    { title: t("webhooks.field.events"), cell: (one) => (one.events || []).join(", ") || t("activity.all") },
    { title: t("webhooks.health"), cell: ({ health, enabled, note }) => html`<details><summary><span class=${enabled && health.state === "ok" ? "badge" : "badge bad"}>${enabled ? health.state : t("webhooks.off")}</span>
      ${health.behind > 0 && t("webhooks.behind", { n: health.behind })}</summary>${note}<${Facts} of=${health} /></details>` },
    { title: "", cell: (one) => admin && html`<span class="bar tight"><button type="button" onClick=${() => attempt(() => post("/api/webhooks/test", { webhook: one.name }), t("webhooks.tested")).then(attempts.reload)}>${t("webhooks.test")}</button>
      <button type="button" onClick=${() => attempt(() => post("/api/webhooks/redeliver", { webhook: one.name, after: 0 }), t("webhooks.replayed")).then(attempts.reload)}>${t("webhooks.replay")}</button>
      <button type="button" onClick=${() => setEditing({ at: list.indexOf(one), one })}>${t("edit")}</button>
      <button type="button" onClick=${() => attempt(() => save(list.filter((other) => other !== one)))}>${t("delete")}</button></span>` }]} />`}<//>
    <${Tabs} label=${t("nav.webhooks")} names=${["attempts", "verify"]} current=${tab} onPick=${setTab} titles=${{ attempts: t("webhooks.attempts"), verify: t("webhooks.verify") }}>
    ${tab === "attempts" ? html`<${Loaded} of=${attempts}>${(list) => html`<${Table} caption=${t("webhooks.attempts")} rows=${list} empty=${t("webhooks.attempts.none")} columns=${[
    { title: t("webhooks.at"), cell: (one) => html`<time datetime=${one.at} title=${t("webhooks.real")}>${new Date(one.at).toLocaleString()}</time>` }, { title: t("webhooks.field.name"), cell: (one) => ((found.data || []).find((hook) => hook.id === one.webhook) || {}).name || one.url }, { title: t("webhooks.event"), cell: (one) => html`${one.type} <span class="help">${one.event_id}</span>` },
    { title: t("webhooks.attempt"), number: true, cell: (one) => one.attempt }, { title: t("webhooks.status"), cell: (one) => html`<span class=${one.status >= 200 && one.status < 300 ? "badge" : "badge bad"}>${one.status || one.error}</span>${one.next && html` <span class="help">${t("webhooks.next", { at: new Date(one.next).toLocaleTimeString() })}</span>`}` },
    { title: "ms", number: true, cell: (one) => one.ms },
    { title: "", cell: (one) => admin && html`<button type="button" onClick=${() => attempt(() => post("/api/webhooks/redeliver", { webhook: one.webhook, event_id: one.event_id }), t("webhooks.again")).then(attempts.reload)}>${t("webhooks.redeliver")}</button>` }]} />`}<//>`
    : html`<p class="help">${t("webhooks.verify.help")}</p><${Form} onSubmit=${verify} action=${t("webhooks.verify")} fields=${[field("headers", { kind: "textarea", rows: 4, required: true, placeholder: "X-Service-Signature: sha256=…" }), field("body", { kind: "textarea", rows: 4, keep: true }), field("secret", { required: true })]} />
      ${verdict && html`<section role="status"><p><span class=${verdict.valid ? "badge" : "badge bad"}>${verdict.valid ? t("webhooks.valid") : t("webhooks.invalid")}</span></p><ul class="notes">${verdict.why.map((one) => html`<li>${one}</li>`)}</ul></section>`}`}<//>
    ${editing && html`<${Dialog} title=${editing.one.name || t("webhooks.new")} wide onClose=${() => setEditing(null)}><${Form} fields=${FIELDS} value=${editing.one} mode="whole" onSubmit=${keep} onCancel=${() => setEditing(null)} /><//>`}`;
}
