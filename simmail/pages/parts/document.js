// A settings document: a form of its fields, saved whole; what no field shows stays as it is.

import { html } from "/assets/vendor/preact.js";
import { get, put } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { t } from "/assets/texts/index.js";
import { Form } from "./form.js";
import { notice } from "./notice.js";
import { Loaded } from "./state.js";
import { Facts } from "./value.js";

// fields as Form takes them; take(answer) finds the document in what is read, give(values) makes what is put.
export function Settings({ path, fields, may, take = (one) => one, give = (one) => one, events = [] }) {
  const found = useData((signal) => get(path, {}, signal), [path], events);
  const save = async (values) => {
    await put(path, give(values));
    notice(t("saved"));
    found.reload();
  };
  return html`<${Loaded} of=${found}>${(answer) => (may
    ? html`<${Form} key=${JSON.stringify(answer)} fields=${fields} value=${take(answer)} mode="whole" onSubmit=${save} />`
    : html`<${Facts} of=${take(answer)} names=${Object.fromEntries(fields.map((one) => [one.name, one.label]))} />`)}<//>`;
}
