// What the module of signing pages signs, and what it does not: `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

const assets = new URL("../../../../Sources/HTTPAPI/Pages/Assets/", import.meta.url);
const { base64url } = await import(new URL("device.js", assets));
const { commitsTo, fingerprintOf, isStatement } = await import(new URL("sign.js", assets));

const signer = Uint8Array.from({ length: 65 }, (_, index) => index);
const other = signer.map((byte) => byte ^ 255);
const fingerprint = await fingerprintOf(other);
const expected = { tag: "tenure/v1/key-revocation", action: "revoke", reason: "lost", fingerprint };

/** @param {Record<string, unknown>} changes @param {string} tag */
function statement(changes = {}, tag = expected.tag) {
  const members = {
    action: "revoke", reason: "lost", signer: base64url(signer), employeeKey: base64url(other), ...changes,
  };
  return new TextEncoder().encode(`${tag}\n${JSON.stringify(members)}`);
}

test("a fingerprint is the SHA-256 in hexadecimal", async () => {
  assert.equal(
    await fingerprintOf(new TextEncoder().encode("abc")),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("a statement that says what the page says is signed", async () => {
  assert.equal(await isStatement(statement(), expected, signer), true);
});

test("a statement that says something else is not signed", async () => {
  const others = [
    statement({ action: "authorize" }), statement({ reason: "stolen" }), statement({ signer: base64url(other) }),
    statement({ employeeKey: base64url(signer) }), statement({ employeeKey: undefined }), statement({ action: null }),
    statement({}, "tenure/v1/key-authorization"), statement({}, "tenure/v1/policy"),
    new TextEncoder().encode(`${expected.tag}\nnot JSON`), new TextEncoder().encode(expected.tag), new Uint8Array(),
  ];
  for (const bytes of others) {
    assert.equal(await isStatement(bytes, expected, signer), false, new TextDecoder().decode(bytes));
  }
});

test("a page cannot ask for a signature over anything but decisions about keys and recoveries", async () => {
  for (const tag of ["tenure/v1/challenge", "tenure/v1/policy", "tenure/v1/role", "tenure/v1/succession", ""]) {
    assert.equal(await isStatement(statement({}, tag), { ...expected, tag }, signer), false, tag);
  }
});

test("a statement about a recovery of somebody else names the fingerprint of the page", async () => {
  const about = { tag: "tenure/v1/recovery-opening", action: "open", reason: "opened", fingerprint };
  const hash = Uint8Array.from(fingerprint.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  const members = { action: "open", reason: "opened", employeeKey: undefined };
  assert.equal(await isStatement(statement({ ...members, key: base64url(hash) }, about.tag), about, signer), true);
  for (const key of [base64url(signer), undefined]) {
    assert.equal(await isStatement(statement({ ...members, key }, about.tag), about, signer), false);
  }
});

test("a recovery's statement is about no device key", async () => {
  const about = { tag: "tenure/v1/recovery-cancellation", action: "cancel", reason: "owner", fingerprint: "" };
  const members = { action: "cancel", reason: "owner" };
  assert.equal(await isStatement(statement({ ...members, employeeKey: undefined }, about.tag), about, signer), true);
  assert.equal(await isStatement(statement(members, about.tag), about, signer), false);
});

test("a statement about an address commits to its bytes as they are shown", async () => {
  const salt = new Uint8Array(32).fill(7), encoder = new TextEncoder();
  const statementOn = async (address) => {
    const name = encoder.encode(address);
    const all = [...encoder.encode("tenure/v1/email-subject"), ...salt, 0, name.length, ...name];
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from(all)));
    const subject = Buffer.from(digest).toString("base64url");
    return encoder.encode(`tenure/v1/email-change\n${JSON.stringify({ subject })}`);
  };
  const bytes = await statementOn("Zoé@straße.example");
  assert.ok(await commitsTo(bytes, salt, "Zoé@straße.example"));
  assert.ok(!(await commitsTo(bytes, salt, "Zoé@strasse.example")));
  assert.ok(!(await commitsTo(bytes, salt, "zoé@straße.example")));
});
