// The live stream of events: one connection for the page, shared by all who look at it.

import { address } from "./api.js";

const listeners = new Set();
let source = null;
let last = null;
let state = "closed";

function tell(event) {
  for (const [fits, hears] of listeners) if (fits(event)) hears(event);
}

// What this page itself has changed, for those who show it.
export const changed = () => tell({ type: "changed" });

const set = (now) => {
  if (now === state) return;
  state = now;
  tell({ type: "stream", state });
};

// The types of a universe's events are many and grow; all arrive as they are named, so the stream is read by fetch.
async function read(opened) {
  for (let wait = 500; source === opened; wait = Math.min(wait * 2, 8000)) {
    try {
      const answer = await fetch(address("/api/events/stream"), {
        signal: opened.signal, headers: { Accept: "text/event-stream", ...(last === null ? {} : { "Last-Event-ID": last }) },
      });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      set("open");
      wait = 500;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ""; ;) {
        const { value, done } = await reader.read();
        if (done) break;
        const blocks = (rest + value).split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) hear(block);
      }
    } catch (error) {
      if (opened.signal.aborted) return;
    }
    set("lost");
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

function hear(block) {
  const fields = Object.fromEntries(block.split("\n").filter((line) => line && !line.startsWith(":")).map((line) => {
    const at = line.indexOf(":");
    return [line.slice(0, at), line.slice(at + 1).trimStart()];
  }));
  if (fields.id) last = fields.id;
  if (!fields.data) return;
  tell(JSON.parse(fields.data));
}

export function listenTo(universe) {
  if (source) source.abort();
  last = null;
  source = universe ? new AbortController() : null;
  set("closed");
  if (source) read(source);
}

// Whether an event is of one of some types; a type that ends in * is a beginning.
export const matcher = (types) => (event) => types.some((one) =>
  one === event.type || (one.endsWith("*") && event.type.startsWith(one.slice(0, -1))));

// Calls hears(event) for events of these types until the returned function is called.
export function subscribe(types, hears) {
  const entry = [matcher(types), hears];
  listeners.add(entry);
  return () => listeners.delete(entry);
}
