// A new mail, or an answer, as any address; people notice it as they would notice one by SMTP.

import { html } from "/assets/vendor/preact.js";
import { post } from "/assets/app/api.js";
import { t } from "/assets/texts/index.js";
import { Dialog } from "./dialog.js";
import { Form } from "./form.js";
import { notice } from "./notice.js";

export function Compose({ about, boxes, onClose }) {
  const addresses = boxes.slice(0, 500).map((one) => one.address);
  const fields = [
    { name: "from", label: t("mail.from"), kind: "email", required: true, choices: addresses },
    { name: "to", label: t("mail.to"), kind: "list", rows: 1, required: true },
    { name: "subject", label: t("mail.subject"), wide: true, keep: true },
    { name: "text", label: t("mail.body"), kind: "textarea", rows: 12, keep: true },
  ];
  const send = async (values) => {
    const { in_reply_to, references } = about;
    await post("/api/send", { ...values, ...(in_reply_to ? { in_reply_to, references } : {}) });
    notice(t("mail.sent"));
    onClose();
  };
  return html`<${Dialog} title=${about.in_reply_to ? t("mail.reply") : t("mail.compose")} wide onClose=${onClose}>
    <${Form} fields=${fields} value=${about} onSubmit=${send} action=${t("mail.send")} onCancel=${onClose} /><//>`;
}
