// What the page has to say of what was just done: a line that a screen reader reads, and that goes by itself.

import { html, useEffect, useState } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";

let show = () => undefined;

export const notice = (text) => show({ text, bad: false });
export const problem = (error) => show({ text: error.message || String(error), bad: true });

// Does a piece of work; what goes wrong is told.  Returns whether it went well.
export async function attempt(work, done = "") {
  try {
    await work();
    if (done) notice(done);
    return true;
  } catch (error) {
    problem(error);
    return false;
  }
}

export function Notices() {
  const [said, setSaid] = useState(null);
  show = setSaid;
  useEffect(() => {
    if (!said || said.bad) return undefined;
    const timer = setTimeout(() => setSaid(null), 5000);
    return () => clearTimeout(timer);
  }, [said]);
  return html`<div class="notices" role="status" aria-live="polite">${said && html`
    <p class=${said.bad ? "notice bad" : "notice"}>${said.text}
      <button type="button" class="quiet" onClick=${() => setSaid(null)}>${t("dismiss")}</button></p>`}</div>`;
}
