// @ts-check
/**
 * Fills in a form with what stands behind the `#` of a link, such as that of an invitation. Browsers send no server
 * that part, and here it leaves the address and the history as well.
 */

/** The names of the fields by the names in links. */
const fields = { company: "company", id: "employee", email: "email", invitation: "code" };

/**
 * Reads the fragment of an address.
 * @param {string} fragment The fragment with its `#`, or nothing.
 * @returns {[name: string, value: string][]} The values that are not empty, by the names of fields.
 */
export function entries(fragment) {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  return Object.entries(fields).flatMap(([name, field]) => {
    const value = values.get(name);
    return value ? [[field, value]] : [];
  });
}

/**
 * Fills in the empty fields of a form.
 * @param {HTMLFormElement} form The form.
 * @param {[name: string, value: string][]} values The values by the names of fields.
 */
export function fill(form, values) {
  for (const [name, value] of values) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement && field.value === "") field.value = value;
  }
}

if (typeof document !== "undefined") {
  const form = document.getElementById("form");
  if (form instanceof HTMLFormElement && location.hash.includes("=")) {
    fill(form, entries(location.hash));
    history.replaceState(null, "", location.pathname + location.search);
  }
}
