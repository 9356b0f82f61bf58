// Links: whether and how people open what they are sent, and what they opened.

import { html } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";
import { Activity } from "/assets/parts/activity.js";
import { Settings } from "/assets/parts/document.js";

export default function Links({ route, role }) {
  const field = (name, more) => ({ name, label: t(`links.field.${name}`), ...more });
  return html`<h1>${t("nav.links")}</h1><div class="two"><section><h2>${t("links.policy")}</h2><${Settings} path="/api/links" may=${role === "admin"} take=${(one) => one.policy} fields=${[
    field("enabled", { kind: "checkbox" }), field("unsubscribe", { kind: "checkbox" }), field("allow", { kind: "list" }), field("deny", { kind: "list" }),
    field("max_links", { kind: "number" }), field("sender_check", { kind: "number" }), field("missing_site", { kind: "select", options: ["imagine", "notice"] }),
    field("local_links", { kind: "select", options: ["ignore", "broken"] }), field("user_agent", { wide: true })]} /></section>
    <section><h2>${t("links.opened")}</h2><${Activity} universe=${route.universe} types="link.*" limit=${100} /></section></div>`;
}
