/** All cases of `tests/cases.toml`, and the examples, come out as from the native program. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DIST, cases, example, native } from "./program.mjs";

const { LANGUAGES, PRESETS, convert, load } = await import(new URL("majuscule.js", DIST));
const { MODELS } = await import(new URL("models.js", DIST));
const { file: files, ...languages } = cases();

test("the cases are of the languages that have models", () => {
  assert.deepEqual(Object.keys(languages).sort(), LANGUAGES);
});

for (const [language, sentences] of Object.entries(languages)) {
  for (const preset of PRESETS.filter((preset) => `${language}.${preset}` in MODELS)) {
    test(`the sentences of ${language}.${preset} are those of the program`, async () => {
      const m = await load(language, { preset });
      for (const [options, args] of [[{}, []], [{ marks: true }, ["--marks"]], [{ threshold: 0.9, case: "ignore" }, ["--threshold=0.9", "--case=ignore"]]]) {
        const lines = sentences.map(({ lower }) => `${lower}\n`);
        const expected = native(["restore", `--lang=${language}`, `--preset=${preset}`, "--format=text", "--context=line", ...args], lines.join(""));
        assert.equal(lines.map((line) => m.restore(line, options)).join(""), String(expected), JSON.stringify(options));
      }
    });
  }
}

test("the files are those of the program", async () => {
  for (const { about, format = "txt", lang = "en", marks, lines, input } of files) {
    // Text without a name has no notation of its own.
    if (["md", "tex", "html"].includes(format)) continue;
    const m = await load(lang);
    const name = { txt: "text", json: "whisper-json" }[format] ?? format;
    const args = ["restore", `--lang=${lang}`, `--format=${name}`, ...(marks ? ["--marks=all"] : []), ...(lines ? [`--lines=${lines}`] : [])];
    const options = { ...(marks ? { marks: "all" } : {}), ...(lines ? { lines } : {}) };
    assert.equal(m.restoreFile(input, name, options).text, String(native(args, input)), about);
  }
});

test("the examples of each format are restored and converted as by the program", async () => {
  const m = await load("en", { preset: "fast" });
  for (const name of ["talk.srt", "talk.vtt", "talk.json", "talk.ctm", "en.txt"]) {
    const bytes = example(name);
    for (const marks of [false, true]) {
      const path = new URL(`../../examples/${name}`, import.meta.url).pathname;
      const expected = native(["restore", "--lang=en", "--preset=fast", ...(marks ? ["--marks"] : []), path]);
      const found = m.restoreFile(bytes, { name, marks });
      assert.deepEqual(Buffer.from(found.bytes), expected, `${name}, ${found.format}`);
    }
  }
  const around = { before: "We went", after: "and played", marks: true };
  const [before, after] = [`--before=${around.before}`, `--after=${around.after}`];
  const inserted = native(["restore", "--lang=en", "--preset=fast", "--marks", before, after], "to lisbon with anna");
  assert.equal(m.restore("to lisbon with anna", around), String(inserted));
  assert.throws(() => m.restoreFile(example("talk.srt"), { name: "talk.srt", before: "We" }), /plain text/);
  for (const [name, to, options, args] of [
    ["talk.json", "srt", {}, []],
    ["talk.json", "vtt", { cues: "sentence", maxChars: 30 }, ["--cues=sentence", "--max-chars=30"]],
    ["talk.ctm", "ass", { pauseEnds: "never" }, ["--pause-ends=never"]],
    ["talk.srt", "text", {}, []],
    ["interview.json", "text", { names: "SPEAKER_00=Laura", times: true }, ["--names=SPEAKER_00=Laura", "--times"]],
    ["interview.json", "text", { speakers: false }, ["--no-speakers"]],
    ["talk.srt", "srt", {}, []],
  ]) {
    const path = new URL(`../../examples/${name}`, import.meta.url).pathname;
    const expected = native(["restore", "--lang=en", "--preset=fast", "--marks", path, `--to=${to}`, ...args]);
    const found = m.restoreFile(example(name), { name, marks: true, to, ...options });
    assert.deepEqual([Buffer.from(found.bytes), found.format], [expected, to], `${name} ${to}`);
  }
  for (const [name, to, options, args] of [
    ["talk.srt", "vtt", {}, []],
    ["talk.ctm", "srt", { cues: "sentence", maxChars: 30 }, ["--cues=sentence", "--max-chars=30"]],
    ["talk.ctm", "jsonl", {}, []],
    ["talk.json", "text", {}, []],
  ]) {
    const path = new URL(`../../examples/${name}`, import.meta.url).pathname;
    const expected = native(["convert", path, `--to=${to}`, ...args]);
    const [own, alone] = [m.convert(example(name), { name, to, ...options }), await convert(example(name), { name, to, ...options })];
    assert.deepEqual(Buffer.from(own.bytes), expected, name);
    assert.deepEqual(alone.bytes, own.bytes);
  }
});

test("the core for text and subtitles writes the same, and says what it leaves out", async () => {
  const [whole, text] = [await load("en", { preset: "fast" }), await load("en", { preset: "fast", core: "text" })];
  for (const { lower } of languages.en) {
    for (const options of [{}, { marks: true }]) assert.deepEqual(text.words(lower, options), whole.words(lower, options));
    const [one, other] = [whole, text].map((m) => m.stream({ lookAhead: 1 }));
    assert.equal(other.push(lower) + other.finish(), one.push(lower) + one.finish());
  }
  for (const name of ["talk.srt", "talk.vtt", "en.txt"]) {
    const restored = [whole, text].map((m) => m.restoreFile(example(name), { name, marks: true }));
    assert.deepEqual(restored[1], restored[0]);
  }
  assert.throws(() => text.restoreFile(example("talk.ctm"), "ctm"), /this build reads text and subtitles, not ctm/);
  assert.throws(() => text.restoreFile(example("talk.json"), "whisper-json"), /not whisper-json/);
  for (const name of ["convert", "restoreFile"]) {
    assert.throws(() => text[name](example("talk.srt"), { name: "talk.srt", to: "vtt" }), /the core "text" does not convert files: load the core "all"/);
  }
  await assert.rejects(load("en", { core: "whole" }), /no core "whole": expected one of all, text/);
});
