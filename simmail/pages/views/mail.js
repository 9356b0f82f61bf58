// Mail: mailboxes and folders, the list of one, and the message.
// Addresses: mail, mail/<address>/<folder>[/<uid>], mail/message/<Message-ID>.

import { html, useEffect, useState } from "/assets/vendor/preact.js";
import { get } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { go, link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Loaded } from "/assets/parts/state.js";
import { Boxes } from "/assets/parts/boxes.js";
import { Compose } from "/assets/parts/compose.js";
import { Listing } from "/assets/parts/listing.js";
import { Reading } from "/assets/parts/reading.js";

// Finds where a Message-ID lies: in a mailbox without a persona if it is in one.
function Finding({ universe, id }) {
  const found = useData((signal) => get("/api/search", { q: `message-id:${id}`, limit: 20 }, signal), [id]);
  useEffect(() => {
    const one = found.data && found.data[0];
    if (one) go(link(universe, "mail", [one.mailbox || one.address, one.folder, one.uid]), true);
  }, [found.data]);
  return html`<${Loaded} of=${found}>${(list) => html`<p class="empty">${list.length ? t("loading") : t("mail.gone")}</p>`}<//>`;
}

export default function Mail({ route, role }) {
  const { universe, rest: [address, folder, uid], query } = route;
  const [composing, setComposing] = useState(null);
  const boxes = useData((signal) => get("/api/mailboxes", {}, signal), [], ["mail.*", "persona.*", "world.mail", "mailbox.*"]);
  useEffect(() => {
    // Without a mailbox in the address: the first that somebody reads.
    if (!address && boxes.data && boxes.data.length) go(link(universe, "mail", [boxes.data[0].address, "INBOX"]), true);
  }, [address, boxes.data]);
  if (address === "message") return html`<div class="reading"><${Finding} universe=${universe} id=${folder} /></div>`;
  const compose = (about = {}) => setComposing({ from: address || "app@sim.test", ...about });
  return html`<h1 class="hidden">${t("nav.mail")}</h1><div class="mail ${uid ? "reads" : ""}">
    <section class="boxes" aria-label=${t("mail.boxes")}><${Loaded} of=${boxes}>${(list) => html`<${Boxes} list=${list} universe=${universe} address=${address} folder=${folder} />`}<//></section>
    <section class="listing" aria-label=${address ? t("mail.list", { folder, address }) : t("mail.boxes")}>${address
    ? html`<${Listing} key=${`${address}/${folder}`} universe=${universe} address=${address} folder=${folder || "INBOX"} uid=${Number(uid) || 0}
        q=${query.q || ""} role=${role} onCompose=${compose} />` : html`<p class="empty">${t("mail.folder.none")}</p>`}</section>
    <section class="reading" aria-label=${t("nav.mail")}>${uid
    ? html`<${Reading} key=${`${address}/${folder}/${uid}`} universe=${universe} address=${address} folder=${folder} uid=${uid} role=${role} onReply=${compose} />`
    : html`<p class="empty">${t("mail.message.none")}</p>`}</section></div>
    ${composing && html`<${Compose} about=${composing} boxes=${boxes.data || []} onClose=${() => setComposing(null)} />`}`;
}
