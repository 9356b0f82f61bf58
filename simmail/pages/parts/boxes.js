// Mailboxes with their folders: the application's first, then people's.

import { html, useState } from "/assets/vendor/preact.js";
import { get, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";

// Mailboxes drawn at once; more are found by typing.
const MOST = 300;

function Folders({ universe, address, folder }) {
  const folders = useData((signal) => get(`/api/mailboxes/${segment(address)}/folders`, {}, signal), [address], ["mail.*", "persona.*", "world.mail", "changed"]);
  return html`<ul class="folders" aria-label=${t("mail.folders", { address })}>${(folders.data || []).map((one) => html`<li key=${one.name}>
    <a href=${link(universe, "mail", [address, one.name])} aria-current=${one.name === folder ? "page" : undefined}>
    <span>${one.name}</span><span class="n">${one.unread ? `${one.unread} / ` : ""}${one.total || ""}</span></a></li>`)}</ul>`;
}

export function Boxes({ list, universe, address, folder }) {
  const [filter, setFilter] = useState("");
  const wanted = filter.toLowerCase();
  const found = wanted ? list.filter((one) => `${one.address} ${one.persona || ""} ${one.display_name || ""}`.toLowerCase().includes(wanted)) : list;
  const drawn = found.slice(0, MOST);
  if (!drawn.some((one) => one.address === address)) drawn.push(...list.filter((one) => one.address === address));
  const group = (items) => html`<ul>${items.map((one) => html`<li key=${one.address}>
    <a href=${link(universe, "mail", [one.address, "INBOX"])} aria-current=${one.address === address && !folder ? "page" : undefined}
      title=${one.address}><span>${one.persona || one.display_name || one.address}</span>${one.unread > 0 && html`<span class="n">${one.unread}</span>`}</a>
    ${one.address === address && html`<${Folders} universe=${universe} address=${address} folder=${folder} />`}</li>`)}</ul>`;
  const people = drawn.filter((one) => one.persona_id);
  return html`<input type="search" aria-label=${t("mail.filter")} placeholder=${t("mail.filter")} value=${filter} onInput=${(event) => setFilter(event.currentTarget.value)} />
    ${group(drawn.filter((one) => !one.persona_id))}${people.length > 0 && html`<h3>${t("mail.people")}</h3>${group(people)}`}
    ${found.length > MOST && html`<p class="help">${t("mail.boxes.more", { n: (found.length - MOST).toLocaleString() })}</p>`}`;
}
