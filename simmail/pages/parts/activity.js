// What happened, newest first, as it happens.

import { html, useEffect, useState } from "/assets/vendor/preact.js";
import { get } from "/assets/app/api.js";
import { subscribe } from "/assets/app/live.js";
import { link } from "/assets/app/route.js";
import { has, t } from "/assets/texts/index.js";
import { Instant, dateOf, timeOf } from "./time.js";

// Types that are about the service's own work; shown only when asked for.
const QUIET = ["job.scheduled", "job.done", "auth.ok"];

const list = (value) => (Array.isArray(value) ? value.join(", ") : value);

// One sentence about an event: who did what with what.
export function told({ type, data, persona }) {
  const values = {
    ...data, who: data.persona || (persona && persona.name) || data.name || data.from || t("activity.somebody"), to: list(data.to),
    about: data.subject ? `“${data.subject}”` : t("activity.mail"), kind: data.kind && data.kind.replaceAll("_", " "),
  };
  if (type === "clock") return t(data.frozen ? "event.clock.frozen" : "event.clock", { at: `${dateOf(Date.parse(data.now))}, ${timeOf(Date.parse(data.now))}`, speed: data.speed });
  if (type === "persona.sent" && data.kind === "reply") return t("event.persona.sent.reply", values);
  if (type === "world.mail") return t("event.world.mail", { ...values, expected: t(`world.expected.${data.expected}`) });
  return has(`event.${type}`) ? t(`event.${type}`, values) : [type, values.name, data.subject && values.about].filter(Boolean).join(" ");
}

const OPENED = ["persona.created", "persona.updated", "persona.memory", "persona.promised"];

export function Event({ event, universe, typed }) {
  const { message_id: id, persona_id: who, why, subject } = event.data;
  const to = id ? link(universe, "mail", ["message", id]) : who && OPENED.includes(event.type) ? link(universe, "people", [who]) : "";
  return html`<li class="event"><${Instant} at=${event.at} /> <span class="told">${told(event)}
    ${typed && html` <span class="type">${event.type}</span>`}${why && html`<span class="why">${why}</span>`}</span>
    ${to && html`<a class="quiet" href=${to} aria-label="${t("activity.open")}: ${subject || event.data.persona || id}">${t("activity.open")}</a>`}</li>`;
}

// types: a filter as the API takes it; quiet: the service's own work as well.
export function Activity({ universe, types = "", query = {}, limit = 100, quiet = false }) {
  const [events, setEvents] = useState(null);
  const [error, setError] = useState(null);
  useEffect(() => {
    const asked = new AbortController();
    const wanted = types || (quiet ? "" : QUIET.map((one) => `-${one}`).join(","));
    const fits = (event) => (quiet || types || !QUIET.includes(event.type)) && event.id !== undefined;
    setEvents(null);
    get("/api/events", { ...query, type: wanted, limit }, asked.signal).then(setEvents, (refused) => refused.name !== "AbortError" && setError(refused));
    const stop = subscribe(types ? types.split(",") : ["*"], (event) => {
      if (!fits(event) || Object.entries(query).some(([name, value]) => value && event.data[name] !== value)) return;
      setEvents((before) => before && (before.some((one) => one.id === event.id) ? before : [event, ...before].slice(0, limit)));
    });
    return () => { asked.abort(); stop(); };
  }, [universe, types, limit, quiet, JSON.stringify(query)]);
  if (error) return html`<p class="error" role="alert">${error.message}</p>`;
  if (events === null) return html`<p class="loading" role="status">${t("loading")}</p>`;
  if (!events.length) return html`<p class="empty">${t("start.activity.none")}</p>`;
  return html`<ol class="events">${events.map((one) => html`<${Event} key=${one.id} event=${one} universe=${universe} typed=${quiet} />`)}</ol>`;
}
