// Cases: what people and the application deal with.  Addresses: cases, cases/new, cases/<id>.

import { html } from "/assets/vendor/preact.js";
import { get, patch, post, remove, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { go, link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Activity } from "/assets/parts/activity.js";
import { confirm } from "/assets/parts/dialog.js";
import { Form } from "/assets/parts/form.js";
import { attempt, notice } from "/assets/parts/notice.js";
import { Loaded } from "/assets/parts/state.js";
import { Table } from "/assets/parts/table.js";
import { Instant } from "/assets/parts/time.js";
import { Value } from "/assets/parts/value.js";

const titled = (list) => list.map(([name, more = {}]) => ({ name, label: t(`cases.field.${name}`), ...more, ...(more.of ? { of: titled(more.of) } : {}) }));
const PAIRS = { kind: "rows", key: "name", only: "value", of: [["name", { required: true }], ["value", { kind: "any" }]] };
const KNOWS = ["", "some", "all", "little"];

const fields = (people) => titled([
  ["title", { required: true }], ["external_id"], ["kind"], ["status", { kind: "select", options: ["", "open", "waiting", "closed"] }],
  ["summary", { kind: "textarea", rows: 2 }], ["goal", { kind: "textarea", rows: 2 }], ["keys", { kind: "list" }], ["due", { placeholder: "2026-03-01T09:00:00Z" }],
  ["facts", PAIRS], ["secrets", PAIRS],
  ["people", { kind: "rows", help: t("cases.people.help"), of: [["persona_id", { kind: "select", options: [["", ""], ...people.map((one) => [one.id, one.name])] }], ["address", { kind: "email" }], ["role"],
    ["knows", { kind: "select", options: KNOWS }], ["wants"]] }],
  ["deliverables", { kind: "rows", of: [["name", { required: true }], ["persona_id", { kind: "select", options: [["", ""], ...people.map((one) => [one.id, one.name])] }], ["due", { placeholder: "2026-03-01T09:00:00Z" }], ["text"]] }],
  ["notes", { kind: "rows", of: [["text", { required: true }], ["source"]] }],
]);

function Case({ id, universe, may, people }) {
  const path = `/api/cases/${segment(id)}`;
  const found = useData((signal) => get(path, {}, signal), [id], ["case.updated"]);
  const threads = useData((signal) => get(`${path}/threads`, {}, signal), [id], ["persona.received", "persona.sent"]);
  const drop = async () => {
    if (await confirm(t("cases.delete.ask")) && await attempt(() => remove(path))) go(link(universe, "cases"));
  };
  return html`<${Loaded} of=${found}>${(one) => html`<div class="bar"><h1>${one.title || one.id}</h1>${one.status && html`<span class="badge">${one.status}</span>`}
    ${may && html`<button type="button" onClick=${drop}>${t("delete")}</button>`}</div>
    <div class="two"><section><h2>${t("cases.facts")}</h2>${may
    ? html`<${Form} key=${JSON.stringify(one)} value=${one} mode="patch" fields=${fields(people)} onSubmit=${async (values) => { await patch(path, values); notice(t("saved")); found.reload(); }} />`
    : html`<${Value} of=${one} />`}</section>
    <section><h2>${t("cases.threads")}</h2><${Loaded} of=${threads}>${(list) => html`<${Table} caption=${t("cases.threads")} rows=${list} id=${(row) => row.root} empty=${t("cases.threads.none")}
      href=${(row) => link(universe, "mail", ["message", row.root])} columns=${[{ title: t("mail.subject"), cell: (row) => row.subject },
    { title: t("cases.last"), cell: (row) => html`<${Instant} at=${row.last} />` }]} />`}<//>
      <h2>${t("nav.activity")}</h2><${Activity} universe=${universe} query=${{ case_id: id }} limit=${50} quiet /></section></div>`}<//>`;
}

export default function Cases({ route, role }) {
  const { universe, rest: [id] } = route;
  const may = role !== "viewer";
  const people = useData((signal) => get("/api/personas", {}, signal));
  const cases = useData((signal) => get("/api/cases", { limit: 500 }, signal), [], ["case.updated"]);
  if (id === "new") {
    return html`<h1>${t("cases.new")}</h1><${Loaded} of=${people}>${(list) => html`<${Form} fields=${fields(list)} onCancel=${() => go(link(universe, "cases"))}
      onSubmit=${async (values) => { const made = await post("/api/cases", values); go(link(universe, "cases", [made.case.id])); }} />`}<//>`;
  }
  if (id) return html`<${Loaded} of=${people}>${(list) => html`<${Case} key=${id} id=${id} universe=${universe} may=${may} people=${list} />`}<//>`;
  return html`<div class="bar"><h1>${t("nav.cases")}</h1>${may && html`<a class="button main" href=${link(universe, "cases", ["new"])}>${t("cases.new")}</a>`}</div>
    <${Loaded} of=${cases}>${(list) => html`<${Table} caption=${t("nav.cases")} rows=${list} empty=${t("cases.none")} href=${(one) => link(universe, "cases", [one.id])} columns=${[
    { title: t("cases.field.title"), cell: (one) => one.title || one.id }, { title: t("cases.field.kind"), cell: (one) => one.kind },
    { title: t("cases.field.status"), cell: (one) => one.status }, { title: t("cases.people"), number: true, cell: (one) => (one.people || []).length },
    { title: t("cases.field.external_id"), cell: (one) => one.external_id }]} />`}<//>`;
}
