// The plan: what may be used, and how much of it is.

import { html } from "/assets/vendor/preact.js";
import { get } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { t } from "/assets/texts/index.js";
import { Loaded } from "/assets/parts/state.js";
import { Table } from "/assets/parts/table.js";
import { Instant } from "/assets/parts/time.js";

export default function Plan() {
  const found = useData((signal) => get("/api/plan", {}, signal));
  return html`<h1>${t("nav.plan")}</h1><${Loaded} of=${found}>${(one) => html`<dl class="facts"><dt>${t("nav.plan")}</dt><dd>${one.plan}</dd>
      <dt>${t("plan.features")}</dt><dd>${one.features.join(", ") || t("plan.none")}</dd><dt>${t("plan.resets")}</dt><dd><${Instant} at=${one.resets} long /></dd></dl>
    <${Table} caption=${t("plan.limits")} rows=${Object.keys(one.limits)} id=${(name) => name} empty="" columns=${[
    { title: t("plan.limits"), cell: (name) => name }, { title: t("plan.used"), number: true, cell: (name) => one.used[name] ?? "" },
    { title: t("plan.limit"), number: true, cell: (name) => one.limits[name] ?? t("plan.unlimited") }]} />`}<//>`;
}
