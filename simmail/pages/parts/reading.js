// One message: its heads, its text and HTML as a person would see them, its story, what can be said of it, its source.

import { html, useEffect, useState } from "/assets/vendor/preact.js";
import { address as addressed, get, patch, remove, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { changed } from "/assets/app/live.js";
import { go, link } from "/assets/app/route.js";
import { counted, t } from "/assets/texts/index.js";
import { Attachments, size } from "./attachments.js";
import { confirm } from "./dialog.js";
import { answering, forwarding } from "./draft.js";
import { Inspect } from "./inspect.js";
import { useKeys } from "./keys.js";
import { messageLink } from "./listing.js";
import { attempt } from "./notice.js";
import { Loaded } from "./state.js";
import { Tabs } from "./tabs.js";
import { Instant } from "./time.js";
import { Why } from "./why.js";

function Source({ path, part }) {
  const raw = useData((signal) => get(`${path}/raw`, {}, signal), [path]);
  return html`<${Loaded} of=${raw}>${(text) => html`<pre class="mono" tabindex="0">${part === "headers" ? text.split(/\r?\n\r?\n/, 1)[0] : text.slice(0, 500000)}</pre>`}<//>`;
}

function Page({ path, blocked }) {
  const [remote, setRemote] = useState(false);
  const theme = matchMedia("(prefers-color-scheme: dark)").matches ? undefined : "light";
  return html`${blocked > 0 && !remote && html`<p class="help">${counted("mail.remote", blocked)}
      <button type="button" class="quiet" onClick=${() => setRemote(true)}>${t("mail.remote.show")}</button></p>`}
    <iframe title=${t("mail.tab.html")} sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer"
      src=${addressed(`${path}/display`, { remote: remote ? 1 : undefined, theme })}></iframe>`;
}

// Another folder for the message.
function Move({ address, folder, onMove }) {
  const folders = useData((signal) => get(`/api/mailboxes/${segment(address)}/folders`, {}, signal), [address]);
  const submit = (event) => { event.preventDefault(); onMove(event.currentTarget.elements.to.value); };
  const others = (folders.data || []).filter((one) => one.name !== folder);
  return html`<form class="bar tight" onSubmit=${submit}><select name="to" aria-label=${t("mail.move.to")}>${others.map((one) => html`<option value=${one.name}>${one.name}</option>`)}</select>
    <button type="submit">${t("mail.move")}</button></form>`;
}

// back: where one goes when the message has gone; within: a conversation says what it is about.
export function Reading({ place, boxes, may, onCompose, back, within = false }) {
  const { universe, address, folder, uid, tab } = place;
  const path = `/api/mailboxes/${segment(address)}/messages/${segment(folder)}/${uid}`;
  const found = useData((signal) => get(path, {}, signal), [path]);
  const message = found.data && found.data.message;
  const change = async (fields, said) => {
    const well = await attempt(() => patch(path, fields), said);
    if (well) changed();
    return well;
  };
  useEffect(() => {
    if (may && message && !message.flags.includes("\\Seen")) patch(path, { seen: true }).then(changed, () => undefined);
  }, [message]);
  const leave = (well) => well && go(back);
  const move = (to) => change({ move_to: to }, t("mail.moved", { to })).then(leave);
  const unread = () => change({ seen: false }, t("mail.unread.done")).then(leave);
  const drop = async () => {
    if (await confirm(t("mail.delete.ask")) && await attempt(() => remove(path), t("mail.deleted"))) { changed(); go(back); }
  };
  const acts = {
    r: () => onCompose(answering(message, address)), a: () => onCompose(answering(message, address, true)),
    f: () => onCompose(forwarding(message, { address, folder, uid })), e: () => move("Archive"), u: unread, "#": drop,
  };
  const may_act = Object.fromEntries(Object.entries(acts).map(([key, act]) => [key, () => (message && may ? void act() : false)]));
  useKeys({ ...may_act, Escape: () => go(back) });
  const button = (key, text, main) => html`<button type="button" class=${main ? "main" : ""} title=${t("mail.by", { key })} aria-keyshortcuts=${key} onClick=${acts[key]}>${text}</button>`;
  return html`<${Loaded} of=${found}>${({ safe, case: linked }) => {
    const names = [...(message.format === "text" ? [] : ["html"]), "text", "why", "inspect", "headers", "source"];
    const shown = names.includes(tab) ? tab : names[0];
    const others = answering(message, address, true).cc;
    return html`${!within && html`<p class="back"><a href=${back}>${t("mail.back")}</a></p><h2>${message.subject || t("mail.subject.none")}</h2>`}
      <dl class="heads"><dt>${t("mail.from")}</dt><dd>${message.from_name} ${message.from && html`<span class="help">${message.from}</span>`}</dd>
        <dt>${t("mail.to")}</dt><dd>${message.to.join(", ")}</dd>
        ${message.cc.length > 0 && html`<dt>${t("mail.cc")}</dt><dd>${message.cc.join(", ")}</dd>`}
        <dt>${t("mail.date")}</dt><dd><${Instant} at=${message.date || message.time} long /> <span class="help">${size(message.size)}</span></dd></dl>
      ${linked && html`<p><a class="badge" href=${link(universe, "cases", [linked.id])}>${t("mail.case", linked)}</a></p>`}
      ${may && html`<div class="bar">${button("r", t("mail.reply"), true)}${others.length > 0 && button("a", t("mail.reply.all"))}${button("f", t("mail.forward"))}
        ${folder !== "Archive" && button("e", t("mail.archive"))}${button("u", t("mail.unread"))}${button("#", t("mail.delete"))}
        <${Move} address=${address} folder=${folder} onMove=${move} /></div>`}
      ${message.attachments.length > 0 && html`<${Attachments} path=${path} list=${message.attachments} />`}
      <${Tabs} label=${t("mail.tabs")} names=${names} current=${shown} onPick=${(name) => go(messageLink(place, { address, folder, uid }, { tab: name }), true)}
        titles=${Object.fromEntries(names.map((one) => [one, t(`mail.tab.${one}`)]))}>
        ${shown === "html" && html`<${Page} path=${path} blocked=${safe.remote_blocked} />`}
        ${shown === "text" && html`<pre tabindex="0">${message.text}</pre>`}
        ${shown === "why" && html`<${Why} universe=${universe} message=${message} boxes=${boxes} />`}
        ${shown === "inspect" && html`<${Inspect} place=${place} message=${message} boxes=${boxes} />`}
        ${(shown === "headers" || shown === "source") && html`<${Source} path=${path} part=${shown} />`}<//>`;
  }}<//>`;
}
