// @ts-check
/** Signs the challenge of a flow with the key of its account, and goes on: the module of the page `/flow/key`. */
import { base64url, bytesOf, find, sign } from "./device.js";
import { note } from "./used.js";

/**
 * Whether bytes are a challenge for this purpose and this key. Nothing else is ever signed here.
 * @param {Uint8Array} bytes
 * @param {string} purpose what the flow is for
 * @param {Uint8Array} publicKey the key that is about to sign
 * @returns {boolean}
 */
export function isChallenge(bytes, purpose, publicKey) {
  const text = new TextDecoder().decode(bytes), version = purpose === "login-address" ? 2 : 1;
  const tag = `tenure/v${version}/challenge\n`;
  if (!text.startsWith(tag)) return false;
  try {
    const fields = JSON.parse(text.slice(tag.length));
    return fields.purpose === purpose && fields.employeeKey === base64url(publicKey);
  } catch {
    return false;
  }
}

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<boolean>} whether the form was sent
 */
async function prove(form) {
  const { challenge, purpose, company, employee } = form.dataset;
  const key = await find(company ?? "", employee ?? ""), bytes = bytesOf(challenge ?? "");
  if (!key || !isChallenge(bytes, purpose ?? "", key.publicKey)) return false;
  const proof = /** @type {HTMLInputElement} */ (form.elements.namedItem("proof"));
  proof.value = base64url(await sign(key, bytes));
  note(company, employee);
  form.submit();
  return true;
}

const form = globalThis.document?.querySelector("form[data-challenge]");
if (form) {
  const isSent = await prove(/** @type {HTMLFormElement} */ (form)).catch(() => false);
  if (!isSent) {
    for (const [id, isHidden] of [["working", true], ["trouble", false]]) {
      const element = document.getElementById(String(id));
      if (element) element.hidden = Boolean(isHidden);
    }
  }
}
