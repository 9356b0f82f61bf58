// One message: its heads, its text and HTML as a person would see them, its source.

import { html, useEffect, useState } from "/assets/vendor/preact.js";
import { address as addressed, get, patch, remove, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { go, link } from "/assets/app/route.js";
import { counted, t } from "/assets/texts/index.js";
import { confirm } from "./dialog.js";
import { attempt } from "./notice.js";
import { Loaded } from "./state.js";
import { Tabs } from "./tabs.js";
import { Instant } from "./time.js";

const SIZES = ["B", "KiB", "MiB"];
export function size(octets) {
  let n = octets;
  let unit = 0;
  while (n >= 1024 && unit < 2) { n /= 1024; unit += 1; }
  return `${n.toFixed(unit && n < 10 ? 1 : 0)} ${SIZES[unit]}`;
}

function Source({ path, part }) {
  const raw = useData((signal) => get(`${path}/raw`, {}, signal), [path]);
  return html`<${Loaded} of=${raw}>${(text) => html`<pre class="mono" tabindex="0">${part === "headers" ? text.split(/\r?\n\r?\n/, 1)[0] : text.slice(0, 500000)}</pre>`}<//>`;
}

// What an answer to a message begins with.
export function answering(message, own) {
  const to = message.from === own ? message.to : [message.from];
  const quoted = message.text.split("\n").map((line) => `> ${line}`).join("\n");
  return {
    from: own, to, subject: /^re:/i.test(message.subject) ? message.subject : `Re: ${message.subject}`,
    text: `\n\n${message.from_name || message.from}:\n${quoted}`, in_reply_to: message.message_id,
    references: [...message.references, message.message_id].filter(Boolean),
  };
}

export function Reading({ universe, address, folder, uid, role, onReply }) {
  const path = `/api/mailboxes/${segment(address)}/messages/${segment(folder)}/${uid}`;
  const [tab, setTab] = useState("");
  const [remote, setRemote] = useState(false);
  const found = useData((signal) => get(path, {}, signal), [path]);
  const may = role !== "viewer";
  useEffect(() => {
    if (may && found.data && !found.data.message.flags.includes("\\Seen")) patch(path, { seen: true }).catch(() => undefined);
  }, [found.data]);
  const back = link(universe, "mail", [address, folder]);
  const drop = async () => {
    if (await confirm(t("mail.delete.ask")) && await attempt(() => remove(path), t("mail.deleted"))) go(back);
  };
  useEffect(() => {
    const key = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
      if (event.key === "r" && found.data && may) onReply(answering(found.data.message, address));
      else if (event.key === "Escape") go(back);
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", key);
    return () => window.removeEventListener("keydown", key);
  });
  return html`<${Loaded} of=${found}>${({ message, safe, case: linked }) => {
    const names = [...(message.format === "text" ? [] : ["html"]), "text", "headers", "source"];
    const shown = tab || names[0];
    const theme = matchMedia("(prefers-color-scheme: dark)").matches ? undefined : "light";
    return html`<p class="back"><a href=${back}>${t("mail.back")}</a></p><h2>${message.subject || t("mail.subject.none")}</h2>
      <dl class="heads"><dt>${t("mail.from")}</dt><dd>${message.from_name} ${message.from && html`<span class="help">${message.from}</span>`}</dd>
        <dt>${t("mail.to")}</dt><dd>${message.to.join(", ")}</dd>
        ${message.cc.length > 0 && html`<dt>${t("mail.cc")}</dt><dd>${message.cc.join(", ")}</dd>`}
        <dt>${t("mail.date")}</dt><dd><${Instant} at=${message.date || message.time} long /> <span class="help">${size(message.size)}</span></dd></dl>
      ${linked && html`<p><a class="badge" href=${link(universe, "cases", [linked.id])}>${t("mail.case", linked)}</a></p>`}
      ${may && html`<p class="bar"><button type="button" class="main" onClick=${() => onReply(answering(message, address))}>${t("mail.reply")}</button>
        <button type="button" onClick=${() => attempt(() => patch(path, { seen: false })).then((well) => well && go(back))}>${t("mail.unread")}</button>
        <button type="button" onClick=${drop}>${t("mail.delete")}</button></p>`}
      ${message.attachments.length > 0 && html`<ul class="attachments" aria-label=${t("mail.attachments")}>${message.attachments.map((one, n) => html`<li>
        <a href=${addressed(`${path}/attachments/${n}`)} download=${one.filename}>${one.filename || one.content_type} <span class="help">${size(one.size)}</span></a></li>`)}</ul>`}
      <${Tabs} label=${t("mail.tabs")} names=${names} current=${shown} onPick=${setTab} titles=${Object.fromEntries(names.map((one) => [one, t(`mail.tab.${one}`)]))}>
        ${shown === "html" && html`${safe.remote_blocked > 0 && !remote && html`<p class="help">${counted("mail.remote", safe.remote_blocked)}
            <button type="button" class="quiet" onClick=${() => setRemote(true)}>${t("mail.remote.show")}</button></p>`}
          <iframe title=${t("mail.tab.html")} sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer"
            src=${addressed(`${path}/display`, { remote: remote ? 1 : undefined, theme })}></iframe>`}
        ${shown === "text" && html`<pre tabindex="0">${message.text}</pre>`}
        ${(shown === "headers" || shown === "source") && html`<${Source} path=${path} part=${shown} />`}<//>`;
  }}<//>`;
}
