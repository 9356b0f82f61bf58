// Figures by day, drawn; the library for it comes only where there is a chart.  The same figures are in a table.

import { html, useEffect, useRef } from "/assets/vendor/preact.js";
import { t } from "/assets/texts/index.js";

let library = null;

function load() {
  if (!library) {
    const style = document.head.appendChild(document.createElement("link"));
    style.rel = "stylesheet";
    style.href = "/assets/vendor/uplot.css";
    library = import("/assets/vendor/uplot.js").then((module) => module.default);
  }
  return library;
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// days: dates; series: [name, numbers, name of a colour].
export function Chart({ label, days, series }) {
  const box = useRef(null);
  useEffect(() => {
    let plot = null;
    let watch = null;
    let here = true;
    load().then((Plot) => {
      if (!here) return;
      const axis = { stroke: colour("soft"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line") } };
      plot = new Plot({
        width: box.current.clientWidth, height: 220, scales: { x: { time: true }, y: { range: (_, low, high) => [0, Math.max(1, high)] } }, axes: [axis, axis],
        series: [{}, ...series.map(([name, , of]) => ({ label: name, stroke: colour(of), width: 2, points: { size: 5 } }))],
      }, [days.map((one) => Date.parse(one) / 1000), ...series.map(([, values]) => values)], box.current);
      watch = new ResizeObserver(() => plot.setSize({ width: box.current.clientWidth, height: 220 }));
      watch.observe(box.current);
    });
    return () => { here = false; if (watch) watch.disconnect(); if (plot) plot.destroy(); };
  }, [JSON.stringify(series), days.length]);
  return html`<figure class="chart"><figcaption>${label}</figcaption><div ref=${box} aria-hidden="true"></div>
    <details><summary>${t("chart.table")}</summary><div class="scroll" tabindex="0" role="region" aria-label=${label}><table><thead><tr><th scope="col">${t("chart.day")}</th>${series.map(([name]) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
      <tbody>${days.map((day, at) => html`<tr><th scope="row">${day}</th>${series.map(([, values]) => html`<td class="number">${values[at]}</td>`)}</tr>`)}</tbody></table></div></details></figure>`;
}
