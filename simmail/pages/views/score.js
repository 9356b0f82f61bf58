// The score: how the application dealt with what it was sent, and with what was stated as expected.

import { html } from "/assets/vendor/preact.js";
import { get, put } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Form } from "/assets/parts/form.js";
import { notice } from "/assets/parts/notice.js";
import { Loaded } from "/assets/parts/state.js";

const shown = (score) => (score === null ? "–" : score.toFixed(2));

export default function Score({ route, role }) {
  const score = useData((signal) => get("/api/score", {}, signal), [], ["world.mail", "mail.delivered", "persona.received", "clock"]);
  const expected = useData((signal) => get("/api/score/expectations", {}, signal));
  const save = async ({ expectations }) => { await put("/api/score/expectations", { expectations: expectations || [] }); notice(t("saved")); expected.reload(); score.reload(); };
  return html`<h1>${t("nav.score")}</h1><${Loaded} of=${score}>${(found) => html`<ul class="counts">
      <li><strong>${shown(found.score)}</strong> ${t("score.score")}</li><li><strong>${shown(found.usefulness)}</strong> ${t("score.usefulness")}</li>
      <li><strong>${shown(found.safety)}</strong> ${t("score.safety")}</li><li><strong>${found.graded}</strong> ${t("score.graded")}</li><li><strong>${found.waiting}</strong> ${t("score.waiting")}</li></ul>
    ${found.parts.map((part) => html`<details class="part" key=${part.id}><summary><span>${part.what}</span>
      <span class="help">${t("score.of", { n: part.n, weight: part.weight })}</span> <strong class="number">${shown(part.score)}</strong></summary>
      ${part.points.length === 0 ? html`<p class="empty">${t("score.none")}</p>` : html`<ul class="notes">${part.points.map((point) => html`<li><span class=${point.points > 0 || point.score > 0 ? "badge" : "badge bad"}>${point.points ?? point.score ?? ""}</span>
        ${point.why || point.reason} ${(point.messages || [point.message_id]).filter(Boolean).map((id) => html` <a href=${link(route.universe, "mail", ["message", id])}>${t("activity.open")}</a>`)}</li>`)}</ul>`}</details>`)}`}<//>
    <h2>${t("score.expectations")}</h2><p class="help">${t("score.expectations.help")}</p>
    <${Loaded} of=${expected}>${(found) => (role === "viewer" ? html`<pre class="mono">${JSON.stringify(found.expectations, null, 2)}</pre>`
    : html`<${Form} key=${JSON.stringify(found)} value=${found} onSubmit=${save} fields=${[{ name: "expectations", label: t("score.expectations"), kind: "json", rows: 10 }]} />`)}<//>`;
}
