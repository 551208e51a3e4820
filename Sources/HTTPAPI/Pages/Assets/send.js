// @ts-check
/**
 * Sends a form with secrets, and keeps what was typed in the page if the service refuses it.
 *
 * A form with the attribute `data-send`, the heading of problems, is sent with `Accept: application/json`. The service
 * then answers with `next`, the page to go to, or with `summary`, `fields` and `once`. Once a secret was right, the
 * account of `data-company` and `data-employee` is remembered in this browser. Whatever else comes, the form is sent as
 * browsers do.
 */
import { note, used } from "./used.js";

/**
 * @typedef {object} Answer
 * @property {string} [next] the path of the page to go to
 * @property {{id: string, text: string}[]} [summary] the problems, each with the field that it leads to
 * @property {Record<string, string>} [fields] what stands beside a field, by the field's name
 * @property {string} [once] what makes the next sending differ from this one
 */

/**
 * The answer in a reply; nothing if it is none.
 * @param {unknown} value
 * @returns {Answer | undefined}
 */
export function answerOf(value) {
  if (typeof value !== "object" || value === null) return undefined;
  const answer = /** @type {Answer} */ (value);
  if (typeof answer.next === "string") return /^\/(?!\/)/.test(answer.next) ? answer : undefined;
  return Array.isArray(answer.summary) && typeof answer.fields === "object" ? answer : undefined;
}

/**
 * Tells the problems as the service does in a page.
 * @param {HTMLFormElement} form
 * @param {Answer} answer
 */
export function tell(form, answer) {
  document.querySelector(".problems")?.remove();
  for (const place of form.querySelectorAll(".error")) place.textContent = "";
  for (const [name, text] of Object.entries(answer.fields ?? {})) {
    const place = document.getElementById(`${name}-error`);
    if (place) place.textContent = text;
  }
  const box = document.createElement("div"), heading = document.createElement("h2"), list = document.createElement("ul");
  box.className = "problems";
  box.setAttribute("role", "alert");
  box.tabIndex = -1;
  heading.textContent = form.dataset.send ?? "";
  for (const { id, text } of answer.summary ?? []) {
    const link = document.createElement("a"), item = document.createElement("li");
    link.setAttribute("href", `#${id}`);
    link.textContent = text;
    item.append(link);
    list.append(item);
  }
  box.append(heading, list);
  form.before(box);
  box.focus();
  form.dispatchEvent(new CustomEvent("refused", { detail: answer }));
}

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<void>}
 */
async function send(form) {
  note(form.dataset.company, form.dataset.employee);
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
  const reply = await fetch(form.getAttribute("action") ?? "", {
    method: "POST", body, cache: "no-store", headers: { Accept: "application/json" },
  });
  const isJSON = reply.headers.get("Content-Type")?.startsWith("application/json");
  const answer = isJSON ? answerOf(await reply.json()) : undefined;
  if (answer?.next) {
    await used(form.dataset.company ?? "", form.dataset.employee ?? "").catch(() => {});
    form.dispatchEvent(new CustomEvent("taken"));
    location.assign(answer.next);
    return;
  }
  delete form.dataset.busy;
  document.getElementById("turn")?.setAttribute("hidden", "");
  if (!answer) {
    form.submit();
    return;
  }
  const once = form.elements.namedItem("once");
  if (once instanceof HTMLInputElement && answer.once) once.value = answer.once;
  tell(form, answer);
}

for (const element of globalThis.document?.querySelectorAll("form[data-send]") ?? []) {
  const form = /** @type {HTMLFormElement} */ (element);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.dataset.busy) return;
    form.dataset.busy = "true";
    // Without an answer the browser itself sends it, and says what is wrong with the network.
    send(form).catch(() => { delete form.dataset.busy; form.submit(); });
  });
  window.addEventListener("pageshow", () => { delete form.dataset.busy; });
}
