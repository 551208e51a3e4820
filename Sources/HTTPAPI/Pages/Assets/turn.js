// @ts-check
/** Says that many people log in, while the answer to a form is long in coming. The browser waits for it meanwhile. */

/** After how many milliseconds. */
const patience = 3000;

if (typeof document !== "undefined") {
  const turn = document.getElementById("turn");
  for (const form of document.forms) {
    form.addEventListener("submit", () => setTimeout(() => turn?.removeAttribute("hidden"), patience));
  }
  addEventListener("pageshow", () => turn?.setAttribute("hidden", ""));
}
