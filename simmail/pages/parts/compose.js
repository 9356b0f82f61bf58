// A new mail, an answer or a mail passed on, as any address; people notice it as they would notice one by SMTP.

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { get, post, segment } from "/assets/app/api.js";
import { useData } from "/assets/app/data.js";
import { changed } from "/assets/app/live.js";
import { t } from "/assets/texts/index.js";
import { size } from "./attachments.js";
import { Dialog } from "./dialog.js";
import { notice } from "./notice.js";
import { Loaded } from "./state.js";

const signed = (signature) => (signature ? `\n\n-- \n${signature}` : "");
const signatureOf = async (address, signal) => {
  const found = address.includes("@") ? await get(`/api/accounts/${segment(address)}/signature`, {}, signal).catch(() => null) : null;
  return found ? found.signature : "";
};

// A file as it is sent: base64.
const encoded = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve({ filename: file.name, content_type: file.type || "application/octet-stream", data: reader.result.slice(reader.result.indexOf(",") + 1) });
  reader.onerror = () => reject(new Error(t("mail.file.unread", { name: file.name })));
  reader.readAsDataURL(file);
});

function Files({ files, onChange, carried }) {
  const total = files.reduce((sum, one) => sum + one.size, 0);
  return html`<div class="field full"><label for="f-files">${t("mail.attachments")}</label>
    <input id="f-files" type="file" multiple aria-describedby="f-files-help" onChange=${(event) => { onChange([...files, ...event.currentTarget.files]); event.currentTarget.value = ""; }} />
    <p class="help" id="f-files-help">${t("mail.files.help")}${total > 0 && ` ${t("mail.files.total", { size: size(total) })}`}</p>
    <ul class="attachments">${(carried || []).map((name) => html`<li class="badge">${name} (${t("mail.carried")})</li>`)}
      ${files.map((one, n) => html`<li><button type="button" aria-label=${t("mail.file.remove", { name: one.name })} onClick=${() => onChange(files.filter((_, at) => at !== n))}>
        ${one.name} <span class="help">${size(one.size)}</span> ✕</button></li>`)}</ul></div>`;
}

// Addresses between commas; the last of them is completed.
const apart = (text) => text.split(/[\n,]/).map((one) => one.trim()).filter(Boolean);

function Addresses({ name, label, value = [], boxes, required = false }) {
  const [typed, setTyped] = useState("");
  const at = typed.lastIndexOf(",") + 1;
  const wanted = typed.slice(at).trim().toLowerCase();
  const before = typed.slice(0, at) + (at ? " " : "");
  const fits = wanted ? boxes.filter((one) => `${one.address} ${one.persona || one.display_name || ""}`.toLowerCase().includes(wanted)).slice(0, 20) : [];
  return html`<div class="field ${required ? "full" : ""}"><label for="f-${name}">${label}</label>
    <input id="f-${name}" name=${name} list="f-${name}-list" required=${required} autocomplete="off" defaultValue=${value.join(", ")} onInput=${(event) => setTyped(event.currentTarget.value)} />
    <datalist id="f-${name}-list">${fits.map((one) => html`<option value=${before + one.address}>${one.persona || one.display_name || ""}</option>`)}</datalist></div>`;
}

function Letter({ about, boxes, signature, onClose }) {
  const [files, setFiles] = useState([]);
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const form = useRef(null);
  const written = useRef(signature);
  useEffect(() => {
    const { to, text } = form.current.elements;
    if (!to.value) return to.focus();
    text.focus();
    return text.setSelectionRange(0, 0);
  }, []);
  // Another sender signs otherwise; what was changed by hand stays.
  const resign = async (event) => {
    const other = await signatureOf(event.currentTarget.value);
    const text = form.current && form.current.elements.text;
    if (!text || other === written.current) return;
    const before = signed(written.current);
    if (!before) text.value = `${signed(other)}${text.value}`;
    else text.value = text.value.replace(before, () => signed(other));
    written.current = other;
  };
  const send = async (event) => {
    event.preventDefault();
    const { from, to, cc, bcc, subject, text } = form.current.elements;
    const { in_reply_to, references, forward } = about;
    setBusy(true);
    try {
      await post("/api/send", {
        from: from.value, to: apart(to.value), cc: apart(cc.value), bcc: apart(bcc.value), subject: subject.value, text: text.value,
        attachments: await Promise.all(files.map(encoded)), ...(in_reply_to ? { in_reply_to, references } : {}), ...(forward ? { forward } : {}),
      });
      notice(t("mail.sent"));
      changed();
      onClose();
    } catch (refused) {
      setError(refused.message);
      setBusy(false);
    }
  };
  const known = { boxes };
  return html`<form class="form letter" ref=${form} onSubmit=${send}>${error && html`<p class="error" role="alert">${error}</p>`}<div class="fields">
    <div class="field full"><label for="f-from">${t("mail.from")}</label><input id="f-from" name="from" required list="f-from-list" autocomplete="off" defaultValue=${about.from} onChange=${resign} />
      <datalist id="f-from-list">${boxes.slice(0, 500).map((one) => html`<option value=${one.address}>${one.persona || one.display_name || ""}</option>`)}</datalist></div>
    <${Addresses} name="to" label=${t("mail.to")} value=${about.to} required ...${known} />
    <${Addresses} name="cc" label=${t("mail.cc")} value=${about.cc} ...${known} /><${Addresses} name="bcc" label=${t("mail.bcc")} ...${known} />
    <div class="field full"><label for="f-subject">${t("mail.subject")}</label><input id="f-subject" name="subject" autocomplete="off" defaultValue=${about.subject || ""} /></div>
    <div class="field full"><label for="f-text">${t("mail.body")}</label>
      <textarea id="f-text" name="text" rows="10" defaultValue=${`${signed(signature)}${about.quote ? `\n\n${about.quote}` : ""}`}></textarea></div>
    <${Files} files=${files} onChange=${setFiles} carried=${about.carried} /></div>
    <p class="actions"><button type="submit" class="main" disabled=${busy}>${t("mail.send")}</button><button type="button" onClick=${onClose}>${t("cancel")}</button></p></form>`;
}

export function Compose({ about, boxes, onClose }) {
  const found = useData(async (signal) => ({ signature: await signatureOf(about.from || "", signal) }), []);
  const title = about.in_reply_to ? t("mail.reply") : about.quote ? t("mail.forward") : t("mail.compose");
  return html`<${Dialog} title=${title} wide onClose=${onClose}><${Loaded} of=${found}>${({ signature }) => html`
    <${Letter} about=${about} boxes=${boxes} signature=${signature} onClose=${onClose} />`}<//><//>`;
}
