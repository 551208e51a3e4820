// @ts-check
/**
 * The device keys of this browser, one for each account.
 *
 * They are ECDSA keys on P-256 that no script can read out. They lie in IndexedDB in the database `tenure`, in the store
 * `keys`, under `company\nid`, both trimmed and in lower case. `docs/decisions/0041` has the form.
 *
 * A form with the attribute `data-device-key` and the fields `company`, `employee` and `key` sends the public key of its
 * account: the raw point of 65 bytes, base64url. A key is made if there is none. Without one the form stays, and the
 * element `trouble` is shown.
 */

/**
 * @typedef {object} DeviceKey
 * @property {CryptoKeyPair} keyPair the key; its private half is not extractable
 * @property {Uint8Array} publicKey the uncompressed point, 65 bytes
 * @property {string} company the company's name as it was entered
 * @property {string} id the employee's id as it was entered
 * @property {string} name what this browser calls itself, such as `Chromium on Linux`
 * @property {number} lastUsed when a secret of the account was right last, in milliseconds since 1970; 0 for never
 */

/**
 * The name under which the key of an account is stored.
 * @param {string} company
 * @param {string} id
 * @returns {string}
 */
export function recordKey(company, id) {
  return [company, id].map((text) => text.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase()).join("\n");
}

/**
 * @param {Uint8Array} bytes
 * @returns {string} unpadded base64url
 */
export function base64url(bytes) {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * @param {string} text base64url
 * @returns {Uint8Array}
 */
export function bytesOf(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (mark) => mark.charCodeAt(0));
}

/**
 * What a browser calls itself, by its User-Agent text.
 * @param {string} agent
 * @returns {string}
 */
export function deviceName(agent) {
  /** @param {[string, string][]} names each with what an agent's text contains, the first match counts */
  const match = (names) => names.find(([part]) => agent.includes(part))?.[1];
  const browser = match([["Edg", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["FxiOS", "Firefox"],
    ["Chrome/", "Chromium"], ["CriOS", "Chromium"], ["Safari/", "Safari"]]) ?? "Browser";
  const system = match([["Android", "Android"], ["iPhone", "iOS"], ["iPad", "iOS"], ["Windows", "Windows"],
    ["Mac OS X", "macOS"], ["CrOS", "ChromeOS"], ["Linux", "Linux"]]);
  return system ? `${browser} on ${system}` : browser;
}

/** @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("tenure", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("keys");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Does something with the store in one transaction.
 * @template Result
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore, give: (result: Result) => void) => void} work calls `give` with the result
 * @returns {Promise<Result | undefined>}
 */
export async function transact(mode, work) {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      /** @type {Result | undefined} */
      let result;
      const transaction = database.transaction("keys", mode);
      transaction.oncomplete = () => resolve(result);
      transaction.onabort = () => reject(transaction.error);
      work(transaction.objectStore("keys"), (given) => { result = given; });
    });
  } finally {
    database.close();
  }
}

/**
 * The key of an account.
 * @param {string} company
 * @param {string} id
 * @returns {Promise<DeviceKey | undefined>}
 */
export function find(company, id) {
  return transact("readonly", (store, give) => {
    const request = store.get(recordKey(company, id));
    request.onsuccess = () => give(request.result);
  });
}

/**
 * The accounts that were used, the last one first.
 * @returns {Promise<DeviceKey[]>}
 */
export async function remembered() {
  const all = await transact("readonly", (store, give) => {
    const request = store.getAll();
    request.onsuccess = () => give(request.result);
  });
  return (all ?? []).filter((key) => key.company && key.lastUsed > 0).sort((a, b) => b.lastUsed - a.lastUsed);
}

/**
 * Deletes the key of an account for good.
 * @param {string} company
 * @param {string} id
 * @returns {Promise<void>}
 */
export async function forget(company, id) {
  await transact("readwrite", (store) => store.delete(recordKey(company, id)));
}

/**
 * The key of an account, made if there is none. Of two tabs that make one at once both get the same.
 * @param {string} company
 * @param {string} id
 * @returns {Promise<DeviceKey>}
 */
export async function obtain(company, id) {
  const known = await find(company, id);
  if (known) return known;
  const keyPair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  const publicKey = new Uint8Array(await crypto.subtle.exportKey("raw", keyPair.publicKey));
  const made = { keyPair, publicKey, company, id, name: deviceName(navigator.userAgent), lastUsed: 0 };
  // The browser may ask the person, or refuse: then it may delete the key when space is short.
  navigator.storage?.persist?.().catch(() => false);
  const kept = await transact("readwrite", (store, give) => {
    const name = recordKey(company, id), request = store.get(name);
    request.onsuccess = () => {
      if (!request.result) store.put(made, name);
      give(request.result ?? made);
    };
  });
  return kept ?? made;
}

/**
 * Signs bytes.
 * @param {DeviceKey} key
 * @param {Uint8Array} bytes
 * @returns {Promise<Uint8Array>} the raw signature, 64 bytes
 */
export async function sign(key, bytes) {
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  return new Uint8Array(await crypto.subtle.sign(algorithm, key.keyPair.privateKey, bytes));
}

/**
 * Lets a form send the key of the account that its fields name.
 * @param {HTMLFormElement} form
 */
function attach(form) {
  /** @param {string} name @returns {HTMLInputElement} */
  const field = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.dataset.busy) return;
    form.dataset.busy = "true";
    try {
      const key = await obtain(field("company").value, field(form.dataset.idField ?? "employee").value);
      field("key").value = base64url(key.publicKey);
      form.submit();
    } catch {
      const trouble = document.getElementById("trouble");
      if (trouble) trouble.hidden = false;
      form.hidden = false;
      delete form.dataset.busy;
    }
  });
  // A page that comes back by the button of the browser is as it was left.
  window.addEventListener("pageshow", () => { delete form.dataset.busy; });
}

if (globalThis.document) {
  for (const form of document.querySelectorAll("form[data-device-key]")) attach(/** @type {HTMLFormElement} */ (form));
}
