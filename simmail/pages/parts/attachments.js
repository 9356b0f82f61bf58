// The attachments of a message: pictures small, all with their size, opened here where that is safe, else saved.

import { html, useState } from "/assets/vendor/preact.js";
import { address as addressed, get } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { t } from "/assets/texts/index.js";
import { Dialog } from "./dialog.js";
import { Loaded } from "./state.js";

const SIZES = ["B", "KiB", "MiB"];
export function size(octets) {
  let n = octets;
  let unit = 0;
  while (n >= 1024 && unit < 2) { n /= 1024; unit += 1; }
  return `${n.toFixed(unit && n < 10 ? 1 : 0)} ${SIZES[unit]}`;
}

// Octets of a text that is shown, and of a picture that is fetched without being asked for.
const MOST_TEXT = 500_000;
const MOST_PICTURE = 5 * 1024 * 1024;

const isPicture = ({ content_type }) => /^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(content_type);
const isText = ({ content_type }) => /^(text\/|message\/|application\/(json|xml|yaml))/.test(content_type);

function Text({ path }) {
  const found = useData((signal) => get(path, {}, signal), [path]);
  return html`<${Loaded} of=${found}>${(text) => html`<pre tabindex="0">${(typeof text === "string" ? text : JSON.stringify(text, null, 2)).slice(0, MOST_TEXT)}</pre>`}<//>`;
}

export function Attachments({ path, list }) {
  const [opened, setOpened] = useState(-1);
  const at = (n) => `${path}/attachments/${n}`;
  const named = (one) => one.filename || one.content_type;
  const one = list[opened];
  return html`<ul class="attachments" aria-label=${t("mail.attachments")}>${list.map((item, n) => {
    const about = html`<span>${named(item)}</span> <span class="help">${size(item.size)}</span>`;
    return html`<li>${isPicture(item) || isText(item)
      ? html`<button type="button" onClick=${() => setOpened(n)} aria-label=${t("mail.attachment.open", { name: named(item), size: size(item.size) })}>
          ${isPicture(item) && item.size <= MOST_PICTURE && html`<img src=${addressed(at(n))} alt="" loading="lazy" />`}${about}</button>`
      : html`<a class="button" href=${addressed(at(n))} download=${item.filename}>${about}</a>`}</li>`;
  })}</ul>
    ${one && html`<${Dialog} title=${named(one)} wide onClose=${() => setOpened(-1)}>
      <p class="bar"><a class="button" href=${addressed(at(opened))} download=${one.filename}>${t("mail.attachment.save")}</a>
        <span class="help">${one.content_type}, ${size(one.size)}</span></p>
      ${isPicture(one) ? html`<img class="whole" src=${addressed(at(opened))} alt=${named(one)} />` : html`<${Text} path=${at(opened)} />`}<//>`}`;
}
