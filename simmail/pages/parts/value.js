// Any value as a reader takes it in: facts by name, lists, instants, yes and no.

import { html } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";
import { Instant } from "./time.js";

const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:[\d:.]*\d(?:Z|[+-]\d\d:\d\d))/;
const empty = (value) => value === undefined || value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

// Text of the service, in which instants stand as it writes them.
export const Prose = ({ of }) => of.split(INSTANT).map((one, n) => (n % 2 ? html`<${Instant} at=${one} />` : one));

export function Value({ of }) {
  if (empty(of)) return "–";
  if (of === true) return t("yes");
  if (of === false) return t("no");
  if (typeof of === "string") return html`<span class="prose"><${Prose} of=${of} /></span>`;
  if (typeof of !== "object") return of.toLocaleString();
  if (!Array.isArray(of)) return html`<${Facts} of=${of} />`;
  if (of.every((one) => typeof one !== "object")) return of.join(", ");
  return html`<ul class="notes">${of.map((one) => html`<li><${Value} of=${one} /></li>`)}</ul>`;
}

// names: what each is called, in their order; without them all that is there, as it is named.
export function Facts({ of, names = Object.fromEntries(Object.keys(of).map((one) => [one, one.replaceAll("_", " ")])) }) {
  return html`<dl class="facts">${Object.entries(names).filter(([name]) => !empty(of[name])).map(([name, label]) => html`<dt>${label}</dt><dd><${Value} of=${of[name]} /></dd>`)}</dl>`;
}
