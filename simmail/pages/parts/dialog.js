// Something that has to be dealt with before anything else; Escape closes it, and asks first where something was typed.

import { html, render, useLayoutEffect, useRef } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";

export function Dialog({ title, onClose, wide = false, children }) {
  const element = useRef(null);
  const typed = useRef(new Set());
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current.showModal();
    return () => before && before.focus && before.focus();
  }, []);
  // What was typed and not sent since, or refused.
  const unsent = () => typed.current.size > 0 || element.current.querySelector("form [role=alert]");
  const leave = async (event) => {
    event.preventDefault();
    if (!unsent() || await confirm(t("discard.ask"), t("discard"))) element.current?.close();
  };
  return html`<dialog ref=${element} class=${wide ? "wide" : ""} aria-label=${title} onClose=${onClose}
    onInput=${(event) => typed.current.add(event.target.form)} onSubmit=${(event) => typed.current.delete(event.target)}
    onKeyDown=${(event) => event.key === "Escape" && leave(event)} onCancel=${(event) => event.target === element.current && leave(event)}>
    <header><h2>${title}</h2>
      <button type="button" class="quiet" aria-label=${t("close")} onClick=${leave}>✕</button></header>
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
