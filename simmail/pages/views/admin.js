// The server, for its administrators: organisations, universes, users, keys.  Address: admin/<tab>.

import { html, useState } from "/assets/vendor/preact.js";
import { get, patch, post, remove, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { go, link } from "/assets/app/route.js";
import { t } from "/assets/texts/index.js";
import { Code } from "/assets/parts/copy.js";
import { confirm, Dialog } from "/assets/parts/dialog.js";
import { Form } from "/assets/parts/form.js";
import { attempt } from "/assets/parts/notice.js";
import { Loaded } from "/assets/parts/state.js";
import { Table } from "/assets/parts/table.js";
import { Tabs } from "/assets/parts/tabs.js";
import { Facts, Value } from "/assets/parts/value.js";

const ROLES = ["viewer", "member", "admin"];
const field = (name, more) => ({ name, label: t(`admin.field.${name}`), ...more });
// One of those that there are; none stands for the usual one.
const CHOICES = { plans: "name", orgs: "id", universes: "id" };
const pick = (name, of, more) => field(name, { kind: "select", options: of, ...more });
const ORGS = field("orgs", { kind: "rows", key: "org", only: "role", of: [pick("org", "orgs", { required: true }), field("role", { kind: "select", options: ROLES })] });
const PASSWORD = field("password", { kind: "password", autocomplete: "new-password" });

// What there is to see, to make and to change of each; acts: [label, does(row), a question before it].
const KINDS = {
  orgs: {
    id: "id", columns: ["id", "name", "plan", "suspended"], fields: [field("id", { required: true }), field("name"), pick("plan", "plans")], change: [pick("plan", "plans", { required: true })],
    acts: (one) => [[one.suspended ? t("admin.resume") : t("admin.suspend"), () => patch(`/api/admin/orgs/${segment(one.id)}`, { suspended: !one.suspended })]],
  },
  universes: {
    id: "id", columns: ["id", "name", "org", "seed", "created", "ends"], fields: [field("id", { required: true }), field("name"), pick("org", "orgs"), field("seed"), field("clock", { placeholder: "2026-03-01T09:00:00Z" }), field("ttl", { placeholder: "2h" })], change: [field("ttl", { placeholder: "2h" })],
    acts: (one) => [[t("delete"), () => remove(`/api/admin/universes/${segment(one.id)}`), t("admin.universe.ask", { id: one.id })]],
  },
  users: {
    id: "email", columns: ["email", "orgs", "administrator"], fields: [field("email", { kind: "email", required: true }), PASSWORD, field("administrator", { kind: "checkbox" }), ORGS], change: [PASSWORD, field("administrator", { kind: "checkbox" }), { ...ORGS, keep: true }],
    acts: (one) => [[t("delete"), () => remove(`/api/admin/users/${segment(one.email)}`), t("admin.user.ask", { email: one.email })]],
  },
  keys: {
    id: "prefix", columns: ["prefix", "name", "universe", "role", "tools", "created"], fields: [field("name"), pick("universe", "universes", { required: true }), field("role", { kind: "select", options: ROLES }), field("tools", { kind: "select", options: ["", "mail", "world"] })],
    acts: (one) => [[t("admin.revoke"), () => remove(`/api/admin/keys/${segment(one.prefix)}`), t("admin.key.ask", { prefix: one.prefix })]],
  },
};

function Kind({ name }) {
  const kind = KINDS[name];
  const path = `/api/admin/${name}`;
  const found = useData((signal) => get(path, {}, signal), [name]);
  const choices = useData(async (signal) => Object.fromEntries(await Promise.all(Object.entries(CHOICES).map(async ([of, id]) =>
    [of, (await get(`/api/admin/${of}`, {}, signal)).map((one) => one[id])]))), [name]);
  const filled = (fields) => fields.map((one) => ({ ...one, of: one.of && filled(one.of),
    options: typeof one.options === "string" ? [...(one.required ? [] : [""]), ...choices.data[one.options]] : one.options }));
  const [made, setMade] = useState(null);
  const [editing, setEditing] = useState(null);
  const change = async (values) => { await patch(`${path}/${segment(editing[kind.id])}`, values); setEditing(null); changed(); };
  const changed = () => { found.reload(); choices.reload(); if (name === "universes" || name === "orgs") window.dispatchEvent(new Event("universes")); };
  const make = async (values) => {
    const answer = await post(path, values);
    // A secret is shown this once.
    if (answer.key || answer.password || answer.login) setMade(answer);
    changed();
  };
  const act = async ([, does, question]) => {
    if (!question || await confirm(question)) attempt(does).then(changed);
  };
  return html`<${Loaded} of=${found}>${(list) => html`<${Table} caption=${t(`admin.${name}`)} rows=${list} id=${(one) => one[kind.id]} empty="" columns=${[
    ...kind.columns.map((one) => ({ title: t(`admin.field.${one}`), cell: (row) => html`<${Value} of=${row[one]} />` })),
    { title: "", cell: (row) => html`<span class="bar tight">${kind.acts(row).map((one) => html`<button type="button" onClick=${() => act(one)}>${one[0]}</button>`)}
      ${kind.change && html`<button type="button" onClick=${() => setEditing(row)}>${t("edit")}</button>`}</span>` }]} />`}<//>
    <h2>${t(`admin.${name}.new`)}</h2><${Loaded} of=${choices}>${() => html`<${Form} key=${name} fields=${filled(kind.fields)} onSubmit=${make} action=${t("add")} />`}<//>
    ${made && html`<${Dialog} title=${t("admin.once")} wide onClose=${() => setMade(null)}>${made.key && html`<${Code} text=${made.key} />`}<${Facts} of=${made} /><//>`}
    ${editing && choices.data && html`<${Dialog} title=${editing[kind.id]} wide onClose=${() => setEditing(null)}><${Form} fields=${filled(kind.change)} value=${editing} onSubmit=${change} onCancel=${() => setEditing(null)} /><//>`}`;
}

export default function Admin({ route }) {
  const name = KINDS[route.rest[0]] ? route.rest[0] : "orgs";
  return html`<h1>${t("nav.admin")}</h1><${Tabs} label=${t("nav.admin")} names=${Object.keys(KINDS)} current=${name} onPick=${(one) => go(link(route.universe, "admin", [one]))}
    titles=${Object.fromEntries(Object.keys(KINDS).map((one) => [one, t(`admin.${one}`)]))}><${Kind} key=${name} name=${name} /><//>`;
}
