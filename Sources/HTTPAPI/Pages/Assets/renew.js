// @ts-check
/**
 * Lets a browser whose key has ended ask again with another one: the module of the page that says so. The page before it
 * noted the account, see `send.js`.
 */
import { forget } from "./device.js";

const button = globalThis.document?.getElementById("renew");
const [company, employee] = JSON.parse(globalThis.sessionStorage?.getItem("tenure-account") ?? "[]");
if (button && company && employee) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await forget(company, employee);
    location.assign(button.dataset.again ?? "/login");
  });
}
