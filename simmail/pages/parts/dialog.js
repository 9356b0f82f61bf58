// Something that has to be dealt with before anything else; Escape closes it.

import { html, render, useEffect, useRef } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";

export function Dialog({ title, onClose, wide = false, children }) {
  const element = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current.showModal();
    return () => before && before.focus && before.focus();
  }, []);
  return html`<dialog ref=${element} class=${wide ? "wide" : ""} aria-label=${title} onClose=${onClose}>
    <header><h2>${title}</h2>
      <button type="button" class="quiet" aria-label=${t("close")} onClick=${() => element.current.close()}>✕</button></header>
    ${children}</dialog>`;
}

// Asks whether to go on; answers a promise of true or false.
export function confirm(question, action = t("delete")) {
  return new Promise((resolve) => {
    const room = document.body.appendChild(document.createElement("div"));
    const end = (answer) => { render(null, room); room.remove(); resolve(answer); };
    render(html`<${Dialog} title=${question} onClose=${() => end(false)}>
      <p class="actions"><button type="button" class="danger" onClick=${() => end(true)}>${action}</button>
      <button type="button" onClick=${() => end(false)}>${t("cancel")}</button></p><//>`, room);
  });
}
