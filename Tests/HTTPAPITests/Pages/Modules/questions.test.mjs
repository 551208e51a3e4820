// The pure parts of the module that asks for questions: `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

const assets = new URL("../../../../Sources/HTTPAPI/Pages/Assets/", import.meta.url);
const { kept, left, stepOf } = await import(new URL("questions.js", assets));

test("a question that another one has is not offered", () => {
  const options = ["", "1", "2", "3"].map((value) => ({ value, text: `Question ${value}` }));
  assert.deepEqual(left(options, ["2", "", "3"], 1).map(({ value }) => value), ["1"]);
  assert.deepEqual(left(options, ["2", "", "3"], 0).map(({ value }) => value), ["1", "2"]);
});

test("the first field with a problem is shown", () => {
  assert.equal(stepOf(["passphrase", "answer4", "question2"], 5), 1);
  assert.equal(stepOf(["passphrase"], 5), 5);
  assert.equal(stepOf([], 5), 5);
});

test("a tab keeps numbers of questions, and nothing else", () => {
  assert.deepEqual(kept('["7","","14"]', 3), ["7", "", "14"]);
  for (const text of [null, "", "x", "{}", '["7"]', '["7","","my answer"]', '[1,2,{}]']) {
    assert.deepEqual(kept(text, 3), text === "[1,2,3]" ? ["1"] : [], String(text));
  }
});
