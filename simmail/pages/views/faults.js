// Faults: rules in order, moved by keys or by dragging, and the library of scenarios.

import { html, useState } from "/assets/vendor/preact.js";
import { get, post, put, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { t } from "/assets/texts/index.js";
import { Dialog } from "/assets/parts/dialog.js";
import { Form } from "/assets/parts/form.js";
import { attempt } from "/assets/parts/notice.js";
import { Loaded } from "/assets/parts/state.js";

const field = (name, more = {}) => ({ name, label: t(`faults.field.${name}`), ...more });

function Edit({ rule, kinds, onSave, onClose }) {
  const stages = [...new Set(kinds.flatMap((one) => one.stages))];
  const fields = [
    field("name", { required: true }), field("kind", { kind: "select", options: kinds.map((one) => [one.kind, `${one.kind} (${one.stages.join(", ")})`]) }), field("stage", { kind: "select", options: ["", ...stages] }),
    field("match", { help: t("faults.match.help") }), field("rate", { kind: "number" }), field("code", { kind: "number" }), field("enhanced"),
    field("message", { kind: "textarea", rows: 3 }), ...["delay_ms", "bytes_per_second", "limit"].map((one) => field(one, { kind: "number" })), field("interval", { placeholder: "1h" }),
    ...["first", "every", "times"].map((one) => field(one, { kind: "number" })),
    field("window.days", { placeholder: "mon-fri" }), field("window.from", { placeholder: "09:00" }), field("window.to", { placeholder: "17:00" }), field("window.tz", { placeholder: "Europe/Berlin" }),
    field("enabled", { kind: "checkbox" }),
  ];
  return html`<${Dialog} title=${rule.name || t("faults.new")} wide onClose=${onClose}>
    <${Form} fields=${fields} value=${rule} mode="whole" onCancel=${onClose} onSubmit=${onSave} /><//>`;
}

export default function Faults({ role }) {
  const may = role === "admin";
  const rules = useData((signal) => get("/api/faults", {}, signal), [], ["faults.updated", "fault.*"]);
  const kinds = useData((signal) => get("/api/faults/kinds", {}, signal));
  const scenarios = useData((signal) => get("/api/faults/scenarios", {}, signal));
  const [editing, setEditing] = useState(null);
  const [dragged, setDragged] = useState(null);
  const [filter, setFilter] = useState("");
  const fits = (one) => [one.name, one.provider, one.description, one.rule.kind, one.rule.stage, one.rule.code, one.rule.message].join(" ").toLowerCase().includes(filter.toLowerCase());
  const bare = (list) => list.map(({ hits, ...rule }) => rule);
  const save = (list) => attempt(() => put("/api/faults", bare(list))).then(rules.reload);
  const move = (list, from, to) => {
    if (to < 0 || to >= list.length || from === to) return;
    const next = [...list];
    next.splice(to, 0, ...next.splice(from, 1));
    save(next);
  };
  return html`<div class="bar"><h1>${t("nav.faults")}</h1>${may && html`<button type="button" class="main" onClick=${() => setEditing({ at: -1, rule: { kind: "defer", stage: "rcpt", rate: 1, enabled: true } })}>${t("faults.new")}</button>`}</div>
    <p class="help">${t("faults.order")}</p>
    <${Loaded} of=${rules}>${(list) => (list.length === 0 ? html`<p class="empty">${t("faults.none")}</p>` : html`<ol class="rules">${list.map((rule, at) => html`
      <li key=${`${at}${rule.name}`} draggable=${may} onDragStart=${() => setDragged(at)} onDragOver=${(event) => event.preventDefault()} onDrop=${() => move(list, dragged, at)}>
        <span class="n">${at + 1}</span><span><strong>${rule.name || rule.kind}</strong> <span class="help">${rule.kind} ${rule.stage} ${rule.match || t("faults.everybody")} ${rule.rate < 1 ? `${Math.round(rule.rate * 100)} %` : ""}
          ${rule.code ? `${rule.code} ${rule.enhanced || ""}` : ""}</span></span>
        <span class="badge">${rule.hits ?? 0} ${t("faults.hits")}</span>
        ${may && html`<span class="bar tight"><label class="field check"><input type="checkbox" checked=${rule.enabled !== false} onChange=${(event) => save(list.map((one, n) => (n === at ? { ...one, enabled: event.currentTarget.checked } : one)))} /> ${t("faults.field.enabled")}</label>
          <button type="button" disabled=${at === 0} aria-label="${t("faults.up")}: ${rule.name}" onClick=${() => move(list, at, at - 1)}>↑</button>
          <button type="button" disabled=${at === list.length - 1} aria-label="${t("faults.down")}: ${rule.name}" onClick=${() => move(list, at, at + 1)}>↓</button>
          <button type="button" onClick=${() => setEditing({ at, rule })}>${t("edit")}</button>
          <button type="button" onClick=${() => save(list.filter((_, n) => n !== at))}>${t("delete")}</button></span>`}</li>`)}</ol>`)}<//>
    <div class="bar"><h2>${t("faults.library")}</h2><input type="search" aria-label=${t("faults.filter")} placeholder=${t("faults.filter")} value=${filter} onInput=${(event) => setFilter(event.currentTarget.value)} /></div>
    <${Loaded} of=${scenarios}>${(list) => html`<p class="help" role="status">${t("faults.found", { n: list.filter(fits).length, of: list.length })}</p><ul class="cards">${list.filter(fits).map((one) => html`<li key=${one.id}><h3>${one.name}</h3>
      <p>${one.description}</p><p class="help">${one.rule.kind}, ${one.rule.stage}: ${one.rule.code} ${one.rule.enhanced} ${(one.rule.message || "").replaceAll("\n", " ")}</p>
      ${may && html`<button type="button" aria-label="${t("faults.add")}: ${one.name}" onClick=${() => attempt(() => post(`/api/faults/scenarios/${segment(one.id)}`), t("faults.added", { name: one.name })).then(rules.reload)}>${t("faults.add")}</button>`}</li>`)}</ul>`}<//>
    ${editing && kinds.data && html`<${Edit} rule=${editing.rule} kinds=${kinds.data} onClose=${() => setEditing(null)} onSave=${async (rule) => {
    const list = [...rules.data];
    if (editing.at < 0) list.push(rule); else list[editing.at] = rule;
    await put("/api/faults", bare(list));
    setEditing(null);
    rules.reload();
  }} />`}`;
}
