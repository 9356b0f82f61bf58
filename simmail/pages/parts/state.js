// What is shown of data that is not there yet, or cannot be had.

import { html } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";

// Draws children(data) once there is data; before it a word, or what went wrong with a way to try again.
export function Loaded({ of, children }) {
  if (of.data !== null) {
    return html`${of.error && html`<p class="error" role="alert">${of.error.message}</p>`}${children(of.data)}`;
  }
  if (of.error) {
    return html`<div class="error" role="alert"><p>${of.error.message}</p>
      <button type="button" onClick=${of.reload}>${t("again")}</button></div>`;
  }
  return html`<p class="loading" role="status">${t("loading")}</p>`;
}
