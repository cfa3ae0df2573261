/**
 * Finishes the folder of the package: `node finish.mjs FOLDER`. Writes the list of models with their checksums, prints the
 * sizes of all parts, and fails if the code is larger than it may be.
 */

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** The largest numbers of bytes of the code by brotli, which a page loads before any model. The stretches that lack their punctuation took 3 %, the packages in layers 0.8 %, the JSON of a dozen more
 * recognisers 1 %, transcripts, paragraphs (9 kB of weights), dictation
 * and the text around a cursor 4 and 7 %. */
const LIMITS = { "majuscule.wasm": 860_000, "majuscule.text.wasm": 486_000 };

const folder = process.argv[2];
if (!folder) throw new Error("node finish.mjs FOLDER: name the folder of the package");
const read = (name) => readFileSync(`${folder}/${name}`);

const models = {};
for (const name of readdirSync(`${folder}/models`).sort()) {
  const bytes = read(`models/${name}`);
  models[name] = { length: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}
const list = JSON.stringify(models, null, 2).replace(/"(length|sha256)"/g, "$1");
writeFileSync(`${folder}/models.js`, `/** The models of this version of the package, with their checksums. */\nexport const MODELS = ${list};\n`);

const brotli = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length;
const named = (kind) => readdirSync(folder).filter((name) => name.endsWith(kind)).sort();
const rows = [...named(".wasm"), ...named(".js"), ...Object.keys(models).map((name) => `models/${name}`)];
const tooLarge = [];
console.log(`| bytes | raw | gzip | brotli |\n| --- | ---: | ---: | ---: |`);
for (const name of rows) {
  const bytes = read(name);
  const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length, brotli(bytes)];
  console.log(`| ${[name, ...sizes.map((size) => size.toLocaleString("en"))].join(" | ")} |`);
  if (sizes[2] > LIMITS[name]) tooLarge.push(`${name} has ${sizes[2]} bytes by brotli, but at most ${LIMITS[name]} were expected`);
}
if (tooLarge.length) throw new Error(tooLarge.join("; "));
