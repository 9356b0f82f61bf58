// A conversation: its messages in their order, one of them open.

import { html } from "/assets/vendor/preact.js";
import { get, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { counted, t } from "/assets/texts/index.js";
import { listLink, messageLink } from "./listing.js";
import { Reading } from "./reading.js";
import { Loaded } from "./state.js";
import { Instant } from "./time.js";

export function Conversation({ place, boxes, may, onCompose }) {
  const { address, root } = place;
  const back = listLink({ ...place, root: undefined });
  const found = useData((signal) => get(`/api/mailboxes/${segment(address)}/threads`, { root }, signal), [address, root],
    ["mail.*", "persona.*", "world.mail", "changed"]);
  return html`<${Loaded} of=${found}>${([whole]) => {
    if (!whole) return html`<p class="empty">${t("mail.gone")}</p>`;
    const { messages } = whole;
    const open = messages.find((one) => one.folder === place.folder && one.uid === place.uid) || messages.at(-1);
    return html`<p class="back"><a href=${back}>${t("mail.back")}</a></p>
      <h2>${whole.subject || t("mail.subject.none")} <span class="help">${counted("mail.messages", messages.length)}</span></h2>
      <ol class="conversation">${messages.map((one) => html`<li key=${`${one.folder}/${one.uid}`}>
        <a class="row ${one.flags.includes("\\Seen") ? "" : "unseen"}" href=${messageLink(place, one)} aria-current=${one === open ? "true" : undefined}>
          <span class="from">${one.from_name || one.from} <span class="help">${one.folder}</span></span><${Instant} at=${one.time} />
          ${one !== open && html`<span class="snippet">${one.text.slice(0, 160)}</span>`}</a>
        ${one === open && html`<${Reading} key=${`${one.folder}/${one.uid}`} place=${{ ...place, folder: one.folder, uid: one.uid }}
          boxes=${boxes} may=${may} onCompose=${onCompose} back=${back} within />`}</li>`)}</ol>`;
  }}<//>`;
}
