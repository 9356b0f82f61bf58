// All texts of the pages.  A translation is a folder like this one.

import behaviour from "./behaviour.js";
import mail from "./mail.js";
import people from "./people.js";
import results from "./results.js";
import shell from "./shell.js";
import universe from "./universe.js";

const TEXTS = { ...shell, ...mail, ...people, ...behaviour, ...results, ...universe };

export const has = (key) => TEXTS[key] !== undefined;

// The text of a key, with {names} filled in.
export function t(key, values = {}) {
  const text = TEXTS[key];
  if (text === undefined) throw new Error(`there is no text ${key}`);
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

// One of two texts, key.one or key.many, with {n} filled in.
export const counted = (key, n, values = {}) => t(`${key}.${n === 1 ? "one" : "many"}`, { n: n.toLocaleString(), ...values });
