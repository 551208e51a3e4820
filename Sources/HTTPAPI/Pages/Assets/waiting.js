// @ts-check
/** Waits for the decision about the key of this browser, and opens the session with its signature. */
import { base64url, bytesOf } from "./device.js";
import { isChallenge } from "./passkey.js";
import { signerOf } from "./sign.js";

/**
 * Looks again once the service says that something was decided, or that the page says what has changed. A stream that
 * ends is opened again by the browser.
 * @param {string} path of the events
 * @param {() => void} look
 * @param {() => boolean} [isBusy] whether a change can wait, because somebody is typing
 * @returns {EventSource}
 */
export function follow(path, look, isBusy = () => false) {
  const source = new EventSource(path);
  const end = () => {
    source.close();
    look();
  };
  source.addEventListener("decided", end);
  source.addEventListener("changed", () => isBusy() || end());
  return source;
}

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<boolean>} whether the form was sent
 */
async function open(form) {
  const key = await signerOf(form), bytes = bytesOf(form.dataset.wait ?? "");
  if (!key || !isChallenge(bytes, "wait", key.publicKey)) return false;
  const proof = /** @type {HTMLInputElement} */ (form.elements.namedItem("proof"));
  proof.value = base64url(await key.sign(bytes));
  form.submit();
  return true;
}

/**
 * Does something in one tab of the browser at a time. The lock is held until the page ends.
 * @param {() => Promise<boolean>} work
 * @returns {Promise<boolean | undefined>} what the work says; `undefined` once another tab has ended its page instead
 */
export function alone(work) {
  const locks = globalThis.navigator?.locks;
  if (!locks) return work();
  return new Promise((resolve) => {
    locks.request("tenure-wait", { ifAvailable: true }, async (lock) => {
      if (!lock) {
        locks.request("tenure-wait", () => resolve(undefined));
        return;
      }
      const isDone = await work().catch(() => false);
      resolve(isDone);
      if (isDone) await new Promise(() => {});
    });
  });
}

/**
 * Signs in one tab at a time. Another tab that opened the session meanwhile makes this one look again.
 * @param {HTMLFormElement} form
 */
async function goOn(form) {
  const isSent = await alone(() => open(form)).catch(() => false);
  if (isSent === undefined) location.replace(form.dataset.page ?? "/");
  if (isSent === false) {
    for (const [id, isHidden] of [["working", true], ["trouble", false]]) {
      const element = document.getElementById(String(id));
      if (element) element.hidden = Boolean(isHidden);
    }
  }
}

const live = globalThis.document?.getElementById("live");
if (live?.dataset.events) {
  const look = () => location.replace(live.dataset.page ?? "/");
  // A tab that signs ends its page when the browser has the session's cookie.
  follow(live.dataset.events, () => navigator.locks?.request("tenure-wait", look) ?? look(), () => {
    const code = /** @type {HTMLInputElement | null} */ (document.getElementById("code"));
    return Boolean(code?.value);
  });
}

const form = /** @type {HTMLFormElement | null | undefined} */ (globalThis.document?.querySelector("form[data-wait]"));
// Who would lose the session of somebody else presses the button first, and so does who has a passkey.
if (form?.querySelector("button")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    goOn(form);
  });
} else if (form) await goOn(form);
