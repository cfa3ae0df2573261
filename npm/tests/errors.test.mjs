/** Bad input is an error that says what was found and expected, and the model stays usable. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DIST, complaint, example } from "./program.mjs";
import { readFileSync } from "node:fs";

const { MajusculeError, convert, detectLanguage, languageOf, load } = await import(new URL("majuscule.js", DIST));
const m = await load("en", { preset: "fast" });

/** Returns the message of the error of a call, of this kind. */
async function message(kind, call) {
  try {
    await call();
  } catch (error) {
    assert.ok(error instanceof MajusculeError, error.stack);
    assert.equal(error.kind, kind);
    return error.message;
  }
  return assert.fail("there is no error");
}

test("wrong options are named, as JavaScript names them", async () => {
  const usage = (options) => message("usage", () => m.restore("a", options));
  assert.equal(await usage({ threshold: 2 }), "threshold 2: expected a probability from 0 to 1");
  assert.equal(await usage({ threshold: NaN }), 'threshold "NaN": expected a probability from 0 to 1');
  assert.equal(await usage({ sentenceStart: "often" }), 'sentenceStart "often": expected one of auto, always, never');
  assert.equal(await usage({ sentence_start: "never" }), 'there is no option "sentence_start": did you mean "sentenceStart"?');
  assert.match(await usage({ "": 1 }), /^there is no option "": expected one of lang, field, /);
  assert.equal(await usage({ lookAhead: -1 }), "lookAhead -1: expected a whole number from 0");
  assert.match(await usage({ marks: "%" }), /%/);
  assert.match(await usage({ markThreshold: 0.5 }), /^markThreshold is for punctuation that is inserted: give marks too$/);
  assert.match(await usage({ words: "iPhone" }), /^words "iPhone": expected a list of strings$/);
  assert.match(await message("input", () => m.restore("a", { words: ["?"] })), /^spellings, line 1: /);
  // After all that the model works.
  assert.equal(m.restore("we met in lisbon"), "We met in Lisbon");
});

test("errors have the words of the program", async () => {
  const bad = "1\n00:00:01,000 --> 00:00:02,000\nwe met\n\n2\n00:00:0x,000 --> 00:00:04,000\nin lisbon\n";
  const found = await message("input", () => m.restoreFile(bad, "srt", { name: "a.srt" }));
  assert.equal(found, complaint(["restore", "--format=srt", "-"], bad).replace("standard input", "a.srt").replaceAll("--lossy", "lossy"));
  assert.equal(await message("usage", () => m.stream({ marks: true })), complaint(["restore", "--stream", "--marks=auto"], "a").replace(/^--/, "").replaceAll("--", ""));
});

test("what is not a text, a file or an object is refused", async () => {
  for (const given of [undefined, null, 3, ["a"], new Uint8Array(2)]) assert.throws(() => m.restore(given), TypeError);
  for (const given of [undefined, 3, ["a"], {}]) assert.throws(() => m.restoreFile(given, "srt"), TypeError);
  for (const given of [null, "marks", 3, []]) assert.throws(() => m.words("a", given), TypeError);
  assert.throws(() => m.label("we met"), TypeError);
  assert.match(await message("usage", () => m.label([3])), /list of strings/);
  assert.match(await message("usage", () => m.restore("ab\ud800")), /half a surrogate pair at 2/);
  assert.match(await message("usage", () => m.words("\udc00 a😀")), /half a surrogate pair at 0/);
  const stream = m.stream();
  const begun = stream.push("a\ud83d");
  assert.match(await message("usage", () => stream.push("b")), /half a surrogate pair/);
  assert.equal(begun + stream.push("\ude00 ") + stream.finish(), "A😀 ");
  assert.match(await message("usage", () => stream.push("b")), /has ended/);
  assert.equal(stream.isFinished, true);
  // A text that ends there has lost nothing.
  const cut = m.stream();
  assert.equal(cut.push("we met in lisbon \ud83d") + cut.finish(), "We met in Lisbon \ud83d");
  assert.equal(cut.isFinished, true);
});

test("damaged files are errors, and never the end of the model", async () => {
  for (const name of ["talk.srt", "talk.vtt", "talk.json", "talk.ctm"]) {
    const bytes = example(name);
    for (let at = 0; at < bytes.length; at += 41) {
      const flipped = Uint8Array.from(bytes);
      flipped[at] ^= 0x55;
      for (const damaged of [flipped, bytes.subarray(0, at)]) {
        try {
          m.restoreFile(damaged, { name });
        } catch (error) {
          assert.ok(error instanceof MajusculeError && error.kind === "input", `${name} at ${at}: ${error.stack}`);
          assert.match(error.message, new RegExp(`^${name}`));
        }
      }
    }
  }
  assert.match(await message("input", () => m.restoreFile("%PDF-1.7\n", { name: "a.pdf" })), /PDF/i);
  assert.match(await message("usage", () => m.convert("a", {})), /^to is missing/);
  assert.match(await message("input", () => m.restoreFile(readFileSync(new URL("../../examples/talk.srt", import.meta.url)), { name: "a.srt", to: "text", strict: true })), /^a.srt, line \d+, column \d+: .*strict/);
  assert.match(await message("usage", () => convert("a", { to: "vtt", from: "srt", maxChars: 20 })), /give cues too/);
  assert.equal(m.isBroken, false);
});

test("models that are cut off, altered or something else are refused", async () => {
  const bytes = readFileSync(new URL("models/en.fast", DIST));
  for (const at of [0, 8, 12, 64, 200, 5000, bytes.length >> 1, bytes.length - 100]) {
    await message("model", () => load(bytes.subarray(0, at)));
  }
  let refused = 0;
  for (let at = 0; at < bytes.length; at += 90001) {
    const altered = Uint8Array.from(bytes);
    altered[at] ^= 1;
    await load(altered).catch((error) => {
      assert.equal(error.kind, "model", error.stack);
      refused++;
    });
  }
  assert.ok(refused > 10, "no checksum finds what is altered");
  assert.equal((await load(bytes)).restore("we met in lisbon"), "We met in Lisbon");
  assert.match(await message("model", () => load(new TextEncoder().encode("hello"))), /does not begin with MAJUSCUL/);
});

test("models come only from where the package is", async () => {
  assert.match(await message("usage", () => load("xx")), /no model of language "xx": expected one of de, en, /);
  assert.match(await message("usage", () => load("en", { preset: "best" })), /no preset "best": expected one of accurate, fast$/);
  assert.match(await message("model", () => load("en", { core: "text" })), /cnn-bilstm/);
  assert.match(await message("usage", () => load("en", { base: "https://example.org/" })), /only from the site of the package or of the page/);
  assert.match(await message("input", () => load("en", { base: new URL("nowhere/", DIST) })), /cannot read .*nowhere/);
  assert.equal(await load("pt-BR"), await load("pt"));
});

test("the language of a text is told, or why it is not", async () => {
  assert.equal(await detectLanguage("el presidente habló ayer con los ministros"), "es");
  assert.equal(await detectLanguage("taxi 2000"), undefined);
  assert.match((await languageOf("det vet jag inte heller, men det är redan sent")).note, /Swedish, but is restored as English/);
});

test("a core that has stopped says so, and takes no more", async () => {
  const { Core } = await import(new URL("core.js", DIST));
  const core = await Core.start(await WebAssembly.compile(readFileSync(new URL("majuscule.wasm", DIST))));
  // More than there is memory of.
  const tooMuch = { length: 2 ** 32 - 1 };
  assert.match(await message("bug", () => core.call("restore", tooMuch)), /^this is a bug of majuscule, or memory ran out \(/);
  assert.equal(core.isBroken, true);
  assert.match(await message("bug", () => core.text("language", "we met")), /load the model again$/);
});
