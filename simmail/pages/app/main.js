// The dashboard: who is signed in, which universe, which view.

import { html, render, useCallback, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { get, post, remove, selectUniverse } from "./api.js";
import { listenTo, subscribe } from "./live.js";
import { go, link, useRoute } from "./route.js";
import { GROUPS, VIEWS } from "./views.js";
import { t } from "/assets/texts/index.js";
import { Clock } from "/assets/parts/time.js";
import { Notices } from "/assets/parts/notice.js";
import { TimeBar } from "/assets/parts/timebar.js";
import { Tour, takeUp } from "/assets/parts/tour.js";

const LAST = "simmail.universe";

function SignIn({ onIn }) {
  const [error, setError] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    const { email, password } = event.currentTarget.elements;
    try {
      await post("/api/session", { email: email.value, password: password.value });
      onIn();
    } catch (refused) {
      setError(refused.message);
      password.focus();
    }
  };
  return html`<main class="sign-in"><h1><img src="/assets/app/icon.svg" alt="" width="40" height="40" /> simmail</h1>
    <form class="form" onSubmit=${submit} aria-label=${t("session.in")}><p>${t("session.title")}</p>
      ${error && html`<p class="error" role="alert">${error}</p>`}
      <div class="field"><label for="email">${t("session.email")}</label>
        <input id="email" name="email" type="email" autocomplete="username" required autofocus /></div>
      <div class="field"><label for="password">${t("session.password")}</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required /></div>
      <p class="actions"><button type="submit" class="main">${t("session.in")}</button></p>
      <p class="help">${t("session.hint")}</p></form></main>`;
}

// The clock as last told; told again when an event says that it changed, and when it has run into a job.
function useClock(universe) {
  const [clock, setClock] = useState(null);
  const read = useCallback(async () => {
    try {
      setClock({ ...await get("/api/clock"), read: performance.now() });
    } catch (error) {
      // The bar keeps what it had; the view says what is wrong.
    }
  }, []);
  useEffect(() => {
    setClock(null);
    if (!universe) return undefined;
    read();
    let timer = null;
    const stop = subscribe(["clock", "job.*", "stream"], () => {
      if (timer === null) timer = setTimeout(() => { timer = null; read(); }, 250);
    });
    const slow = setInterval(read, 30000);
    return () => { stop(); clearInterval(slow); clearTimeout(timer); };
  }, [universe]);
  return [clock, read];
}

function Nav({ route, administrator }) {
  const shown = GROUPS.map(({ title, views }) => [title, views.filter((one) => VIEWS[one] && (!VIEWS[one].administrator || administrator))]);
  return html`<nav id="views" aria-label=${t("nav.label")}>${shown.map(([title, views]) => views.length > 0 && html`
    ${title && html`<h2>${t(title)}</h2>`}<ul>${views.map((one) => html`<li>
      <a href=${link(route.universe, one)} aria-current=${one === route.view ? "page" : undefined}>${t(`nav.${one}`)}</a></li>`)}</ul>`)}
    <ul><li><a href="/docs">${t("nav.docs")}</a></li><li><button type="button" class="quiet" onClick=${takeUp}>${t("nav.tour")}</button></li></ul></nav>`;
}

function View({ route, me }) {
  const [loaded, setLoaded] = useState({});
  const main = useRef(null);
  const known = VIEWS[route.view];
  const universe = me.universes.find((one) => one.id === route.universe);
  useEffect(() => {
    let here = true;
    if (known) known.load().then((module) => here && setLoaded({ view: route.view, Shown: module.default }), (error) => here && setLoaded({ view: route.view, error }));
    document.title = `${known ? t(`nav.${route.view}`) : ""} · ${route.universe} · simmail`;
    return () => { here = false; };
  }, [route.view, route.universe]);
  useEffect(() => { if (main.current && document.activeElement === document.body) main.current.focus({ preventScroll: true }); }, [route.view]);
  let inside;
  if (!known) inside = html`<p class="empty">${t("view.missing")} <a href=${link(route.universe)}>${t("nav.start")}</a></p>`;
  else if (loaded.view !== route.view) inside = html`<p class="loading" role="status">${t("loading")}</p>`;
  else if (loaded.error) inside = html`<p class="error" role="alert">${loaded.error.message}</p>`;
  else inside = html`<${loaded.Shown} key=${route.universe} route=${route} me=${me} role=${universe.role} />`;
  return html`<main id="view" ref=${main} tabindex="-1" class="view-${route.view}">${inside}</main>`;
}

function Shell({ me, onOut }) {
  const route = useRoute();
  const [open, setOpen] = useState(false);
  const [lost, setLost] = useState(false);
  const known = me.universes.find((one) => one.id === route.universe);
  if (known) selectUniverse(known.id);
  const [clock, readClock] = useClock(known ? known.id : "");
  useEffect(() => {
    if (known) {
      listenTo(known.id);
      localStorage.setItem(LAST, known.id);
    } else if (me.universes.length) {
      const wanted = ["main", localStorage.getItem(LAST)].map((id) => me.universes.find((one) => one.id === id)).find(Boolean);
      go(link((wanted || me.universes.find((one) => one.id !== "demo") || me.universes[0]).id), true);
    }
  }, [known && known.id]);
  useEffect(() => subscribe(["stream"], ({ state }) => setLost(state === "lost")), []);
  useEffect(() => setOpen(false), [route.view, route.universe]);
  if (!me.universes.length) return html`<main class="missing"><p>${t("universe.none")}</p><p><button type="button" onClick=${onOut}>${t("session.out")}</button></p></main>`;
  if (!known) return html`<p class="loading">${t("loading")}</p>`;
  return html`<${Clock.Provider} value=${clock}>
    <a class="skip" href="#view" onClick=${(event) => { event.preventDefault(); document.getElementById("view").focus(); }}>${t("skip")}</a>
    <header class="top">
      <button type="button" class="menu quiet" aria-expanded=${open} aria-controls="views" onClick=${() => setOpen(!open)}>${t("menu")}</button>
      <a class="brand" href=${link(route.universe)}><img src="/assets/app/icon.svg" alt="" width="24" height="24" /> simmail</a>
      <label class="universe"><span class="hidden">${t("universe")}</span>
        <select value=${route.universe} onChange=${(event) => go(link(event.currentTarget.value, route.view))}>
          ${me.universes.map((one) => html`<option value=${one.id}>${one.name}</option>`)}</select></label>
      <${TimeBar} clock=${clock} role=${known.role} onChange=${readClock} />
      <span class="who" title="${me.user ? me.user.email : ""}, ${t("role", { role: known.role })}"><span class="email">${me.user ? me.user.email : ""}</span>
        <button type="button" class="quiet" onClick=${onOut}>${t("session.out")}</button></span>
    </header>
    <div class="body ${open ? "open" : ""}"><${Nav} route=${route} administrator=${me.user && me.user.administrator} />
      <${View} route=${route} me=${me} /></div>
    ${lost && html`<p class="lost" role="status">${t("stream.lost")}</p>`}<${Tour} route=${route} /><${Notices} /><//>`;
}

function App() {
  const [me, setMe] = useState(undefined);
  const learn = useCallback(async () => {
    selectUniverse("");
    try {
      const found = await get("/api/me");
      setMe(found.kind === "user" ? found : null);
    } catch (error) {
      setMe(error.status === 401 ? null : { error });
    }
  }, []);
  useEffect(() => {
    learn();
    const out = () => setMe(null);
    window.addEventListener("signed-out", out);
    window.addEventListener("universes", learn);
    return () => { window.removeEventListener("signed-out", out); window.removeEventListener("universes", learn); };
  }, []);
  if (me === undefined) return html`<p class="loading">${t("loading")}</p>`;
  if (me === null) return html`<${SignIn} onIn=${learn} />`;
  if (me.error) return html`<main class="missing"><p class="error" role="alert">${me.error.message}</p><p><button type="button" onClick=${learn}>${t("again")}</button></p></main>`;
  const out = async () => { listenTo(""); await remove("/api/session").catch(() => undefined); setMe(null); };
  return html`<${Shell} me=${me} onOut=${out} />`;
}

const root = document.getElementById("app");
root.replaceChildren();
render(html`<${App} />`, root);
