/** The package as npm packs it, installed into an empty folder: two commands restore. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { DIST } from "./program.mjs";

const folder = mkdtempSync(join(tmpdir(), "npm-"));
after(() => rmSync(folder, { recursive: true }));
const run = (program, ...args) => execFileSync(program, args, { cwd: folder, encoding: "utf8" });

test("npm pack, npm install and node restore a text", () => {
  const [{ filename, files, size }] = JSON.parse(run("npm", "pack", "--json", fileURLToPath(DIST)));
  const names = files.map(({ path }) => path);
  for (const name of ["majuscule.js", "majuscule.wasm", "index.d.ts", "models/en.fast", "LICENSE-MIT", "README.md"]) assert.ok(names.includes(name), name);
  assert.ok(size < 42_000_000, `the package has ${size} bytes`);
  run("npm", "install", "--offline", "--no-audit", "--no-fund", join(folder, filename));
  const script = 'import { load } from "majuscule"; console.log((await load("en")).restore("where did you meet angela merkel", { marks: true }))';
  assert.equal(run("node", "--input-type=module", "--eval", script), "Where did you meet Angela Merkel?\n");
  // CommonJS loads it too.
  assert.equal(run("node", "--eval", 'import("majuscule").then(({ load }) => load("pt")).then((m) => console.log(m.language))'), "pt\n");
});

test("the folder without a core and models is not packed", () => {
  const { status, stderr } = spawnSync("npm", ["pack", "--dry-run", fileURLToPath(new URL("..", import.meta.url))], { cwd: folder, encoding: "utf8" });
  assert.notEqual(status, 0);
  assert.match(stderr, /no core and no models: run npm\/build\.sh and pack npm\/dist/);
});

test("it runs in a worker, with a strict policy against code from strings", () => {
  const worker = `
    import { parentPort } from "node:worker_threads";
    import { load } from "majuscule";
    parentPort.postMessage((await load("en", { preset: "fast" })).restore("we met in lisbon"));`;
  writeFileSync(join(folder, "worker.mjs"), worker);
  const main = 'import { Worker } from "node:worker_threads"; new Worker(new URL("worker.mjs", import.meta.url)).on("message", console.log)';
  writeFileSync(join(folder, "main.mjs"), main);
  assert.equal(run("node", "--disallow-code-generation-from-strings", "main.mjs"), "We met in Lisbon\n");
});

for (const [runtime, ...args] of [["bun", "run"], ["deno", "run", "--allow-read", "--no-prompt"]]) {
  const isThere = !spawnSync(runtime, ["--version"]).error;
  test(`${runtime} restores a text`, { skip: !isThere && `no ${runtime} here` }, () => {
    const script = 'import { load } from "majuscule"; console.log((await load("en", { preset: "fast" })).restore("we met in lisbon"));';
    writeFileSync(join(folder, "other.mjs"), script);
    assert.equal(run(runtime, ...args, "other.mjs"), "We met in Lisbon\n");
  });
}

test("the version is that of the program", () => {
  const version = /\[workspace\.package\]\nversion = "(.*)"/.exec(readFileSync(new URL("../../Cargo.toml", import.meta.url), "utf8"))[1];
  assert.equal(JSON.parse(readFileSync(new URL("package.json", DIST), "utf8")).version, version);
});
