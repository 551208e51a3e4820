// The pure parts of the module that signs invitations: `node --test`.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

const assets = new URL("../../../../Sources/HTTPAPI/Pages/Assets/", import.meta.url);
const { commitment, invites } = await import(new URL("invite.js", assets));
const { base64url } = await import(new URL("device.js", assets));

const salt = Uint8Array.from({ length: 32 }, (_, index) => index), key = Uint8Array.from([4, 1, 2, 3]);
const names = ["Acme.Example", " cy ", "Cy@acme.example"];

test("a commitment frames each name, and salt and tag come first", async () => {
  const framed = ["acme.example", "cy", "cy@acme.example"].flatMap((name) => [Buffer.from([0, name.length]), Buffer.from(name)]);
  const hash = createHash("sha256").update(Buffer.concat([Buffer.from("tenure/v1/invitation-subject"), salt, ...framed]));
  assert.equal(await commitment(salt, names), hash.digest("base64url"));
});

test("nothing is signed but the invitation of this person for a week", async () => {
  const right = {
    action: "issue", reason: "invited", seconds: 604_800, signer: base64url(key), subject: await commitment(salt, names),
  };
  /** @param {object} fields @param {string} tag */
  const bytes = (fields, tag = "invitation-issue") =>
    new TextEncoder().encode(`tenure/v1/${tag}\n${JSON.stringify(fields)}`);
  assert.equal(await invites(bytes(right), salt, names, key), true);
  for (const change of [{ action: "revoke" }, { reason: "x" }, { seconds: 604_801 }, { signer: "x" }, { subject: "x" }]) {
    assert.equal(await invites(bytes({ ...right, ...change }), salt, names, key), false, JSON.stringify(change));
  }
  assert.equal(await invites(bytes(right, "key-authorization"), salt, names, key), false);
  assert.equal(await invites(bytes(right), salt, ["Acme.Example", "eve", names[2]], key), false);
  assert.equal(await invites(bytes(right), salt.map((byte) => byte ^ 1), names, key), false);
});
