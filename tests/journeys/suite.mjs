// Tests of an imagined application in Node, by way of /client.js: each in a universe of its own, KIND of them so often.
//
//   BASE=http://127.0.0.1:8025 KEY=... COUNT=20 node --test suite.mjs
//
// suite.py has the same tests for pytest.

import assert from "node:assert/strict";
import {after, before, describe, test} from "node:test";

const {BASE, KEY, COUNT = "1"} = process.env;
const source = await (await fetch(`${BASE}/client.js`)).text();
const {ApiError, Client} = await import(`data:text/javascript,${encodeURIComponent(source)}`);
const [APP, MARIA] = ["app@sim.test", "maria@acme.test"];
const admin = new Client(BASE, KEY);
let base;

const send = (mail, subject, text, from = "shop@other.test") => mail.send({from, to: APP, subject, text});

const KINDS = {
  async "a reply comes in its thread"(mail, n) {
    const sent = await mail.send({from: APP, to: MARIA, subject: `Lunch ${n}?`, text: "Do you have time on Friday?"});
    const answer = await mail.waitReply({in_reply_to: sent, advance: true});
    assert.deepEqual([answer.message.from, answer.message.in_reply_to], [MARIA, sent]);
  },
  async "nobody else's mail is there"(mail, n) {
    assert.deepEqual(await mail.inbox(APP), []);
    await send(mail, `Only ${n}`, "Hello");
    assert.deepEqual((await mail.inbox(APP)).map((one) => one.subject), [`Only ${n}`]);
  },
  async "a code is found in what comes"(mail, n) {
    await send(mail, "Your code", `Your verification code is ${481000 + n}.`);
    const came = await mail.wait(APP, {existing: true});
    assert.equal(came.codes[0].value, String(481000 + n));
  },
  async "a link is found in what comes"(mail, n) {
    await send(mail, "Welcome", `Confirm: https://shop.test/confirm?id=${n}`);
    const came = await mail.wait(APP, {existing: true, subject: "Welcome"});
    assert.deepEqual(came.links.map((one) => one.url), [`https://shop.test/confirm?id=${n}`]);
  },
  async "codes are found in any text"(mail, n) {
    const found = await mail.extract({text: `Use ${730000 + n} as your login code.`});
    assert.equal(found.codes[0].value, String(730000 + n));
  },
  async "no mail comes"(mail) {
    await mail.waitNone(APP, {timeout: "0s"});
    await assert.rejects(mail.wait(APP, {timeout: "0s"}), (error) => error instanceof ApiError && error.status === 408);
  },
  async "the clock is one's own"(mail, n) {
    const moved = await mail.advance({by: `${n + 1}h`});
    assert.equal(Date.parse(moved.to) - Date.parse("2026-03-02T09:00:00Z"), (n + 1) * 3_600_000);
  },
  async "a fork is another universe"(mail, n) {
    await send(mail, `First ${n}`, "Hello");
    const fork = await mail.fork({snapshot: await mail.snapshot("before")});
    await send(fork, `Second ${n}`, "Hello");
    assert.deepEqual([(await mail.inbox(APP)).length, (await fork.inbox(APP)).length], [1, 2]);
    await admin.call("DELETE", `/api/admin/universes/${fork.universe}`);
  },
  async "mail is searched"(mail, n) {
    await send(mail, `Invoice ${n}`, "Please pay.");
    await send(mail, "Newsletter", "Read this.");
    assert.deepEqual((await mail.inbox(APP, {q: "subject:invoice"})).map((one) => one.subject), [`Invoice ${n}`]);
  },
  async "all that is to happen happens"(mail, n) {
    await mail.send({from: APP, to: MARIA, subject: `Order ${n}`, text: "When does it come?"});
    await mail.settle("0s");
    assert.deepEqual(await mail.call("GET", "/api/jobs?state=pending"), []);
    assert.ok((await mail.inbox(APP)).length);
  },
};

before(async () => {
  base = await admin.create({clock: "2026-03-02T09:00:00Z", seed: "tests"});
  await base.addPersona({addresses: [MARIA], temperament: "responsive", timing: {reply_rate: 1}});
});
after(() => admin.call("DELETE", `/api/admin/universes/${base.universe}`));

describe("mail", {concurrency: 4}, () => {
  for (let n = 0; n < Number(COUNT); n += 1) {
    for (const [kind, check] of Object.entries(KINDS)) {
      test(`${kind} (${n})`, async () => {
        const mail = await base.fork();
        try {
          await check(mail, n);
        } finally {
          await admin.call("DELETE", `/api/admin/universes/${mail.universe}`);
        }
      });
    }
  }
});
