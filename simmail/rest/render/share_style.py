"""
The look of a shared report: one style sheet inside the page, in light and dark, on paper and on a phone.

Nothing is fetched from anywhere.  Charts take their colours from classes, as the policy of the page allows no C{style}
attributes.
"""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light;
  --ground: #ffffff; --raised: #f5f7f9; --ink: #1a1f26; --soft: #56606c; --line: #d9dee4; --accent: #0b57a4;
  --pale: #79a7d6; --bad: #b3261e; --track: #e4e9ee;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    color-scheme: dark;
    --ground: #14181d; --raised: #1c2229; --ink: #e9ecef; --soft: #a5afbb; --line: #343c46; --accent: #84bbf2;
    --pale: #3f6f9f; --bad: #ff8f85; --track: #2a323b;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI",
  Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif; }
.sheet { max-width: 66rem; margin: 0 auto; padding: 3.5rem 2.5rem 3rem; }
h1 { font-size: clamp(1.625rem, 1.2rem + 2vw, 2.5rem); line-height: 1.15; letter-spacing: -.015em; margin: 0 0 .5rem;
  font-weight: 650; overflow-wrap: anywhere; text-wrap: balance; }
h2 { font-size: 1.1875rem; line-height: 1.3; margin: 0 0 .25rem; font-weight: 650; }
p { margin: 0; }
.soft { color: var(--soft); }
.kicker { color: var(--soft); font-size: .9375rem; margin-bottom: .75rem; overflow-wrap: anywhere; }
section { margin-top: 3.25rem; }
.lead { color: var(--soft); margin-bottom: 1.25rem; max-width: 44rem; }
svg { display: block; }

.figures { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); margin: 2.5rem 0 0; gap: 1.75rem;
  border-top: 2px solid var(--ink); padding-top: 1.25rem; }
.figures div { display: flex; flex-direction: column; }
.figures dt { font-size: .9375rem; font-weight: 600; }
.figures dd { margin: 0; color: var(--soft); font-size: .875rem; line-height: 1.4; }
.figures dd.value { color: var(--ink); font-size: clamp(1.5rem, 1rem + 1.9vw, 2.25rem); line-height: 1.25;
  font-weight: 600; letter-spacing: -.02em; font-variant-numeric: tabular-nums; white-space: nowrap; }
.value small { font-size: .62em; font-weight: 500; letter-spacing: 0; }

.chart { display: grid; grid-template-columns: minmax(0, 1fr) auto; column-gap: .625rem; }
.chart .plot { grid-column: 1; height: 11.5rem; border-bottom: 1px solid var(--soft); position: relative;
  background: linear-gradient(var(--line), var(--line)) 0 0 / 100% 1px no-repeat,
    linear-gradient(var(--line), var(--line)) 0 50% / 100% 1px no-repeat; }
.chart svg { width: 100%; height: 100%; position: relative; }
.chart .scale { grid-column: 2; display: flex; flex-direction: column; justify-content: space-between;
  font-size: .8125rem; color: var(--soft); font-variant-numeric: tabular-nums; text-align: right; margin: -.625rem 0; }
.chart .dates { grid-column: 1; display: flex; justify-content: space-between; font-size: .8125rem; color: var(--soft);
  padding-top: .375rem; }
.legend { list-style: none; margin: 0 0 1.25rem; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem;
  font-size: .9375rem; }
.legend li { display: flex; align-items: center; gap: .5rem; }
.legend svg { width: .75rem; height: .75rem; flex: none; }
.replied { fill: var(--accent); }
.delivered { fill: var(--pale); }
.bounced { fill: var(--bad); }
.track { fill: var(--track); }
.hover { fill: transparent; }

table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .6875rem 0 .6875rem 1.25rem; vertical-align: baseline; font-weight: 400; }
th:first-child { text-align: left; padding-left: 0; }
thead th { font-size: .875rem; color: var(--soft); border-bottom: 1px solid var(--soft); padding-top: 0;
  vertical-align: bottom; line-height: 1.3; }
td { white-space: nowrap; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
tbody th { overflow-wrap: anywhere; }
tbody th span { display: block; color: var(--soft); font-size: .875rem; }
td.bar { width: 22%; }
td.bar svg, .meter svg { width: 100%; height: .375rem; margin-top: .375rem; }
td .n { color: var(--soft); font-size: .875rem; }
.campaigns col.name { width: 40%; }
.more { color: var(--soft); font-size: .9375rem; margin-top: .75rem; }

.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 4rem; }
.pair section { min-width: 0; }
.facts { margin: 0; }
.facts div { display: flex; justify-content: space-between; gap: 1.5rem; padding: .5625rem 0; }
.facts div + div { border-top: 1px solid var(--line); }
.facts dt { overflow-wrap: anywhere; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; white-space: nowrap; }
.facts dd.wrong { color: var(--bad); font-weight: 600; }
footer { margin-top: 4rem; border-top: 1px solid var(--line); padding-top: 1rem; color: var(--soft);
  font-size: .875rem; max-width: none; }
.empty { border: 1px solid var(--line); background: var(--raised); border-radius: 6px; padding: 1.5rem; }

@media (max-width: 54rem) {
  .figures { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .pair { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 40rem) {
  .sheet { padding: 2rem 1.25rem 2rem; }
  section { margin-top: 2.5rem; }
  .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.25rem 1rem; margin-top: 1.75rem; }
  .chart .plot { height: 8.5rem; }
  .side { display: none; }
  th, td { padding-left: .75rem; }
  td.bar { width: 34%; }
  .campaigns col.name { width: auto; }
}
@media print {
  @page { margin: 16mm 14mm; }
  html { font-size: 10.5pt; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .sheet { max-width: none; padding: 0; }
  .figures { grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 1rem; margin-top: 1.5rem; }
  .figures dd.value { font-size: 1.625rem; }
  section { margin-top: 2rem; }
  .chart .plot { height: 8rem; }
  .pair { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 2.5rem; }
  th, td { padding-top: .4375rem; padding-bottom: .4375rem; }
  .facts div { padding: .375rem 0; }
  .pair section, tr, .facts div, .chart, .figures { break-inside: avoid; }
  h2, .lead { break-after: avoid; }
  footer { margin-top: 2rem; }
}
"""
