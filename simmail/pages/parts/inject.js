// A message that is put into a folder, past everybody who would notice one that is sent.

import { html } from "/assets/vendor/preact.js";
import { post } from "/assets/app/api.js";
import { changed } from "/assets/app/live.js";
import { t } from "/assets/texts/index.js";
import { Dialog } from "./dialog.js";
import { Form } from "./form.js";
import { notice } from "./notice.js";

export function Inject({ to, folder, onClose }) {
  const fields = [
    { name: "to", label: t("mail.inject.to"), required: true }, { name: "folder", label: t("mail.inject.folder"), required: true },
    { name: "from", label: t("mail.from") }, { name: "subject", label: t("mail.subject") },
    { name: "text", label: t("mail.body"), kind: "textarea" },
    { name: "raw", label: t("mail.inject.raw"), kind: "textarea", rows: 4 },
  ];
  const put = async (values) => {
    await post("/api/inject", values);
    notice(t("mail.inject.done"));
    changed();
    onClose();
  };
  return html`<${Dialog} title=${t("mail.inject")} wide onClose=${onClose}><p>${t("mail.inject.help")}</p>
    <${Form} fields=${fields} value=${{ to, folder }} onSubmit=${put} action=${t("mail.inject")} onCancel=${onClose} /><//>`;
}
