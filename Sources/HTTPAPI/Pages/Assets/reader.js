// @ts-check
/** What every page does for its reader: times in the reader's zone, and links to other languages that lose nothing. */

/** A time as the pages write it. */
const written = /(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}) UTC/;

/**
 * Splits a text at the times in it.
 * @param {string} text
 * @returns {(string | Date)[]}
 */
export function parts(text) {
  const found = written.exec(text);
  if (!found) return text ? [text] : [];
  const [year, month, day, hour, minute] = found.slice(1).map(Number);
  const before = text.slice(0, found.index), after = text.slice(found.index + found[0].length);
  return [...(before ? [before] : []), new Date(Date.UTC(year, month - 1, day, hour, minute)), ...parts(after)];
}

/**
 * A time as its reader writes it.
 * @param {Date} time
 * @param {string} language
 * @param {string} [zone] the zone of the browser without one
 */
export function local(time, language, zone) {
  return time.toLocaleString(language, { dateStyle: "medium", timeStyle: "short", timeZone: zone });
}

/**
 * Replaces the times in a text by elements of the reader's zone. What somebody signs stays as it is.
 * @param {Text} node
 * @param {string} language
 */
function localise(node, language) {
  if (!written.test(node.data) || node.parentElement?.closest("pre, code, time, script, textarea")) return;
  node.replaceWith(...parts(node.data).map((part) => {
    if (typeof part === "string") return part;
    const time = document.createElement("time");
    time.dateTime = part.toISOString();
    time.title = part.toISOString().slice(0, 16).replace("T", " ") + " UTC";
    time.textContent = local(part, language);
    return time;
  }));
}

/**
 * Lets the title say first that the page tells a problem, as long as it does.
 * @param {string} title the title without it
 */
function watch(title) {
  const mark = () => {
    const told = [...document.querySelectorAll(".problems, [role=alert]")]
      .some((element) => !element.closest("[hidden]") && element.textContent?.trim());
    const text = told ? `${document.documentElement.dataset.error}: ${title}` : title;
    if (document.title !== text) document.title = text;
  };
  mark();
  new MutationObserver(mark).observe(
    document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["hidden"] });
}

if (typeof document !== "undefined") {
  watch(document.title);
  const language = document.documentElement.lang, nodes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) nodes.push(walker.currentNode);
  for (const node of nodes) if (node instanceof Text) localise(node, language);
  // What stands behind the # reaches no server, so the link has to keep it.
  if (location.hash.includes("=")) {
    for (const link of document.querySelectorAll("a.language")) {
      if (link instanceof HTMLAnchorElement) link.hash = location.hash;
    }
  }
}
