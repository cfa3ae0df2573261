/**
 * The npm package in Node and Chromium, beside the native program and packages of npm, in one run:
 *
 *     npm/build.sh
 *     cargo build --profile dist -p majuscule-cli
 *     node benches/peers/npm.mjs target/dist/majuscule TEST [--repeat 5] [--words 200000] [--tables words,start,live,packages]
 *
 * TEST is a cased text, one sentence a line. It is read in lower case, and each system takes turns on it; the least time of
 * the CPU of all turns counts, that of the program without its start. Peers are installed into `target/npm-peers`;
 * none of them loads a model by itself. Chromium is driven by the packages of `crates/service/tests/page`; without them and
 * the browser its rows are left out. Prints the tables of `docs/reports/npm.md`.
 */

import { spawn, spawnSync, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const DIST = here("../../npm/dist");
// Where the program finds the networks.
process.env.MAJUSCULE_MODELS ??= here("../../lm/networks");
const PAGE_TESTS = new URL("../../crates/service/tests/page/", import.meta.url);
const PRESETS = ["fast", "accurate"];
const PEERS = { "title-case": "4.3.2", "sentence-case": "4.0.0" };

const { values, positionals } = parseArgs({
  options: { repeat: { type: "string", default: "5" }, words: { type: "string", default: "200000" }, tables: { type: "string", default: "words,start,live,packages" } },
  allowPositionals: true,
});
const [program, test] = positionals;
if (!test) throw new Error("node npm.mjs PROGRAM TEST: name the program and a cased text");
const repeat = Number(values.repeat);
/** The runs before the one that counts: an engine of JavaScript compiles a function again as it is used, on other threads. */
const WARM = 4;
const wants = (table) => values.tables.split(",").includes(table);

// --- The text ---

const lines = [];
for (let words = 0, all = readFileSync(test, "utf8").split("\n").filter(Boolean); words < Number(values.words); ) {
  const line = all[lines.length % all.length];
  lines.push(line);
  words += line.split(/\s+/).length;
}
const cased = lines.join("\n");
const text = cased.toLowerCase();
const count = text.split(/\s+/).length;
const live = text.split(/(?<=\s)/).slice(0, 5000);
const folder = mkdtempSync(join(tmpdir(), "npm-bench-"));
writeFileSync(join(folder, "text.txt"), text);
process.on("exit", () => rmSync(folder, { recursive: true }));

// --- Measuring ---

const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);
const thousands = (n) => Math.round(n).toLocaleString("en");
const least = (times) => Math.min(...times);
const quantile = (times, at) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * at)];

/** Runs a command, and returns the seconds of the CPU. */
function timed(command, args, input) {
  const script = 'TIMEFORMAT="%U %S"; { time "$0" "$@" > /dev/null 2> /dev/null; } 2>&1';
  const { stdout, status } = spawnSync("bash", ["-c", script, command, ...args], { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} fails`);
  const [user, system] = stdout.trim().split(" ").map(Number);
  return user + system;
}

/** The peak of the memory of a command, in MB, as Linux counts it. */
async function peak(command, args, input) {
  const child = spawn(command, args, { stdio: ["pipe", "ignore", "inherit"] });
  let most = 0;
  const timer = setInterval(() => {
    try {
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0));
    } catch {
      // It has ended.
    }
  }, 2);
  child.stdin.on("error", () => undefined).end(input);
  await new Promise((resolve) => child.on("exit", resolve));
  clearInterval(timer);
  return most / 1024;
}

/** Script for a process of Node of its own, in which `m` is the model. */
const inNode = (preset, work) =>
  ["--input-type=module", "--eval", `import { load } from ${JSON.stringify(`${DIST}/majuscule.js`)};
   import { readFileSync } from "node:fs";
   const began = performance.now(); const m = await load("en", { preset: "${preset}" }); const loaded = performance.now() - began;
   const text = readFileSync(${JSON.stringify(join(folder, "text.txt"))}, "utf8");
   const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
   ${work}`];

const askNode = (preset, work) => JSON.parse(execFileSync(process.execPath, inNode(preset, work), { encoding: "utf8", maxBuffer: 1 << 28 }));

// --- Chromium ---

async function openChromium() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(executablePath) || !existsSync(new URL("node_modules", PAGE_TESTS))) return undefined;
  const { chromium } = createRequire(PAGE_TESTS)("playwright-core");
  const { serve } = await import(new URL("files.mjs", PAGE_TESTS));
  const server = await serve(DIST);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const session = await browser.newBrowserCDPSession();
  const page = await browser.newPage();
  await page.route("**/page/", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>bench</title>" }));
  await page.goto(server.address);
  await page.evaluate(async (text) => {
    const { load } = await import("./majuscule.js");
    Object.assign(globalThis, { load, text });
  }, text);
  const cpu = async () => {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
  const close = () => browser.close().then(() => server.stop());
  return { page, cpu, close };
}

// --- Tables ---

const chromium = await openChromium();
console.log(`${thousands(count)} words, load ${loadavg()[0].toFixed(1)} on ${cpus().length} cores, Node ${process.versions.node}`);

if (wants("words")) await wordsTable();
if (wants("start")) await startTable();
if (wants("live")) await liveTable();
await chromium?.close();
if (wants("packages")) await packagesTable();

async function wordsTable() {
  console.log("\n## Words per second\n");
  row("model", "program", "Node", "of the program", "Chromium", "of the program");
  row("---", "---:", "---:", "---:", "---:", "---:");
  for (const preset of PRESETS) {
    for (const marks of [false, true]) {
      const args = ["restore", `--preset=${preset}`, "--lang=en", "--threads=1", ...(marks ? ["--marks=all"] : [])];
      const times = { program: [], node: [], chromium: [] };
      const options = JSON.stringify(marks ? { marks: "all" } : {});
      await chromium?.page.evaluate(async (preset) => (globalThis.m = await load("en", { preset })), preset);
      for (let turn = 0; turn < repeat; turn++) {
        const start = timed(program, args, "a\n");
        times.program.push(timed(program, [...args, join(folder, "text.txt")]) - start);
        const work = `for (let n = 0; n < ${WARM}; n++) m.restore(text, ${options}); const at = cpu(); m.restore(text, ${options}); console.log(cpu() - at)`;
        times.node.push(askNode(preset, work));
        if (chromium) {
          const began = await chromium.cpu();
          await chromium.page.evaluate((options) => m.restore(text, options).length, JSON.parse(options));
          times.chromium.push((await chromium.cpu()) - began);
        }
      }
      const [native, node, browser] = [times.program, times.node, times.chromium].map(least);
      const shown = (seconds) => (Number.isFinite(seconds) ? [thousands(count / seconds), (native / seconds).toFixed(2)] : ["", ""]);
      row(`${preset}${marks ? ", punctuation" : ""}`, thousands(count / native), ...shown(node), ...shown(browser));
    }
  }

}

async function startTable() {
  console.log("\n## Start\n");
  row("", "process to first line, ms of CPU", "load, ms", "first sentence, ms", "memory, MB", "memory with the text, MB");
  row("---", "---:", "---:", "---:", "---:", "---:");
  for (const preset of PRESETS) {
    const args = ["restore", `--preset=${preset}`, "--lang=en", "--threads=1"];
    const native = [];
    for (let turn = 0; turn < repeat; turn++) native.push(timed(program, args, "we met in lisbon\n") * 1000);
    row(`program, ${preset}`, least(native).toFixed(0), "", "", (await peak(program, args, "a\n")).toFixed(0), (await peak(program, [...args, join(folder, "text.txt")])).toFixed(0));
    const work = "const at = performance.now(); m.restore('we met in lisbon'); console.log(JSON.stringify([loaded, performance.now() - at]))";
    const starts = [];
    for (let turn = 0; turn < repeat; turn++) starts.push([timed(process.execPath, inNode(preset, work)) * 1000, ...askNode(preset, work)]);
    const [cpu, loaded, first] = [0, 1, 2].map((at) => least(starts.map((times) => times[at])));
    const [small, large] = [await peak(process.execPath, inNode(preset, "m.restore('a')"), ""), await peak(process.execPath, inNode(preset, "m.restore(text)"), "")];
    row(`Node, ${preset}`, cpu.toFixed(0), loaded.toFixed(0), first.toFixed(1), small.toFixed(0), large.toFixed(0));
    if (!chromium) continue;
    const times = [];
    for (let turn = 0; turn < repeat; turn++) {
      await chromium.page.reload();
      times.push(
        await chromium.page.evaluate(async (preset) => {
          const began = performance.now();
          const { load } = await import("./majuscule.js");
          const m = await load("en", { preset });
          const loaded = performance.now();
          m.restore("we met in lisbon");
          return [loaded - began, performance.now() - loaded];
        }, preset),
      );
    }
    row(`Chromium, ${preset}`, "", ...[0, 1].map((at) => least(times.map((both) => both[at])).toFixed(1)), "", "");
  }
  const bare = await peak(process.execPath, ["--eval", "setTimeout(() => 0, 200)"], "");
  console.log(`\nNode without anything takes ${bare.toFixed(0)} MB.`);

}

async function liveTable() {
  console.log("\n## Live text, word by word\n");
  row("µs a word", "push", "push and tail");
  row("---", "---:", "---:");
  const liveText = live.join("");
  // The clock of a browser is too coarse for a word, so all words are timed together.
  const run = (m, words, clock, warm) => {
    const timed = (step) => {
      const stream = m.stream();
      const began = clock();
      for (const word of words) step(stream, word);
      stream.finish();
      return ((clock() - began) * 1e6) / words.length;
    };
    const [push, both] = [(stream, word) => stream.push(word), (stream, word) => stream.push(word) + stream.tail()];
    [push, both].forEach(timed);
    return [push, both].map(timed);
  };
  for (const preset of ["fast", "accurate"]) {
    const args = ["restore", "--stream", `--preset=${preset}`, "--lang=en"];
    const times = { program: [], node: [], chromium: [] };
    for (let turn = 0; turn < repeat; turn++) {
      times.program.push([(timed(program, args, liveText.repeat(20)) - timed(program, args, "a ")) / 20 / live.length * 1e6]);
      const work = `const run = ${run}; console.log(JSON.stringify(run(m, ${JSON.stringify(live)}, cpu, ${WARM})))`;
      times.node.push(askNode(preset, work));
      if (!chromium) continue;
      times.chromium.push(
        await chromium.page.evaluate(async ([preset, run, words, warm]) => {
          const { load } = await import("./majuscule.js");
          const m = await load("en", { preset });
          // The policy of this page allows it; the package itself needs no code from strings.
          return new Function(`return ${run}`)()(m, words, () => performance.now() / 1000, warm);
        }, [preset, String(run), live]),
      );
    }
    const best = (runs) => [0, 1].map((at) => (runs[0]?.[at] === undefined ? "" : least(runs.map((both) => both[at])).toFixed(1)));
    row(`program, one pipe, ${preset}`, ...best(times.program));
    row(`Node, ${preset}`, ...best(times.node));
    if (chromium) row(`Chromium, by the clock, ${preset}`, ...best(times.chromium));
  }
}

async function packagesTable() {
  console.log("\n## Packages of npm\n");
  row("package", "words/s", "capitals found", "right", "F1");
  row("---", "---:", "---:", "---:", "---:");
  const peers = here("../../target/npm-peers");
  mkdirSync(peers, { recursive: true });
  writeFileSync(join(peers, "package.json"), '{ "private": true }');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--silent", ...Object.entries(PEERS).map((peer) => peer.join("@"))], { cwd: peers });
  const of = (name) => import(createRequire(join(peers, "x.js")).resolve(name));
  const { load } = await import(`${DIST}/majuscule.js`);
  const { titleCase } = await of("title-case");
  const { sentenceCase } = await import(`${peers}/node_modules/sentence-case/dist/index.js`);
  const [fast, accurate] = [await load("en", { preset: "fast" }), await load("en")];
  const each = (restore) => lines.map((line) => restore(line.toLowerCase()));
  const systems = {
    "majuscule, fast": () => each((line) => fast.restore(line)),
    "majuscule, accurate": () => each((line) => accurate.restore(line)),
    "title-case": () => each((line) => titleCase(line)),
    "title-case, sentenceCase": () => each((line) => titleCase(line, { sentenceCase: true })),
    "sentence-case": () => each((line) => sentenceCase(line)),
  };
  for (const [name, restore] of Object.entries(systems)) {
    for (let n = 0; n < WARM; n++) restore();
    const began = process.cpuUsage();
    const restored = restore();
    const { user, system } = process.cpuUsage(began);
    const sums = { found: 0, wanted: 0, right: 0 };
    lines.forEach((line, at) => {
      const [reference, hypothesis] = [line, restored[at]].map((text) => text.split(/\s+/));
      // What drops words or marks is compared word by word as far as it goes.
      reference.forEach((word, n) => {
        const [is, was] = [/\p{Lu}/u.test(word), /\p{Lu}/u.test(hypothesis[n] ?? "")];
        sums.wanted += is;
        sums.found += was;
        sums.right += is && hypothesis[n] === word;
      });
    });
    const [recall, precision] = [sums.right / sums.wanted, sums.right / Math.max(sums.found, 1)];
    const percent = (share) => `${(share * 100).toFixed(1)} %`;
    row(name, thousands((count * 1e6) / (user + system)), percent(recall), percent(precision), percent((2 * recall * precision) / Math.max(recall + precision, 1e-9)));
  }
  console.log("\nTransformers.js computes networks that it downloads; none comes with it, so it is not here.");
}
