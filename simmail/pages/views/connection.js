// Connection: addresses, ports, certificate and settings for programs.

import { html } from "/assets/vendor/preact.js";
import { get } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { t } from "/assets/texts/index.js";
import { Recipes } from "/assets/parts/recipes.js";
import { Loaded } from "/assets/parts/state.js";

export default function Connection({ route }) {
  const found = useData((signal) => get("/api/connection", {}, signal));
  return html`<h1>${t("nav.connection")}</h1><${Loaded} of=${found}>${(one) => html`<dl class="facts"><dt>${t("connection.domain")}</dt><dd>${one.domain}</dd>
      <dt>${t("connection.auth")}</dt><dd>${one.auth_mechanisms.join(", ")} ${one.smtp_auth_required ? t("connection.required") : t("connection.open")}</dd>
      <dt>${t("connection.api")}</dt><dd>${location.origin}/api</dd></dl><${Recipes} connection=${one} universe=${route.universe} />`}<//>`;
}
