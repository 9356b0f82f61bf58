// A long list of rows of one height, of which only those in sight are in the page.

import { html, useEffect, useLayoutEffect, useRef, useState } from "/assets/vendor/preact.js";

// Rows drawn above and below what is in sight.
const MARGIN = 8;

// Milliseconds that a list rests before what is in sight is asked for: rows that fly past are not.
const REST = 60;

// rows: {count, version, id(index), find(id), near(first, last)}: how many there are; what changes when other rows are
// there; what a row is known by, and where one is (-1: not known); near is told what is in sight, once for each version.
// row(index) draws one.  chosen: id of the row that is brought into sight when it is chosen; else the list stays where
// it is, with the same row on top whatever comes and goes above it.
export function WindowedList({ rows, height, row, label, chosen, onKey }) {
  const { count, version } = rows;
  const box = useRef(null);
  const top = useRef({});
  const brought = useRef(null);
  const [{ first, last }, setSight] = useState({ first: 0, last: 30 });
  const look = () => {
    const { scrollTop, clientHeight } = box.current;
    const index = Math.floor(scrollTop / height);
    top.current = { index, id: rows.id(index) };
    const sight = { first: Math.max(0, index - MARGIN), last: Math.ceil((scrollTop + clientHeight) / height) + MARGIN };
    setSight((before) => (before.first === sight.first && before.last === sight.last ? before : sight));
  };
  const looks = useRef(look);
  looks.current = look;
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => looks.current());
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    const { index, id } = top.current;
    const now = index > 0 && id !== undefined && rows.id(index) !== id ? rows.find(id) : -1;
    if (now >= 0) box.current.scrollTop += (now - index) * height;
    look();
  }, [version, count]);
  useLayoutEffect(() => {
    const index = chosen === undefined ? -1 : rows.find(chosen);
    if (index < 0 || brought.current === chosen) return;
    brought.current = chosen;
    const begin = index * height;
    const { scrollTop, clientHeight } = box.current;
    if (begin < scrollTop) box.current.scrollTop = begin;
    else if (begin + height > scrollTop + clientHeight) box.current.scrollTop = begin + height - clientHeight;
  }, [chosen, version]);
  const end = Math.min(count, last);
  useEffect(() => {
    if (!count) return undefined;
    const timer = setTimeout(() => rows.near(first, end), REST);
    return () => clearTimeout(timer);
  }, [first, end, version]);
  const drawn = [];
  for (let index = Math.min(first, count); index < end; index += 1) {
    drawn.push(html`<div role="row" key=${index} aria-rowindex=${index + 1} aria-selected=${chosen !== undefined && rows.id(index) === chosen ? "true" : "false"}
      style=${{ position: "absolute", top: `${index * height}px`, left: 0, right: 0, height: `${height}px` }}>${row(index)}</div>`);
  }
  return html`<div class="windowed" ref=${box} role="grid" aria-label=${label} aria-rowcount=${count} tabindex="0"
    onKeyDown=${onKey} onScroll=${look}>
    <div role="rowgroup" style=${{ position: "relative", height: `${count * height}px` }}>${drawn}</div></div>`;
}
