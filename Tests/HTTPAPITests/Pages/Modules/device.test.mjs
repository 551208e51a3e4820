// The pure parts of the modules of the pages: `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

const assets = new URL("../../../../Sources/HTTPAPI/Pages/Assets/", import.meta.url);
const device = await import(new URL("device.js", assets));
const { isChallenge } = await import(new URL("passkey.js", assets));
const { differs } = await import(new URL("pick.js", assets));
const { forgetKey } = await import(new URL("renew.js", assets));
const { note } = await import(new URL("used.js", assets));
const { cameBack, listed } = await import(new URL("accounts.js", assets));

test("one account has one record, whatever its spelling", () => {
  assert.equal(device.recordKey(" Acme.Example ", "\tÜna  B "), "acme.example\nüna b");
  assert.equal(device.recordKey("U\u0308", "1"), device.recordKey("ü", "1"));
  assert.notEqual(device.recordKey("a", "b\nc"), device.recordKey("a\nb", "c"));
});

test("bytes survive base64url", () => {
  for (let length = 0; length < 70; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + length) % 256);
    const text = device.base64url(bytes);
    assert.match(text, /^[A-Za-z0-9_-]*$/);
    assert.deepEqual(device.bytesOf(text), bytes);
  }
});

test("a browser calls itself by its name and its system", () => {
  const agents = {
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36":
      "Chromium on Linux",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131":
      "Edge on Windows",
    "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0": "Firefox on Linux",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1":
      "Safari on iOS",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36":
      "Chromium on Android",
    "": "Browser",
  };
  for (const [agent, name] of Object.entries(agents)) assert.equal(device.deviceName(agent), name);
});

test("only a challenge for this purpose and this key is signed", () => {
  const key = Uint8Array.from({ length: 65 }, (_, index) => index), encode = (text) => new TextEncoder().encode(text);
  const challenge = (fields, tag = "tenure/v1/challenge") => encode(`${tag}\n${JSON.stringify(fields)}`);
  const right = { employeeKey: device.base64url(key), purpose: "login" };
  assert.ok(isChallenge(challenge(right), "login", key));
  assert.ok(!isChallenge(challenge(right), "registration", key));
  assert.ok(!isChallenge(challenge({ ...right, employeeKey: "x" }), "login", key));
  for (const tag of ["tenure/v1/key-authorization", "", " tenure/v1/challenge", "tenure/v1/challenge2"]) {
    assert.ok(!isChallenge(challenge(right, tag), "login", key), tag);
  }
  for (const text of ["", "tenure/v1/challenge\n", "tenure/v1/challenge\nnull", "tenure/v1/challenge\n[]"]) {
    assert.ok(!isChallenge(encode(text), "login", key), text);
  }
});

test("a challenge of an address has a version of its own, and another purpose", () => {
  const key = Uint8Array.from({ length: 65 }, (_, index) => index), encode = (text) => new TextEncoder().encode(text);
  const challenge = (version, purpose) =>
    encode(`tenure/v${version}/challenge\n${JSON.stringify({ employeeKey: device.base64url(key), purpose })}`);
  assert.ok(isChallenge(challenge(2, "login-address"), "login-address", key));
  assert.ok(!isChallenge(challenge(1, "login-address"), "login-address", key));
  assert.ok(!isChallenge(challenge(2, "login"), "login", key));
  assert.ok(!isChallenge(challenge(1, "login"), "login-address", key));
});

test("an account that has another key keeps it", () => {
  const key = { publicKey: Uint8Array.of(4, 1) };
  assert.ok(!differs(key, undefined));
  assert.ok(!differs(key, { publicKey: Uint8Array.of(4, 1) }));
  assert.ok(differs(key, { publicKey: Uint8Array.of(4, 2) }));
});

test("a request for one company lists its accounts", () => {
  const accounts = [{ company: "Acme", id: "1" }, { company: "Other", id: "2" }];
  assert.deepEqual(listed(accounts, "").length, 2);
  assert.deepEqual(listed(accounts, " ACME ").map((account) => account.id), ["1"]);
  assert.deepEqual(listed(accounts, "none"), []);
});

test("an ended key is forgotten with its address, and no other key", () => {
  const ended = Uint8Array.of(4, 1), records = [ended, Uint8Array.of(4, 2), ended], deleted = [];
  let index = 0;
  const request = { onsuccess: () => {}, get result() {
    return index < records.length ? {
      value: { publicKey: records[index] }, delete: () => deleted.push(index),
      continue: () => { index += 1; request.onsuccess(); },
    } : null;
  } };
  forgetKey({ openCursor: () => request }, ended);
  request.onsuccess();
  assert.deepEqual(deleted, [0, 2]);
});

test("a form without names takes back what the one before it noted", () => {
  const items = new Map(), before = Object.getOwnPropertyDescriptor(globalThis, "sessionStorage");
  const storage = { setItem: (name, value) => items.set(name, value), removeItem: (name) => items.delete(name) };
  Object.defineProperty(globalThis, "sessionStorage", { value: storage, configurable: true });
  try {
    note("Acme", "1");
    assert.deepEqual([...items.values()], ['["Acme","1"]']);
    note("", "1");
    assert.equal(items.size, 0);
  } finally {
    if (before) Object.defineProperty(globalThis, "sessionStorage", before);
    else delete globalThis.sessionStorage;
  }
});

test("a refused passkey leaves the known accounts in sight, and a form that came back does not", () => {
  assert.ok(!cameBack([], ["", ""]));
  assert.ok(!cameBack([], ["hint@acme.example", ""]));
  assert.ok(!cameBack(["#form"], ["", ""]));
  assert.ok(cameBack(["#email"], ["", ""]));
  assert.ok(cameBack(["#form"], ["zoe@acme.example", ""]));
  assert.ok(cameBack(["#form", "#employee"], ["", ""]));
});
