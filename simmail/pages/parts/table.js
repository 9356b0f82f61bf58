// A short list in columns.  columns: [{title, cell(row), number?}]; onOpen(row) or href(row) makes rows lead somewhere.

import { html } from "/assets/vendor/preact.js";

export function Table({ caption, columns, rows, id = (row) => row.id, href, empty, current }) {
  if (!rows.length) return html`<p class="empty">${empty}</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}><table>
    <caption class="hidden">${caption}</caption>
    <thead><tr>${columns.map((one) => html`<th scope="col" class=${one.number ? "number" : ""}>${one.title}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${id(row)} aria-current=${current !== undefined && id(row) === current ? "true" : undefined}>
      ${columns.map((one, at) => {
    const cell = one.cell(row);
    const inner = at === 0 && href ? html`<a href=${href(row)}>${cell}</a>` : cell;
    return html`<td class=${one.number ? "number" : ""}>${inner}</td>`;
  })}</tr>`)}</tbody></table></div>`;
}
