// The World: who writes to the company by themselves, how often, and what is expected of it.

import { html, useState } from "/assets/vendor/preact.js";
import { get, post, put, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { t } from "/assets/texts/index.js";
import { Activity } from "/assets/parts/activity.js";
import { Dialog } from "/assets/parts/dialog.js";
import { Form } from "/assets/parts/form.js";
import { attempt, notice } from "/assets/parts/notice.js";
import { Loaded } from "/assets/parts/state.js";
import { Table } from "/assets/parts/table.js";

const field = (name, more) => ({ name, label: t(`world.field.${name}`), ...more });

export default function World({ route, role }) {
  const may = role === "admin";
  const world = useData((signal) => get("/api/world", {}, signal), [], ["world.updated"]);
  const kinds = useData((signal) => get("/api/world/kinds", {}, signal));
  const [editing, setEditing] = useState(null);
  const save = async (next) => { await put("/api/world", next); world.reload(); };
  const company = async ({ enabled, seed, ...values }) => {
    const { name, industry, domains, inboxes } = values;
    await save({ ...world.data, enabled, seed: seed || "", company: { ...world.data.company, name: name || "", industry: industry || "", domains, inboxes } });
    notice(t("saved"));
  };
  const stream = async (values) => {
    const streams = [...world.data.streams];
    if (editing.at < 0) streams.push(values); else streams[editing.at] = { ...streams[editing.at], ...values };
    await save({ ...world.data, streams });
    setEditing(null);
  };
  return html`<div class="bar"><h1>${t("nav.world")}</h1>${may && html`<button type="button" class="main" onClick=${() => setEditing({ at: -1, one: { per_day: 5, profile: "office", enabled: true } })}>${t("world.stream.new")}</button>`}</div>
    <${Loaded} of=${world}>${(one) => html`<section><h2>${t("world.streams")}</h2><${Table} caption=${t("world.streams")} rows=${one.streams} empty=${t("world.none")} columns=${[
    { title: t("world.field.id"), cell: (row) => row.id }, { title: t("world.field.kind"), cell: (row) => row.kind },
    { title: t("world.expected"), cell: (row) => ((kinds.data || []).find((kind) => kind.id === row.kind) || {}).expected },
    { title: t("world.field.per_day"), number: true, cell: (row) => row.per_day }, { title: t("world.field.profile"), cell: (row) => row.profile },
    { title: "", cell: (row) => may && html`<span class="bar tight">
      <button type="button" aria-label="${t("world.fire")}: ${row.id}" onClick=${() => attempt(() => post(`/api/world/streams/${segment(row.id)}/fire`, { count: 1 }), t("world.fired"))}>${t("world.fire")}</button>
      <button type="button" onClick=${() => setEditing({ at: one.streams.indexOf(row), one: row })}>${t("edit")}</button>
      <button type="button" onClick=${() => attempt(() => save({ ...one, streams: one.streams.filter((other) => other !== row) }))}>${t("delete")}</button></span>` }]} /></section>
    <div class="two"><section><h2>${t("world.company")}</h2>${may ? html`<${Form} key=${JSON.stringify(one.company)} value=${{ ...one, ...one.company }} onSubmit=${company} fields=${[
    field("enabled", { kind: "checkbox" }), field("seed", { keep: true }), field("name", { keep: true }), field("industry", { keep: true }), field("domains", { kind: "list" }), field("inboxes", { kind: "list" })]} />`
    : html`<pre class="mono">${JSON.stringify(one.company, null, 2)}</pre>`}</section>
    <section><h2>${t("world.mail")}</h2><${Activity} universe=${route.universe} types="world.mail" limit=${50} /></section></div>`}<//>
    ${editing && kinds.data && html`<${Dialog} title=${editing.one.id || t("world.stream.new")} onClose=${() => setEditing(null)}><${Form} value=${editing.one} onSubmit=${stream} onCancel=${() => setEditing(null)} fields=${[
    field("id", { required: true }), field("kind", { kind: "select", options: kinds.data.map((kind) => [kind.id, `${kind.id}: ${kind.what}`]) }), field("to", { kind: "list" }),
    field("per_day", { kind: "number" }), field("profile", { placeholder: "office" }), field("mix", { kind: "json", rows: 2 }), field("cap_per_day", { kind: "number" }), field("enabled", { kind: "checkbox" })]} /><//>`}`;
}
