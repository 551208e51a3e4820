// @ts-check
/**
 * Lets a button act only when a person presses it on a page that was in sight for a quiet second.
 *
 * A form with the attribute `data-arm` has one button of the type `button` with the class `act`, the fields `page` and
 * `nonce`, and a hint with the role `status`. The button is disabled until it is armed. The act fetches the nonce,
 * without which the service refuses the form, and sends the form. `docs/decisions/0047` has the reasons.
 */

/** The quiet time before a button is armed, in milliseconds. */
export const QUIET = 1000;

/**
 * What happened on the page.
 * @typedef {object} Happening
 * @property {string} type such as `pointerdown`
 * @property {boolean} [trusted] whether the browser made the event, not a script
 * @property {boolean} [onButton] whether it is about the button
 * @property {boolean} [primary] whether it is the primary button of the primary pointer
 * @property {number} [pointer] the id of the pointer
 * @property {string} [key] the key, as `KeyboardEvent.key` names it
 * @property {boolean} [repeat] whether the key is held
 */

/** What disarms a button, besides a press elsewhere. */
const ENDS = new Set(["blur", "focus", "visibilitychange", "resize", "pageshow", "dragstart", "drag", "dragend"]);
/** Keys that move the focus, without which the keyboard would never reach an armed button. */
const WALKS = new Set(["Tab", "Shift"]);
const PRESSES = new Set(["Enter", " "]);

/** The state of one button. It knows no document, so tests drive it. */
export class Arming {
  isArmed = false;
  /** @type {number | undefined} since when the page is quiet and in sight */
  #since;
  /** @type {{ pointer?: number, key?: string, isReleased: boolean } | undefined} the press that is under way */
  #press;

  /**
   * Looks at the page.
   * @param {boolean} fits whether the page has focus and is in sight, with sentence and button whole
   * @param {number} now in milliseconds
   * @returns {boolean} whether the button is armed
   */
  look(fits, now) {
    if (!fits) this.#disarm(undefined);
    else if (this.#since === undefined) this.#since = now;
    else if (!this.isArmed && now - this.#since >= QUIET) this.isArmed = true;
    return this.isArmed;
  }

  /**
   * Takes an event.
   * @param {Happening} event
   * @param {number} now
   * @returns {boolean} whether the person acts
   */
  take(event, now) {
    if (!this.isArmed || ENDS.has(event.type) || event.trusted === false) {
      this.#disarm(now);
      return false;
    }
    switch (event.type) {
      case "pointerdown": return this.#begin(event, event.primary === true, now);
      case "pointerup": return this.#release(event, event.pointer === this.#press?.pointer, now);
      case "pointercancel": return this.#end(now);
      case "keydown": return this.#keyDown(event, now);
      case "keyup": return this.#keyUp(event, now);
      case "click": return this.#click(event, now);
      default: return false;
    }
  }

  /** @param {number | undefined} now @returns {void} */
  #disarm(now) {
    this.isArmed = false;
    this.#since = now;
    this.#press = undefined;
  }

  /** @param {number} now */
  #end(now) {
    this.#disarm(now);
    return false;
  }

  /** @param {number} now */
  #act(now) {
    this.#disarm(now);
    return true;
  }

  /** @param {Happening} event @param {boolean} counts @param {number} now */
  #begin(event, counts, now) {
    if (!event.onButton || !counts || this.#press) return this.#end(now);
    this.#press = { pointer: event.pointer, key: event.key, isReleased: false };
    return false;
  }

  /** @param {Happening} event @param {boolean} isSame @param {number} now */
  #release(event, isSame, now) {
    if (!this.#press || !isSame || !event.onButton) return this.#end(now);
    this.#press.isReleased = true;
    return false;
  }

  /** @param {Happening} event @param {number} now */
  #keyDown(event, now) {
    if (WALKS.has(event.key ?? "")) return false;
    return this.#begin(event, PRESSES.has(event.key ?? "") && !event.repeat, now);
  }

  /** @param {Happening} event @param {number} now */
  #keyUp(event, now) {
    if (WALKS.has(event.key ?? "")) return false;
    const isSame = this.#press?.key !== undefined && this.#press.key === event.key;
    return isSame && event.onButton ? this.#act(now) : this.#end(now);
  }

  /** A click without a press before it is one of a screen reader or a switch. @param {Happening} event @param {number} now */
  #click(event, now) {
    const isWhole = !this.#press || (this.#press.pointer !== undefined && this.#press.isReleased);
    return event.onButton && isWhole ? this.#act(now) : this.#end(now);
  }
}

/** @param {Element} element @returns {boolean} whether it is whole in sight */
function isInView(element) {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
}

/** @param {HTMLFormElement} form @param {string} name @returns {HTMLInputElement} */
const field = (form, name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/**
 * Fetches what the service wants with the form, once.
 * @param {HTMLFormElement} form
 */
export async function fetchNonce(form) {
  const body = new URLSearchParams({ page: field(form, "page").value });
  const reply = await fetch("/arm", { method: "POST", body, cache: "no-store" });
  if (!reply.ok) throw new Error(String(reply.status));
  field(form, "nonce").value = await reply.text();
}

/**
 * Arms the button of a form whenever the page is fit for it.
 * @param {HTMLFormElement} form
 * @param {() => Promise<boolean>} act what a press does; it says whether the page goes on
 */
export function arm(form, act) {
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button.act"));
  const hint = form.querySelector("[role=status]"), arming = new Arming();
  const whole = [button, ...document.querySelectorAll(".sentence")];
  let isBusy = false;
  const look = () => {
    const fits = !isBusy && document.hasFocus() && document.visibilityState === "visible" &&
      !(/** @type {any} */ (document).prerendering) && innerWidth >= 300 && innerHeight >= 400 && whole.every(isInView);
    button.disabled = !arming.look(fits, performance.now());
    hint?.classList.toggle("over", !button.disabled);
  };
  /** @param {any} event */
  const take = (event) => {
    const onButton = event.target instanceof Node && button.contains(event.target);
    if (event.type === "pageshow") isBusy = false;
    // The element that had the focus and the one that gets it are no matter, only the window is.
    if ((event.type === "blur" || event.type === "focus") && event.target !== window) return;
    if (onButton && (event.type === "click" || PRESSES.has(event.key))) event.preventDefault();
    const isAct = arming.take({
      type: event.type, trusted: event.isTrusted, onButton, primary: event.isPrimary && event.button === 0,
      pointer: event.pointerId, key: event.key, repeat: event.repeat,
    }, performance.now());
    if (isAct && !isBusy) {
      isBusy = true;
      act().catch(() => location.reload()).then((goesOn) => { isBusy = goesOn !== false; });
    }
    look();
  };
  for (const type of [...ENDS, "pointerdown", "pointerup", "pointercancel", "click", "keydown", "keyup", "wheel"]) {
    window.addEventListener(type, take, { capture: true, passive: type === "wheel" });
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  if (!whole.every(isInView)) form.scrollIntoView({ block: "end" });
  setInterval(look, 50);
}

if (globalThis.document) {
  for (const element of document.querySelectorAll("form[data-arm=send]")) {
    const form = /** @type {HTMLFormElement} */ (element);
    arm(form, async () => {
      await fetchNonce(form);
      form.submit();
      return true;
    });
  }
}
