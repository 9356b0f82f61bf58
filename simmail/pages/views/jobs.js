// Jobs, by state.  Address: jobs/<state>.

import { html } from "/assets/vendor/preact.js";
import { go, link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { JobTable } from "/assets/parts/jobtable.js";
import { Tabs } from "/assets/parts/tabs.js";

const STATES = ["pending", "done", "failed", "skipped"];

export default function Jobs({ route, role }) {
  const state = STATES.includes(route.rest[0]) ? route.rest[0] : "pending";
  return html`<h1>${t("nav.jobs")}</h1><${Tabs} label=${t("jobs.state")} names=${STATES} current=${state}
    titles=${Object.fromEntries(STATES.map((one) => [one, t(`jobs.state.${one}`)]))} onPick=${(one) => go(link(route.universe, "jobs", [one]))}>
    <${JobTable} key=${state} query=${{ state }} may=${role !== "viewer"} universe=${route.universe} /><//>`;
}
