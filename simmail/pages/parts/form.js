// Fields of a record, as a form.  A refusal of the API names the field; it is shown above and at that field.

import { html, useState } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";

// kinds: text, textarea, number, checkbox, select, list (one a line or between commas), json, password, email
const SHOW = { list: (value) => (value || []).join("\n"), json: (value) => (value === undefined ? "" : JSON.stringify(value, null, 2)) };

function taken(field, input) {
  if (field.kind === "checkbox") return input.checked;
  const text = input.value;
  if (field.kind === "number") return text === "" ? undefined : Number(text);
  if (field.kind === "list") return text.split(/[\n,]/).map((one) => one.trim()).filter(Boolean);
  if (field.kind === "json") {
    if (!text.trim()) return undefined;
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Error(`${field.name}: ${t("form.json")} (${error.message})`);
    }
  }
  return text === "" && !field.keep ? undefined : text;
}

export function Field({ field, value, wrong }) {
  const id = `f-${field.name}`;
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
  } else if (field.kind === "textarea" || field.kind === "list" || field.kind === "json") {
    input = html`<textarea ...${common} rows=${field.rows || (field.kind === "textarea" ? 6 : 3)} spellcheck=${field.kind === "textarea"}
      class=${field.kind === "json" ? "mono" : ""} defaultValue=${shown}></textarea>`;
  } else {
    input = html`<input ...${common} type=${field.kind || "text"} defaultValue=${shown} step="any" list=${field.choices ? `${id}-list` : undefined} />
      ${field.choices && html`<datalist id="${id}-list">${field.choices.map((one) => html`<option value=${one} />`)}</datalist>`}`;
  }
  return html`<div class="field ${field.wide ? "full" : ""}"><label for=${id}>${field.label}</label>${input}
    ${field.help && html`<p class="help" id="${id}-help">${field.help}</p>`}</div>`;
}

// onSubmit(values) may answer a promise; what it is refused with is shown.
export function Form({ fields, value = {}, onSubmit, action = t("save"), onCancel, children }) {
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    setBusy(true);
    setError(null);
    try {
      const values = {};
      for (const field of fields) {
        const one = taken(field, form.elements[field.name]);
        if (one !== undefined) values[field.name] = one;
      }
      await onSubmit(values);
    } catch (failure) {
      setError(failure);
      const named = fields.find((one) => failure.message.startsWith(`${one.name}:`) || failure.message.startsWith(`${one.name} `));
      if (named) form.elements[named.name].focus();
    }
    setBusy(false);
  };
  return html`<form class="form" onSubmit=${submit}>
    ${error && html`<p class="error" role="alert">${error.message}</p>`}
    <div class="fields">${fields.map((field) => html`<${Field} key=${field.name} field=${field} value=${value[field.name]}
      wrong=${error && error.message.startsWith(field.name)} />`)}</div>
    ${children}
    <p class="actions"><button type="submit" class="main" disabled=${busy}>${action}</button>
      ${onCancel && html`<button type="button" onClick=${onCancel}>${t("cancel")}</button>`}</p></form>`;
}
