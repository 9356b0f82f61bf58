// Why a message was answered, or was not: what the log tells of it, person by person, and what is planned.

import { html } from "/assets/vendor/preact.js";
import { get, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Loaded } from "./state.js";
import { Instant } from "./time.js";
import { Prose } from "./value.js";

// Jobs whose state is asked for.
const MOST_JOBS = 50;

// Everything that tells of a message, and the jobs that are spoken of, by id.
async function story(id, signal) {
  const events = await get("/api/events", { message_id: id, order: "asc", limit: 1000 }, signal);
  const ids = new Set(events.map(({ type, data }) => ({ "job.scheduled": data.id, "persona.batched": data.job_id })[type]).filter(Boolean));
  const asked = [...ids].slice(0, MOST_JOBS).map((one) => get(`/api/jobs/${segment(one)}`, {}, signal).catch((error) => {
    // What was done long ago is pruned.
    if (error.status !== 404) throw error;
    return null;
  }));
  const jobs = Object.fromEntries((await Promise.all(asked)).filter(Boolean).map((one) => [one.id, one]));
  return { events, jobs };
}

const mailLink = (universe, id, text) => html`<a href=${link(universe, "mail", ["message", id])}>${text}</a>`;

function job(one, plan) {
  if (!one) return plan;
  const state = { pending: t("why.job.pending"), running: t("why.job.running"), done: t("why.job.done"), skipped: t("why.job.skipped"), failed: t("why.job.failed") }[one.state];
  return html`${one.plan || plan} <span class="badge ${one.state === "failed" ? "bad" : ""}">${state}</span>
    ${one.state === "pending" && html` ${t("why.due")} <${Instant} at=${one.due} long />`}${one.note && html` <span class="why">${one.note}</span>`}`;
}

// One event as a sentence; own: the Message-ID that is asked about.
function Told({ event: { type, data }, own, universe, jobs }) {
  const why = (data.why || data.title || (data.because || []).length > 0) && html`<span class="why"><${Prose} of=${[data.title, data.why, ...(data.because || [])].filter(Boolean).join("; ")} /></span>`;
  const said = {
    "mail.delivered": () => [t("why.delivered", { from: data.from, to: (data.to || []).join(", ") }), data.in_reply_to && html` ${mailLink(universe, data.in_reply_to, t("why.before"))}`],
    "persona.received": () => [t("why.received"), data.case_id && html` <a class="badge" href=${link(universe, "cases", [data.case_id])}>${data.case_id}</a>`],
    "persona.junked": () => [t("why.junked", { score: data.score, threshold: data.threshold })],
    "persona.bounced": () => [t("why.bounced", { address: data.address, kind: data.kind })],
    "persona.ignored": () => [t("why.ignored")],
    "persona.batched": () => [t("why.batched"), " ", job(jobs[data.job_id], "")],
    "job.scheduled": () => [t("why.planned"), " ", job(jobs[data.id], data.plan)],
    "persona.sent": () => [data.message_id === own ? t("why.wrote", { kind: data.kind, by: data.by }) : html`${t("why.answered", { kind: data.kind })} ${mailLink(universe, data.message_id, data.subject)}`,
      data.message_id === own && (data.answers || []).map((one) => html` ${mailLink(universe, one, t("why.to"))}`),
      data.message_id !== own && html`<span class="why">${(data.text || "").slice(0, 240)}</span>`],
    "world.mail": () => [t("why.world", { stream: data.stream, kind: data.kind, expected: data.expected })],
    "link.opened": () => [t("why.link.opened", { url: data.url, status: data.status })],
    "link.failed": () => [t("why.link.failed", { url: data.url, error: data.error })],
    "link.skipped": () => [t("why.link.skipped", { url: data.url || data.domain })],
    "link.sender": () => [t("why.link.sender", { domain: data.domain, reason: data.reason })],
    "inspect.scored": () => [t("why.scored", { score: Number(data.score).toFixed(1), engine: data.engine })],
  }[type];
  return html`<span class="told">${said ? said() : html`<span class="type">${type}</span> ${data.url || data.kind || ""}`}${why}</span>`;
}

// The parts of a story: what is about the message itself, and each person's, recipients first who did nothing.
function parts(events, boxes) {
  const about = [];
  const people = new Map();
  const person = (id, name, addresses) => {
    if (!people.has(id)) people.set(id, { id, name, addresses, events: [] });
    return people.get(id);
  };
  for (const event of events) {
    const { data, persona } = event;
    const address = data.address && boxes.find((one) => one.address === data.address);
    if (persona) person(persona.id, persona.name, persona.addresses).events.push(event);
    else if (data.persona_id) person(data.persona_id, data.persona || data.persona_id, []).events.push(event);
    else if (data.address) person((address && address.persona_id) || data.address, data.address, [data.address]).events.push(event);
    else about.push(event);
  }
  const delivered = events.find((one) => one.type === "mail.delivered");
  for (const to of delivered ? delivered.data.to || [] : []) {
    if ([...people.values()].some((one) => one.addresses.includes(to))) continue;
    const box = boxes.find((one) => one.address === to);
    person((box && box.persona_id) || to, (box && box.persona) || to, [to]).silent = box && box.persona_id ? t("why.silent.person") : t("why.silent.mailbox");
  }
  return { about, people: [...people.values()] };
}

export function Why({ universe, message, boxes }) {
  const own = message.message_id;
  const found = useData((signal) => story(own, signal), [own], ["mail.*", "persona.*", "job.*", "link.*", "inspect.*"]);
  const list = (events, jobs) => html`<ol class="events story">${events.map((one) => html`<li class="event" key=${one.id}><${Instant} at=${one.at} />
    <${Told} event=${one} own=${own} universe=${universe} jobs=${jobs} /></li>`)}</ol>`;
  return html`<${Loaded} of=${found}>${({ events, jobs }) => {
    const { about, people } = parts(events, boxes);
    if (!events.length) return html`<p class="empty">${t("why.nothing")}</p>`;
    return html`${list(about, jobs)}${people.map((one) => html`<section key=${one.id}><h3>${one.id.includes("@") ? one.name
      : html`<a href=${link(universe, "people", [one.id])}>${one.name}</a>`} <span class="help">${one.addresses.join(", ")}</span></h3>
      ${one.events.length ? list(one.events, jobs) : html`<p class="help">${one.silent}</p>`}</section>`)}`;
  }}<//>`;
}
