// The clock, always in sight: what time it is, how it runs, what is due, and how to move it on.

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { get, post, put } from "/assets/app/api.js";
import { subscribe } from "/assets/app/live.js";
import { counted, t } from "/assets/texts/index.js";
import { notice, problem } from "./notice.js";
import { dateOf, duration, secondsOf, simulated, timeOf, useTick } from "./time.js";

const STEPS = [["1h", 3600e3], ["1d", 86400e3], ["1w", 604800e3], ["30d", 2592000e3]];
const SPEEDS = [0.1, 1, 10, 60, 600, 3600, 86400];

// A long way is gone in steps, so that it can be watched and stopped: of so many jobs at first, and then of as many as
// take so many ms.
const AT_ONCE = 20;
const STEP = 500;

// What the strip shows of the future.
const SPANS = [[3600e3, "1 h"], [86400e3, "1 d"], [604800e3, "7 d"], [2592000e3, "30 d"]];

// What is due, as ticks on a line that reaches as far as the soonest of the spans that holds some of it.
function Strip({ jobs, now }) {
  const later = jobs.map((one) => Date.parse(one.due) - now).filter((one) => one > 0);
  if (!later.length) return null;
  const [span, name] = SPANS.find(([size]) => later.filter((one) => one <= size).length >= Math.min(3, later.length)) || SPANS[3];
  const shown = later.filter((one) => one <= span);
  return html`<svg class="strip" viewBox="0 0 200 16" preserveAspectRatio="none" role="img"
    aria-label=${t("clock.strip", { span: name, n: shown.length })}><title>${t("clock.strip", { span: name, n: shown.length })}</title>
    <line x1="0" x2="200" y1="15" y2="15" class="axis" />
    ${shown.slice(0, 200).map((one) => html`<line x1=${one / span * 200} x2=${one / span * 200} y1="3" y2="15" class="due" />`)}</svg>`;
}

export function TimeBar({ clock, role, onChange }) {
  const [going, setGoing] = useState(null);
  const [jobs, setJobs] = useState([]);
  const stopped = useRef(false);
  useTick(clock && !clock.frozen ? 1000 : 0);
  useEffect(() => {
    if (!clock) return;
    get("/api/jobs", { state: "pending", limit: 200 }).then(setJobs, () => setJobs([]));
  }, [clock && clock.pending, clock && clock.next_job && clock.next_job.id, clock && clock.frozen]);
  useEffect(() => {
    if (!going) return undefined;
    // While it moves the events tell where it is.
    return subscribe(["job.done", "job.failed"], (event) =>
      setGoing((before) => before && { ...before, at: event.at, jobs: before.jobs + 1 }));
  }, [going !== null]);
  if (!clock) return html`<div class="timebar" aria-busy="true"><span class="help">${t("loading")}</span></div>`;
  const now = simulated(clock);

  const advance = async (ask) => {
    stopped.current = false;
    setGoing({ from: now, end: ask.to && Date.parse(ask.to), at: clock.now, jobs: 0 });
    let done = 0;
    let step = AT_ONCE;
    try {
      for (;;) {
        const begin = performance.now();
        const answer = await post("/api/clock/advance", { max_jobs: step, ...ask });
        step = Math.round(Math.max(5, Math.min(1000, 2 * step, step * STEP / (performance.now() - begin))));
        done += answer.jobs_run;
        setGoing((before) => before && { ...before, at: answer.to, jobs: done });
        if (answer.stopped_by !== "limit" || ask.max_jobs || stopped.current) {
          notice(t("clock.advanced", { to: `${dateOf(Date.parse(answer.to))}, ${timeOf(Date.parse(answer.to))}`, jobs: counted("clock.jobs", done) }));
          break;
        }
      }
    } catch (error) {
      problem(error);
    }
    setGoing(null);
    onChange();
  };
  const set = (change) => put("/api/clock", change).then(onChange, problem);
  const may = role !== "viewer";
  const next = clock.next_job;
  const ms = next ? Date.parse(next.due) - now : 0;
  if (going) {
    return html`<div class="timebar" role="group" aria-label=${t("clock.label")}>
      <span class="now"><strong>${dateOf(Date.parse(going.at))}</strong> ${timeOf(Date.parse(going.at))}</span>
      <progress aria-label=${t("clock.progress")} value=${going.end ? Math.min(1, (Date.parse(going.at) - going.from) / (going.end - going.from)) : undefined}></progress><span role="status">${t("clock.going", { jobs: counted("clock.jobs", going.jobs) })}</span>
      <button type="button" disabled=${going.stopping} onClick=${() => { stopped.current = true; setGoing({ ...going, stopping: true }); }}>${t("clock.stop")}</button></div>`;
  }
  return html`<div class="timebar" role="group" aria-label=${t("clock.label")}>
    <span class="now"><strong>${dateOf(now)}</strong> ${secondsOf(now)}</span>
    ${may && html`<button type="button" aria-pressed=${clock.frozen} onClick=${() => set({ frozen: !clock.frozen })}>${clock.frozen ? t("clock.run") : t("clock.freeze")}</button>`}
    ${clock.frozen && html`<span class="badge">${t("clock.frozen")}</span>`}
    ${may && html`<label><span class="hidden">${t("clock.speed")}</span><select value=${String(clock.speed)} onChange=${(event) => set({ speed: Number(event.currentTarget.value) })}>
      ${[...new Set([...SPEEDS, clock.speed])].sort((a, b) => a - b).map((one) => html`<option value=${String(one)}>×${one}</option>`)}</select></label>
    ${STEPS.map(([by, size]) => html`<button type="button" title=${t("clock.advance", { by })} onClick=${() => advance({ to: new Date(now + size).toISOString() })}>${t(`clock.by.${by}`)}</button>`)}
    <button type="button" disabled=${!next} onClick=${() => advance({ until: "next_job", max_jobs: undefined })}
      title=${next ? t("clock.next.title", { kind: next.kind, in: duration(ms) }) : t("clock.next.none")}>${t("clock.next")}</button>`}
    ${next && html`<span class="help">${counted("clock.due", clock.pending, { in: duration(ms) })}</span>`}<${Strip} jobs=${jobs} now=${now} /></div>`;
}
