// What a mail begins with that answers another or passes it on.

import { t } from "/assets/texts/index.js";

const quoted = (text) => text.split("\n").map((line) => `> ${line}`).join("\n");

// own: as which address; all: to everybody who got it.
export function answering(message, own, all = false) {
  const is_own = message.from === own;
  const to = is_own ? message.to : [message.from];
  const others = is_own ? message.cc : [...message.to, ...message.cc];
  return {
    from: own, to, ...(all ? { cc: [...new Set(others)].filter((one) => one !== own && !to.includes(one)) } : {}),
    subject: /^re:/i.test(message.subject) ? message.subject : `Re: ${message.subject}`,
    quote: `${message.from_name || message.from}:\n${quoted(message.text)}`, in_reply_to: message.message_id,
    references: [...message.references, message.message_id].filter(Boolean),
  };
}

// place: where the message lies, so that its attachments go along.
export function forwarding(message, place) {
  const heads = [[t("mail.from"), message.from_name ? `${message.from_name} <${message.from}>` : message.from], [t("mail.date"), message.date || message.time],
    [t("mail.to"), message.to.join(", ")], [t("mail.subject"), message.subject]].map(([name, value]) => `${name}: ${value}`);
  return {
    from: place.address, to: [], subject: /^fwd?:/i.test(message.subject) ? message.subject : `Fwd: ${message.subject}`,
    quote: `-- ${t("mail.forwarded")} --\n${heads.join("\n")}\n\n${message.text}`,
    ...(message.attachments.length ? { forward: place, carried: message.attachments.map((one) => one.filename || one.content_type) } : {}),
  };
}
