import assert from "node:assert/strict";
import { test } from "node:test";
import { entries, fill, invitation } from "../../../../Sources/HTTPAPI/Pages/Assets/prefill.js";

test("a link names the fields, and nothing else", () => {
  const link = "#company=Acme%20%26%20Sons&id=7&email=7%40acme.example&invitation=a-b_c&key=x&once=y";
  assert.deepEqual(entries(link), [
    ["company", "Acme & Sons"], ["employee", "7"], ["email", "7@acme.example"], ["code", "a-b_c"],
  ]);
  for (const none of ["", "#", "#company=", "#main"]) assert.deepEqual(entries(none), []);
});

test("what stands in a field stays", () => {
  class HTMLInputElement { value = ""; }
  globalThis.HTMLInputElement = HTMLInputElement;
  const fields = { company: new HTMLInputElement(), code: new HTMLInputElement(), list: {} };
  fields.company.value = "Mine";
  const form = { elements: { namedItem: (name) => fields[name] ?? null } };
  fill(form, [["company", "Acme"], ["code", "c"], ["list", "x"], ["none", "x"]]);
  assert.equal(fields.company.value, "Mine");
  assert.equal(fields.code.value, "c");
});

test("a whole invitation is a sentence, and a part of one is none", () => {
  const values = { company: "Acme {2}", employee: "cy", email: "cy@acme.example", code: "c" };
  assert.equal(invitation("{1} invites you as {2}", values), "“Acme {2}” invites you as “cy”");
  // A stranger may have written the link: its names end where the page says.
  const long = invitation("{1}", { ...values, company: `Acme” says: \u202E“${"é".repeat(80)}` });
  assert.equal(long, `“Acme says: ${"é".repeat(49)}…”`);
  for (const name of Object.keys(values)) assert.equal(invitation("{1}", { ...values, [name]: "" }), undefined);
});
