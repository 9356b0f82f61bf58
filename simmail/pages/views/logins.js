// Logins: who may use SMTP and IMAP.

import { html, useState } from "/assets/vendor/preact.js";
import { get, patch, post, put, remove, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { t } from "/assets/texts/index.js";
import { confirm, Dialog } from "/assets/parts/dialog.js";
import { Form } from "/assets/parts/form.js";
import { attempt, notice } from "/assets/parts/notice.js";
import { Loaded } from "/assets/parts/state.js";
import { Table } from "/assets/parts/table.js";

const field = (name, more) => ({ name, label: t(`logins.field.${name}`), ...more });
const FIELDS = [
  field("display_name", { keep: true }), field("username", { keep: true }), field("password", { kind: "password", autocomplete: "new-password" }),
  field("note", { keep: true }), field("allow_smtp", { kind: "checkbox" }), field("allow_imap", { kind: "checkbox" }), field("disabled", { kind: "checkbox" })];

function Edit({ login, onDone, onClose }) {
  const path = `/api/accounts/${segment(login.address)}`;
  const signature = useData((signal) => get(`${path}/signature`, {}, signal));
  const [tested, setTested] = useState(null);
  const save = async ({ username, ...values }) => { await patch(path, { ...values, username: username || null }); notice(t("saved")); onDone(); };
  const sign = async (values) => { await put(`${path}/signature`, { signature: values.signature || "" }); notice(t("saved")); };
  const probe = async (values) => setTested(await post(`${path}/test`, values));
  return html`<${Dialog} title=${login.address} wide onClose=${onClose}><${Form} fields=${FIELDS} value=${login} onSubmit=${save} />
    <h2>${t("logins.signature")}</h2><${Loaded} of=${signature}>${(one) => html`<${Form} value=${one} onSubmit=${sign} fields=${[field("signature", { kind: "textarea", rows: 3, keep: true })]} />`}<//>
    <h2>${t("logins.test")}</h2><${Form} onSubmit=${probe} action=${t("logins.test")} fields=${[{ ...field("password", { kind: "password", required: true }) }]} />
    ${tested && html`<p role="status">${["smtp", "imap"].map((name) => html`<span class=${tested[name].ok ? "badge" : "badge bad"}>${name.toUpperCase()} ${tested[name].ok ? t("logins.works") : t("logins.refused")}</span> `)}</p>`}<//>`;
}

export default function Logins({ role }) {
  const admin = role === "admin";
  const found = useData((signal) => get("/api/accounts", {}, signal), [], ["account.updated"]);
  const [editing, setEditing] = useState(null);
  const add = async (values) => { await post("/api/accounts", values); found.reload(); };
  const drop = async (one) => {
    if (await confirm(t("logins.delete.ask", { address: one.address }))) attempt(() => remove(`/api/accounts/${segment(one.address)}`)).then(found.reload);
  };
  return html`<h1>${t("nav.logins")}</h1><${Loaded} of=${found}>${(list) => html`<${Table} caption=${t("nav.logins")} rows=${list} id=${(one) => one.address} empty=${t("logins.none")} columns=${[
    { title: t("logins.field.address"), cell: (one) => one.address }, { title: t("logins.field.username"), cell: (one) => one.username },
    { title: t("logins.may"), cell: (one) => (one.disabled ? t("logins.off") : [one.allow_smtp && "SMTP", one.allow_imap && "IMAP"].filter(Boolean).join(", ")) },
    { title: t("start.count.messages"), number: true, cell: (one) => one.messages }, { title: t("logins.field.note"), cell: (one) => one.note },
    { title: "", cell: (one) => admin && html`<span class="bar tight"><button type="button" onClick=${() => setEditing(one)}>${t("edit")}</button>
      <button type="button" onClick=${() => drop(one)}>${t("delete")}</button></span>` }]} />`}<//>
    ${admin && html`<h2>${t("logins.new")}</h2><${Form} onSubmit=${add} action=${t("add")} fields=${[field("address", { kind: "email", required: true }),
    field("password", { kind: "password", required: true, autocomplete: "new-password" }), field("username"), field("note")]} />`}
    ${editing && html`<${Edit} login=${editing} onClose=${() => setEditing(null)} onDone=${() => { setEditing(null); found.reload(); }} />`}`;
}
