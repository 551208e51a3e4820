// @ts-check
/** Says that many people log in, while the answer to a form is long in coming. The browser waits for it meanwhile. */

/** After how many milliseconds. */
const patience = 3000;

if (typeof document !== "undefined") {
  const turn = document.getElementById("turn");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  for (const form of document.forms) {
    form.addEventListener("submit", () => { timer = setTimeout(() => turn?.removeAttribute("hidden"), patience); });
    form.addEventListener("refused", () => clearTimeout(timer));
  }
  addEventListener("pageshow", () => turn?.setAttribute("hidden", ""));
}
