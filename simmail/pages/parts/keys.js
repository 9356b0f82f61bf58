// Single keys, as in mail programs; none while something is typed or a dialog is open.

import { html, useEffect, useRef } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";
import { Dialog } from "./dialog.js";

// keys: {key: act}; an act that answers false leaves the key to others.
export function useKeys(keys) {
  // What was drawn last counts at once, not after the next frame.
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const pressed = (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")
        || event.target.closest("input, textarea, select")) return;
      const act = Object.hasOwn(latest.current, event.key) && latest.current[event.key];
      if (act && act() !== false) event.preventDefault();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);
}

const KEYS = ["j", "k", "e", "r", "a", "f", "u", "#", "c", "/", "?", "Esc"];
const WORDS = ["words", "phrase", "not", "from", "subject", "message", "is", "has", "header", "folder", "size", "time"];

// What keys do, and how one searches.
export const Help = ({ onClose }) => html`<${Dialog} title=${t("mail.help")} wide onClose=${onClose}><div class="two">
  <section><h3>${t("mail.help.keys")}</h3><dl class="facts">${KEYS.map((one) => html`<dt><kbd>${one}</kbd></dt><dd>${t(`mail.key.${one}`)}</dd>`)}</dl></section>
  <section><h3>${t("mail.help.search")}</h3><p>${t("mail.help.search.all")}</p>
    <dl class="facts">${WORDS.map((one) => html`<dt><code>${t(`mail.query.${one}`)}</code></dt><dd>${t(`mail.query.${one}.means`)}</dd>`)}</dl></section></div><//>`;
