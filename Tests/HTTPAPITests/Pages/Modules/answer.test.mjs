// The module of the page that leads to a client: `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

const assets = new URL("../../../../Sources/HTTPAPI/Pages/Assets/", import.meta.url);
const { emptied } = await import(new URL("answer.js", assets));

/** A page as the browser has it. */
function page() {
  const seen = [];
  return {
    seen, document: { body: { replaceChildren: () => seen.push("empty") } },
    location: { pathname: "/consent/flow", replace: (path) => seen.push(path) },
  };
}

test("a page from the back-forward cache empties itself, and is opened anew without its form", () => {
  const { seen, document, location } = page();
  assert.equal(emptied({ persisted: true }, document, location), true);
  assert.deepEqual(seen, ["empty", "/consent/flow"]);
});

test("a page that is shown for the first time stays", () => {
  const { seen, document, location } = page();
  assert.equal(emptied({ persisted: false }, document, location), false);
  assert.deepEqual(seen, []);
});
