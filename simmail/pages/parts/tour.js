// The way from the first sign-in to Maria's answer: a card that says what to do next and shows where; it can be left at
// any time and taken up again from the menu.

import { html, useEffect, useState } from "/assets/vendor/preact.js";
import { subscribe } from "/assets/app/live.js";
import { link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";

const KEY = "simmail.tour";
const MARIA = "maria@acme.test";
const MAIL = { to: MARIA, subject: t("tour.subject"), text: t("tour.text") };

const button = (text) => [...document.querySelectorAll("button")].find((one) => one.textContent.trim() === text);
const inMenu = (view) => {
  const found = document.querySelector(`#views a[href$="/${view}"]`);
  return found && found.offsetParent ? found : document.querySelector("button.menu");
};
const dialog = () => document.querySelector("dialog [name=to]");
const answer = () => [...document.querySelectorAll(".listing .row")].find((one) => one.textContent.includes(t("tour.answer")));

// at(): what to press; done(route, seen): whether it was; seen: types of events of Maria, and of what was changed
// here, since the step began.
const STEPS = [
  { name: "mail", at: () => inMenu("mail"), done: (route) => route.view === "mail" },
  { name: "compose", at: () => button(t("mail.compose")), done: () => dialog() },
  { name: "send", at: () => dialog() && dialog().form.querySelector("button[type=submit]"), done: (_, seen) => seen.has("persona.received") },
  { name: "wait", at: () => button(t("clock.by.1d")), done: (_, seen) => seen.has("persona.sent") },
  { name: "open", at: answer, where: ["app@sim.test", "INBOX"], done: (route) => route.view === "mail" && (route.rest[0] === "message" || route.rest.length > 2) },
  { name: "end", at: () => null, done: () => false },
];

const stored = () => localStorage.getItem(KEY);

// Starts it, or takes it up where it was left; "" puts it away.
export function goOn(step = "") {
  localStorage.setItem(KEY, step);
  window.dispatchEvent(new Event("tour"));
}
export const takeUp = () => goOn(`on ${/^(?:on|off) ([0-4])$/.exec(stored() || "")?.[1] || 0}`);

function useStored() {
  const [value, set] = useState(stored);
  useEffect(() => {
    const changed = () => set(stored());
    window.addEventListener("tour", changed);
    return () => window.removeEventListener("tour", changed);
  }, []);
  return value;
}

// On the first view, until it was taken or put away.
export function Invitation({ may }) {
  const value = useStored();
  if (!may || value !== null) return null;
  return html`<section class="invitation" aria-label=${t("tour.label")}><p>${t("tour.invitation")}</p>
    <p class="actions"><button type="button" class="main" onClick=${takeUp}>${t("tour.start")}</button>
      <button type="button" onClick=${() => goOn("off 0")}>${t("tour.later")}</button></p></section>`;
}

// A mail to Maria is filled in where nothing stands yet.
function fill(form) {
  for (const [name, value] of Object.entries(MAIL)) {
    const field = form.elements[name];
    // Before a signature as well.
    if (field && /^(\n|$)/.test(field.value)) field.value = value + field.value;
  }
}

function Card({ n, route }) {
  const step = STEPS[n];
  useEffect(() => {
    const seen = new Set();
    let shown = null;
    const stop = subscribe(["changed", "persona.received", "persona.sent"], (event) => {
      if (!event.persona || event.persona.addresses.includes(MARIA)) seen.add(event.type);
    });
    const look = () => {
      const now = step.at();
      if (now !== shown) {
        if (shown) shown.classList.remove("pointed");
        if (now) now.classList.add("pointed");
        if (now && step.name === "send") fill(now.form);
        shown = now;
      }
      // Who closed the form without sending opens it again; what was sent is told at once, its arrival a little later.
      if (step.name === "send" && !now && !seen.size) goOn(`on ${n - 1}`);
      if (step.done(route, seen)) goOn(`on ${n + 1}`);
    };
    const timer = setInterval(look, 150);
    look();
    return () => { stop(); clearInterval(timer); if (shown) shown.classList.remove("pointed"); };
  }, [n, route]);
  return html`<aside class="tour" aria-label=${t("tour.label")}><p class="help">${t("tour.step", { n: n + 1, of: STEPS.length })}</p>
    <p role="status">${t(`tour.${step.name}`)}</p>
    <p class="actions">${step.where && html`<a class="button" href=${link(route.universe, "mail", step.where)}>${t("tour.inbox")}</a>`}
      ${n < STEPS.length - 1 ? html`<button type="button" onClick=${() => goOn(`on ${n + 1}`)}>${t("tour.next")}</button>` : html`
        <a class="button" href=${link(route.universe, "people")}>${t("nav.people")}</a> <a class="button" href=${link(route.universe, "world")}>${t("nav.world")}</a>`}
      <button type="button" class="quiet" onClick=${() => goOn(n < STEPS.length - 1 ? `off ${n}` : "off 0")}>${n < STEPS.length - 1 ? t("tour.leave") : t("tour.close")}</button></p></aside>`;
}

export function Tour({ route }) {
  const [, n] = /^on (\d)$/.exec(useStored() || "") || [];
  return n === undefined || !STEPS[n] ? null : html`<${Card} key=${n} n=${Number(n)} route=${route} />`;
}
