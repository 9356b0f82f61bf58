// Everything that happened, by type.  Address: activity?type=…

import { html } from "/assets/vendor/preact.js";
import { go, link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Activity } from "/assets/parts/activity.js";

const TYPES = ["", "mail.*", "persona.*", "world.*", "link.*", "inspect.*", "job.*", "case.*", "auth.*", "webhook.*", "clock"];

export default function All({ route }) {
  const type = route.query.type || "";
  return html`<div class="bar"><h1>${t("nav.activity")}</h1><label><span class="hidden">${t("activity.type")}</span>
    <select value=${type} onChange=${(event) => go(link(route.universe, "activity", [], { type: event.currentTarget.value }))}>
      ${TYPES.map((one) => html`<option value=${one}>${one || t("activity.all")}</option>`)}</select></label></div>
    <${Activity} key=${type} universe=${route.universe} types=${type} quiet limit=${300} />`;
}
