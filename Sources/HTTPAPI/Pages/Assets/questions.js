// @ts-check
/**
 * Asks for the questions one at a time, each from a list that can be searched: the module of `/flow/credentials`.
 *
 * The form stays one form; what is not asked for now is hidden. A reload keeps the chosen questions, in the storage of
 * the tab. Answers are kept nowhere.
 */

/** @typedef {{value: string, text: string}} Option */

/**
 * The options that are left for one of the questions: those that no other one has.
 * @param {Option[]} options
 * @param {string[]} chosen the value of each question; empty for none
 * @param {number} index which question
 * @returns {Option[]}
 */
export function left(options, chosen, index) {
  const taken = new Set(chosen.filter((value, place) => value !== "" && place !== index));
  return options.filter((option) => option.value !== "" && !taken.has(option.value));
}

/**
 * The step of the first field that something is wrong with: a question, counted from 0, or else the rest.
 * @param {string[]} names the names of the fields
 * @param {number} count how many questions there are
 * @returns {number}
 */
export function stepOf(names, count) {
  const numbers = names.flatMap((name) => /^(?:question|answer)(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  return numbers.length > 0 ? Math.min(...numbers) - 1 : count;
}

/**
 * The values that a tab has kept, if they are some.
 * @param {string | null} text
 * @param {number} count
 * @returns {string[]}
 */
export function kept(text, count) {
  try {
    const values = JSON.parse(text ?? "");
    const isList = Array.isArray(values) && values.length === count;
    return isList && values.every((value) => /^\d{0,4}$/.test(value)) ? values : [];
  } catch {
    return [];
  }
}

/**
 * One question: its part of the page, the list of the form, and the field that searches it.
 * @param {HTMLElement} part
 */
function question(part) {
  const select = /** @type {HTMLSelectElement} */ (part.querySelector("select"));
  const answer = /** @type {HTMLInputElement} */ (part.querySelector("input"));
  const search = document.createElement("input"), list = document.createElement("datalist");
  const options = Array.from(select.options, ({ value, text }) => ({ value, text }));
  search.type = "text";
  search.id = select.id;
  search.required = true;
  search.autocomplete = "off";
  search.setAttribute("aria-describedby", select.getAttribute("aria-describedby") ?? "");
  list.id = `${select.id}-list`;
  search.setAttribute("list", list.id);
  select.removeAttribute("id");
  select.hidden = true;
  select.before(search, list);
  search.addEventListener("input", () => {
    select.value = options.find((option) => option.text === search.value)?.value ?? "";
    search.setCustomValidity(select.value || !search.value ? "" : options[0]?.text ?? "");
  });
  return { part, select, answer, search, list, options };
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement} steps the buttons, with the text of the progress
 * @param {HTMLElement} rest what comes after the questions
 */
function begin(form, steps, rest) {
  const questions = Array.from(form.querySelectorAll(".question"), (part) => question(/** @type {HTMLElement} */ (part)));
  const place = `tenure-questions ${form.getAttribute("action")}`, progress = document.getElementById("progress");
  const back = /** @type {HTMLButtonElement | null} */ (document.getElementById("back"));
  const chosen = () => questions.map(({ select }) => select.value);
  let step = 0;

  /** @param {number} next @param {boolean} isFocused */
  const show = (next, isFocused) => {
    step = next;
    questions.forEach(({ part }, index) => { part.hidden = index !== step; });
    rest.hidden = step < questions.length;
    document.getElementById("next")?.toggleAttribute("hidden", step >= questions.length);
    if (back) back.hidden = step === 0;
    const text = steps.dataset.progress ?? "", number = Math.min(step + 1, questions.length);
    if (progress) progress.textContent = step < questions.length ? text.replace("{1}", String(number)) : "";
    const current = questions[step];
    if (!current) { if (isFocused) rest.querySelector("input")?.focus(); return; }
    current.list.replaceChildren(...left(current.options, chosen(), step).map(({ text }) => {
      const option = document.createElement("option");
      option.value = text;
      return option;
    }));
    if (isFocused) current.search.focus();
  };
  const next = () => {
    const current = questions[step];
    if (!current || !current.search.reportValidity() || !current.answer.reportValidity()) return;
    sessionStorage.setItem(place, JSON.stringify(chosen()));
    show(step + 1, true);
  };

  kept(sessionStorage.getItem(place), questions.length).forEach((value, index) => {
    const { select } = questions[index] ?? {};
    if (select && select.value === "") select.value = value;
  });
  for (const { select, search } of questions) search.value = select.value ? select.selectedOptions[0]?.text ?? "" : "";
  form.noValidate = true;
  steps.hidden = false;
  document.getElementById("next")?.addEventListener("click", next);
  back?.addEventListener("click", () => show(step - 1, true));
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || step >= questions.length || event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    next();
  });
  form.addEventListener("refused", (event) => {
    show(stepOf(Object.keys(/** @type {CustomEvent} */ (event).detail.fields ?? {}), questions.length), false);
  });
  form.addEventListener("taken", () => sessionStorage.removeItem(place));
  const wrong = Array.from(form.querySelectorAll(".error"), (error) => error.textContent ? error.id.replace(/-error$/, "") : "");
  show(document.querySelector(".problems") ? stepOf(wrong, questions.length) : 0, false);
}

const form = globalThis.document?.getElementById("form"), steps = globalThis.document?.getElementById("steps");
const rest = globalThis.document?.getElementById("rest");
if (form && steps && rest) begin(/** @type {HTMLFormElement} */ (form), steps, rest);
