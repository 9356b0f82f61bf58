// A piece of text to take along.

import { html, useState } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";

export function Copy({ text, label = t("copy") }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 2000);
  };
  return html`<button type="button" class="quiet" onClick=${copy}>${done ? t("copied") : label}</button>`;
}

export const Code = ({ text }) => html`
  <div class="code"><pre tabindex="0">${text}</pre><${Copy} text=${text} /></div>`;
