// @ts-check
/**
 * Tells the browser's picker which passkeys log in, and shows the offer of a first one where the browser can make it.
 *
 * A picker forgets what it is told to. So it is told nothing in development, where other accounts have the same name,
 * and never that an account has none: the log may be older than the passkey.
 */
import { isAble } from "./passkey.js";

/**
 * Sends a signal, if the browser knows it.
 * @param {"signalAllAcceptedCredentials" | "signalUnknownCredential"} name
 * @param {{ rpId: string } & Record<string, string | string[]>} said
 */
export async function signal(name, said) {
  const api = /** @type {any} */ (globalThis.PublicKeyCredential);
  if (said.rpId && said.rpId !== "localhost") await api?.[name]?.(said).catch(() => {});
}

const picker = globalThis.document?.getElementById("picker");
if (picker && isAble) {
  const { rp: rpId = "", handle: userId = "", known = "" } = picker.dataset;
  picker.hidden = !picker.querySelector("a");
  const allAcceptedCredentialIds = known.split(" ").filter(Boolean), told = `tenure-told ${userId}`;
  // Once: another window may be about to add one.
  const isNew = sessionStorage.getItem(told) !== known;
  sessionStorage.setItem(told, known);
  if (known && isNew) await signal("signalAllAcceptedCredentials", { rpId, userId, allAcceptedCredentialIds });
}
