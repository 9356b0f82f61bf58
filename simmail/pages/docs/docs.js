"use strict";

// The console: everything it shows is in the OpenAPI document, everything it does is a call to this server.

const at = (id) => document.getElementById(id);
const state = { document: null, calls: [], shown: null, user: null, pass: null, running: null };

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// Who calls

function kind() {
  return new FormData(at("caller")).get("kind");
}

function says(text, bad = false) {
  at("caller-says").textContent = text;
  at("caller-says").className = bad ? "bad" : "";
}

async function json(method, path, body, headers = {}) {
  const answer = await fetch(path, {
    method, headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const value = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(value.error || `status ${answer.status}`);
  return value;
}

function showCaller() {
  const as = kind();
  at("with-key").hidden = as !== "key";
  at("signing-in").hidden = as !== "user" || state.user !== null;
  at("signed-in").hidden = as !== "user" || state.user === null;
  says("");
  showCurl();
}

async function learnUser() {
  const me = await json("GET", "/api/me");
  if (me.kind !== "user") throw new Error("sign in first");
  state.user = me.user;
  state.pass = null;
  at("who").textContent = me.user.email;
  // Their own: of an organization they are in, and not everybody's demo if there is another.
  const fits = [
    (one) => one.org in me.user.orgs && one.id !== "demo" && one.role !== "viewer",
    (one) => one.org in me.user.orgs && one.id !== "demo", (one) => one.id !== "demo", () => true,
  ];
  const own = fits.map((fit) => me.universes.find(fit)).find((one) => one);
  at("universe").replaceChildren(...me.universes.map((one) =>
    make("option", { value: one.id, text: `${one.name} (${one.role})`, selected: one === own })));
}

async function signIn() {
  try {
    await json("POST", "/api/session", { email: at("email").value, password: at("password").value });
    at("password").value = "";
    await learnUser();
    showCaller();
    at("universe").focus();
  } catch (error) {
    says(error.message, true);
  }
}

async function signOut() {
  try {
    await json("DELETE", "/api/session");
  } catch (error) {
    says(error.message, true);
  }
  state.user = state.pass = null;
  showCaller();
}

async function credentials() {
  if (kind() === "demo") {
    if (state.shown.method !== "GET") throw new Error("The demo universe is read only: sign in, or paste a key.");
    return { "X-Service-Universe": "demo" };
  }
  if (kind() === "key") {
    const key = at("key").value.trim();
    if (!key) throw new Error("Paste an API key first.");
    return { Authorization: `Bearer ${key}` };
  }
  if (state.user === null) throw new Error("Sign in first.");
  if (state.shown.operation["x-role"] === "admin") {
    throw new Error("This call needs the role admin, and a pass goes up to member: paste an API key instead.");
  }
  const universe = at("universe").value;
  const pass = state.pass;
  if (pass === null || pass.universe !== universe || pass.ends < Date.now()) {
    const made = await json("POST", "/api/session/pass", undefined, { "X-Service-Universe": universe });
    state.pass = { token: made.token, universe, ends: Date.now() + (made.seconds - 30) * 1000 };
  }
  return { Authorization: `Bearer ${state.pass.token}` };
}

// The calls

function resolve(schema) {
  let found = schema || {};
  for (let n = 0; found.$ref && n < 20; n += 1) {
    found = found.$ref.slice(2).split("/").reduce((value, key) => value[key], state.document);
  }
  return found;
}

function collect() {
  for (const [path, methods] of Object.entries(state.document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      state.calls.push({ id: operation.operationId, method: method.toUpperCase(), path, operation });
    }
  }
}

function list() {
  // What is typed before the calls are there is heeded when they are.
  if (!state.document) return;
  const words = at("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (call) => {
    const text = `${call.method} ${call.path} ${call.operation.summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = state.calls.filter(fits);
  at("found").textContent = `${found.length} of ${state.calls.length} calls`;
  const headings = state.document.tags.map((tag) => tag.name);
  at("calls").replaceChildren(...headings.flatMap((heading) => {
    const own = found.filter((call) => call.operation.tags[0] === heading);
    if (own.length === 0) return [];
    return [make("h2", { text: heading }), make("ul", {}, ...own.map((call) => make("li", {},
      make("a", { href: `#${call.id}`, "aria-current": state.shown === call ? "page" : null },
        make("span", { class: "method", text: call.method }), make("span", { class: "path", text: call.path }),
        make("span", { class: "what", text: call.operation.summary })))))];
  }));
}

function field(parameter) {
  const schema = resolve(parameter.schema);
  const id = `p-${parameter.in}-${parameter.name}`;
  const values = schema.enum || (schema.type === "boolean" ? ["true", "false"] : null);
  const value = parameter.required ? parameter.example : undefined;
  const control = values
    ? make("select", { id, "data-name": parameter.name, "data-in": parameter.in },
      ...(parameter.required ? [] : [make("option", { value: "", text: "" })]),
      ...values.map((one) => make("option", { value: one, text: one })))
    : make("input", { id, "data-name": parameter.name, "data-in": parameter.in, value, autocomplete: "off",
      placeholder: parameter.example, required: parameter.required, spellcheck: "false",
      inputmode: schema.type === "integer" ? "numeric" : null });
  control.setAttribute("aria-describedby", `${id}-told`);
  return make("div", { class: "field" },
    make("label", { for: id, text: parameter.required ? `${parameter.name} (required)` : parameter.name }), control,
    told("p", { class: "hint", id: `${id}-told` }, [parameter.description, bounds(schema)].filter(Boolean).join("; ")));
}

// What there is to know of a value besides its type and what it means.
function bounds(schema) {
  const one = (schema.anyOf || []).find((kind) => kind.type !== "null") || schema;
  const known = (value) => value !== undefined && value !== null && value !== "";
  return [known(schema.default) ? `default ${JSON.stringify(schema.default)}` : "",
    known(one.minimum) ? `from ${one.minimum}` : "", known(one.maximum) ? `to ${one.maximum}` : "",
    one.maxLength ? `at most ${one.maxLength} characters` : "", one.maxItems ? `at most ${one.maxItems}` : ""].filter(Boolean).join(", ");
}

// Text with `code` in it.
function told(tag, attributes, text) {
  return make(tag, attributes, ...text.split("`").map((part, n) => (n % 2 ? make("code", { text: part }) : part)));
}

function typeOf(schema) {
  const found = resolve(schema);
  if (found.enum) return found.enum.map((one) => JSON.stringify(one)).join(" | ");
  if (found.const !== undefined) return JSON.stringify(found.const);
  if (found.anyOf) return found.anyOf.map(typeOf).filter((one, n, all) => all.indexOf(one) === n).join(" or ");
  if (found.type === "array") return `list of ${typeOf(found.items || {})}`;
  if (found.properties) return "object";
  if (found.additionalProperties) return `object of ${typeOf(found.additionalProperties)}`;
  return found.format ? `${found.type} (${found.format})` : found.type || "anything";
}

// The fields of a body, those of objects in it behind a dot.
function fields(schema, prefix = "", depth = 0) {
  const found = resolve(schema);
  return Object.entries(found.properties || {}).flatMap(([name, one]) => {
    const required = (found.required || []).includes(name);
    const inner = resolve(one).anyOf ? resolve(one).anyOf.find((other) => resolve(other).properties) || one : one;
    return [make("tr", {}, make("th", { scope: "row", text: prefix + name }),
      make("td", { text: [typeOf(one), required ? "required" : "", bounds(one)].filter(Boolean).join(", ") }),
      told("td", {}, one.description || "")),
    ...(depth < 2 ? fields(inner, `${prefix}${name}.`, depth + 1) : [])];
  });
}

function pretty(value) {
  return JSON.stringify(value, null, 2);
}

function show(call) {
  if (state.running !== null) state.running.abort();
  state.shown = call;
  const { operation } = call;
  const form = make("form", { id: "form" });
  const roles = make("p", {},
    make("span", { class: "role", text: operation["x-role"] ? `role ${operation["x-role"]}` : "no key needed" }));
  if (operation["x-feature"]) roles.append(make("span", { class: "role", text: `plan feature ${operation["x-feature"]}` }));
  const parameters = operation.parameters || [];
  for (const [where, title] of [["path", "Path"], ["query", "Query"]]) {
    const own = parameters.filter((one) => one.in === where);
    if (own.length) form.append(make("h3", { text: title }), ...own.map(field));
  }
  const about = parameters.length && operation["x-query"] ? operation["x-query"] : "";
  if (about) form.append(told("p", { class: "hint" }, about));
  if (operation.requestBody) {
    const content = operation.requestBody.content["application/json"];
    const schema = resolve(content.schema);
    form.append(make("label", { class: "above", for: "body", text: "Body (JSON)" }));
    if (schema.description) form.append(told("p", { class: "hint", id: "body-told" }, schema.description));
    const area = make("textarea", { id: "body", spellcheck: "false", "aria-describedby": schema.description ? "body-told" : null });
    area.value = content.example === undefined ? "{}" : pretty(content.example);
    area.rows = Math.min(24, Math.max(4, area.value.split("\n").length + 1));
    form.append(area);
    const rows = fields(content.schema.type === "array" ? content.schema.items : content.schema);
    if (rows.length) form.append(make("details", {}, make("summary", { text: "Fields of the body" }), make("table", {}, ...rows)));
  }
  form.append(make("div", { class: "row" }, make("button", { class: "run", type: "submit", text: "Run" }),
    make("button", { type: "button", id: "stop", text: "Stop", disabled: true })));
  form.addEventListener("submit", (event) => { event.preventDefault(); run(); });
  form.addEventListener("input", showCurl);
  const ok = operation.responses["200"].content || {};
  const media = Object.keys(ok)[0] || "";
  const shown = ok[media] || {};
  const examples = Object.values(shown.examples || (shown.example === undefined ? {} : { one: { value: shown.example } }));
  at("call").replaceChildren(
    make("h2", {}, make("span", { class: "method", text: call.method }), make("code", { text: call.path })),
    told("p", {}, operation.summary), roles, form,
    make("section", { "aria-labelledby": "answer-title" }, make("h3", { id: "answer-title", text: "Answer" }),
      make("p", { id: "status", role: "status", class: "status", text: "Not run yet." }),
      make("div", { id: "answer" })),
    make("h3", { text: "As a command" }), make("pre", { id: "curl", tabindex: "0", "aria-label": "The call as a curl command" }));
  for (const example of examples) {
    at("call").append(make("h3", { text: "Example of an answer" }), make("pre", { tabindex: "0", text: pretty(example.value) }));
  }
  at("call").append(make("h3", { text: "What it may answer" }), make("table", {},
    ...Object.entries(operation.responses).map(([status, response]) => make("tr", {},
      make("th", { scope: "row", text: status }), make("td", { text: response.description })))));
  at("stop").addEventListener("click", () => state.running && state.running.abort());
  document.title = `${call.method} ${call.path} · simmail API console`;
  showCurl();
  list();
}

// Running one

function asked() {
  const call = state.shown;
  let path = call.path;
  const query = new URLSearchParams();
  for (const control of at("form").querySelectorAll("[data-name]")) {
    const { name } = control.dataset;
    if (control.dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(control.value));
    else if (control.value !== "") query.append(name, control.value);
  }
  const text = query.toString();
  const body = at("body");
  return { method: call.method, path: text ? `${path}?${text}` : path, body: body ? body.value : undefined };
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function showCurl() {
  if (state.shown === null || !at("curl")) return;
  const { method, path, body } = asked();
  const parts = ["curl -sS"];
  if (method !== "GET") parts.push(`-X ${method}`);
  parts.push(kind() === "demo" ? "-H 'X-Service-Universe: demo'" : "-H 'Authorization: Bearer '\"$KEY\"");
  if (body !== undefined) parts.push(`-d ${quoted(body)}`);
  parts.push(quoted(location.origin + path));
  at("curl").textContent = parts.join(" ");
}

function tell(text, good) {
  at("status").textContent = text;
  at("status").className = `status ${good ? "good" : "bad"}`;
}

async function run() {
  if (state.running !== null) state.running.abort();
  const running = state.running = new AbortController();
  const { method, path, body } = asked();
  const form = at("form");
  at("answer").replaceChildren();
  tell("Running…", true);
  at("stop").disabled = false;
  const began = performance.now();
  try {
    const headers = await credentials();
    if (body !== undefined) {
      JSON.parse(body);
      headers["Content-Type"] = "application/json";
    }
    const answer = await fetch(path, { method, headers, body, signal: running.signal, credentials: "omit" });
    const took = Math.round(performance.now() - began);
    const left = answer.headers.get("RateLimit-Remaining");
    if (at("form") !== form) return;
    tell(`${answer.status} in ${took} ms${left === null ? "" : `, ${left} calls left`}`, answer.ok);
    if (answer.status === 401) state.pass = null;
    await showAnswer(answer, running);
  } catch (error) {
    if (at("form") !== form) return;
    if (error.name === "AbortError") tell("Stopped.", true);
    else tell(error instanceof SyntaxError ? `The body is not JSON: ${error.message}` : error.message, false);
  } finally {
    if (state.running === running) state.running = null;
    if (at("form") === form) at("stop").disabled = true;
  }
}

async function showAnswer(answer, running) {
  const type = (answer.headers.get("Content-Type") || "").split(";")[0];
  const pre = make("pre", { tabindex: "0", "aria-label": "The answer" });
  if (type === "application/json") {
    const text = await answer.text();
    try { pre.textContent = pretty(JSON.parse(text)); } catch { pre.textContent = text; }
    at("answer").append(pre);
  } else if (type.startsWith("text/") || type.startsWith("message/") || type.endsWith("pem-file")) {
    at("answer").append(pre);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || running.signal.aborted) break;
      pre.textContent = (pre.textContent + value).slice(-200000);
    }
  } else {
    const octets = await answer.blob();
    const link = make("a", { href: URL.createObjectURL(octets), download: "answer", text: `Save ${octets.size} octets (${type})` });
    at("answer").append(link);
  }
}

// Begin

function go() {
  const call = state.calls.find((one) => one.id === location.hash.slice(1));
  if (call && call !== state.shown) {
    show(call);
    at("call").focus({ preventScroll: true });
    at("call").scrollIntoView({ block: "start" });
  }
}

async function begin() {
  at("caller").addEventListener("submit", (event) => { event.preventDefault(); if (kind() === "user" && state.user === null) signIn(); });
  at("caller").addEventListener("change", showCaller);
  at("sign-out").addEventListener("click", signOut);
  window.addEventListener("hashchange", go);
  try {
    const answer = await fetch("/api/openapi.json");
    state.document = await answer.json();
  } catch (error) {
    at("loading").textContent = `The OpenAPI document could not be read: ${error.message}`;
    return;
  }
  collect();
  at("filter").addEventListener("input", list);
  show(state.calls.find((one) => one.id === location.hash.slice(1)) || state.calls.find((one) => one.path === "/api/status") || state.calls[0]);
  // Somebody who signed in before need not do so again.
  learnUser().then(showCaller, () => {});
}

begin();
