// What can be said of a message before anybody reads it, and what a client makes of its HTML.

import { html, useState } from "/assets/vendor/preact.js";
import { get, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { counted, t } from "/assets/texts/index.js";
import { Loaded } from "./state.js";
import { Table } from "./table.js";

// Where else the message lies, so that it is seen as it reached somebody.
const copies = (id, signal) => get("/api/search", { q: `message-id:${id}`, limit: 50 }, signal);

async function report(at, boxes, signal) {
  const box = boxes.find((one) => one.address === at.address);
  const [found, persona] = await Promise.all([
    get("/api/inspect", { address: at.address, folder: at.folder, uid: at.uid }, signal),
    box && box.persona_id ? get(`/api/personas/${segment(box.persona_id)}`, {}, signal).catch(() => null) : null,
  ]);
  return { found, name: persona ? persona.name : "", client: (persona && persona.style && persona.style.client) || "" };
}

const Findings = ({ rules }) => html`<${Table} caption=${t("inspect.rules")} rows=${rules} id=${(one) => one.rule} empty=${t("inspect.rules.none")} columns=${[
  { title: t("inspect.rule"), cell: (one) => html`<code>${one.rule}</code>` },
  { title: t("inspect.score"), number: true, cell: (one) => (one.score ? one.score.toFixed(1) : "") },
  { title: t("inspect.evidence"), cell: (one) => html`${one.description}<span class="why">${one.evidence}</span>` }]} />`;

function Seen({ found, name, client }) {
  return html`<h3>${client ? t("inspect.client", { name, client }) : t("inspect.clients")}</h3>
    <p><meter min="0" max="100" value=${found.html.score} aria-label=${t("inspect.html")}></meter> ${t("inspect.html.score", { score: Math.round(found.html.score) })}</p>
    ${found.html.warnings.length > 0 ? html`<ul class="notes">${found.html.warnings.map((one) => html`<li>${one}</li>`)}</ul>` : html`<p class="help">${t("inspect.html.good")}</p>`}`;
}

function Spam({ found }) {
  const { spam, auth, links, unsubscribe, rules, counts } = found;
  const failed = rules.filter((one) => one.outcome === "fail");
  return html`<p><strong class=${spam.score >= spam.threshold ? "badge bad" : "badge"}>${t("inspect.spam", { score: spam.score.toFixed(1), threshold: spam.threshold.toFixed(1) })}</strong>
      ${" "}${t("inspect.counts", counts)}</p>
    <p class="help">${Object.entries(found.by_filter).map(([name, action]) => `${name}: ${action}`).join(", ")}</p>
    <${Findings} rules=${failed} />
    <h3>${t("inspect.auth")}</h3><p>${["spf", "dkim", "dmarc"].map((one) => html`<span class=${auth[one] === "fail" ? "badge bad" : "badge"}>${one} ${auth[one]}</span> `)}</p>
    <ul class="notes">${auth.why.map((one) => html`<li>${one}</li>`)}</ul>
    <h3>${t("inspect.links")}</h3><${Table} caption=${t("inspect.links")} rows=${links.map((one, n) => ({ ...one, id: n }))} empty=${t("inspect.links.none")} columns=${[
    { title: t("inspect.link"), cell: (one) => html`<span class="mono">${one.url}</span>` }, { title: t("inspect.link.text"), cell: (one) => one.text },
    { title: t("inspect.link.state"), cell: (one) => (one.status ? `${one.status} ${one.why}` : one.why) }]} />
    <h3>${t("inspect.unsubscribe")}</h3><p>${unsubscribe.header ? html`<code>${unsubscribe.header}</code> ${unsubscribe.one_click && html`<span class="badge">${t("inspect.oneclick")}</span>`}` : t("inspect.unsubscribe.none")}</p>
    ${unsubscribe.errors.length > 0 && html`<ul class="notes">${unsubscribe.errors.map((one) => html`<li>${one}</li>`)}</ul>`}`;
}

export function Inspect({ place, message, boxes }) {
  const here = { address: place.address, folder: place.folder, uid: place.uid };
  const [chosen, setChosen] = useState(null);
  const others = useData((signal) => copies(message.message_id, signal), [message.message_id]);
  const read = (others.data || []).filter((one) => one.folder !== "Sent");
  const isPerson = (one) => boxes.some((box) => box.address === one.address && box.persona_id);
  // Of what was sent: as it came to the first person who got it.
  const at = chosen || (place.folder === "Sent" && (read.find(isPerson) || read[0])) || here;
  const key = `${at.address}/${at.folder}/${at.uid}`;
  const named = (address) => (boxes.find((one) => one.address === address) || {}).persona || address;
  const wait = place.folder === "Sent" && others.loading;
  const shown = useData((signal) => (wait ? new Promise(() => undefined) : report(at, boxes, signal)), [key, wait]);
  return html`${read.length > 1 && html`<p><label>${t("inspect.as")} <select value=${key} onChange=${(event) => setChosen(read[event.currentTarget.selectedIndex])}>
      ${read.map((one) => html`<option value=${`${one.address}/${one.folder}/${one.uid}`} selected=${one.address === at.address}>${named(one.address)}</option>`)}</select></label>
      <span class="help"> ${counted("inspect.copies", read.length)}</span></p>`}
    <${Loaded} of=${shown}>${(data) => html`<${Spam} found=${data.found} /><${Seen} ...${data} />`}<//>`;
}
