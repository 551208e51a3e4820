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

/** The number of characters of a name in the sentence: whoever made the link wrote it. */
const most = 60;

/**
 * The sentence about a whole invitation; nothing if a part of it is missing.
 * @param {string} text with `{1}` for the company and `{2}` for the user name
 * @param {Record<string, string>} values the values by the names of fields
 * @returns {string | undefined}
 */
export function invitation(text, values) {
  if (!Object.values(fields).every((name) => values[name])) return undefined;
  return text.replace(/\{([12])\}/g, (_, place) => {
    const name = [...(values[place === "1" ? "company" : "employee"] ?? "").replace(/[“”«»„"\p{C}]/gu, "")];
    return `“${name.length > most ? name.slice(0, most).join("") + "…" : name.join("")}”`;
  });
}

/**
 * Shows a whole invitation in place of its entries, which are not to be changed. What the service refused stays.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} section
 */
function show(form, section) {
  /** @type {Record<string, string>} */
  const values = {};
  for (const [name, value] of new FormData(form)) if (typeof value === "string") values[name] = value.trim();
  const text = invitation(section.dataset.text ?? "", values), entries = document.getElementById("entries");
  if (!text || !entries || document.querySelector(".problems")) return;
  section.querySelector("h2")?.append(text);
  section.querySelector("p")?.append(values.email ?? "");
  section.hidden = false;
  entries.hidden = true;
}

if (typeof document !== "undefined") {
  const form = document.getElementById("form");
  if (form instanceof HTMLFormElement && location.hash.includes("=")) {
    fill(form, entries(location.hash));
    history.replaceState(null, "", location.pathname + location.search);
  }
  const section = document.getElementById("invited");
  if (form instanceof HTMLFormElement && section) show(form, section);
}
