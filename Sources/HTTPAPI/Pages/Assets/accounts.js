// @ts-check
/** Lists the accounts that this browser knows on the log-in page, each as a button. */
import { forget, remembered } from "./device.js";

/** @typedef {import("./device.js").DeviceKey} DeviceKey */

/**
 * The accounts to list: those of the company that the request is about, or all.
 * @param {DeviceKey[]} accounts
 * @param {string} company the name of the company; empty for any
 * @returns {DeviceKey[]}
 */
export function listed(accounts, company) {
  const wanted = company.trim().toLowerCase();
  return wanted ? accounts.filter((account) => account.company.trim().toLowerCase() === wanted) : accounts;
}

/**
 * Whether a form came back with a problem. A refused passkey is about no form that somebody filled in.
 * @param {string[]} places where the problems lead to
 * @param {string[]} entered what the fields hold
 * @returns {boolean}
 */
export function cameBack(places, entered) {
  return places.length > 0 && (places.some((place) => place !== "#form") || entered.some((text) => text !== ""));
}

/**
 * @param {HTMLElement} section
 * @param {HTMLFormElement} form
 */
async function show(section, form) {
  const accounts = listed(await remembered(), section.dataset.company ?? "");
  const list = section.querySelector("ul"), template = section.querySelector("template");
  const places = [...document.querySelectorAll(".problems a")].map((link) => link.getAttribute("href") ?? "");
  const entered = ["email", "employee"].map((id) =>
    /** @type {HTMLInputElement | null} */ (document.getElementById(id))?.value ?? "");
  // A form that comes back with a problem stays in sight.
  if (!list || !template || accounts.length === 0 || cameBack(places, entered)) return;
  const language = document.documentElement.lang;
  for (const account of accounts) list.append(item(account, template, form, language));
  section.hidden = false;
}

/**
 * The entry of an account.
 * @param {DeviceKey} account
 * @param {HTMLTemplateElement} template
 * @param {HTMLFormElement} form
 * @param {string} language
 * @returns {DocumentFragment}
 */
function item(account, template, form, language) {
  const entry = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  /** @param {string} selector @param {string} value */
  const write = (selector, value) => { entry.querySelector(selector)?.append(value); };
  const time = new Date(account.lastUsed);
  write(".name", account.id);
  write(".company", account.company);
  write("time", time.toLocaleDateString(language, { dateStyle: "medium" }));
  entry.querySelector("time")?.setAttribute("datetime", time.toISOString());
  const line = entry.querySelector("li");
  entry.querySelector(".account")?.addEventListener("click", () => {
    /** @param {string} name @param {string} value */
    const fill = (name, value) => { /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value = value; };
    fill("company", account.company);
    fill("employee", account.id);
    form.requestSubmit();
  });
  entry.querySelector(".forget")?.addEventListener("click", async () => {
    await forget(account.company, account.id);
    const list = line?.parentElement, section = document.getElementById("accounts");
    line?.remove();
    if (section && list?.children.length === 0) section.hidden = true;
  });
  return entry;
}

const section = globalThis.document?.getElementById("accounts");
const form = globalThis.document?.getElementById("account");
if (section && form) await show(section, /** @type {HTMLFormElement} */ (form)).catch(() => {});
