// @ts-check
/** Signs invitations with the device key of this browser, one statement each: the module of `/account/invite`. */
import { fetchNonce } from "./arm.js";
import { base64url, bytesOf } from "./device.js";
import { reveal, signing } from "./sign.js";

/** How long the invitations of the page are valid, in seconds. */
const week = 604_800;

/**
 * A name as commitments have it. A name that the service writes otherwise is not signed here.
 * @param {string} text
 * @returns {Uint8Array}
 */
function canonical(text) {
  return new TextEncoder().encode(text.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase());
}

/**
 * The commitment to whom an invitation is for: SHA-256 of tag, salt, and each name after its length of two bytes.
 * @param {Uint8Array} salt
 * @param {string[]} names the company, the user name and the address
 * @returns {Promise<string>} base64url
 */
export async function commitment(salt, names) {
  const bytes = [...new TextEncoder().encode("tenure/v1/invitation-subject"), ...salt];
  for (const name of names.map(canonical)) bytes.push(name.length >> 8, name.length & 255, ...name);
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from(bytes))));
}

/**
 * Whether a statement invites this person for a week, and names this key as its signer. Nothing else is signed here.
 * @param {Uint8Array} bytes
 * @param {Uint8Array} salt
 * @param {string[]} names the company, the user name and the address
 * @param {Uint8Array} publicKey the key that is about to sign
 * @returns {Promise<boolean>}
 */
export async function invites(bytes, salt, names, publicKey) {
  const text = new TextDecoder().decode(bytes), tag = "tenure/v1/invitation-issue\n";
  if (!text.startsWith(tag)) return false;
  try {
    const { action, reason, signer, subject, seconds } = JSON.parse(text.slice(tag.length));
    return action === "issue" && reason === "invited" && seconds === week && signer === base64url(publicKey) &&
      subject === await commitment(salt, names);
  } catch {
    return false;
  }
}

/**
 * @param {HTMLFormElement} form
 */
async function attach(form) {
  const { company = "" } = form.dataset;
  await signing(form, async (field, key) => {
    await fetchNonce(form);
    for (const part of form.querySelectorAll("[data-invitation]")) {
      const index = /** @type {HTMLElement} */ (part).dataset.invitation;
      const names = [company, field(`name${index}`).value, field(`email${index}`).value];
      const bytes = bytesOf(field(`statement${index}`).value);
      if (!(await invites(bytes, bytesOf(field(`salt${index}`).value), names, key.publicKey))) return reveal("failed");
      field(`signature${index}`).value = base64url(await key.sign(bytes));
    }
    return true;
  });
}

const form = globalThis.document?.querySelector("form[data-arm=invite]");
if (form) await attach(/** @type {HTMLFormElement} */ (form));
