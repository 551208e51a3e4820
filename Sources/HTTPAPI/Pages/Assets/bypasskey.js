// @ts-check
/** Logs in with a passkey: by the button of the page, or by the browser's own list under the first field. */
import { base64url } from "./device.js";
import { freshChallenge, isAble, prove, reasonOf, tell } from "./passkey.js";
import { signal } from "./picker.js";

/** How long a challenge waits in the browser's list, in milliseconds: less than it is valid. */
const PATIENCE = 90_000;

/** @type {AbortController | undefined} what the browser's list waits for */
let waiting;

/**
 * @param {HTMLFormElement} form
 * @param {Partial<CredentialRequestOptions>} [further]
 * @param {string} [besides] `secret` to be asked for the secret too
 */
async function logIn(form, further = {}, besides = "") {
  const bytes = await freshChallenge(form.dataset.challenge ?? "", "login-passkey");
  const proof = await prove(form.dataset.rp ?? "", bytes, [], further);
  for (const [name, value] of Object.entries({ ...proof, challenge: base64url(bytes), with: besides })) {
    /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value = value;
  }
  form.submit();
}

/** Offers passkeys in the browser's list, with a fresh challenge from time to time. @param {HTMLFormElement} form */
async function offer(form) {
  for (;;) {
    const abort = new AbortController(), timer = setTimeout(() => abort.abort("late"), PATIENCE);
    waiting = abort;
    try {
      await logIn(form, { mediation: "conditional", signal: abort.signal });
      return;
    } catch {
      if (abort.signal.reason !== "late") return;
    } finally {
      clearTimeout(timer);
    }
  }
}

const form = /** @type {HTMLFormElement | null} */ (globalThis.document?.getElementById("passkey") ?? null);
if (form && isAble) {
  form.hidden = false;
  const { rp: rpId = "", ended: credentialId } = form.dataset;
  if (credentialId) await signal("signalUnknownCredential", { rpId, credentialId });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    waiting?.abort("button");
    tell(form);
    const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
    logIn(form, {}, button?.value).catch((error) => tell(form, reasonOf(error)));
  });
  if (await PublicKeyCredential.isConditionalMediationAvailable?.()) offer(form);
}
