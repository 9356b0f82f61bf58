// People: the list, and of one the sheet, memory, relations, jobs and a preview of what they would do.
// Addresses: people, people/new, people/<id>[/<tab>].

import { html, useState } from "/assets/vendor/preact.js";
import { get, patch, post, remove, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { go, link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Activity } from "/assets/parts/activity.js";
import { confirm } from "/assets/parts/dialog.js";
import { Form, inside } from "/assets/parts/form.js";
import { JobTable } from "/assets/parts/jobtable.js";
import { attempt, notice } from "/assets/parts/notice.js";
import { Loaded } from "/assets/parts/state.js";
import { Table } from "/assets/parts/table.js";
import { Tabs } from "/assets/parts/tabs.js";
import { Instant } from "/assets/parts/time.js";
import { Prose, Value } from "/assets/parts/value.js";

// Fields of the contract; a name with a dot is in an object of that name.
const FIELDS = [
  ["name"], ["role"], ["org"], ["addresses", { kind: "list", required: true }],
  ["temperament", { kind: "select", options: "temperaments" }], ["languages", { kind: "list" }],
  ["who", { kind: "textarea", rows: 2 }], ["wants", { kind: "textarea", rows: 2 }], ["character", { kind: "textarea", rows: 2 }],
  ["knows", { kind: "select", options: ["some", "all", "little"] }], ["case_ids", { kind: "list" }],
  ["style.length", { kind: "select", options: ["", "short", "medium", "long"] }],
  ["style.formality", { kind: "select", options: ["", "casual", "neutral", "formal"] }],
  ["style.typos", { kind: "number" }], ["style.signature", { kind: "textarea", rows: 2 }],
  ["style.client", { kind: "select", options: ["", "gmail", "outlook", "apple", "iphone", "android", "plain"] }],
  ["style.links", { kind: "select", options: ["", "usual", "curious", "wary", "never"] }],
  ["style.filter", { kind: "select", options: ["", "strict", "normal", "lenient", "none"] }],
  ["style.access", { kind: "select", options: ["", "screen_reader", "low_vision"] }],
  ["timing.reply_rate", { kind: "number" }], ["timing.delay.median"], ["timing.delay.spread", { kind: "number" }],
  ["timing.hours.tz"], ["timing.hours.days"], ["timing.hours.from"], ["timing.hours.to"], ["timing.ooo", { kind: "rows", of: [["from", { kind: "date", required: true }], ["to", { kind: "date", required: true }], ["message", { kind: "textarea", rows: 2 }]] }],
  ["behaviors.double_reply", { kind: "number" }], ["behaviors.bounce", { kind: "number" }], ["behaviors.cc_someone", { kind: "number" }],
  ["behaviors.forward_to"], ["behaviors.keep_promises", { kind: "number" }], ["external_ids", { kind: "rows", key: "system", only: "id", of: [["system", { required: true }], ["id", { required: true }]] }],
];
const titled = (prefix, list) => list.map(([name, more = {}]) => ({ name, label: t(`${prefix}${name}`), ...more, ...(more.of ? { of: titled(`${prefix}${name}.`, more.of) } : {}) }));

function Edit({ persona, temperaments, onSave, onCancel }) {
  const fields = titled("people.field.", FIELDS).map((one) => (one.options === "temperaments" ? { ...one,
    options: [["", t("people.temperament.any")], ...temperaments.map(({ name, text }) => [name, `${name}: ${text}`])] } : one));
  return html`<${Form} fields=${fields} value=${persona} mode=${persona && "patch"} onCancel=${onCancel} onSubmit=${onSave} />`;
}

// One thing that was said in a thread: "Maria Rossi asked: the signed contract, for Thursday".
function Remark({ of: { by, kind, what, value, when, at }, name }) {
  const about = [what.replaceAll("_", " "), value && value !== what ? `“${value}”` : ""].filter(Boolean).join(": ");
  return html`<strong>${by === "persona" ? name : t("people.threads.other")}</strong> ${kind} ${about} ${when && html`(<${Instant} at=${when} />)`} <span class="help"><${Instant} at=${at} /></span>`;
}

// What somebody tells of itself to who asks.
function Self({ persona }) {
  const found = useData((signal) => get(`/api/personas/${segment(persona.id)}/sheet`, {}, signal), [persona.id, JSON.stringify(persona)]);
  return html`<h2>${t("people.self")}</h2><p class="help">${t("people.self.help")}</p>
    <${Loaded} of=${found}>${(list) => html`<dl class="facts">${list.map((one) => html`<dt>${one.label}</dt><dd>${one.value} ${one.private && html`<span class="badge">${t("people.self.private")}</span>`}</dd>`)}</dl>`}<//>`;
}

function Memory({ persona, may, universe }) {
  const path = `/api/personas/${segment(persona.id)}/memory`;
  const notes = useData((signal) => get(path, { threads: 1 }, signal), [persona.id], ["persona.memory", "persona.received", "persona.sent"]);
  const clear = async () => {
    if (await confirm(t("people.memory.clear.ask"))) attempt(() => remove(path)).then(notes.reload);
  };
  const add = async (values) => { await post(path, values); notes.reload(); };
  return html`<${Loaded} of=${notes}>${({ memory, threads, appointments }) => html`${Object.keys(memory).length + threads.length === 0 && html`<p class="empty">${t("people.memory.none")}</p>`}
    ${Object.entries(memory).map(([id, list]) => html`<h3>${id === "" ? t("people.memory.outside") : html`<a href=${link(universe, "cases", [id])}>${id}</a>`}</h3><ul class="notes">${list.map((one) => html`<li>${one}</li>`)}</ul>`)}
    ${appointments.length > 0 && html`<h2>${t("people.calendar")}</h2><${Table} caption=${t("people.calendar")} rows=${appointments} id=${(one) => one.start + one.what} columns=${[
    { title: t("people.calendar.start"), cell: (one) => html`<${Instant} at=${one.start} />` }, { title: t("people.calendar.end"), cell: (one) => html`<${Instant} at=${one.end} />` },
    { title: t("people.calendar.what"), cell: (one) => one.what }, { title: t("people.calendar.with"), cell: (one) => (one.with || []).join(", ") },
    { title: "", cell: (one) => one.thread && html`<a href=${link(universe, "mail", ["message", one.thread])}>${t("activity.open")}</a>` }]} />`}
    ${threads.length > 0 && html`<h2>${t("people.threads")}</h2>${threads.map((one) => html`<details class="part" key=${one.key} open=${threads.length < 4}><summary>${t("people.threads.since")} <${Instant} at=${one.remarks.length ? one.remarks[0].at : null} /></summary>
      <p><a href=${link(universe, "mail", ["message", one.key])}>${t("people.threads.open")}</a></p><ul class="notes">${one.remarks.map((remark) => html`<li><${Remark} of=${remark} name=${persona.name} /></li>`)}</ul></details>`)}`}`}<//>
    ${may && html`<h3>${t("people.memory.add")}</h3><${Form} onSubmit=${add} action=${t("add")} fields=${[
    { name: "text", label: t("people.memory.text"), kind: "textarea", rows: 2, required: true },
    { name: "case_id", label: t("people.memory.case") }, { name: "source", label: t("people.memory.source") }]} />
    <p><button type="button" onClick=${clear}>${t("people.memory.clear")}</button></p>`}`;
}

function Relations({ persona, may }) {
  const path = `/api/personas/${segment(persona.id)}/relations`;
  const found = useData((signal) => get(path, {}, signal), [persona.id], ["persona.received", "persona.sent"]);
  const forget = (address) => attempt(() => remove(path, { address })).then(found.reload);
  const bar = (value) => html`<meter min="0" max="1" value=${value} title=${value}>${value}</meter>`;
  return html`<${Loaded} of=${found}>${({ relations, stances }) => html`<${Table} caption=${t("people.tab.relations")} rows=${relations} id=${(one) => one.address}
    empty=${t("people.relations.none")} columns=${[
    { title: t("people.relations.who"), cell: (one) => one.name ? `${one.name} (${one.address})` : one.address },
    { title: t("people.relations.warmth"), cell: (one) => bar(one.warmth) }, { title: t("people.relations.trust"), cell: (one) => bar(one.trust) },
    { title: t("people.relations.patience"), cell: (one) => bar(one.patience) },
    { title: t("people.relations.last"), cell: (one) => one.last_contact && html`<${Instant} at=${one.last_contact} />` },
    { title: t("people.relations.promises"), cell: (one) => html`<ul>${one.open_promises.map((each) => html`<li>${each.by === "persona" ? persona.name : one.address}: ${each.what} <span class="help"><${Instant} at=${each.due} /></span></li>`)}</ul>` },
    { title: "", cell: (one) => may && html`<button type="button" class="quiet" onClick=${() => forget(one.address)}>${t("people.relations.forget")}</button>` }]} />
    ${stances.map((one) => html`<p>${one.text}</p>`)}`}<//>`;
}

function Preview({ persona }) {
  const [answer, setAnswer] = useState(null);
  const ask = async (values) => setAnswer(await post(`/api/personas/${segment(persona.id)}/preview`, values));
  return html`<p class="help">${t("people.preview.help")}</p><${Form} onSubmit=${ask} action=${t("people.preview.ask")} value=${{ from: "app@sim.test" }} fields=${[
    { name: "from", label: t("mail.from"), kind: "email", required: true }, { name: "subject", label: t("mail.subject"), keep: true },
    { name: "text", label: t("mail.body"), kind: "textarea", rows: 6, keep: true }]} />
    ${answer && html`<section aria-live="polite"><h3>${answer.decision} ${answer.due && html`<${Instant} at=${answer.due} />`}</h3>
      <ul class="notes">${answer.why.map((one) => html`<li><${Prose} of=${one} /></li>`)}</ul>
      ${answer.remarks.length > 0 && html`<h3>${t("people.preview.remarks")}</h3><ul class="notes">${answer.remarks.map((one) => html`<li><${Remark} of=${one} name=${persona.name} /></li>`)}</ul>`}</section>`}`;
}

function Person({ id, tab, universe, may }) {
  const persona = useData((signal) => get(`/api/personas/${segment(id)}`, {}, signal), [id], ["persona.updated"]);
  const temperaments = useData((signal) => get("/api/temperaments", {}, signal));
  const tabs = ["sheet", "memory", "relations", "jobs", "activity", ...(may ? ["preview", "edit"] : [])];
  const shown = tabs.includes(tab) ? tab : "sheet";
  const path = `/api/personas/${segment(id)}`;
  const drop = async (one) => {
    if (await confirm(t("people.delete.ask", { name: one.name })) && await attempt(() => remove(path))) go(link(universe, "people"));
  };
  return html`<${Loaded} of=${persona}>${(one) => html`<div class="bar"><h1>${one.name}</h1>
      <a class="button" href=${link(universe, "mail", [one.addresses[0], "INBOX"])}>${t("people.mailbox")}</a>
      ${may && one.provider !== "config" && html`<button type="button" aria-pressed=${!!one.paused} onClick=${() => attempt(() => patch(path, { paused: !one.paused })).then(persona.reload)}>
        ${one.paused ? t("people.resume") : t("people.pause")}</button>
      <button type="button" onClick=${() => drop(one)}>${t("delete")}</button>`}</div>
    <${Tabs} label=${one.name} names=${tabs} current=${shown} titles=${Object.fromEntries(tabs.map((name) => [name, t(`people.tab.${name}`)]))}
      onPick=${(name) => go(link(universe, "people", [id, name]))}>
      ${shown === "sheet" && html`<dl class="facts">${["provider", ...FIELDS.map(([name]) => name)].map((name) => [name, inside(one, name)])
    .filter(([, value]) => value !== undefined && value !== "" && !(Array.isArray(value) && !value.length))
    .map(([name, value]) => html`<dt>${t(`people.field.${name}`)}</dt><dd><${Value} of=${value} /></dd>`)}</dl><${Self} persona=${one} />`}
      ${shown === "memory" && html`<${Memory} persona=${one} may=${may} universe=${universe} />`}
      ${shown === "relations" && html`<${Relations} persona=${one} may=${may} />`}
      ${shown === "jobs" && html`<${JobTable} query=${{ persona_id: id }} may=${may} />`}
      ${shown === "activity" && html`<${Activity} universe=${universe} query=${{ persona_id: id }} quiet />`}
      ${shown === "preview" && html`<${Preview} persona=${one} />`}
      ${shown === "edit" && html`<${Loaded} of=${temperaments}>${(list) => html`<${Edit} persona=${one} temperaments=${list}
        onSave=${async (values) => { await patch(path, values); notice(t("saved")); persona.reload(); go(link(universe, "people", [id])); }} />`}<//>`}<//>`}<//>`;
}

export default function People({ route, role }) {
  const { universe, rest: [id, tab] } = route;
  const may = role !== "viewer";
  const people = useData((signal) => get("/api/personas", {}, signal), [], ["persona.created", "persona.updated", "persona.deleted"]);
  const temperaments = useData((signal) => get("/api/temperaments", {}, signal));
  const [filter, setFilter] = useState("");
  if (id === "new") {
    return html`<h1>${t("people.new")}</h1><${Loaded} of=${temperaments}>${(list) => html`<${Edit} temperaments=${list} onCancel=${() => go(link(universe, "people"))}
      onSave=${async (values) => { const made = await post("/api/personas", values); go(link(universe, "people", [made.id])); }} />`}<//>`;
  }
  if (id) return html`<${Person} key=${id} id=${id} tab=${tab} universe=${universe} may=${may} />`;
  const wanted = filter.toLowerCase();
  return html`<div class="bar"><h1>${t("nav.people")}</h1><input type="search" aria-label=${t("people.filter")} placeholder=${t("people.filter")} value=${filter} onInput=${(event) => setFilter(event.currentTarget.value)} />
    ${may && html`<a class="button main" href=${link(universe, "people", ["new"])}>${t("people.new")}</a>`}</div>
    <${Loaded} of=${people}>${(list) => html`<${Table} caption=${t("nav.people")} empty=${t("people.none")} href=${(one) => link(universe, "people", [one.id])}
      rows=${list.filter((one) => `${one.name} ${one.addresses.join(" ")} ${one.org || ""} ${one.role || ""}`.toLowerCase().includes(wanted))} columns=${[
    { title: t("people.field.name"), cell: (one) => one.name }, { title: t("people.field.addresses"), cell: (one) => one.addresses[0] },
    { title: t("people.field.role"), cell: (one) => [one.role, one.org].filter(Boolean).join(", ") },
    { title: t("people.field.temperament"), cell: (one) => html`${one.temperament} ${one.paused && html`<span class="badge">${t("people.paused")}</span>`}` },
    { title: t("people.field.timing.reply_rate"), number: true, cell: (one) => one.timing && one.timing.reply_rate },
    { title: t("people.field.provider"), cell: (one) => one.provider }]} />`}<//>`;
}
