// Instants of the simulated clock, with the real time beside them where it is known.

import { createContext, html, useContext, useEffect, useState } from "/assets/vendor/preact.js";

// {now, real, speed, frozen, read}: the clock as last told, and when (performance.now()).
export const Clock = createContext(null);

// The simulated instant at this moment, in ms.
export function simulated(clock) {
  const now = Date.parse(clock.now);
  return clock.frozen ? now : now + (performance.now() - clock.read) * clock.speed;
}

const DATE = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const SECONDS = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const SHORT = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

export const dateOf = (ms) => DATE.format(ms);
export const timeOf = (ms) => TIME.format(ms);
export const secondsOf = (ms) => SECONDS.format(ms);

// How long something takes or took: "3 d 4 h", "28 min", "12 s".
export function duration(ms) {
  const units = [["d", 86400e3], ["h", 3600e3], ["min", 60e3], ["s", 1e3]];
  let left = Math.abs(ms);
  const parts = [];
  for (const [name, size] of units) {
    const n = Math.floor(left / size);
    if (n || (name === "s" && !parts.length)) parts.push(`${n} ${name}`);
    left -= n * size;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

// Short where it is of the same simulated day, else with the date; whole in the title.
export function Instant({ at, long = false }) {
  const clock = useContext(Clock);
  const ms = Date.parse(at);
  const now = clock ? simulated(clock) : Date.now();
  const near = new Date(ms).toDateString() === new Date(now).toDateString();
  const text = long ? `${dateOf(ms)}, ${secondsOf(ms)}` : near ? timeOf(ms) : `${SHORT.format(ms)}, ${timeOf(ms)}`;
  let title = `${LONG.format(ms)} on the simulated clock`;
  if (clock && !clock.frozen) {
    const real = Date.now() + (ms - now) / clock.speed;
    title += `\n${LONG.format(real)} in real time, at the present speed`;
  }
  return html`<time datetime=${at} title=${title}>${text}</time>`;
}

// Renders again every `every` ms.
export function useTick(every) {
  const [, set] = useState(0);
  useEffect(() => {
    if (!every) return undefined;
    const timer = setInterval(() => set((n) => n + 1), every);
    return () => clearInterval(timer);
  }, [every]);
}
