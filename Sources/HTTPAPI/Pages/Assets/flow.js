// @ts-check
/** Signs the challenge of a flow with the key of its account, and goes on: the module of the page `/flow/key`. */
import { base64url, bytesOf, find, sign } from "./device.js";
import { isChallenge, prove as askPasskey } from "./passkey.js";
import { note } from "./used.js";

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<boolean>} whether the form was sent
 */
async function prove(form) {
  const { challenge, purpose, company, employee, passkey, passkeyRp = "", passkeyKey = "" } = form.dataset;
  const bytes = bytesOf(challenge ?? "");
  const proof = /** @type {HTMLInputElement} */ (form.elements.namedItem("proof"));
  if (passkey) {
    if (!isChallenge(bytes, purpose ?? "", bytesOf(passkeyKey))) return false;
    proof.value = (await askPasskey(passkeyRp, bytes, [passkey])).proof;
  } else {
    const key = await find(company ?? "", employee ?? "");
    if (!key || !isChallenge(bytes, purpose ?? "", key.publicKey)) return false;
    proof.value = base64url(await sign(key, bytes));
    note(company, employee);
  }
  form.submit();
  return true;
}

/** @param {HTMLFormElement} form */
async function goOn(form) {
  const isSent = await prove(form).catch(() => false);
  for (const [id, isHidden] of [["working", !isSent], ["trouble", isSent]]) {
    const element = document.getElementById(String(id));
    if (element) element.hidden = Boolean(isHidden);
  }
}

const form = /** @type {HTMLFormElement | null | undefined} */ (globalThis.document?.querySelector("form[data-challenge]"));
// A passkey is asked for by a button: browsers want a click.
if (form?.dataset.passkey) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    goOn(form);
  });
} else if (form) await goOn(form);
