// @ts-check
/** Registers with a passkey: the button of the page makes it, and has it sign the challenge of the flow. */
import { freshChallenge, isAble, make, prove, reasonOf, tell } from "./passkey.js";

/** @param {HTMLFormElement} form */
async function register(form) {
  const { path = "", rp = "" } = form.dataset, made = await make(form.dataset);
  const { proof } = await prove(rp, await freshChallenge(path, "registration", made.key), [made.credential]);
  for (const [name, value] of Object.entries({ ...made.fields, proof })) {
    /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value = value;
  }
  form.submit();
}

const form = /** @type {HTMLFormElement | null} */ (globalThis.document?.getElementById("passkey") ?? null);
if (form) {
  // Where there are no questions to choose, the page says why it offers nothing.
  if (!isAble && form.dataset.only) {
    tell(form, "unable");
    form.querySelector("button")?.remove();
  }
  form.hidden = !isAble && !form.dataset.only;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.dataset.busy) return;
    form.dataset.busy = "true";
    tell(form);
    register(form).catch((error) => {
      delete form.dataset.busy;
      tell(form, reasonOf(error));
    });
  });
  window.addEventListener("pageshow", () => { delete form.dataset.busy; });
}
