// The pure parts of the module of waiting browsers: `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

const assets = new URL("../../../../Sources/HTTPAPI/Pages/Assets/", import.meta.url);
const { follow } = await import(new URL("waiting.js", assets));

test("a decision closes the stream and looks once", () => {
  const seen = [];
  class EventSource extends EventTarget {
    constructor(path) {
      super();
      seen.push(path);
    }
    close() { seen.push("closed"); }
  }
  globalThis.EventSource = EventSource;
  const source = follow("/waiting/events", () => seen.push("look"));
  source.dispatchEvent(new Event("message"));
  assert.deepEqual(seen, ["/waiting/events"]);
  source.dispatchEvent(new Event("decided"));
  assert.deepEqual(seen, ["/waiting/events", "closed", "look"]);
});
