// @ts-check
/**
 * Lets a browser whose key has ended ask again with another one: the module of the page that says so. The page before it
 * noted the account, see `note` in `used.js`.
 */
import { base64url, find, forget, transact } from "./device.js";

/**
 * Deletes every record of a key: that of an account, and that of the address with which its person logged in.
 * @param {IDBObjectStore} store
 * @param {Uint8Array} publicKey
 */
export function forgetKey(store, publicKey) {
  const request = store.openCursor();
  request.onsuccess = () => {
    const cursor = request.result;
    if (!cursor) return;
    if (base64url(cursor.value.publicKey) === base64url(publicKey)) cursor.delete();
    cursor.continue();
  };
}

const button = globalThis.document?.getElementById("renew");
const [company, employee] = JSON.parse(globalThis.sessionStorage?.getItem("tenure-account") ?? "[]");
if (button && company && employee) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    sessionStorage.removeItem("tenure-account");
    const key = await find(company, employee);
    if (key) await transact("readwrite", (store) => forgetKey(store, key.publicKey));
    await forget(company, employee);
    location.assign(button.dataset.again ?? "/login");
  });
}
