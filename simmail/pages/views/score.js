// The score: how the application dealt with what it was sent, and with what was stated as expected.

import { html } from "/assets/vendor/preact.js";
import { get, put } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Form } from "/assets/parts/form.js";
import { notice } from "/assets/parts/notice.js";
import { Loaded } from "/assets/parts/state.js";
import { Instant } from "/assets/parts/time.js";
import { Prose, Value } from "/assets/parts/value.js";

const shown = (score) => (score === null ? "–" : score.toFixed(2));

const field = (name, more) => ({ name, label: t(`score.field.${name}`), ...more });
const EXPECTATION = [
  field("id", { required: true }), field("what"), field("effect", { kind: "select", options: ["expected", "forbidden"].map((one) => [one, t(`score.effect.${one}`)]) }),
  field("to", { kind: "list", rows: 1 }), field("subject"), field("contains", { kind: "list", rows: 1 }), field("lacks", { kind: "list", rows: 1 }),
  field("on.kind"), field("on.stream"), field("on.sender"), field("on.subject"), field("within", { placeholder: "4h" }),
  field("after", { placeholder: "2026-03-01T09:00:00Z" }), field("before", { placeholder: "2026-04-01T00:00:00Z" }), field("weight", { kind: "number" })];

export default function Score({ route, role }) {
  const score = useData((signal) => get("/api/score", {}, signal), [], ["world.mail", "mail.delivered", "persona.received", "clock"]);
  const expected = useData((signal) => get("/api/score/expectations", {}, signal));
  const save = async ({ expectations }) => { await put("/api/score/expectations", { expectations: expectations || [] }); notice(t("saved")); expected.reload(); score.reload(); };
  return html`<h1>${t("nav.score")}</h1><${Loaded} of=${score}>${(found) => html`<ul class="counts">
      <li><strong>${shown(found.score)}</strong> ${t("score.score")}</li><li><strong>${shown(found.usefulness)}</strong> ${t("score.usefulness")}</li>
      <li><strong>${shown(found.safety)}</strong> ${t("score.safety")}</li><li><strong>${found.graded}</strong> ${t("score.graded")}</li><li><strong>${found.waiting}</strong> ${t("score.waiting")}</li></ul>
    ${found.parts.map((part) => html`<details class="part" key=${part.id}><summary><span>${part.what}</span>
      <span class="help">${t("score.of", { n: part.n, weight: part.weight })}</span> <strong class="number">${shown(part.score)}</strong></summary>
      ${part.points.length === 0 ? html`<p class="empty">${t("score.none")}</p>` : html`<ul class="notes">${part.points.map((point) => html`<li><span class=${point.value >= 0.5 ? "badge" : "badge bad"}>${shown(point.value)}</span>
        <${Instant} at=${point.at} /> <${Prose} of=${point.why} />${point.messages.map((id, n) => html` <a href=${link(route.universe, "mail", ["message", id])}>${n ? t("score.answer") : t("score.mail")}</a>`)}</li>`)}</ul>`}</details>`)}`}<//>
    <h2>${t("score.expectations")}</h2><p class="help">${t("score.expectations.help")}</p>
    <${Loaded} of=${expected}>${(found) => (role === "viewer" ? html`<${Value} of=${found.expectations} />`
    : html`<${Form} key=${JSON.stringify(found)} value=${found} onSubmit=${save} fields=${[{ name: "expectations", label: t("score.expectations"), kind: "rows", of: EXPECTATION }]} />`)}<//>`;
}
