// The pure parts of the modules about passkeys: `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

const assets = new URL("../../../../Sources/HTTPAPI/Pages/Assets/", import.meta.url);
const { evidence, freshChallenge, isAble, isChallenge, keyOf, rawSignature, reasonOf } = await import(new URL("passkey.js", assets));
const { isJoining } = await import(new URL("withpasskey.js", assets));

/** @param {number[]} r @param {number[]} s */
const der = (r, s) => Uint8Array.from([0x30, r.length + s.length + 4, 2, r.length, ...r, 2, s.length, ...s]);

test("a signature in DER becomes 64 bytes, whatever the length of its numbers", () => {
  const high = [0, ...Array(32).fill(0x81)], full = Array(32).fill(0x11), short = [7];
  assert.deepEqual([...rawSignature(der(high, full))], [...high.slice(1), ...full]);
  assert.deepEqual([...rawSignature(der(short, high))], [...Array(31).fill(0), 7, ...high.slice(1)]);
});

test("evidence has its kind, the algorithm, both parts with their lengths and the signature", () => {
  const authenticator = new Uint8Array(37).fill(1), client = new Uint8Array(300).fill(2);
  const bytes = evidence(authenticator, client, der(Array(32).fill(3), Array(32).fill(4)));
  assert.deepEqual([...bytes.slice(0, 4)], [2, 1, 0, 37]);
  assert.deepEqual([...bytes.slice(41, 43)], [1, 44]);
  assert.equal(bytes.length, 2 + 2 + 37 + 2 + 300 + 64);
  const rsa = evidence(authenticator, client, new Uint8Array(256).fill(5));
  assert.equal(rsa[1], 2);
  assert.equal(rsa.length, 2 + 2 + 37 + 2 + 300 + 256);
});

test("the key of a SubjectPublicKeyInfo is its point or its modulus", () => {
  const point = Uint8Array.from({ length: 91 }, (_, index) => index);
  assert.deepEqual([...keyOf(point)], [...point.slice(26)]);
  assert.equal(keyOf(new Uint8Array(294)).length, 256);
});

test("only a challenge to join with the new key is signed", () => {
  const digest = new Uint8Array(32).fill(8), joinedKey = Buffer.from(digest).toString("base64url");
  const bytes = (/** @type {object} */ fields, version = 2) =>
    new TextEncoder().encode(`tenure/v${version}/challenge\n${JSON.stringify(fields)}`);
  assert.equal(isJoining(bytes({ purpose: "join-company", joinedKey }), digest), true);
  assert.equal(isJoining(bytes({ purpose: "join-company", joinedKey }, 1), digest), false);
  assert.equal(isJoining(bytes({ purpose: "add-passkey", joinedKey }), digest), false);
  assert.equal(isJoining(bytes({ purpose: "join-company", joinedKey }), new Uint8Array(32)), false);
  assert.equal(isJoining(new TextEncoder().encode("tenure/v2/challenge\n{"), digest), false);
});

test("each failure has its text", () => {
  const named = (/** @type {string} */ name) => Object.assign(new Error(), { name });
  assert.equal(reasonOf(named("NotAllowedError")), "refused");
  assert.equal(reasonOf(named("InvalidStateError")), "exists");
  assert.equal(reasonOf(named("SecurityError")), "failed");
  assert.equal(reasonOf("late"), "failed");
});

const key = Uint8Array.from({ length: 65 }, (_, index) => index), named = Buffer.from(key).toString("base64url");
/** @param {string} tag @param {Record<string, string>} fields */
const bytes = (tag, fields) => new TextEncoder().encode(`tenure/${tag}\n${JSON.stringify(fields)}`);

test("a log-in's challenge is neither a statement nor a challenge for something else", () => {
  const purpose = "login-passkey";
  assert.ok(isChallenge(bytes("v2/challenge", { purpose }), purpose));
  assert.ok(isChallenge(bytes("v2/challenge", { purpose: "add-passkey", employee: "7" }), "add-passkey"));
  for (const other of [
    bytes("v1/challenge", { purpose }), bytes("v2/challenge", { purpose: "add-passkey" }),
    bytes("v2/challenge", { purpose: "login-address" }), bytes("v2/challenge", { purpose, employeeKey: named }),
    bytes("v1/key-authorization", { purpose, action: "authorize" }), bytes("v2/challenge", {}), new Uint8Array(32),
  ]) assert.ok(!isChallenge(other, purpose));
  assert.ok(!isChallenge(bytes("v2/challenge", { purpose }), purpose, key));
  assert.ok(!isChallenge(bytes("v1/challenge", { purpose: "registration" }), "registration", key));
});

test("what the service returns is signed only if it is what the page asks for", async (context) => {
  let answer = new Uint8Array(), body = "";
  context.mock.method(globalThis, "fetch", async (/** @type {string} */ _, /** @type {RequestInit} */ options) => {
    body = String(options.body);
    return new Response(Buffer.from(answer).toString("base64url"));
  });
  answer = bytes("v2/challenge", { purpose: "login-passkey" });
  assert.deepEqual(await freshChallenge("/passkey/challenge", "login-passkey"), answer);
  assert.equal(body, "");
  for (const purpose of ["add-passkey", "registration"]) {
    await assert.rejects(freshChallenge("/passkey/challenge", purpose), /another challenge/);
  }
  answer = bytes("v1/challenge", { purpose: "registration", employeeKey: named });
  assert.deepEqual(await freshChallenge("/flow/x/passkey/challenge", "registration", key), answer);
  assert.equal(body, `key=${named}`);
  await assert.rejects(freshChallenge("/flow/x/passkey/challenge", "registration", key.slice(1)), /another challenge/);
  answer = bytes("v1/key-authorization", { purpose: "login-passkey", action: "authorize" });
  await assert.rejects(freshChallenge("/passkey/challenge", "login-passkey"), /another challenge/);
  context.mock.method(globalThis, "fetch", async () => new Response("", { status: 429 }));
  await assert.rejects(freshChallenge("/passkey/challenge", "login-passkey"), /429/);
});

test("a program without passkeys can use none", () => assert.equal(isAble, false));
