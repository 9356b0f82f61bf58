// Insights: what became of what was sent, by day and by campaign; shares of it.

import { html, useState } from "/assets/vendor/preact.js";
import { get, post, remove, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { go, link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Chart } from "/assets/parts/chart.js";
import { Copy } from "/assets/parts/copy.js";
import { Form } from "/assets/parts/form.js";
import { attempt } from "/assets/parts/notice.js";
import { Loaded } from "/assets/parts/state.js";
import { Table } from "/assets/parts/table.js";
import { Instant } from "/assets/parts/time.js";

const DAYS = [7, 30, 90, 366];
const percent = (rate) => (rate === null || rate === undefined ? "–" : `${Math.round(rate * 100)} %`);

function Shares({ may, days }) {
  const shares = useData((signal) => get("/api/insights/shares", {}, signal));
  const make = async (values) => { await post("/api/insights/shares", { days, ...values }); shares.reload(); };
  const url = (one) => `${location.origin}/share/${one.token}`;
  return html`<h2>${t("insights.shares")}</h2><p class="help">${t("insights.shares.help")}</p>
    <${Loaded} of=${shares}>${(list) => html`<${Table} caption=${t("insights.shares")} rows=${list} id=${(one) => one.token} empty=${t("insights.shares.none")} columns=${[
    { title: t("insights.title"), cell: (one) => html`<a href=${url(one)} target="_blank" rel="noopener">${one.title}</a>` },
    { title: t("insights.days"), number: true, cell: (one) => one.days }, { title: t("insights.created"), cell: (one) => html`<${Instant} at=${one.created} />` },
    { title: "", cell: (one) => html`<span class="bar tight"><${Copy} text=${url(one)} label=${t("insights.copy")} />${may && html`
      <button type="button" onClick=${() => attempt(() => remove(`/api/insights/shares/${segment(one.token)}`)).then(shares.reload)}>${t("insights.revoke")}</button>`}</span>` }]} />`}<//>
    ${may && html`<${Form} onSubmit=${make} action=${t("insights.share")} fields=${[{ name: "title", label: t("insights.title"), required: true }]} />`}`;
}

export default function Insights({ route, role }) {
  const days = Number(route.query.days) || 30;
  const report = useData((signal) => get("/api/insights", { days }, signal), [days], ["mail.delivered", "persona.sent", "persona.bounced"]);
  const figures = (total) => [["sent", total.sent], ["delivered", total.delivered], ["bounced", total.bounced], ["junked", total.junked], ["ignored", total.ignored],
    ["replied", total.replied], ["reply_rate", percent(total.reply_rate.rate)], ["median_reply", total.median_reply || "–"], ["clicked", total.clicked], ["unsubscribed", total.unsubscribed]];
  return html`<div class="bar"><h1>${t("nav.insights")}</h1><label><span class="hidden">${t("insights.days")}</span>
      <select value=${String(days)} onChange=${(event) => go(link(route.universe, "insights", [], { days: event.currentTarget.value }))}>
        ${DAYS.map((one) => html`<option value=${String(one)}>${t("insights.last", { days: one })}</option>`)}</select></label></div>
    <${Loaded} of=${report}>${(found) => html`<ul class="counts">${figures(found.total).map(([name, value]) => html`<li><strong>${value}</strong> ${t(`insights.${name}`)}</li>`)}</ul>
      <${Chart} label=${t("insights.by_day")} days=${found.by_day.map((one) => one.day)} series=${[
    [t("insights.sent"), found.by_day.map((one) => one.sent), "accent"], [t("insights.replied"), found.by_day.map((one) => one.replied), "good"], [t("insights.bounced"), found.by_day.map((one) => one.bounced), "bad"]]} />
      <h2>${t("insights.campaigns")}</h2><${Table} caption=${t("insights.campaigns")} rows=${found.campaigns} id=${(one) => `${one.sender} ${one.subject}`} empty=${t("insights.none")} columns=${[
    { title: t("mail.subject"), cell: (one) => html`${one.subject || t("mail.subject.none")} <span class="help">${one.sender}</span>` },
    ...["sent", "delivered", "bounced", "junked", "replied"].map((name) => ({ title: t(`insights.${name}`), number: true, cell: (one) => one[name] })),
    { title: t("insights.reply_rate"), number: true, cell: (one) => percent(one.reply_rate.rate) }, { title: t("insights.median_reply"), number: true, cell: (one) => one.median_reply || "–" }]} />`}<//>
    <${Shares} may=${role !== "viewer"} days=${days} />`;
}
