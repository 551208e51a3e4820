// @ts-check
/** Signs a statement with the device key of this browser: the module of pages that show what somebody signs. */
import { arm, fetchNonce } from "./arm.js";
import { base64url, bytesOf, find, remembered, sign } from "./device.js";
import { prove } from "./passkey.js";

/**
 * What the page says that the statement says.
 * @typedef {object} Expected
 * @property {string} tag the first line
 * @property {string} action
 * @property {string} reason
 * @property {string} fingerprint of the device key that the statement is about, in hexadecimal; empty for none
 */

/**
 * @param {Uint8Array} bytes
 * @returns {string} the bytes in hexadecimal
 */
function hexOf(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {Uint8Array} bytes
 * @returns {Promise<string>} the SHA-256 in hexadecimal
 */
export async function fingerprintOf(bytes) {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/**
 * Whether a statement says what the page says, and names this key as its signer. Nothing else is ever signed here.
 * @param {Uint8Array} bytes
 * @param {Expected} expected
 * @param {Uint8Array} publicKey the key that is about to sign
 * @returns {Promise<boolean>}
 */
export async function isStatement(bytes, expected, publicKey) {
  const text = new TextDecoder().decode(bytes), tag = expected.tag + "\n";
  if (!/^tenure\/v1\/(key|recovery|employee|email)-[a-z]+\n$/.test(tag) || !text.startsWith(tag)) return false;
  try {
    const { action, reason, signer, employeeKey, key } = JSON.parse(text.slice(tag.length));
    if (action !== expected.action || reason !== expected.reason || signer !== base64url(publicKey)) return false;
    if (!expected.fingerprint) return employeeKey === undefined;
    // A statement about a recovery names the hash of the key, which is its fingerprint.
    if (tag.startsWith("tenure/v1/recovery-")) return hexOf(bytesOf(key)) === expected.fingerprint;
    return (await fingerprintOf(bytesOf(employeeKey))) === expected.fingerprint;
  } catch {
    return false;
  }
}

/**
 * Whether a statement about an address commits to the one that the page shows: SHA-256 of tag, salt, and the address
 * after its length of two bytes, exactly as it stands in the page.
 * @param {Uint8Array} bytes
 * @param {Uint8Array} salt
 * @param {string} address
 * @returns {Promise<boolean>}
 */
export async function commitsTo(bytes, salt, address) {
  const encoder = new TextEncoder(), text = new TextDecoder().decode(bytes);
  const name = encoder.encode(address);
  const all = [...encoder.encode("tenure/v1/email-subject"), ...salt, name.length >> 8, name.length & 255, ...name];
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from(all)));
  return JSON.parse(text.slice(text.indexOf("\n"))).subject === base64url(digest);
}

/**
 * The key of this browser with a fingerprint. The account may have been entered in another spelling at its log-in.
 * @param {string} company
 * @param {string} employee
 * @param {string} fingerprint
 */
export async function keyOf(company, employee, fingerprint) {
  for (const key of [await find(company, employee), ...(await remembered())]) {
    if (key && (await fingerprintOf(key.publicKey)) === fingerprint) return key;
  }
  return undefined;
}

/**
 * @typedef {object} Signer
 * @property {Uint8Array} publicKey
 * @property {(bytes: Uint8Array) => Promise<Uint8Array>} sign
 */

/**
 * What signs on a page: the key of this browser, or the passkey that the session was opened with.
 * @param {HTMLFormElement} form
 * @returns {Promise<Signer | undefined>}
 */
export async function signerOf(form) {
  const { company = "", employee = "", signer = "", passkey, passkeyRp = "", passkeyKey = "" } = form.dataset;
  if (passkey) {
    const publicKey = bytesOf(passkeyKey);
    return { publicKey, sign: async (bytes) => bytesOf((await prove(passkeyRp, bytes, [passkey])).proof) };
  }
  const key = await keyOf(company, employee, signer).catch(() => undefined);
  return key && { publicKey: key.publicKey, sign: (bytes) => sign(key, bytes) };
}

/**
 * Shows one of the page's hidden texts, and hides the others.
 * @param {string} id
 * @returns {false}
 */
export function reveal(id) {
  for (const other of ["no-key", "failed", "wrong"]) {
    const element = document.getElementById(other);
    if (element) element.hidden = other !== id;
  }
  return false;
}

/**
 * Sends which words the other side shows. For the right ones the service answers with the statement that approves, for
 * wrong ones a second time with the statement that refuses.
 * @param {HTMLFormElement} form
 * @returns {Promise<Record<string, string> | undefined>} `undefined` for words that are wrong for the first time
 */
async function ask(form) {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) body.append(name, String(value));
  // A field has the name `action`, which hides the property.
  const reply = await fetch(form.getAttribute("action") ?? "", { method: "POST", body, cache: "no-store" });
  if (!reply.ok) throw new Error(String(reply.status));
  return (await reply.json()).statement ?? undefined;
}

/**
 * Lets the button of a form sign with the key of this browser or a passkey, and then sends the form.
 * @param {HTMLFormElement} form
 * @param {(field: (name: string) => HTMLInputElement, key: Signer) => Promise<boolean>} fill
 *   fills the signatures in; `false` if something is not signed
 */
export async function signing(form, fill) {
  const key = await signerOf(form);
  if (!key) return reveal("no-key");
  arm(form, async () => {
    if (!(await fill((name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name)), key))) return false;
    form.submit();
    return true;
  });
}

/**
 * Lets the button of a form sign.
 * @param {HTMLFormElement} form
 */
async function attach(form) {
  let { tag = "", action = "", reason = "", fingerprint = "" } = form.dataset;
  await signing(form, async (field, key) => {
    if (field("words") && !new FormData(form).get("words")) return reveal("wrong");
    await fetchNonce(form);
    if (field("words")) {
      const answer = await ask(form);
      if (!answer) return reveal("wrong");
      // Nothing but a refusal may come instead of what the page is about.
      if (answer.action === "refuse") [tag, action, reason] = ["tenure/v1/key-refusal", "refuse", answer.reason];
      field("action").value = action;
      for (const name of ["page", "nonce", "statement"]) field(name).value = answer[name];
    }
    const bytes = bytesOf(field("statement").value);
    if (!(await isStatement(bytes, { tag, action, reason, fingerprint }, key.publicKey))) return reveal("failed");
    if (tag === "tenure/v1/email-change" &&
      !(await commitsTo(bytes, bytesOf(field("salt").value), field("email").value))) return reveal("failed");
    field("signature").value = base64url(await key.sign(bytes));
    return true;
  });
}

/**
 * Lets the button of a form sign the refusal of each device in it.
 * @param {HTMLFormElement} form
 */
async function attachAll(form) {
  await signing(form, async (field, key) => {
    await fetchNonce(form);
    for (const item of form.querySelectorAll("[data-fingerprint]")) {
      const fingerprint = item.getAttribute("data-fingerprint") ?? "";
      const expected = { tag: "tenure/v1/key-refusal", action: "refuse", reason: "unknown", fingerprint };
      const bytes = bytesOf(field(`statement.${fingerprint}`).value);
      if (!(await isStatement(bytes, expected, key.publicKey))) return reveal("failed");
      field(`signature.${fingerprint}`).value = base64url(await key.sign(bytes));
    }
    return true;
  });
}

const form = globalThis.document?.querySelector("form[data-arm=sign]");
if (form) await attach(/** @type {HTMLFormElement} */ (form));
const several = globalThis.document?.querySelector("form[data-arm=sign-all]");
if (several) await attachAll(/** @type {HTMLFormElement} */ (several));
