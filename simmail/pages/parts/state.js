// What is shown of data that is not there yet, or cannot be had.

import { html } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";

// Draws children(data) once there is data; before it a word, or what went wrong with a way to try again.  All of it is
// in one element, so that what stands after it stays there.
export function Loaded({ of, children }) {
  let inside = html`<p class="loading" role="status">${t("loading")}</p>`;
  if (of.data !== null) {
    inside = html`${of.error && html`<p class="error" role="alert">${of.error.message}</p>`}${children(of.data)}`;
  } else if (of.error) {
    inside = html`<div class="error" role="alert"><p>${of.error.message}</p>
      <button type="button" onClick=${of.reload}>${t("again")}</button></div>`;
  }
  return html`<div class="data">${inside}</div>`;
}
