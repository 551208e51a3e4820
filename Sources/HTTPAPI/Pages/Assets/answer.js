// @ts-check
/** Leads to a client: sends its form, and empties the page if the browser brings it back. */

/**
 * Whether the page comes from the back-forward cache: its answer was used, so it must not be sent again.
 * @param {PageTransitionEvent} event
 * @param {Document} document
 * @param {Location} location
 * @returns {boolean}
 */
export function emptied(event, document, location) {
  if (!event.persisted) return false;
  document.body.replaceChildren();
  // A page that a form led to is opened anew, without the form.
  location.replace(location.pathname);
  return true;
}

const form = /** @type {HTMLFormElement | null | undefined} */ (globalThis.document?.querySelector("form#answer"));
form?.submit();
globalThis.window?.addEventListener("pageshow", (event) => { emptied(event, document, location); });
