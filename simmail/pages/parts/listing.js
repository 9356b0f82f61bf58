// What is in the middle: the messages of a folder, the conversations of a mailbox, or what a search finds anywhere.
// place: {universe, mode, address, folder, uid, root, q}, from the address of the page.

import { html, useRef } from "/assets/vendor/preact.js";
import { remove, segment } from "/assets/app/api.js";
import { changed } from "/assets/app/live.js";
import { go, link } from "/assets/app/route.js";
import { counted, t } from "/assets/texts/index.js";
import { confirm } from "./dialog.js";
import { useKeys } from "./keys.js";
import { WindowedList } from "./list.js";
import { placeOf, useFollowing, useMessages } from "./maillists.js";
import { attempt } from "./notice.js";
import { Instant } from "./time.js";

const HEIGHT = 76;

// The page of a list, and of a message in it.
export function listLink({ universe, mode, address, folder, root, q }) {
  if (mode === "search") return link(universe, "mail", ["search"], { q });
  if (mode === "conversations") return link(universe, "mail", ["conversations", address, ...(root ? [root] : [])]);
  return link(universe, "mail", [address, folder], { q });
}
export function messageLink({ universe, mode, address, q, root }, one, more = {}) {
  if (mode === "search") return link(universe, "mail", ["search", one.address, one.folder, one.uid], { q, ...more });
  if (mode === "conversations") return link(universe, "mail", ["conversations", address, root, one.folder, one.uid], more);
  return link(universe, "mail", [address, one.folder, one.uid], { q, ...more });
}

const names = (messages) => [...new Set(messages.map((one) => one.from_name || one.from))].join(", ");

function Row({ href, seen, who, at, title, text, n }) {
  return html`<a role="gridcell" class="row ${seen ? "" : "unseen"}" tabindex="-1" href=${href}>
    <span class="from">${who}${n > 1 && html` <span class="help" title=${counted("mail.messages", n)}>${n}</span>`}</span><${Instant} at=${at} />
    <span class="subject">${title || t("mail.subject.none")}</span><span class="snippet">${text.slice(0, 120)}</span></a>`;
}

const isSeen = (one) => one.flags.includes("\\Seen");

// How each kind of list is loaded, drawn and opened.
const KINDS = {
  messages: {
    use: ({ address, folder, q }) => useMessages(`/api/mailboxes/${segment(address)}`, folder, q),
    chosen: ({ folder, uid }) => (uid ? placeOf({ folder, uid }) : undefined),
    href: messageLink,
    row: (one, { folder }) => ({ seen: isSeen(one), at: one.time, title: one.subject, text: one.text,
      who: folder === "Sent" || folder === "Drafts" ? one.to.join(", ") : one.from_name || one.from }),
  },
  conversations: {
    use: ({ address }) => useFollowing(`/api/mailboxes/${segment(address)}/threads`, {}, (one) => one.root),
    chosen: ({ root }) => root,
    href: (place, one) => listLink({ ...place, root: one.root }),
    row: (one) => ({ seen: one.messages.every(isSeen), at: one.last, title: one.subject, n: one.messages.length,
      text: one.messages.length ? one.messages.at(-1).text : "", who: names(one.messages) }),
  },
  search: {
    use: ({ q }) => useFollowing("/api/search", { q }, placeOf),
    chosen: ({ address, folder, uid }) => (uid ? placeOf({ address, folder, uid }) : undefined),
    href: messageLink,
    row: (one) => ({ seen: isSeen(one), at: one.time, title: one.subject, text: `${one.address} / ${one.folder}`, who: one.from_name || one.from }),
  },
};

export function Listing({ place, onCompose, onInject, onHelp }) {
  const { universe, mode, address, folder, q } = place;
  const { use, chosen, href, row } = KINDS[mode];
  const rows = use(place);
  const wanted = chosen(place);
  // Where the list was read: when a message has gone, the next one is there.
  const at = useRef(-1);
  const found = wanted === undefined ? -1 : rows.find(wanted);
  if (found >= 0) at.current = found;
  const open = (index) => { const one = rows.at(index); if (one) go(href(place, one)); };
  const next = () => open(found >= 0 ? Math.min(rows.count - 1, found + 1) : Math.max(0, Math.min(rows.count - 1, at.current)));
  const previous = () => open(Math.max(0, (found >= 0 ? found : at.current) - 1));
  useKeys({ j: next, k: previous, "/": () => document.getElementById("search").focus(), c: () => (onCompose ? onCompose() : false) });
  const arrows = (event) => {
    const act = { ArrowDown: next, ArrowUp: previous }[event.key];
    if (act) { act(); event.preventDefault(); }
  };
  const search = (event) => {
    event.preventDefault();
    const { q: words, scope } = event.currentTarget.elements;
    const everywhere = scope.value === "everywhere" || mode !== "messages";
    if (everywhere && !words.value.trim()) return;
    go(everywhere ? link(universe, "mail", ["search"], { q: words.value }) : link(universe, "mail", [address, folder], { q: words.value }));
  };
  // All of a folder, or what is found in it.
  const drop = async () => {
    if (await confirm(q ? t("mail.drop.found", { folder }) : counted("mail.drop", rows.count, { folder }))
      && await attempt(() => remove(`/api/mailboxes/${segment(address)}/messages`, { folder, q }), t("mail.deleted"))) { changed(); go(listLink(place)); }
  };
  const label = { messages: t("mail.list", { folder, address }), conversations: t("mail.conversations.list", { address }), search: t("mail.found", { q }) }[mode];
  return html`<div class="tools"><form role="search" onSubmit=${search}><input id="search" name="q" type="search" key=${q} defaultValue=${q}
      aria-label=${t("mail.search.label")} placeholder=${t("mail.search")} />
      <select name="scope" aria-label=${t("mail.scope")} key=${mode}>${mode === "messages" && html`<option value="folder">${t("mail.scope.folder")}</option>`}
        <option value="everywhere">${t("mail.scope.everywhere")}</option></select>
      <button type="button" class="quiet" aria-label=${t("mail.help")} title=${t("mail.help")} onClick=${onHelp}>?</button></form>
    ${address && mode !== "search" && html`<div class="switch" role="group" aria-label=${t("mail.order")}>
      <a href=${link(universe, "mail", [address, folder || "INBOX"])} aria-current=${mode === "messages" ? "true" : undefined}>${t("mail.order.messages")}</a>
      <a href=${link(universe, "mail", ["conversations", address])} aria-current=${mode === "conversations" ? "true" : undefined}>${t("mail.order.conversations")}</a></div>`}
    ${mode === "search" && html`<p class="help">${label}</p>`}
    ${onCompose && html`<button type="button" class="main" onClick=${() => onCompose()}>${t("mail.compose")}</button>`}</div>
    ${rows.loading && html`<p class="loading" role="status">${t("loading")}</p>`}
    ${!rows.loading && rows.count === 0 && html`<p class="empty">${q ? t("mail.none") : t("mail.empty")}</p>`}
    ${rows.count > 0 && html`<${WindowedList} rows=${rows} height=${HEIGHT} chosen=${wanted} label=${label} onKey=${arrows}
      row=${(index) => { const one = rows.at(index); return one ? html`<${Row} href=${href(place, one)} ...${row(one, place)} />` : html`<div class="row" role="gridcell" aria-busy="true"></div>`; }} />`}
    ${onInject && mode === "messages" && html`<div class="foot"><button type="button" class="quiet" onClick=${onInject}>${t("mail.inject")}</button>
      ${rows.count > 0 && html`<button type="button" class="quiet" onClick=${drop}>${q ? t("mail.drop.all.found") : t("mail.drop.all")}</button>`}</div>`}`;
}
