// Fields of a record, as a form.  A refusal of the API names the field; it is shown above and at that field.

import { html, useRef, useState } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";
import { Rows, ofRows } from "./rows.js";

// A value that need not be text: text as it is, anything else as JSON.
const said = (value) => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));

// kinds: text, textarea, number, checkbox, select, list (one a line or between commas), rows (of other fields), any,
// json, password, email.  A name with a dot is in an object of that name.
const SHOW = { list: (value) => (value || []).join("\n"), json: (value) => (value === undefined ? "" : JSON.stringify(value, null, 2)), any: said };

export const inside = (object, name) => name.split(".").reduce((found, one) => found?.[one], object);

// Puts a value where a dotted name says, or takes it away if it is undefined; objects left empty go too.
function write(object, [name, ...rest], value) {
  if (!rest.length) {
    if (value === undefined) delete object[name]; else object[name] = value;
    return;
  }
  const inner = object[name] && typeof object[name] === "object" ? object[name] : {};
  write(inner, rest, value);
  if (Object.keys(inner).length) object[name] = inner; else delete object[name];
}

function taken(field, scope, before) {
  if (field.kind === "rows") {
    const rows = [...scope.querySelectorAll("[data-row]")].filter((one) => one.dataset.row === field.name).map((one) => gathered(field.of, one, one.before, "whole"));
    return rows.length || field.keep || before !== undefined ? ofRows(field, rows) : undefined;
  }
  const input = [...scope.querySelectorAll("[name]")].find((one) => one.name === field.name);
  if (field.kind === "checkbox") return input.checked;
  const text = input.value;
  if (text === "" && !field.keep) return undefined;
  if (field.kind === "number") return text === "" ? undefined : Number(text);
  if (field.kind === "list") return text.split(/[\n,]/).map((one) => one.trim()).filter(Boolean);
  if (field.kind === "any" && typeof before === "string") return text;
  if (field.kind === "json" || field.kind === "any") {
    try {
      return JSON.parse(text);
    } catch (error) {
      if (field.kind === "any") return text;
      throw new Error(`${field.name}: ${t("form.json")} (${error.message})`);
    }
  }
  return text;
}

// What stands in the fields.  Empty ones are left out.  Objects that some fields are in keep what no field shows.
// mode "patch": what was there and is empty now is null; "whole": what no field shows stays.
export function gathered(fields, scope, before = {}, mode = "") {
  const made = {};
  for (const [name, value] of Object.entries(before)) {
    if (mode === "whole" || fields.some((one) => one.name.startsWith(`${name}.`))) made[name] = structuredClone(value);
  }
  for (const field of fields) write(made, field.name.split("."), taken(field, scope, inside(before, field.name)));
  if (mode === "patch") {
    for (const field of fields) {
      const [name] = field.name.split(".");
      if (made[name] === undefined && before[name] !== undefined && before[name] !== null) made[name] = null;
    }
  }
  return made;
}

let forms = 0;

export function Field({ field, value, wrong, prefix }) {
  const id = `${prefix}${field.name}`;
  if (field.kind === "rows") return html`<${Rows} field=${field} value=${value} id=${id} />`;
  const shown = (SHOW[field.kind] || ((one) => one ?? ""))(value);
  const common = { id, name: field.name, required: field.required, "aria-invalid": wrong ? "true" : undefined,
    "aria-describedby": field.help ? `${id}-help` : undefined, placeholder: field.placeholder, autocomplete: field.autocomplete || "off" };
  let input;
  if (field.kind === "checkbox") {
    return html`<div class="field check"><input type="checkbox" ...${common} defaultChecked=${!!value} checked=${!!value} />
      <label for=${id}>${field.label}</label>${field.help && html`<p class="help" id="${id}-help">${field.help}</p>`}</div>`;
  }
  if (field.kind === "select") {
    input = html`<select ...${common}>${field.options.map((one) => {
      const [key, label] = Array.isArray(one) ? one : [one, one];
      return html`<option value=${key} selected=${String(value ?? "") === String(key)}>${label}</option>`;
    })}</select>`;
  } else if (["textarea", "list", "json"].includes(field.kind)) {
    input = html`<textarea ...${common} rows=${field.rows || (field.kind === "textarea" ? 6 : 3)} spellcheck=${field.kind === "textarea"}
      class=${field.kind === "json" ? "mono" : ""} defaultValue=${shown}></textarea>`;
  } else {
    input = html`<input ...${common} type=${field.kind && field.kind !== "any" ? field.kind : "text"} defaultValue=${shown} step="any" list=${field.choices ? `${id}-list` : undefined} />
      ${field.choices && html`<datalist id="${id}-list">${field.choices.map((one) => html`<option value=${one} />`)}</datalist>`}`;
  }
  return html`<div class="field ${field.wide ? "full" : ""}"><label for=${id}>${field.label}</label>${input}
    ${field.help && html`<p class="help" id="${id}-help">${field.help}</p>`}</div>`;
}

// onSubmit(values) may answer a promise; what it is refused with is shown.  mode: as gathered() takes it.
export function Form({ fields, value = {}, onSubmit, action = t("save"), onCancel, mode, children }) {
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const prefix = useRef("");
  if (!prefix.current) prefix.current = `f${forms += 1}-`;
  // The field that a refusal names.
  const about = (refused) => fields.find((one) => [":", " ", "."].some((end) => refused.message.startsWith(one.name + end)));
  const submit = async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    setBusy(true);
    setError(null);
    try {
      await onSubmit(gathered(fields, form, value, mode));
    } catch (failure) {
      setError(failure);
      const named = about(failure);
      if (named) document.getElementById(prefix.current + named.name)?.focus();
    }
    setBusy(false);
  };
  return html`<form class="form" onSubmit=${submit}>
    ${error && html`<p class="error" role="alert">${error.message}</p>`}
    <div class="fields">${fields.map((field) => html`<${Field} key=${field.name} field=${field} value=${inside(value, field.name)}
      wrong=${error && about(error) === field} prefix=${prefix.current} />`)}</div>
    ${children}
    <p class="actions"><button type="submit" class="main" disabled=${busy}>${action}</button>
      ${onCancel && html`<button type="button" onClick=${onCancel}>${t("cancel")}</button>`}</p></form>`;
}
