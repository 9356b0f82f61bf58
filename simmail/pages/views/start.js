// The first view: what is due next and by whom, what happens, how much there is, and how to connect.

import { html } from "/assets/vendor/preact.js";
import { get, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Activity } from "/assets/parts/activity.js";
import { Recipes } from "/assets/parts/recipes.js";
import { Loaded } from "/assets/parts/state.js";
import { Instant } from "/assets/parts/time.js";
import { Invitation } from "/assets/parts/tour.js";

const COUNTS = [["messages", "mail"], ["personas", "people"], ["cases", "cases"], ["pending_jobs", "jobs"]];

// The jobs that come next, each with the name of whose it is.
async function due(signal) {
  const jobs = await get("/api/jobs", { state: "pending", limit: 5 }, signal);
  const ids = [...new Set(jobs.map((one) => one.persona_id).filter(Boolean))];
  const people = await Promise.all(ids.map((id) => get(`/api/personas/${segment(id)}`, {}, signal).catch(() => ({ id }))));
  return jobs.map((one) => ({ ...one, who: people.find(({ id }) => id === one.persona_id) }));
}

function Due({ universe }) {
  const jobs = useData(due, [universe], ["job.*", "clock"]);
  return html`<${Loaded} of=${jobs}>${(list) => (list.length === 0 ? html`<p class="empty">${t("start.due.none")}</p>` : html`<ol class="events">${list.map((one) => html`<li class="event" key=${one.id}>
    <${Instant} at=${one.due} /> <span class="told">${one.who ? html`<a href=${link(universe, "people", [one.who.id])}>${one.who.name || one.who.id}</a>` : t("start.due.service")}: ${one.plan || one.kind}</span></li>`)}</ol>
    <p><a href=${link(universe, "jobs")}>${t("start.due.all")}</a></p>`)}<//>`;
}

export default function Start({ route, role }) {
  const status = useData((signal) => get("/api/status", {}, signal), [], ["mail.*", "persona.*", "case.*", "job.*"]);
  const connection = useData((signal) => get("/api/connection", {}, signal));
  return html`<h1>${t("start.title")}</h1><${Invitation} may=${role !== "viewer"} />
    <${Loaded} of=${status}>${(found) => html`<ul class="counts">${COUNTS.map(([name, view]) => html`<li>
      <a href=${link(route.universe, view)}><strong>${found[name].toLocaleString()}</strong> ${t(`start.count.${name}`)}</a></li>`)}</ul>`}<//>
    <div class="two"><section aria-labelledby="what"><h2 id="what">${t("start.activity")}</h2><${Activity} universe=${route.universe} limit=${20} /></section>
      <div><section aria-labelledby="due"><h2 id="due">${t("start.due")}</h2><${Due} universe=${route.universe} /></section>
      <section aria-labelledby="how"><h2 id="how">${t("start.connect")}</h2>
        <${Loaded} of=${connection}>${(found) => html`<${Recipes} connection=${found} universe=${route.universe} />`}<//></section></div></div>`;
}
