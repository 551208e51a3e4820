// What the browser's picker is told of passkeys: `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

const assets = new URL("../../../../Sources/HTTPAPI/Pages/Assets/", import.meta.url);
const { signal } = await import(new URL("picker.js", assets));

/** @param {any} api @param {(told: any[]) => Promise<void>} work */
async function withBrowser(api, work) {
  const told = [];
  const say = (name) => async (said) => { told.push([name, said]); if (api.fails) throw new TypeError(); };
  globalThis.PublicKeyCredential = api.knows ? { signalUnknownCredential: say("unknown") } : api.none;
  await work(told).finally(() => { delete globalThis.PublicKeyCredential; });
}

const said = { rpId: "id.example", credentialId: "AQ" };

test("a signal goes to a browser that knows it", async () => {
  await withBrowser({ knows: true }, async (told) => {
    await signal("signalUnknownCredential", said);
    await signal("signalAllAcceptedCredentials", { rpId: "id.example", userId: "AQ", allAcceptedCredentialIds: [] });
    assert.deepEqual(told, [["unknown", said]]);
  });
  for (const none of [undefined, {}]) {
    await withBrowser({ none }, async () => { await signal("signalUnknownCredential", said); });
  }
});

test("a picker is told nothing in development, and a refused signal disturbs nothing", async () => {
  await withBrowser({ knows: true, fails: true }, async (told) => {
    await signal("signalUnknownCredential", { ...said, rpId: "localhost" });
    await signal("signalUnknownCredential", { ...said, rpId: "" });
    assert.deepEqual(told, []);
    await signal("signalUnknownCredential", said);
    assert.equal(told.length, 1);
  });
});
