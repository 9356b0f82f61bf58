// The first view: how much there is, what happens, and how to connect.

import { html } from "/assets/vendor/preact.js";
import { get } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Activity } from "/assets/parts/activity.js";
import { Recipes } from "/assets/parts/recipes.js";
import { Loaded } from "/assets/parts/state.js";

const COUNTS = [["messages", "mail"], ["personas", "people"], ["cases", "cases"], ["pending_jobs", "jobs"]];

export default function Start({ route }) {
  const status = useData((signal) => get("/api/status", {}, signal), [], ["mail.*", "persona.*", "case.*", "job.*"]);
  const connection = useData((signal) => get("/api/connection", {}, signal));
  return html`<h1>${t("start.title")}</h1>
    <${Loaded} of=${status}>${(found) => html`<ul class="counts">${COUNTS.map(([name, view]) => html`<li>
      <a href=${link(route.universe, view)}><strong>${found[name].toLocaleString()}</strong> ${t(`start.count.${name}`)}</a></li>`)}</ul>`}<//>
    <div class="two"><section aria-labelledby="what"><h2 id="what">${t("start.activity")}</h2><${Activity} universe=${route.universe} limit=${30} /></section>
      <section aria-labelledby="how"><h2 id="how">${t("start.connect")}</h2>
        <${Loaded} of=${connection}>${(found) => html`<${Recipes} connection=${found} universe=${route.universe} />`}<//></section></div>`;
}
