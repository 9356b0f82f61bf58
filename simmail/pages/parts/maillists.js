// Lists of mail as they are loaded: those rows that come into sight, and again when something happened.  Rows of before
// stay until there are new ones.

import { useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { ask, get } from "/assets/app/api.js";
import { subscribe } from "/assets/app/live.js";
import { problem } from "./notice.js";

// Rows that one call asks for; the most that are asked for again at once.
const PAGE = 50;
const MOST = 500;

const CHANGES = ["mail.*", "persona.*", "world.mail", "changed"];

// Calls again() twice a second while things happen, not before it has ended; begin() first, and whenever `deps` change.
function useChanges(begin, again, deps) {
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    let timer = null;
    let busy = true;
    let happened = false;
    const rest = () => {
      if (busy || timer !== null || !happened) return;
      timer = setTimeout(() => { timer = null; happened = false; work(latest.current()); }, 400);
    };
    const work = (promise) => { busy = true; promise.then(() => { busy = false; rest(); }); };
    work(begin());
    const stop = subscribe(CHANGES, () => { happened = true; rest(); });
    return () => { stop(); clearTimeout(timer); busy = true; };
  }, deps);
}

// What both kinds of lists are: items by index, which change in place, and a version that tells of it.
function useItems(id) {
  const [state, set] = useState({ count: null, version: 0 });
  const kept = useRef({ items: new Map(), asking: new Set(), of: 0, sight: [0, 1] });
  const now = kept.current;
  return {
    now, state, told: (count) => set((before) => ({ count: typeof count === "function" ? count(before.count || 0) : count, version: before.version + 1 })),
    rows: {
      count: state.count || 0, loading: state.count === null, version: state.version, at: (index) => now.items.get(index),
      id: (index) => { const one = now.items.get(index); return one && id(one); },
      find: (wanted) => { for (const [index, one] of now.items) if (id(one) === wanted) return index; return -1; },
    },
  };
}

export const placeOf = (one) => `${one.address || ""}/${one.folder}/${one.uid}`;

// The messages of a folder, or those that q finds there: any page of them at any time.
export function useMessages(path, folder, q) {
  const { now, state, told, rows } = useItems(placeOf);
  const page = (n) => get(`${path}/messages`, { folder, q, limit: PAGE, offset: n * PAGE });
  const take = (n, found) => found.forEach((one, at) => now.items.set(n * PAGE + at, one));
  // What a query finds is counted as it comes.
  const counted = (n, found) => (before) => (found.length === PAGE ? Math.max(before, (n + 1) * PAGE + 1) : n * PAGE + found.length);
  const total = async () => ((await get(`${path}/folders`)).find((one) => one.name === folder) || { total: 0 }).total;
  const load = async (n) => {
    if (now.asking.has(n)) return;
    now.asking.add(n);
    const { of, asking } = now;
    try {
      const found = await page(n);
      if (of !== now.of) return;
      take(n, found);
      told(q ? counted(n, found) : (before) => before);
    } catch (error) {
      asking.delete(n);
      problem(error);
    }
  };
  const again = async () => {
    const of = now.of += 1;
    const wanted = [];
    for (let n = Math.floor(now.sight[0] / PAGE); n * PAGE < now.sight[1]; n += 1) wanted.push(n);
    try {
      const [count, ...found] = await Promise.all([q ? null : total(), ...wanted.map(page)]);
      if (of !== now.of) return;
      now.items = new Map();
      now.asking = new Set(wanted);
      wanted.forEach((n, at) => take(n, found[at]));
      told(q ? counted(wanted.at(-1), found.at(-1)) : count);
    } catch (error) {
      problem(error);
      if (state.count === null) told(0);
    }
  };
  useChanges(() => { now.sight = [0, 1]; return again(); }, again, [path, folder, q]);
  useEffect(() => () => { now.of += 1; }, []);
  return { ...rows, near: (first, last) => {
    now.sight = [first, last];
    for (let n = Math.floor(first / PAGE); n * PAGE < last; n += 1) load(n);
  } };
}

// A list that comes one page after another, each with the address of the next; id tells rows apart.
export function useFollowing(path, query, id) {
  const { now, state, told, rows } = useItems(id);
  const take = ({ value, next }, from) => {
    if (!from) now.items = new Map();
    value.forEach((one, at) => now.items.set(from + at, one));
    now.next = next;
    told(from + value.length + (next ? 1 : 0));
  };
  const load = async (asked, from) => {
    const of = now.of += 1;
    now.busy = true;
    try {
      const found = await asked;
      if (of === now.of) take(found, from);
    } catch (error) {
      if (of === now.of) {
        problem(error);
        now.next = null;
        told(now.items.size);
      }
    }
    if (of === now.of) now.busy = false;
  };
  const again = () => load(ask("GET", path, { query: { ...query, limit: Math.min(MOST, Math.max(PAGE, now.items.size)) } }), 0);
  useChanges(() => { now.items = new Map(); now.next = null; return again(); }, again, [path, JSON.stringify(query)]);
  useEffect(() => () => { now.of += 1; }, []);
  return { ...rows, loading: state.count === null, near: (first, last) => {
    if (now.next && !now.busy && last > now.items.size) load(ask("GET", now.next), now.items.size);
  } };
}
