// The World: who writes to the company by themselves, how often, and what is expected of it.

import { html, useState } from "/assets/vendor/preact.js";
import { get, post, put, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Dialog } from "/assets/parts/dialog.js";
import { Form } from "/assets/parts/form.js";
import { attempt, notice } from "/assets/parts/notice.js";
import { Loaded } from "/assets/parts/state.js";
import { Table } from "/assets/parts/table.js";
import { Instant } from "/assets/parts/time.js";
import { Facts } from "/assets/parts/value.js";

const field = (name, more) => ({ name, label: t(`world.field.${name}`), ...more });

// Mail of the World with the truth about it: what the application should make of it, by when, and what of an attack.
function Sent({ universe }) {
  const found = useData((signal) => get("/api/events", { type: "world.mail", limit: 50 }, signal), [universe], ["world.mail"]);
  return html`<${Loaded} of=${found}>${(list) => html`<${Table} caption=${t("world.mail")} rows=${list} empty=${t("world.mail.none")} columns=${[
    { title: t("world.mail.subject"), cell: ({ data }) => html`<a href=${link(universe, "mail", ["message", data.message_id])}>${data.subject}</a> <span class="help">${data.persona || data.from} → ${data.to}</span>` },
    { title: t("world.mail.at"), cell: (one) => html`<${Instant} at=${one.at} />` },
    { title: t("world.expected"), cell: ({ data }) => html`<details><summary>${t(`world.expected.${data.expected}`)}${data.answer_by && html` ${t("world.by")} <${Instant} at=${data.answer_by} />`}${data.attack && html` <span class="badge bad">${data.attack.kind}</span>`}</summary>
      <${Facts} of=${{ ...data, ...data.facts }} names=${Object.fromEntries(["kind", "stream", "language", "mix", ...Object.keys(data.facts || {}), "attack"].map((one) => [one, one.replaceAll("_", " ")]))} /></details>` }]} />`}<//>`;
}

export default function World({ route, role }) {
  const may = role === "admin";
  const world = useData((signal) => get("/api/world", {}, signal), [], ["world.updated"]);
  const kinds = useData((signal) => get("/api/world/kinds", {}, signal));
  const [editing, setEditing] = useState(null);
  const save = async (next) => { await put("/api/world", next); world.reload(); };
  const company = async (values) => {
    await save(values);
    notice(t("saved"));
  };
  const stream = async (values) => {
    const streams = [...world.data.streams];
    if (editing.at < 0) streams.push(values); else streams[editing.at] = values;
    await save({ ...world.data, streams });
    setEditing(null);
  };
  return html`<div class="bar"><h1>${t("nav.world")}</h1>${may && html`<button type="button" class="main" onClick=${() => setEditing({ at: -1, one: { per_day: 5, profile: "office", enabled: true } })}>${t("world.stream.new")}</button>`}</div>
    <${Loaded} of=${world}>${(one) => html`<section><h2>${t("world.streams")}</h2><${Table} caption=${t("world.streams")} rows=${one.streams} empty=${t("world.none")} columns=${[
    { title: t("world.field.id"), cell: (row) => row.id }, { title: t("world.field.kind"), cell: (row) => row.kind },
    { title: t("world.expected"), cell: (row) => { const kind = (kinds.data || []).find((one) => one.id === row.kind); return kind && t(`world.expected.${kind.expected}`); } },
    { title: t("world.field.per_day"), number: true, cell: (row) => row.per_day }, { title: t("world.field.profile"), cell: (row) => row.profile },
    { title: "", cell: (row) => may && html`<span class="bar tight">
      <button type="button" aria-label="${t("world.fire")}: ${row.id}" onClick=${() => attempt(() => post(`/api/world/streams/${segment(row.id)}/fire`, { count: 1 }), t("world.fired"))}>${t("world.fire")}</button>
      <button type="button" onClick=${() => setEditing({ at: one.streams.indexOf(row), one: row })}>${t("edit")}</button>
      <button type="button" onClick=${() => attempt(() => save({ ...one, streams: one.streams.filter((other) => other !== row) }))}>${t("delete")}</button></span>` }]} /></section>
    <section><h2>${t("world.mail")}</h2><${Sent} universe=${route.universe} /></section><section><h2>${t("world.company")}</h2>${may ? html`<${Form} key=${JSON.stringify(one.company)} value=${one} mode="whole" onSubmit=${company} fields=${[
    field("enabled", { kind: "checkbox" }), field("seed"), field("company.name"), field("company.industry"), field("company.domains", { kind: "list" }), field("company.inboxes", { kind: "list" })]} />`
    : html`<${Facts} of=${one.company} />`}</section>`}<//>
    ${editing && kinds.data && html`<${Dialog} title=${editing.one.id || t("world.stream.new")} onClose=${() => setEditing(null)}><${Form} value=${editing.one} mode="whole" onSubmit=${stream} onCancel=${() => setEditing(null)} fields=${[
    field("id", { required: true }), field("kind", { kind: "select", options: kinds.data.map((kind) => [kind.id, `${kind.id}: ${kind.what}`]) }), field("to", { kind: "list", help: t("world.to.help") }),
    field("per_day", { kind: "number" }), field("cap_per_day", { kind: "number" }), field("profile", { kind: "select", options: ["office", "evening", "flat"].map((one) => [one, t(`world.profile.${one}`)]) }),
    ...["new", "known", "follow_up"].map((one) => field(`mix.${one}`, { kind: "number" })), field("injection", { kind: "number", help: t("world.injection.help") }), field("enabled", { kind: "checkbox" })]} /><//>`}`;
}
