// The pure part of the module that sends forms with secrets: `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

const assets = new URL("../../../../Sources/HTTPAPI/Pages/Assets/", import.meta.url);
const { answerOf } = await import(new URL("send.js", assets));

test("an answer leads to a page of the service, or tells problems", () => {
  assert.equal(answerOf({ next: "/account" })?.next, "/account");
  assert.equal(answerOf({ summary: [], fields: {}, once: "x" })?.once, "x");
  for (const other of [null, undefined, "x", {}, { next: 1 }, { next: "https://evil.example" },
    { next: "//evil.example" }, { next: "javascript:x" }, { summary: "x", fields: {} }]) {
    assert.equal(answerOf(other), undefined, JSON.stringify(other));
  }
});
