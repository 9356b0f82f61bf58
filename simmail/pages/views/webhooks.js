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

const field = (name, more) => ({ name, label: t(`webhooks.field.${name}`), ...more });
const FIELDS = [field("name", { required: true }), field("url", { required: true, wide: true }), field("events", { kind: "list", help: t("webhooks.events.help") }),
  field("secret"), field("order", { kind: "select", options: ["", "strict"] })];

export default function Webhooks({ role }) {
  const admin = role === "admin";
  const found = useData((signal) => get("/api/webhooks", {}, signal), [], ["settings.updated", "webhook.*"]);
  const attempts = useData((signal) => get("/api/webhooks/attempts", { limit: 100 }, signal), [], ["webhook.*", "persona.*", "mail.*"]);
  const [editing, setEditing] = useState(null);
  const [tab, setTab] = useState("attempts");
  const [verdict, setVerdict] = useState(null);
  // Health is read, never put.
  const bare = (list) => list.map((one) => Object.fromEntries(["name", "url", "events", "secret", "order", "old_secret", "enabled"].filter((name) => one[name] !== undefined && one[name] !== null).map((name) => [name, one[name]])));
  const save = (list) => put("/api/webhooks", bare(list)).then(found.reload);
  const keep = async (values) => {
    const list = [...found.data];
    if (editing.at < 0) list.push(values); else list[editing.at] = { ...list[editing.at], ...values };
    await save(list);
    setEditing(null);
  };
  const verify = async ({ headers, ...values }) => setVerdict(await post("/api/webhooks/verify", { headers: headers || {}, ...values }));
  return html`<div class="bar"><h1>${t("nav.webhooks")}</h1>${admin && html`<button type="button" class="main" onClick=${() => setEditing({ at: -1, one: {} })}>${t("webhooks.new")}</button>`}</div>
    <${Loaded} of=${found}>${(list) => html`<${Table} caption=${t("nav.webhooks")} rows=${list} id=${(one) => one.name || one.url} empty=${t("webhooks.none")} columns=${[
    { title: t("webhooks.field.name"), cell: (one) => one.name }, { title: t("webhooks.field.url"), cell: (one) => one.url },
    { title: t("webhooks.field.events"), cell: (one) => (one.events || []).join(", ") || t("activity.all") },
    { title: t("webhooks.health"), cell: (one) => one.health && (typeof one.health === "string" ? one.health : one.health.state || JSON.stringify(one.health)) },
    { title: "", cell: (one) => admin && html`<span class="bar tight"><button type="button" onClick=${() => attempt(() => post("/api/webhooks/test", { webhook: one.name }), t("webhooks.tested")).then(attempts.reload)}>${t("webhooks.test")}</button>
      <button type="button" onClick=${() => attempt(() => post("/api/webhooks/redeliver", { webhook: one.name, after: 0 }), t("webhooks.replayed")).then(attempts.reload)}>${t("webhooks.replay")}</button>
      <button type="button" onClick=${() => setEditing({ at: list.indexOf(one), one })}>${t("edit")}</button>
      <button type="button" onClick=${() => attempt(() => save(list.filter((other) => other !== one)))}>${t("delete")}</button></span>` }]} />`}<//>
    <${Tabs} label=${t("nav.webhooks")} names=${["attempts", "verify"]} current=${tab} onPick=${setTab} titles=${{ attempts: t("webhooks.attempts"), verify: t("webhooks.verify") }}>
    ${tab === "attempts" ? html`<${Loaded} of=${attempts}>${(list) => html`<${Table} caption=${t("webhooks.attempts")} rows=${list} id=${(one) => `${one.webhook}/${one.event_id}/${one.attempt}/${one.at}`} empty=${t("webhooks.attempts.none")} columns=${[
    { title: t("webhooks.at"), cell: (one) => one.at }, { title: t("webhooks.field.name"), cell: (one) => one.webhook }, { title: t("webhooks.event"), number: true, cell: (one) => one.event_id },
    { title: t("webhooks.attempt"), number: true, cell: (one) => one.attempt }, { title: t("webhooks.status"), cell: (one) => html`<span class=${one.status >= 200 && one.status < 300 ? "badge" : "badge bad"}>${one.status || one.error}</span>` },
    { title: "ms", number: true, cell: (one) => one.ms },
    { title: "", cell: (one) => admin && html`<button type="button" onClick=${() => attempt(() => post("/api/webhooks/redeliver", { webhook: one.webhook, event_id: one.event_id }), t("webhooks.again")).then(attempts.reload)}>${t("webhooks.redeliver")}</button>` }]} />`}<//>`
    : html`<p class="help">${t("webhooks.verify.help")}</p><${Form} onSubmit=${verify} action=${t("webhooks.verify")} fields=${[field("headers", { kind: "json", rows: 4, required: true }), field("body", { kind: "textarea", rows: 4, keep: true }), field("secret", { required: true })]} />
      ${verdict && html`<pre class="mono" role="status">${JSON.stringify(verdict, null, 2)}</pre>`}`}<//>
    ${editing && html`<${Dialog} title=${editing.one.name || t("webhooks.new")} wide onClose=${() => setEditing(null)}><${Form} fields=${FIELDS} value=${editing.one} onSubmit=${keep} onCancel=${() => setEditing(null)} /><//>`}`;
}
