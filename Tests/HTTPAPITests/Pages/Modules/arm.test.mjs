// When a button that signs is armed, what disarms it, and what counts as a press: `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

const assets = new URL("../../../../Sources/HTTPAPI/Pages/Assets/", import.meta.url);
const { Arming, QUIET } = await import(new URL("arm.js", assets));

const here = { onButton: true, primary: true, pointer: 1, trusted: true };
const down = { ...here, type: "pointerdown" }, up = { ...here, type: "pointerup" }, click = { ...here, type: "click" };
const press = [down, up, click];
const key = (type, name = "Enter", more = {}) => ({ type, key: name, onButton: true, trusted: true, ...more });

/** A button that is armed at the time 1000. */
function armed() {
  const arming = new Arming();
  arming.look(true, 0);
  assert.equal(arming.look(true, QUIET - 1), false);
  assert.equal(arming.look(true, QUIET), true);
  return arming;
}

/** Whether one of these events is an act. */
const acts = (arming, events, now = 1100) => events.map((event) => arming.take(event, now)).includes(true);

test("a button is armed after a quiet second in sight, and not before", () => {
  armed();
  const hidden = new Arming();
  for (let now = 0; now < 5000; now += 100) assert.equal(hidden.look(now % 900 !== 0, now), false, String(now));
});

const restarts = [
  "pointerdown", "pointerup", "click", "keydown", "keyup", "wheel", "blur", "focus", "visibilitychange", "resize",
  "dragstart", "drag", "dragend", "pageshow",
];
for (const type of restarts) {
  test(`before it is armed, ${type} starts the second again`, () => {
    const arming = new Arming();
    arming.look(true, 0);
    for (let now = 300; now <= 3000; now += 300) {
      assert.equal(arming.take({ ...here, type, key: "Tab", repeat: true }, now), false);
      assert.equal(arming.look(true, now + 299), false);
    }
    assert.equal(arming.look(true, 3000 + QUIET), true);
  });
}

for (const type of ["blur", "focus", "visibilitychange", "resize", "dragstart", "drag", "dragend", "pageshow"]) {
  test(`once armed, ${type} disarms`, () => {
    const arming = armed();
    assert.equal(acts(arming, [{ type, trusted: true }]), false);
    assert.equal(arming.look(true, 1101), false);
    assert.equal(acts(arming, press, 1102), false);
  });
}

test("a page that is out of sight disarms, and its second begins when it is back", () => {
  const arming = armed();
  assert.equal(arming.look(false, 1100), false);
  assert.equal(arming.look(true, 3000), false);
  assert.equal(acts(arming, press, 3001), false);
});

test("a press elsewhere disarms", () => {
  for (const event of [{ ...down, onButton: false }, key("keydown", " ", { onButton: false }), key("keydown", "x")]) {
    const arming = armed();
    assert.equal(acts(arming, [event]), false);
    assert.equal(arming.look(true, 1100), false, event.type);
  }
});

test("a pointer that is pressed and released on the button acts once", () => {
  const arming = armed();
  assert.deepEqual(press.map((event) => arming.take(event, 1100)), [false, false, true]);
  assert.equal(acts(arming, press), false);
});

test("the second click of a double click that began before does not act", () => {
  const arming = new Arming();
  arming.look(true, 0);
  for (const [now, event] of [[990, down], [1000, up], [1000, click], [1050, down], [1060, up], [1060, click]]) {
    arming.look(true, now - 1);
    assert.equal(arming.take(event, now), false);
  }
});

test("clicking again and again never arms", () => {
  const arming = new Arming();
  for (let now = 0; now < 30_000; now += 300) {
    arming.look(true, now);
    assert.equal(acts(arming, press, now), false, String(now));
  }
});

test("half a press, another pointer, another button and a drag to the button do not act", () => {
  const wrong = [
    [up, click], [down, click], [{ ...down, primary: false }, up, click], [down, { ...up, pointer: 2 }, click],
    [{ ...down, onButton: false }, up, click], [down, { ...up, onButton: false }, click], [down, down, up, click],
    [down, { ...here, type: "pointercancel" }, click], [down, up, { ...click, onButton: false }],
  ];
  for (const events of wrong) assert.equal(acts(armed(), events), false, JSON.stringify(events));
});

test("a key that goes down and up on the button acts, and one that is held does not", () => {
  for (const name of ["Enter", " "]) {
    assert.equal(acts(armed(), [key("keydown", name), key("keyup", name)]), true, name);
    assert.equal(acts(armed(), [key("keydown", name), key("keydown", name, { repeat: true }), key("keyup", name)]), false);
    assert.equal(acts(armed(), [key("keydown", name, { repeat: true }), key("keyup", name)]), false, name);
    assert.equal(acts(armed(), [key("keyup", name)]), false, name);
    assert.equal(acts(armed(), [key("keydown", name), key("keyup", name, { onButton: false })]), false, name);
  }
  assert.equal(acts(armed(), [key("keydown", "Enter"), key("keyup", " ")]), false);
  assert.equal(acts(armed(), [key("keydown", "a"), key("keyup", "a")]), false);
});

test("Tab reaches the button, and then a key acts", () => {
  const arming = armed();
  assert.equal(acts(arming, [key("keydown", "Tab", { onButton: false }), key("keyup", "Tab")]), false);
  assert.equal(acts(arming, [key("keydown"), key("keyup")]), true);
});

test("a click alone is that of a screen reader, and acts only when it is armed and the browser's own", () => {
  assert.equal(acts(armed(), [click]), true);
  assert.equal(acts(new Arming(), [click]), false);
  assert.equal(acts(armed(), [{ ...click, trusted: false }]), false);
  assert.equal(acts(armed(), [{ ...click, onButton: false }]), false);
});
