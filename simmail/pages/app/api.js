// Calls of the API: JSON in, JSON out.  The session is a cookie; the universe goes in a header.

let universe = "";

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const selectUniverse = (id) => { universe = id; };

// The address of a call that a frame, a link or a stream makes by itself.
export function address(path, query = {}) {
  const pairs = Object.entries({ ...query, universe }).filter(([, value]) => value !== undefined && value !== "" && value !== null);
  return `${path}?${new URLSearchParams(pairs)}`;
}

// One segment of a path.
export const segment = (text) => encodeURIComponent(text).replaceAll("%40", "@");

async function refused(answer) {
  const value = await answer.json().catch(() => ({}));
  const error = new ApiError(answer.status, value.error || `${answer.status} ${answer.statusText}`);
  if (answer.status === 401) window.dispatchEvent(new Event("signed-out"));
  return error;
}

// How often a call that came too soon after others is made again.
const PATIENCE = 4;

// Answers {value, next}: what was answered, and the query that asks for what comes after it, if there is more.
export async function ask(method, path, { body, query, signal } = {}) {
  const named = Object.entries(query || {}).filter(([, value]) => value !== undefined && value !== "" && value !== null);
  const headers = { Accept: "application/json" };
  if (universe) headers["X-Service-Universe"] = universe;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  for (let tries = 0; ; tries += 1) {
    try {
      answer = await fetch(path + (named.length ? `?${new URLSearchParams(named)}` : ""), {
        method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ApiError(0, "The server cannot be reached.");
    }
    if (answer.status !== 429 || tries === PATIENCE) break;
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(answer.headers.get("Retry-After") || 1)));
  }
  if (!answer.ok) throw await refused(answer);
  const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get("Link") || "");
  const text = await answer.text();
  const json = (answer.headers.get("Content-Type") || "").startsWith("application/json");
  return { value: json ? JSON.parse(text) : text, next: next ? next[1] : null };
}

const value = async (promise) => (await promise).value;

export const get = (path, query, signal) => value(ask("GET", path, { query, signal }));
export const post = (path, body = {}, signal) => value(ask("POST", path, { body, signal }));
export const put = (path, body) => value(ask("PUT", path, { body }));
export const patch = (path, body) => value(ask("PATCH", path, { body }));
export const remove = (path, query) => value(ask("DELETE", path, { query }));

// Up to `most` items of a list that comes in pages.
export async function all(path, query = {}, most = 2000) {
  const found = [];
  for (let next = null; ;) {
    const page = next ? await ask("GET", next) : await ask("GET", path, { query });
    found.push(...page.value);
    next = page.next;
    if (!next || found.length >= most) return found;
  }
}
