// @ts-check
/** Waits for the decision about the key of this browser, and opens the session with its signature. */
import { base64url, bytesOf, sign } from "./device.js";
import { isChallenge } from "./flow.js";
import { keyOf } from "./sign.js";

/**
 * Looks again once the service says that something was decided. A stream that ends is opened again by the browser.
 * @param {string} path of the events
 * @param {() => void} look
 * @returns {EventSource}
 */
export function follow(path, look) {
  const source = new EventSource(path);
  source.addEventListener("decided", () => {
    source.close();
    look();
  });
  return source;
}

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<boolean>} whether the form was sent
 */
async function open(form) {
  const { wait = "", device = "", company = "", employee = "" } = form.dataset;
  const key = await keyOf(company, employee, device), bytes = bytesOf(wait);
  if (!key || !isChallenge(bytes, "wait", key.publicKey)) return false;
  const proof = /** @type {HTMLInputElement} */ (form.elements.namedItem("proof"));
  proof.value = base64url(await sign(key, bytes));
  form.submit();
  return true;
}

const live = globalThis.document?.getElementById("live");
if (live?.dataset.events) follow(live.dataset.events, () => location.replace("/waiting"));

const form = globalThis.document?.querySelector("form[data-wait]");
if (form) {
  const isSent = await open(/** @type {HTMLFormElement} */ (form)).catch(() => false);
  if (!isSent) {
    for (const [id, isHidden] of [["working", true], ["trouble", false]]) {
      const element = document.getElementById(String(id));
      if (element) element.hidden = Boolean(isHidden);
    }
  }
}
