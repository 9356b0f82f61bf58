// A field that holds several of something, each a row of fields that can be added and taken away.

import { html, useState } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";
import { Field } from "./form.js";

// The rows of a value: a list of objects; with field.key an object, whose names are in that column; with field.only its
// values are that column alone.
function rowsOf({ key, only }, value) {
  if (!key) return value || [];
  return Object.entries(value || {}).map(([name, one]) => ({ ...(only ? { [only]: one } : one), [key]: name }));
}

export function ofRows({ key, only }, rows) {
  if (!key) return rows;
  return Object.fromEntries(rows.filter((one) => one[key] !== undefined).map(({ [key]: name, ...one }) => [name, only ? one[only] ?? "" : one]));
}

export function Rows({ field, value, id }) {
  const [rows, setRows] = useState(() => rowsOf(field, value).map((one, n) => [n, one]));
  const add = () => setRows((before) => [...before, [(before.length ? before[before.length - 1][0] : -1) + 1, field.fresh || {}]]);
  return html`<fieldset class="field full rows" id=${id} tabindex="-1"><legend>${field.label}</legend>${field.help && html`<p class="help">${field.help}</p>`}
    ${rows.map(([n, one]) => html`<div class="row-of" key=${n} data-row=${field.name} ref=${(element) => { if (element) element.before = one; }}>
      ${field.of.map((each) => html`<${Field} key=${each.name} field=${each} value=${one[each.name]} prefix="${id}-${n}-" />`)}
      <button type="button" class="quiet" onClick=${() => setRows(rows.filter(([other]) => other !== n))}>${t("form.remove")}</button></div>`)}
    <p><button type="button" onClick=${add}>${field.add || t("add")}</button></p></fieldset>`;
}
