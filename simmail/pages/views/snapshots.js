// Snapshots: the universe as it was, put back or forked; reset.

import { html, useState } from "/assets/vendor/preact.js";
import { get, post, remove, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Code } from "/assets/parts/copy.js";
import { confirm, Dialog } from "/assets/parts/dialog.js";
import { Form } from "/assets/parts/form.js";
import { attempt, notice } from "/assets/parts/notice.js";
import { Loaded } from "/assets/parts/state.js";
import { Table } from "/assets/parts/table.js";
import { Instant } from "/assets/parts/time.js";
import { Facts } from "/assets/parts/value.js";

export default function Snapshots({ role }) {
  const admin = role === "admin";
  const found = useData((signal) => get("/api/snapshots", {}, signal), [], ["settings.updated"]);
  const [forked, setForked] = useState(null);
  const path = (one) => `/api/snapshots/${segment(one.id)}`;
  const make = async (values) => { await post("/api/snapshots", values); notice(t("saved")); found.reload(); };
  const restore = async (one) => {
    if (await confirm(t("snapshots.restore.ask", { name: one.name || one.id }), t("snapshots.restore"))) attempt(() => post(`${path(one)}/restore`), t("snapshots.restored")).then(found.reload);
  };
  const fork = (one) => attempt(async () => {
    setForked(await post(`${path(one)}/fork`, { ttl: "1d" }));
    window.dispatchEvent(new Event("universes"));
  });
  const reset = async () => {
    if (await confirm(t("snapshots.reset.ask"), t("snapshots.reset"))) attempt(() => post("/api/reset", { keep: ["accounts", "settings", "webhooks"] }), t("snapshots.done")).then(found.reload);
  };
  return html`<h1>${t("nav.snapshots")}</h1><p class="help">${t("snapshots.help")}</p>
    <${Loaded} of=${found}>${(list) => html`<${Table} caption=${t("nav.snapshots")} rows=${list} empty=${t("snapshots.none")} columns=${[
    { title: t("snapshots.name"), cell: (one) => one.name || one.id }, { title: t("snapshots.at"), cell: (one) => html`<${Instant} at=${one.at} />` },
    { title: t("start.count.messages"), number: true, cell: (one) => one.messages }, { title: t("start.count.personas"), number: true, cell: (one) => one.personas },
    { title: "", cell: (one) => admin && html`<span class="bar tight"><button type="button" onClick=${() => fork(one)}>${t("snapshots.fork")}</button>
      <button type="button" onClick=${() => restore(one)}>${t("snapshots.restore")}</button>
      <button type="button" onClick=${() => attempt(() => remove(path(one))).then(found.reload)}>${t("delete")}</button></span>` }]} />`}<//>
    ${role !== "viewer" && html`<h2>${t("snapshots.new")}</h2><${Form} onSubmit=${make} action=${t("snapshots.make")} fields=${[{ name: "name", label: t("snapshots.name") }]} />`}
    ${admin && html`<h2>${t("snapshots.reset")}</h2><p class="help">${t("snapshots.reset.help")}</p><p><button type="button" class="danger" onClick=${reset}>${t("snapshots.reset")}</button></p>`}
    ${forked && html`<${Dialog} title=${t("snapshots.forked")} wide onClose=${() => setForked(null)}><p>${t("snapshots.forked.help")}</p><${Code} text=${forked.key} />
      <${Facts} of=${forked} names=${Object.fromEntries(["universe", "logins", "ends"].map((one) => [one, t(`snapshots.field.${one}`)]))} /><p><a href=${link(forked.universe)}>${t("snapshots.go")}</a></p><//>`}`;
}
