// The pure parts of the module of waiting browsers: `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

const assets = new URL("../../../../Sources/HTTPAPI/Pages/Assets/", import.meta.url);
const { alone, follow } = await import(new URL("waiting.js", assets));

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

test("a change looks too, unless somebody types", () => {
  const seen = [];
  class EventSource extends EventTarget {
    close() { seen.push("closed"); }
  }
  globalThis.EventSource = EventSource;
  let isBusy = true;
  const source = follow("/waiting/events", () => seen.push("look"), () => isBusy);
  source.dispatchEvent(new Event("changed"));
  assert.deepEqual(seen, []);
  isBusy = false;
  source.dispatchEvent(new Event("changed"));
  assert.deepEqual(seen, ["closed", "look"]);
});

test("one tab signs, and another one looks again when it is done", async () => {
  const waiting = [];
  const locks = {
    held: false,
    async request(name, options, work = options) {
      if (this.held && options.ifAvailable) return work(null);
      if (this.held) return waiting.push(work);
      this.held = true;
      work({ name });
    },
  };
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
  assert.equal(await alone(async () => true), true);
  const second = alone(() => assert.fail("a second tab signs"));
  await new Promise((resolve) => setTimeout(resolve));
  waiting.forEach((work) => work({}));
  assert.equal(await second, undefined);
});
