// Mail: mailboxes and folders, a list, and the message.
// Addresses: mail, mail/<address>/<folder>[/<uid>], mail/conversations/<address>[/<root>[/<folder>/<uid>]],
// mail/search[/<address>/<folder>/<uid>]?q=, mail/message/<Message-ID>; ?tab= is what is looked at of a message.

import { html, useEffect, useState } from "/assets/vendor/preact.js";
import { get } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { go, link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Loaded } from "/assets/parts/state.js";
import { Boxes } from "/assets/parts/boxes.js";
import { Compose } from "/assets/parts/compose.js";
import { Conversation } from "/assets/parts/conversation.js";
import { Inject } from "/assets/parts/inject.js";
import { Help, useKeys } from "/assets/parts/keys.js";
import { Listing, listLink } from "/assets/parts/listing.js";
import { Reading } from "/assets/parts/reading.js";

// Finds where a Message-ID lies: in a mailbox without a persona if it is in one.
function Finding({ universe, id, boxes }) {
  const found = useData((signal) => get("/api/search", { q: `message-id:${id}`, limit: 20 }, signal), [id]);
  useEffect(() => {
    if (!found.data || !boxes) return;
    const own = new Set(boxes.filter((one) => !one.persona_id).map((one) => one.address));
    const one = found.data.find(({ address }) => own.has(address)) || found.data[0];
    if (one) go(link(universe, "mail", [one.address, one.folder, one.uid]), true);
  }, [found.data, boxes]);
  return html`<${Loaded} of=${found}>${(list) => html`<p class="empty">${list.length ? t("loading") : t("mail.gone")}</p>`}<//>`;
}

// Where the page is, as lists and messages take it.
function placeOf({ universe, rest, query }) {
  const common = { universe, q: query.q || "", tab: query.tab || "" };
  if (rest[0] === "search") return { ...common, mode: "search", address: rest[1], folder: rest[2], uid: Number(rest[3]) || 0 };
  if (rest[0] === "conversations") return { ...common, mode: "conversations", address: rest[1], root: rest[2], folder: rest[3], uid: Number(rest[4]) || 0 };
  return { ...common, mode: "messages", address: rest[0], folder: rest[1] || "INBOX", uid: Number(rest[2]) || 0 };
}

export default function Mail({ route, role }) {
  const { universe } = route;
  const place = placeOf(route);
  const { mode, address, folder, uid, root, q } = place;
  const [composing, setComposing] = useState(null);
  const [injecting, setInjecting] = useState(false);
  const [helping, setHelping] = useState(false);
  const boxes = useData((signal) => get("/api/mailboxes", {}, signal), [], ["mail.*", "persona.*", "world.mail", "changed"]);
  useEffect(() => {
    // Without a mailbox in the address: the first that somebody reads.
    if (!address && mode === "messages" && boxes.data && boxes.data.length) go(link(universe, "mail", [boxes.data[0].address, "INBOX"]), true);
  }, [address, mode, boxes.data]);
  useKeys({ "?": () => setHelping(true) });
  if (address === "message") return html`<div class="reading"><${Finding} universe=${universe} id=${folder} boxes=${boxes.data} /></div>`;
  const may = role !== "viewer";
  const own = mode === "search" ? undefined : address;
  const compose = (about = {}) => setComposing({ from: own || (boxes.data && boxes.data.length ? boxes.data[0].address : ""), ...about });
  const reads = uid || root;
  let reading = html`<p class="empty">${t("mail.message.none")}</p>`;
  if (root) reading = html`<${Conversation} key=${root} place=${place} boxes=${boxes.data || []} may=${may} onCompose=${compose} />`;
  else if (uid) reading = html`<${Reading} key=${`${address}/${folder}/${uid}`} place=${place} boxes=${boxes.data || []} may=${may} onCompose=${compose} back=${listLink(place)} />`;
  return html`<h1 class="hidden">${t("nav.mail")}</h1><div class="mail ${reads ? "reads" : ""}">
    <section class="boxes" aria-label=${t("mail.boxes")}><${Loaded} of=${boxes}>${(list) => html`<${Boxes} list=${list} universe=${universe} address=${own} folder=${folder} />`}<//></section>
    <section class="listing" aria-label=${t("mail.listing")}>${address || mode === "search"
    ? html`<${Listing} key=${`${mode}/${own}/${mode === "messages" ? folder : ""}/${q}`} place=${place} onCompose=${may ? compose : null} onInject=${may && (() => setInjecting(true))} onHelp=${() => setHelping(true)} />`
    : html`<p class="empty">${t("mail.folder.none")}</p>`}</section>
    <section class="reading" aria-label=${t("mail.reading")}>${reading}</section></div>
    ${composing && html`<${Compose} about=${composing} boxes=${boxes.data || []} onClose=${() => setComposing(null)} />`}
    ${injecting && html`<${Inject} to=${address} folder=${folder} onClose=${() => setInjecting(false)} />`}
    ${helping && html`<${Help} onClose=${() => setHelping(false)} />`}`;
}
