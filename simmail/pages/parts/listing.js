// The messages of one folder, newest first: as many as there are, of which those in sight are loaded.

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { get, segment } from "/assets/app/api.js";
import { subscribe } from "/assets/app/live.js";
import { go, link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { WindowedList } from "./list.js";
import { problem } from "./notice.js";
import { Instant } from "./time.js";

const HEIGHT = 76;

// Messages that one call asks for.
const PAGE = 50;

function Row({ universe, address, folder, one, q }) {
  if (!one) return html`<div class="row" role="gridcell" aria-busy="true"></div>`;
  const seen = one.flags.includes("\\Seen");
  const who = folder === "Sent" || folder === "Drafts" ? one.to.join(", ") : one.from_name || one.from;
  return html`<a role="gridcell" class="row ${seen ? "" : "unseen"}" tabindex="-1" href=${link(universe, "mail", [address, folder, one.uid], { q })}>
    <span class="from">${who}</span><${Instant} at=${one.time} /><span class="subject">${one.subject || t("mail.subject.none")}</span>
    <span class="snippet">${one.text.slice(0, 120)}</span></a>`;
}

export function Listing({ universe, address, folder, uid, q, role, onCompose }) {
  const [count, setCount] = useState(0);
  const [rows, setRows] = useState({});
  const asked = useRef(new Set());
  const version = useRef(0);
  const path = `/api/mailboxes/${segment(address)}`;

  const load = async (page) => {
    if (asked.current.has(page)) return;
    asked.current.add(page);
    const of = version.current;
    try {
      const found = await get(`${path}/messages`, { folder, q, limit: PAGE, offset: page * PAGE });
      if (of !== version.current) return;
      setRows((before) => ({ ...before, ...Object.fromEntries(found.map((one, at) => [page * PAGE + at, one])) }));
      // What a query finds is counted as it comes.
      if (q) setCount((before) => Math.max(before, page * PAGE + found.length + (found.length === PAGE ? 1 : 0)));
    } catch (error) {
      asked.current.delete(page);
      problem(error);
    }
  };
  const again = async () => {
    version.current += 1;
    asked.current.clear();
    try {
      if (!q) {
        const folders = await get(`${path}/folders`);
        setCount((folders.find((one) => one.name === folder) || { total: 0 }).total);
      }
    } catch (error) {
      problem(error);
    }
    load(0);
  };
  useEffect(() => {
    setRows({});
    setCount(0);
    again();
    let timer = null;
    const stop = subscribe(["mail.*", "persona.*", "world.mail", "mailbox.*", "changed"], () => {
      if (timer === null) timer = setTimeout(() => { timer = null; again(); }, 400);
    });
    return () => { stop(); clearTimeout(timer); version.current += 1; };
  }, [address, folder, q, universe]);

  const selected = Number(Object.keys(rows).find((at) => rows[at].uid === uid) ?? -1);
  const open = (at) => rows[at] && go(link(universe, "mail", [address, folder, rows[at].uid], { q }));
  useEffect(() => {
    const key = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
      if (event.key === "j") open(Math.min(count - 1, selected + 1));
      else if (event.key === "k") open(Math.max(0, selected - 1));
      else if (event.key === "/") document.getElementById("search").focus();
      else if (event.key === "c" && role !== "viewer") onCompose();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", key);
    return () => window.removeEventListener("keydown", key);
  });
  const search = (event) => {
    event.preventDefault();
    go(link(universe, "mail", [address, folder], { q: event.currentTarget.elements.q.value }));
  };
  return html`<div class="tools"><form role="search" onSubmit=${search}><input id="search" name="q" type="search" defaultValue=${q}
      aria-label=${t("mail.search.label")} placeholder=${t("mail.search")} /></form>
    ${role !== "viewer" && html`<button type="button" class="main" onClick=${() => onCompose()}>${t("mail.compose")}</button>`}</div>
    ${count === 0 ? html`<p class="empty">${t("mail.empty")}</p>` : html`<${WindowedList} count=${count} height=${HEIGHT} selected=${selected}
      label=${t("mail.list", { folder, address })} near=${(first, last) => { for (let page = Math.floor(first / PAGE); page * PAGE < last; page += 1) load(page); }}
      row=${(at) => html`<${Row} universe=${universe} address=${address} folder=${folder} one=${rows[at]} q=${q} />`} />`}`;
}
