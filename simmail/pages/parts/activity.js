// What happened, newest first, as it happens.

import { html, useEffect, useState } from "/assets/vendor/preact.js";
import { get } from "/assets/app/api.js";
import { subscribe } from "/assets/app/live.js";
import { link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Instant } from "./time.js";

// Types that are about the service's own work; shown only when asked for.
const QUIET = ["job.scheduled", "job.done", "auth.ok"];

const named = (data) => data.persona || data.persona_id || "";

// One line about an event: who did what with what.
export function told({ type, data }) {
  const about = data.subject ? `“${data.subject}”` : "";
  const parts = {
    "mail.delivered": () => [data.from, "→", (data.to || []).join(", "), about],
    "persona.received": () => [named(data), "←", data.from, about],
    "persona.sent": () => [named(data), data.kind, "→", (data.to || []).join(", "), about],
    "persona.bounced": () => [data.address, data.kind, about],
    "world.mail": () => [data.persona || data.from, data.kind, "→", data.to, about],
    "link.opened": () => [named(data), data.url, data.status],
    "job.scheduled": () => [data.plan],
    "job.done": () => [data.kind, data.note],
    clock: () => [data.now, data.frozen ? t("clock.frozen") : `×${data.speed}`],
  }[type];
  const words = parts ? parts() : [named(data), about, data.why || data.plan || data.note || data.title || data.name || data.address || data.url || data.error];
  return words.filter((one) => one !== undefined && one !== null && one !== "").join(" ");
}

export function Event({ event, universe }) {
  const id = event.data.message_id;
  return html`<li class="event"><${Instant} at=${event.at} />
    <span class="type">${event.type}</span> <span class="told">${told(event)}
    ${event.data.why && event.data.subject && html`<span class="why">${event.data.why}</span>`}</span>
    ${id && html`<a class="quiet" href=${link(universe, "mail", ["message", id])} aria-label="${t("activity.open")}: ${event.data.subject || id}">${t("activity.open")}</a>`}</li>`;
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
  return html`<ol class="events">${events.map((one) => html`<${Event} key=${one.id} event=${one} universe=${universe} />`)}</ol>`;
}
