// One of several things at a time, chosen by name; arrow keys go from one to the next.

import { html, useRef } from "/assets/vendor/preact.js";

export function Tabs({ label, names, titles = {}, current, onPick, children }) {
  const bar = useRef(null);
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = names[(names.indexOf(current) + step + names.length) % names.length];
    onPick(next);
    bar.current.querySelector(`[data-tab="${CSS.escape(next)}"]`).focus();
    event.preventDefault();
  };
  return html`<div class="tabs"><div role="tablist" aria-label=${label} ref=${bar} onKeyDown=${move}>${names.map((one) => html`
    <button type="button" role="tab" data-tab=${one} aria-selected=${one === current ? "true" : "false"} tabindex=${one === current ? 0 : -1}
      onClick=${() => onPick(one)}>${titles[one] || one}</button>`)}</div>
    <div role="tabpanel" tabindex="0" aria-label=${titles[current] || current}>${children}</div></div>`;
}
