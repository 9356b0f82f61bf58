// Jobs: what people are going to do and have done; those that wait can be moved, skipped or run.

import { html, useState } from "/assets/vendor/preact.js";
import { ask, get, patch, post, remove, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Dialog } from "./dialog.js";
import { Form } from "./form.js";
import { attempt } from "./notice.js";
import { Loaded } from "./state.js";
import { Table } from "./table.js";
import { Instant } from "./time.js";

// The jobs of so many pages, and whether there are more.
async function read(query, pages, signal) {
  const jobs = [];
  for (let after, page = 0; ; page += 1) {
    const { value, next } = await ask("GET", "/api/jobs", { query: { limit: 200, after, ...query }, signal });
    jobs.push(...value);
    if (!next || page + 1 >= pages) return { jobs, more: !!next };
    after = value.at(-1).id;
  }
}

export function JobTable({ query, may, universe }) {
  const [moving, setMoving] = useState(null);
  const [pages, setPages] = useState(1);
  const people = useData(async (signal) => (query.persona_id ? [] : get("/api/personas", {}, signal)));
  const jobs = useData((signal) => read(query, pages, signal), [JSON.stringify(query), pages], ["job.*"]);
  const who = Object.fromEntries((people.data || []).map((one) => [one.id, one.name]));
  const path = (one) => `/api/jobs/${segment(one.id)}`;
  const act = (work) => attempt(work).then(jobs.reload);
  return html`<${Loaded} of=${jobs}>${({ jobs: list, more }) => html`<${Table} caption=${t("nav.jobs")} rows=${list} empty=${t("jobs.none")} columns=${[
    { title: t("jobs.due"), cell: (one) => html`<${Instant} at=${one.due} />` }, { title: t("jobs.kind"), cell: (one) => one.kind },
    { title: t("jobs.state"), cell: (one) => html`<span class=${one.state === "failed" ? "badge bad" : "badge"}>${one.state}</span>` },
    ...(query.persona_id ? [] : [{ title: t("jobs.who"), cell: (one) => one.persona_id && html`<a href=${link(universe, "people", [one.persona_id])}>${who[one.persona_id] || one.persona_id}</a>` }]),
    { title: t("jobs.plan"), cell: (one) => html`${one.plan}${one.note && html`<span class="help"> ${one.note}</span>`}` },
    { title: "", cell: (one) => may && one.state === "pending" && html`<span class="bar tight">
      <button type="button" onClick=${() => act(() => post(`${path(one)}/run`))}>${t("jobs.run")}</button>
      <button type="button" onClick=${() => setMoving(one)}>${t("jobs.move")}</button>
      <button type="button" onClick=${() => act(() => remove(path(one)))}>${t("jobs.skip")}</button></span>` }]} />
    ${more && html`<p><button type="button" onClick=${() => setPages(pages + 1)}>${t("more")}</button></p>`}`}<//>
    ${moving && html`<${Dialog} title=${t("jobs.move.title")} onClose=${() => setMoving(null)}><p>${moving.plan}</p>
      <${Form} value=${{ due: moving.due }} fields=${[{ name: "due", label: t("jobs.due"), required: true, help: t("jobs.due.help") }]}
        onCancel=${() => setMoving(null)} onSubmit=${async (values) => { await patch(path(moving), values); setMoving(null); jobs.reload(); }} /><//>`}`;
}
