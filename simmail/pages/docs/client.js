// The service as methods, for Node 20 and browsers: one universe, seen with one key.  No dependencies.
//
//   import {Client} from "./client.js";
//   const shop = await new Client(url, key).create({clock: "2026-03-02T09:00:00Z"});
//
// Durations are texts ("30s", "2h", "1d"), names of fields and parameters are those of the API.

export class ApiError extends Error {
  // status: of the answer, 0 when there was none; text: what the service says is wrong.
  constructor(status, text, call) {
    super(`${call}: ${status || ""} ${text}`);
    this.name = "ApiError";
    this.status = status;
    this.text = text;
  }
}

// How often a call that came too soon (429, nothing was done) is made again, after the time the service names.
const AGAIN = 5;

const query = (asked) => {
  const pairs = Object.entries(asked).flatMap(([name, value]) => [value].flat().filter((one) => one != null)
    .map((one) => [name, typeof one === "boolean" ? Number(one) : one]));
  return pairs.length ? `?${new URLSearchParams(pairs)}` : "";
};

// Text where fields are asked for is the first of them.
const named = (value, name) => (typeof value === "string" ? {[name]: value} : value);

export class Client {
  // universe and logins (username, address, password) are there where a client made the universe.
  constructor(url, key = "", universe = "", logins = []) {
    Object.assign(this, {url: url.replace(/\/+$/, ""), key, universe, logins, login: logins[0]});
  }

  // Any call of the API; its JSON.
  async call(method, path, body) {
    const headers = {"Content-Type": "application/json"};
    if (this.key) headers.Authorization = `Bearer ${this.key}`;
    for (let left = AGAIN; ; left -= 1) {
      let answer;
      try {
        answer = await fetch(this.url + path, {
          method, headers, body: body === undefined ? undefined : JSON.stringify(body)});
      } catch (error) {
        throw new ApiError(0, `${this.url} does not answer: ${error.cause?.message ?? error.message}`,
          `${method} ${path}`);
      }
      const text = await answer.text();
      if (answer.status === 429 && left > 1) {
        const seconds = Number(answer.headers.get("Retry-After") ?? 1);
        await new Promise((done) => setTimeout(done, seconds * 1000));
        continue;
      }
      let read;
      try {
        read = JSON.parse(text);
      } catch {
        read = {error: text.slice(0, 200) || answer.statusText};
        if (answer.ok) throw new ApiError(0, `the answer is no JSON: ${read.error}`, `${method} ${path}`);
      }
      if (!answer.ok) throw new ApiError(answer.status, read?.error ?? text, `${method} ${path}`);
      return read;
    }
  }

  // Host and port of a service, such as "SMTP".
  async place(service) {
    const {services} = await this.call("GET", "/api/connection");
    const found = services.find((one) => one.name === service.toUpperCase());
    if (!found) throw new RangeError(`${service} is none of ${services.map((one) => one.name).join(", ")}`);
    return {host: found.address, port: found.port};
  }

  // Send as an application would: {from, to, cc, bcc, subject, text, html, ...}; the Message-ID.
  async send(mail) {
    const people = Object.fromEntries(["to", "cc", "bcc"].filter((one) => mail[one])
      .map((one) => [one, [mail[one]].flat()]));
    return (await this.call("POST", "/api/send", {...mail, ...people})).message_id;
  }

  // Wait for the next mail to an address: {message, codes, links, cursor, ...}; with {count}, {messages, cursor}.
  wait(to, which = {}) {
    return this.call("GET", `/api/wait${query({...named(to, "to"), ...which})}`);
  }

  // Make sure that none comes.
  async waitNone(to, which = {}) {
    await this.call("GET", `/api/wait/none${query({to, ...which})}`);
  }

  // Wait for what a persona writes: {persona} or {in_reply_to}, with {kind, advance, ...}.
  waitReply(which) {
    return this.call("GET", `/api/wait/reply${query(named(which, "persona"))}`);
  }

  // The newest mail of a mailbox, newest first; {q, folder, limit}.
  inbox(address, which = {}) {
    return this.call("GET", `/api/mailboxes/${encodeURIComponent(address)}/messages${query(named(which, "q"))}`);
  }

  // Codes and links of {text}, {html}, or a message {address, folder, uid}.
  extract(what) {
    return this.call("POST", "/api/extract", named(what, "text"));
  }

  // Move the clock: {by}, {to} or {until}, with {settle}.
  advance(how) {
    return this.call("POST", "/api/clock/advance", named(how, "by"));
  }

  // Run all jobs there are, with time for the application to answer after each mail that it gets.
  settle(quiet = "200ms") {
    return this.advance({until: "idle", settle: quiet});
  }

  // Make somebody: {addresses, name, temperament, timing, ...}; what is left out is drawn.
  addPersona(persona) {
    return this.call("POST", "/api/personas", typeof persona === "string" ? {addresses: [persona]} : persona);
  }

  // Make a new universe with a login and a key; for administrators.
  async create(options = {}) {
    const made = await this.call("POST", "/api/admin/universes", {ttl: "1h", login: true, ...options});
    return new Client(this.url, made.key, made.id, made.logins);
  }

  // Keep the universe as it is; the snapshot's id.
  async snapshot(name = "") {
    return (await this.call("POST", "/api/snapshots", {name})).id;
  }

  // Put the universe back as it was.
  async restore(snapshot) {
    await this.call("POST", `/api/snapshots/${encodeURIComponent(snapshot)}/restore`);
  }

  // Make a universe that begins as this one is, or as a snapshot; its logins have the passwords known here.
  async fork(how = {}) {
    const {snapshot = "now", ...options} = named(how, "snapshot");
    const made = await this.call("POST", `/api/snapshots/${encodeURIComponent(snapshot)}/fork`, {
      ttl: "1h", ...options});
    const known = new Map(this.logins.map((one) => [one.address, one.password]));
    return new Client(this.url, made.key, made.universe, made.logins.map((one) => ({
      ...one, password: known.get(one.address) ?? ""})));
  }
}
