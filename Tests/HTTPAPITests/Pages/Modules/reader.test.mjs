import assert from "node:assert/strict";
import test from "node:test";
import { local, parts } from "../../../../Sources/HTTPAPI/Pages/Assets/reader.js";

test("a text is split at its times", () => {
  const time = new Date("2026-11-26T12:34:00Z");
  assert.deepEqual(parts("Since 2026-11-26 12:34 UTC, until 2026-11-26 12:34 UTC."),
    ["Since ", time, ", until ", time, "."]);
  assert.deepEqual(parts("2026-11-26 12:34 UTC"), [time]);
  assert.deepEqual(parts("no time"), ["no time"]);
  assert.deepEqual(parts(""), []);
});

test("a time is told in the zone of its reader", () => {
  const time = new Date("2026-11-26T23:34:00Z");
  assert.match(local(time, "de", "Europe/Berlin"), /27\.11\.2026.*00:34/);
  assert.match(local(time, "en", "UTC"), /26.*2026.*34/);
});
