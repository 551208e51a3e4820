// @ts-check
/**
 * Adds a passkey to the account: the page's button makes it, has it sign a challenge, and has the device key of this
 * browser sign that it may log in.
 */
import { arm, fetchNonce } from "./arm.js";
import { base64url, bytesOf } from "./device.js";
import { freshChallenge, isAble, make, prove, reasonOf, tell } from "./passkey.js";
import { fingerprintOf, isStatement, signerOf } from "./sign.js";

/** @param {HTMLFormElement} form @param {string} name @returns {HTMLInputElement} */
const field = (form, name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/**
 * @param {HTMLFormElement} form
 * @param {HTMLFormElement} decision the form that sends the statement
 * @returns {Promise<boolean>} whether the page goes on
 */
async function add(form, decision) {
  tell(form);
  const signer = await signerOf(form);
  if (!signer) throw new Error("no key");
  const made = await make(form.dataset), asked = await freshChallenge(form.dataset.challenge ?? "", "add-passkey");
  const { proof } = await prove(form.dataset.rp ?? "", asked, [made.credential]), challenge = base64url(asked);
  await fetchNonce(form);
  for (const [name, value] of Object.entries({ ...made.fields, challenge, proof })) field(form, name).value = value;
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) body.append(name, String(value));
  const reply = await fetch(form.getAttribute("action") ?? "", { method: "POST", body, cache: "no-store" });
  if (!reply.ok) throw new Error(String(reply.status));
  const { statement, waits, ...others } = await reply.json(), bytes = bytesOf(statement ?? "");
  if (waits) {
    location.assign(waits);
    return true;
  }
  const expected = {
    tag: "tenure/v1/key-authorization", action: "authorize", reason: "authorized",
    fingerprint: await fingerprintOf(made.key),
  };
  if (!(await isStatement(bytes, expected, signer.publicKey))) throw new Error("another statement");
  const signature = base64url(await signer.sign(bytes));
  for (const [name, value] of Object.entries({ ...others, statement, signature })) field(decision, name).value = value;
  decision.submit();
  return true;
}

const form = /** @type {HTMLFormElement | null} */ (globalThis.document?.querySelector("form[data-arm=passkey]") ?? null);
const decision = /** @type {HTMLFormElement | null} */ (globalThis.document?.getElementById("decision") ?? null);
if (form && decision && isAble) {
  arm(form, () => add(form, decision).catch((error) => {
    tell(form, reasonOf(error));
    return false;
  }));
} else if (form) tell(form, "unable");
