// Where the page is: #/<universe>/<view>/<segment>/…?<query>.  Every view has such an address.

import { useEffect, useState } from "/assets/vendor/preact.js";

export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [universe = "", view = "", ...rest] = path.split("/").map(decodeURIComponent);
  return { universe, view: view || "start", rest, query: Object.fromEntries(new URLSearchParams(query)) };
}

const encoded = (one) => encodeURIComponent(one).replaceAll("%40", "@");

// The address of a view: link("main", "mail", ["app@sim.test", "INBOX", 7], {q: "from:maria"}).
export function link(universe, view = "start", rest = [], query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return `#/${[universe, view, ...rest].map((one) => encoded(String(one))).join("/")}${
    pairs.length ? `?${new URLSearchParams(pairs)}` : ""}`;
}

export function go(where, replace = false) {
  if (replace) {
    history.replaceState(null, "", where);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = where;
  }
}

export function useRoute() {
  const [route, setRoute] = useState(() => parse(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parse(location.hash));
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return route;
}
