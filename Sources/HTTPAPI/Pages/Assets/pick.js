// @ts-check
/**
 * Signs the challenge of the account that a person picks after a log-in by an address: the module of the page
 * `/flow/account`. The key is that of the address, and becomes the key of the account.
 *
 * An account that has another key in this browser keeps it: it is known already, and a second one would wait for
 * an approval. The address gets that key, and the person begins again. The only account is picked at once.
 */
import { base64url, bytesOf, find, recordKey, sign, transact } from "./device.js";
import { isAble, isChallenge, prove } from "./passkey.js";
import { keep, note } from "./used.js";

/** @typedef {import("./device.js").DeviceKey} DeviceKey */

/**
 * Whether an account has another key in this browser than that of the address.
 * @param {DeviceKey} key the key of the address
 * @param {DeviceKey | undefined} known the key of the account
 * @returns {boolean}
 */
export function differs(key, known) {
  return known !== undefined && base64url(known.publicKey) !== base64url(key.publicKey);
}

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<string | undefined>} the id of the element to show; nothing if the form was sent
 */
async function pick(form) {
  const { pick: challenge = "", address = "", company = "", employee = "" } = form.dataset, bytes = bytesOf(challenge);
  const { passkey, passkeyRp = "", passkeyKey = "" } = form.dataset;
  const proof = /** @type {HTMLInputElement} */ (form.elements.namedItem("proof"));
  if (passkey) {
    if (!isChallenge(bytes, "login", bytesOf(passkeyKey))) return "trouble";
    proof.value = (await prove(passkeyRp, bytes, [passkey])).proof;
    form.submit();
    return undefined;
  }
  const key = await find("", address);
  if (!key || !isChallenge(bytes, "login", key.publicKey)) return "trouble";
  const known = await find(company, employee);
  if (known && differs(key, known)) {
    const own = { ...known, company: "", id: address };
    await transact("readwrite", (store) => store.put(own, recordKey("", address)));
    return "known";
  }
  await keep({ ...key, company, id: employee });
  proof.value = base64url(await sign(key, bytes));
  note(company, employee);
  form.submit();
  return undefined;
}

for (const element of globalThis.document?.querySelectorAll("form[data-pick]") ?? []) {
  const form = /** @type {HTMLFormElement} */ (element);
  form.hidden = Boolean(form.dataset.passkey) && !isAble;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.dataset.busy) return;
    form.dataset.busy = "true";
    const id = await pick(form).catch(() => (form.dataset.passkey ? "refused" : "trouble"));
    const shown = id ? document.getElementById(id) : null;
    if (shown) shown.hidden = false;
    if (id) document.getElementById("working")?.remove();
    if (id) delete form.dataset.busy;
  });
  // A page that comes back by the button of the browser is as it was left.
  window.addEventListener("pageshow", () => { delete form.dataset.busy; });
}

// The only account is no choice.
/** @type {HTMLFormElement | null | undefined} */ (globalThis.document?.querySelector("#only form"))?.requestSubmit();
