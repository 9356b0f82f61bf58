// A long list of rows of one height, of which only those in sight are in the page.

import { html, useEffect, useLayoutEffect, useRef, useState } from "/assets/vendor/preact.js";

// Rows drawn above and below what is in sight.
const MARGIN = 8;

// row(index) draws one; near(first, last) is told what is in sight; selected: index that is kept in sight.
export function WindowedList({ count, height, row, near, label, selected = -1, onKey }) {
  const box = useRef(null);
  const [view, setView] = useState({ top: 0, room: 600 });
  useLayoutEffect(() => {
    const measure = () => setView((before) => ({ ...before, room: box.current.clientHeight }));
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(view.top / height) - MARGIN);
  const last = Math.min(count, Math.ceil((view.top + view.room) / height) + MARGIN);
  useEffect(() => { if (near && count) near(first, last); }, [first, last, count, near]);
  useLayoutEffect(() => {
    if (selected < 0 || !box.current) return;
    const top = selected * height;
    if (top < box.current.scrollTop) box.current.scrollTop = top;
    else if (top + height > box.current.scrollTop + box.current.clientHeight) box.current.scrollTop = top + height - box.current.clientHeight;
  }, [selected, count]);
  const rows = [];
  for (let index = first; index < last; index += 1) {
    rows.push(html`<div role="row" key=${index} aria-rowindex=${index + 1} aria-selected=${index === selected ? "true" : "false"}
      style=${{ position: "absolute", top: `${index * height}px`, left: 0, right: 0, height: `${height}px` }}>${row(index)}</div>`);
  }
  return html`<div class="windowed" ref=${box} role="grid" aria-label=${label} aria-rowcount=${count} tabindex="0"
    onKeyDown=${onKey} onScroll=${(event) => setView({ top: event.currentTarget.scrollTop, room: event.currentTarget.clientHeight })}>
    <div role="rowgroup" style=${{ position: "relative", height: `${count * height}px` }}>${rows}</div></div>`;
}
