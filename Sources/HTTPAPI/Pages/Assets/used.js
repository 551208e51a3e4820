// @ts-check
/** Notes which accounts this browser has used, so that the page for a log-in lists them. */
import { find, recordKey, transact } from "./device.js";

/** @typedef {import("./device.js").DeviceKey} DeviceKey */

/**
 * Notes that an account was used, once its secret was right: a name that was typed wrongly is not remembered.
 * @param {string} company
 * @param {string} id
 * @returns {Promise<void>}
 */
export async function used(company, id) {
  const key = await find(company, id);
  if (key) await keep(key);
}

/**
 * Stores the key of an account that was used now.
 * @param {DeviceKey} key
 * @returns {Promise<void>}
 */
export async function keep(key) {
  const now = { ...key, lastUsed: Date.now() };
  await transact("readwrite", (store) => store.put(now, recordKey(key.company, key.id)));
}

/**
 * Notes whose form is sent, so that the page that comes can forget the key of this account and no other.
 * @param {string} [company]
 * @param {string} [employee]
 */
export function note(company, employee) {
  if (company && employee) sessionStorage.setItem("tenure-account", JSON.stringify([company, employee]));
  else sessionStorage.removeItem("tenure-account");
}
