// A list in columns, of a long one its first rows.  columns: [{title, cell(row), number?}]; href(row) makes rows lead
// somewhere.

import { html, useState } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";

const FIRST = 500;

export function Table({ caption, columns, rows, id = (row) => row.id, href, empty, current }) {
  const [shown, setShown] = useState(FIRST);
  if (!rows.length) return html`<p class="empty">${empty}</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}><table>
    <caption class="hidden">${caption}</caption>
    <thead><tr>${columns.map((one) => html`<th scope="col" class=${one.number ? "number" : ""}>${one.title}</th>`)}</tr></thead>
    <tbody>${rows.slice(0, shown).map((row) => html`<tr key=${id(row)} aria-current=${current !== undefined && id(row) === current ? "true" : undefined}>
      ${columns.map((one, at) => {
    const cell = one.cell(row);
    const inner = at === 0 && href ? html`<a href=${href(row)}>${cell}</a>` : cell;
    return html`<td class=${one.number ? "number" : ""}>${inner}</td>`;
  })}</tr>`)}</tbody></table>${rows.length > shown && html`<p><button type="button" onClick=${() => setShown(shown + FIRST)}>${t("more")}</button></p>`}</div>`;
}
