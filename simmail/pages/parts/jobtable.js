// Jobs: what people are going to do and have done; those that wait can be moved, skipped or run.

import { html, useState } from "/assets/vendor/preact.js";
import { get, patch, post, remove, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { t } from "/assets/texts/index.js";
import { Dialog } from "./dialog.js";
import { Form } from "./form.js";
import { attempt } from "./notice.js";
import { Loaded } from "./state.js";
import { Table } from "./table.js";
import { Instant } from "./time.js";

export function JobTable({ query, may }) {
  const [moving, setMoving] = useState(null);
  const jobs = useData((signal) => get("/api/jobs", { limit: 500, ...query }, signal), [JSON.stringify(query)], ["job.*"]);
  const path = (one) => `/api/jobs/${segment(one.id)}`;
  const act = (work) => attempt(work).then(jobs.reload);
  return html`<${Loaded} of=${jobs}>${(list) => html`<${Table} caption=${t("nav.jobs")} rows=${list} empty=${t("jobs.none")} columns=${[
    { title: t("jobs.due"), cell: (one) => html`<${Instant} at=${one.due} />` }, { title: t("jobs.kind"), cell: (one) => one.kind },
    { title: t("jobs.state"), cell: (one) => html`<span class=${one.state === "failed" ? "badge bad" : "badge"}>${one.state}</span>` },
    { title: t("jobs.plan"), cell: (one) => html`${one.plan}${one.note && html`<span class="help"> ${one.note}</span>`}` },
    { title: "", cell: (one) => may && one.state === "pending" && html`<span class="bar tight">
      <button type="button" onClick=${() => act(() => post(`${path(one)}/run`))}>${t("jobs.run")}</button>
      <button type="button" onClick=${() => setMoving(one)}>${t("jobs.move")}</button>
      <button type="button" onClick=${() => act(() => remove(path(one)))}>${t("jobs.skip")}</button></span>` }]} />`}<//>
    ${moving && html`<${Dialog} title=${t("jobs.move.title")} onClose=${() => setMoving(null)}><p>${moving.plan}</p>
      <${Form} value=${{ due: moving.due }} fields=${[{ name: "due", label: t("jobs.due"), required: true, help: t("jobs.due.help") }]}
        onCancel=${() => setMoving(null)} onSubmit=${async (values) => { await patch(path(moving), values); setMoving(null); jobs.reload(); }} /><//>`}`;
}
