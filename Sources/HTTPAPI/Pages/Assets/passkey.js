// @ts-check
/** What browsers do with passkeys, as the service takes it. Where a browser has none, its pages stay as they are. */
import { base64url, bytesOf } from "./device.js";

/** Whether this browser can make passkeys and use them. */
export const isAble = typeof globalThis.PublicKeyCredential === "function" && Boolean(globalThis.navigator?.credentials);

/**
 * A proof by a passkey, as forms send it.
 * @typedef {object} Proof
 * @property {string} credential the id of the passkey
 * @property {string} user the handle of the account
 * @property {string} proof what the service stores and verifies
 */

/**
 * A signature of ECDSA on P-256 as 64 bytes.
 * @param {Uint8Array} der as authenticators give it: two numbers in DER
 * @returns {Uint8Array}
 */
export function rawSignature(der) {
  const raw = new Uint8Array(64);
  let at = 2;
  for (const end of [32, 64]) {
    const length = der[at + 1], number = der.subarray(at + 2, at + 2 + length);
    const digits = number.subarray(Math.max(0, length - 32));
    raw.set(digits, end - digits.length);
    at += 2 + length;
  }
  return raw;
}

/**
 * The evidence of a passkey: `02`, the algorithm, what the authenticator signed, each with its length, and the signature.
 * @param {Uint8Array} authenticator the authenticator data
 * @param {Uint8Array} client the client data
 * @param {Uint8Array} signature as the authenticator gives it: 256 bytes of RSA, or DER
 * @returns {Uint8Array}
 */
export function evidence(authenticator, client, signature) {
  const isRSA = signature.length === 256, bytes = [2, isRSA ? 2 : 1];
  for (const part of [authenticator, client]) bytes.push(part.length >> 8, part.length & 255, ...part);
  return new Uint8Array([...bytes, ...(isRSA ? signature : rawSignature(signature))]);
}

/**
 * The public key as Tenure names it: the point of 65 bytes, or the modulus of 256.
 * @param {Uint8Array} spki a SubjectPublicKeyInfo
 * @returns {Uint8Array}
 */
export function keyOf(spki) {
  return spki.length === 91 ? spki.slice(26) : spki.slice(33, 289);
}

/** @param {string[]} ids @returns {PublicKeyCredentialDescriptor[]} */
const named = (ids) => ids.map((id) => ({ type: "public-key", id: bytesOf(id) }));

/**
 * Whether bytes are a challenge for this purpose and this key. Nothing else but statements is ever signed here.
 * @param {Uint8Array} bytes
 * @param {string} purpose what the flow is for
 * @param {Uint8Array} [publicKey] the key that is about to sign; none where the challenge names none
 * @returns {boolean}
 */
export function isChallenge(bytes, purpose, publicKey) {
  const version = ["login-address", "login-passkey", "add-passkey", "join-company"].includes(purpose) ? 2 : 1;
  const text = new TextDecoder().decode(bytes), tag = `tenure/v${version}/challenge\n`;
  if (!text.startsWith(tag)) return false;
  try {
    const fields = JSON.parse(text.slice(tag.length));
    return fields.purpose === purpose && fields.employeeKey === (publicKey && base64url(publicKey));
  } catch {
    return false;
  }
}

/**
 * A challenge that the service has made now. It is worth something for two minutes.
 * @param {string} path
 * @param {string} purpose
 * @param {Uint8Array} [publicKey] the key that is about to sign, if the challenge is to name it
 * @param {Record<string, string>} [fields] what the challenge is about
 * @returns {Promise<Uint8Array>}
 */
export async function freshChallenge(path, purpose, publicKey, fields = publicKey && { key: base64url(publicKey) }) {
  const body = new URLSearchParams(fields);
  const reply = await fetch(path, { method: "POST", body, cache: "no-store" });
  if (!reply.ok) throw new Error(String(reply.status));
  const bytes = bytesOf(await reply.text());
  if (!isChallenge(bytes, purpose, publicKey)) throw new Error("another challenge");
  return bytes;
}

/**
 * Has a passkey sign the SHA-256 of bytes.
 * @param {string} rpId
 * @param {Uint8Array} bytes
 * @param {string[]} ids which passkeys may sign; none for all of this service
 * @param {Partial<CredentialRequestOptions>} [further]
 * @returns {Promise<Proof>}
 */
export async function prove(rpId, bytes, ids, further = {}) {
  const challenge = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const publicKey = { rpId, challenge, allowCredentials: named(ids), userVerification: "required", timeout: 110_000 };
  const options = /** @type {CredentialRequestOptions} */ ({ ...further, publicKey });
  const found = /** @type {any} */ (await navigator.credentials.get(options));
  /** @param {ArrayBuffer | null} buffer */
  const read = (buffer) => new Uint8Array(buffer ?? new ArrayBuffer(0));
  const { authenticatorData, clientDataJSON, signature, userHandle } = found.response;
  return {
    credential: base64url(read(found.rawId)), user: base64url(read(userHandle)),
    proof: base64url(evidence(read(authenticatorData), read(clientDataJSON), read(signature))),
  };
}

/**
 * Makes a passkey for an account.
 * @param {DOMStringMap} data `rp`, `service`, `handle`, `account` and the ids of the account's passkeys, `known`
 * @returns {Promise<{ credential: string, key: Uint8Array, fields: Record<string, string> }>} the id, the key, and what
 *   the form sends
 */
export async function make(data) {
  const { rp = "", service = "", handle = "", account = "", known = "" } = data;
  // Nobody signs it: the passkey proves itself by what it signs next.
  const challenge = crypto.getRandomValues(new Uint8Array(32));
  const made = /** @type {any} */ (await navigator.credentials.create({
    publicKey: {
      rp: { id: rp, name: service }, user: { id: bytesOf(handle), name: account, displayName: account },
      challenge,
      pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -257 }],
      excludeCredentials: named(known.split(" ").filter(Boolean)), attestation: "none",
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    },
  }));
  const { response } = made, spki = new Uint8Array(response.getPublicKey());
  const fields = {
    random: base64url(challenge), spki: base64url(spki),
    authenticator: base64url(new Uint8Array(response.getAuthenticatorData())),
    client: base64url(new Uint8Array(response.clientDataJSON)),
  };
  return { credential: base64url(new Uint8Array(made.rawId)), key: keyOf(spki), fields };
}

/**
 * Which text of the page says why there is no passkey.
 * @param {unknown} error
 * @returns {string} the id of an element
 */
export function reasonOf(error) {
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  return { NotAllowedError: "refused", InvalidStateError: "exists" }[name] ?? "failed";
}

/**
 * Shows one of the hidden texts of a form, and hides the others.
 * @param {HTMLFormElement} form
 * @param {string} [id] none hides all
 */
export function tell(form, id) {
  for (const text of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-text]"))) {
    text.hidden = text.dataset.text !== id;
  }
}
