// The AI writer: on or off, and whether a model answers; the pace of people.

import { html } from "/assets/vendor/preact.js";
import { get } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { t } from "/assets/texts/index.js";
import { Settings } from "/assets/parts/document.js";
import { Loaded } from "/assets/parts/state.js";
import { Facts } from "/assets/parts/value.js";

export default function Ai({ role }) {
  const ai = useData((signal) => get("/api/ai", {}, signal), [], ["writer.*", "settings.updated"]);
  return html`<h1>${t("nav.ai")}</h1><div class="two"><section><h2>${t("ai.mode")}</h2><p class="help">${t("ai.help")}</p>
      <${Settings} path="/api/ai" may=${role !== "viewer"} give=${({ mode }) => ({ mode })} fields=${[{ name: "mode", label: t("ai.mode"), kind: "select", options: ["off", "on"] }]} />
      <${Loaded} of=${ai}>${(one) => html`<${Facts} of=${one} names=${Object.fromEntries(["model", "level", "trouble"].map((name) => [name, t(`ai.field.${name}`)]))} />`}<//></section>
    <section><h2>${t("ai.pace")}</h2><p class="help">${t("ai.pace.help")}</p><${Settings} path="/api/pace" may=${role !== "viewer"} fields=${[
    { name: "factor", label: t("ai.factor"), kind: "number" }, { name: "ignore_hours", label: t("ai.hours"), kind: "checkbox" }]} /></section></div>`;
}
