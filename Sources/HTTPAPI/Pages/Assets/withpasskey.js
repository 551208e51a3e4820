// @ts-check
/**
 * Registers with a passkey: the button of the page makes it, and has it sign the challenge of the flow. For somebody
 * who has an account in another company, a passkey of that account signs too.
 */
import { base64url } from "./device.js";
import { freshChallenge, isAble, make, prove, reasonOf, tell } from "./passkey.js";

/**
 * Whether bytes are a challenge to join another company with this key, given by its SHA-256. Nothing else is signed.
 * @param {Uint8Array} bytes
 * @param {Uint8Array} digest
 * @returns {boolean}
 */
export function isJoining(bytes, digest) {
  const text = new TextDecoder().decode(bytes), tag = "tenure/v2/challenge\n";
  if (!text.startsWith(tag)) return false;
  try {
    const { purpose, joinedKey } = JSON.parse(text.slice(tag.length));
    return purpose === "join-company" && joinedKey === base64url(digest);
  } catch {
    return false;
  }
}

/** @param {HTMLFormElement} form */
async function register(form) {
  const { path = "", rp = "", signers = "" } = form.dataset, made = await make(form.dataset);
  const { proof } = await prove(rp, await freshChallenge(path, "registration", made.key), [made.credential]);
  /** @type {Record<string, string>} */
  const fields = { ...made.fields, proof };
  if (signers) {
    const about = { key: base64url(made.key), joining: "true" };
    const joining = await freshChallenge(path, "join-company", undefined, about);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", made.key.slice()));
    if (!isJoining(joining, digest)) throw new Error("another challenge");
    fields.challenge = base64url(joining);
    fields.signed = (await prove(rp, joining, signers.split(" "))).proof;
  }
  for (const [name, value] of Object.entries(fields)) {
    /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value = value;
  }
  form.submit();
}

const form = /** @type {HTMLFormElement | null} */ (globalThis.document?.getElementById("passkey") ?? null);
if (form) {
  // Where there are no questions to choose, the page says why it offers nothing.
  if (!isAble && form.dataset.only) {
    tell(form, "unable");
    form.querySelector("button")?.remove();
  }
  form.hidden = !isAble && !form.dataset.only;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.dataset.busy) return;
    form.dataset.busy = "true";
    tell(form);
    register(form).catch((error) => {
      delete form.dataset.busy;
      tell(form, reasonOf(error));
    });
  });
  window.addEventListener("pageshow", () => { delete form.dataset.busy; });
}
