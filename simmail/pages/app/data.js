// What a view shows: loaded from the API, and again when an event says that it has changed.

import { useCallback, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { subscribe } from "./live.js";

// load(signal) answers a promise; deps: when they change it is loaded anew; events: types after which it is loaded again.
// Returns {data, error, loading, reload}; data of before stays until there is new.
export function useData(load, deps = [], events = []) {
  const [state, setState] = useState({ data: null, error: null, loading: true });
  const latest = useRef(null);
  const loader = useRef(load);
  loader.current = load;
  const reload = useCallback(async () => {
    if (latest.current) latest.current.abort();
    const asked = latest.current = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    try {
      const data = await loader.current(asked.signal);
      if (!asked.signal.aborted) setState({ data, error: null, loading: false });
    } catch (error) {
      if (!asked.signal.aborted) setState((before) => ({ ...before, error, loading: false }));
    }
  }, []);
  useEffect(() => {
    setState({ data: null, error: null, loading: true });
    reload();
    return () => latest.current && latest.current.abort();
  }, deps);
  useEffect(() => {
    if (!events.length) return undefined;
    let timer = null;
    // A burst of events is one reason to look again, and while it goes on a view looks twice a second.
    const stop = subscribe(events, () => {
      if (timer === null) timer = setTimeout(() => { timer = null; reload(); }, 400);
    });
    return () => { stop(); clearTimeout(timer); };
  }, [reload, events.join()]);
  return { ...state, reload };
}
