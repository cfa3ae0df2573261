/** Laws on random text, from a seed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DIST, native } from "./program.mjs";

const { load } = await import(new URL("majuscule.js", DIST));
const m = await load("en", { preset: "fast" });

/** Numbers below a limit, by a linear congruential generator of 32 bits. */
function random(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const PARTS = [
  "we", "met", "angela", "merkel", "in", "lisbon", "MR", "Brown", "nato", "u.s.", "it's", "o'neill", "x-ray", "3rd", "ñandú",
  "straße", "İstanbul", "ﬁ", "😀", "🏳️‍🌈", "é", "e\u0301", "中文", "\u0000", "<i>", "</i>", "(", ")", "\"", "’", ",", ".", "?", "¿", "…",
  "\n", "\r\n", "\t", "  ", "\u00a0", "\u2028", "\ufeff", "1984", "http://a.b/c", "a@b.cd", "[laughs]", "-", "--",
];

function text(next) {
  let made = "";
  for (let n = next(40); n >= 0; n--) made += PARTS[next(PARTS.length)] + (next(4) ? " " : "");
  return made;
}

const texts = Array.from({ length: 400 }, (_, seed) => text(random(seed)));

test("random texts come out as from the program, all in one file and each by itself", () => {
  // Line by line they would be other texts: several have line ends.
  for (const [options, args] of [[{}, []], [{ marks: "all" }, ["--marks=all"]], [{ sentenceStart: "never" }, ["--sentence-start=never"]]]) {
    const whole = texts.join("\n");
    const restored = String(native(["restore", "--lang=en", "--preset=fast", "--format=text", ...args], whole));
    assert.equal(m.restoreFile(whole, "text", options).text, restored);
    assert.equal(m.restore(whole, options), restored);
  }
});

test("without marks nothing changes but case", () => {
  for (const given of texts) assert.equal(m.restore(given).toLowerCase(), given.toLowerCase());
});

test("restoring twice changes nothing", () => {
  for (const given of texts) {
    const once = m.restore(given, { marks: true });
    assert.equal(m.restore(once, { marks: true }), once);
  }
});

test("words have their places in UTF-16, and make the text", () => {
  for (const given of texts) {
    let [made, at] = ["", 0];
    for (const { text, form, start, end, probability } of m.words(given)) {
      assert.equal(given.slice(start, end), text);
      assert.ok(start >= at && (probability === undefined || (probability >= 0 && probability <= 1)));
      made += given.slice(at, start) + form;
      at = end;
    }
    assert.equal(made + given.slice(at), m.restore(given));
  }
});

test("live text does not depend on how it is cut, even between the halves of a pair", () => {
  for (const [seed, given] of texts.entries()) {
    const next = random(seed + 1000);
    const [whole, cut] = [m.stream({ lookAhead: 1 }), m.stream({ lookAhead: 1 })];
    const expected = whole.push(given) + whole.finish();
    let found = "";
    for (let at = 0; at < given.length; ) {
      const end = at + 1 + next(6);
      found += cut.push(given.slice(at, end));
      if (!next(9)) assert.ok((found + cut.tail()).length <= given.length);
      at = end;
    }
    assert.equal(found + cut.finish(), expected);
  }
});

test("a TransformStream is a live text", async () => {
  const given = texts.join(" ");
  const chunks = given.match(/[^]{1,7}/g);
  const source = new ReadableStream({ start: (control) => (chunks.forEach((chunk) => control.enqueue(chunk)), control.close()) });
  let found = "";
  for await (const chunk of source.pipeThrough(m.transform())) found += chunk;
  const whole = m.stream();
  assert.equal(found, whole.push(given) + whole.finish());
});

test("options of one call are not those of the next, and streams do not share any", () => {
  const given = "where did you meet angela";
  const plain = m.restore(given);
  const [one, other] = [m.stream({ marks: "all" }), m.stream()];
  assert.equal(m.restore(given, { marks: "all" }), `${plain}?`);
  assert.equal(m.restore(given), plain);
  assert.equal(one.push(`${given} `) + one.finish(), `${plain}? `);
  assert.equal(other.push(`${given} `) + other.finish(), `${plain} `);
});
