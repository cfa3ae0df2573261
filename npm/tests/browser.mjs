/**
 * The package and its examples in Chromium: `node npm/tests/browser.mjs`. The browser is Debian's, or that of CHROMIUM; the
 * packages that drive it are those of `crates/service/tests/page`.
 */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";

const page_tests = new URL("../../crates/service/tests/page/", import.meta.url);
const { chromium } = createRequire(page_tests)("playwright-core");
const { serve } = await import(new URL("files.mjs", page_tests));

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src 'self'; media-src 'self'";

let folder, server, browser, page, complaints, asked;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "npm-browser-"));
  for (const name of ["extension", "textarea"]) cpSync(here(`../../examples/${name}`), join(folder, name), { recursive: true });
  for (const place of [".", "extension", "textarea"]) cpSync(here("../dist"), join(folder, place, "majuscule"), { recursive: true });
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>test</title>");
  const worker = `import { load } from "./majuscule/majuscule.js";
    load("en", { preset: "fast" }).then((m) => postMessage(m.restore("we met in lisbon")));`;
  writeFileSync(join(folder, "worker.js"), worker);
  server = await serve(folder, { "Content-Security-Policy": POLICY });
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  server?.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  page = await (await browser.newContext()).newPage();
  [complaints, asked] = [[], []];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(server.address);
});
afterEach(async () => {
  assert.ok(asked.every((address) => address.startsWith(server.address) || address.endsWith("/favicon.ico")), String(asked));
  await page.context().close();
});

const restoreHere = (options = {}) =>
  page.evaluate(async (options) => {
    const { load } = await import("./majuscule/majuscule.js");
    return (await load("en", { preset: "fast", ...options })).restore("we met in lisbon").concat("");
  }, options);

test("a page and a worker restore under a strict policy", async () => {
  assert.equal(await restoreHere(), "We met in Lisbon");
  const answer = await page.evaluate(() => {
    const worker = new Worker("worker.js", { type: "module" });
    return new Promise((resolve, reject) => ([worker.onmessage, worker.onerror] = [({ data }) => resolve(data), reject]));
  });
  assert.equal(answer, "We met in Lisbon");
  assert.deepEqual(complaints.filter((complaint) => !/404/.test(complaint)), []);
});

test("models are kept by the browser, and one that is altered there is fetched again", async () => {
  const models = () => asked.filter((address) => address.includes("/models/")).length;
  await restoreHere();
  assert.equal(models(), 1);
  await page.reload();
  assert.equal(await restoreHere(), "We met in Lisbon");
  assert.equal(models(), 1);
  await page.evaluate(async () => {
    const cache = await caches.open("majuscule");
    const [request] = await cache.keys();
    const bytes = new Uint8Array(await (await cache.match(request)).arrayBuffer());
    bytes[bytes.length >> 1] ^= 1;
    await cache.put(request, new Response(bytes));
  });
  await page.reload();
  assert.equal(await restoreHere(), "We met in Lisbon");
  assert.equal(models(), 2);
});

test("an altered model and one from elsewhere are refused", async () => {
  await assert.rejects(restoreHere({ base: "https://example.org/" }), /only from the site of the package or of the page/);
  await page.route("**/models/en.fast*", (route) => route.fulfill({ body: "MAJUSCULE?" }));
  await assert.rejects(restoreHere(), /en\.fast.* has 10 bytes, but \d+ was expected/);
  await page.unroute("**/models/en.fast*");
  await page.route("**/models/en.fast*", (route) => route.fulfill({ status: 404 }));
  await assert.rejects(restoreHere(), /status 404/);
  await page.unroute("**/models/en.fast*");
  assert.equal(await restoreHere(), "We met in Lisbon");
});

test("a server that does not know the type of the core serves it all the same", async () => {
  await page.route("**/majuscule.wasm", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { "Content-Type": "text/plain" } });
  });
  assert.equal(await restoreHere(), "We met in Lisbon");
});

test("the example of a textarea writes capitals behind the caret, and punctuation on demand", async () => {
  await page.goto(`${server.address}textarea/`);
  const note = page.locator("#note:enabled");
  await note.pressSequentially("where did you meet angela merk");
  await page.waitForFunction(() => document.getElementById("note").value === "Where did you meet Angela merk");
  await note.pressSequentially("el in lisbon");
  await page.waitForFunction(() => document.getElementById("note").value === "Where did you meet Angela Merkel in lisbon");
  await page.click("#punctuate");
  assert.equal(await note.inputValue(), "Where did you meet Angela Merkel in Lisbon?");
  assert.deepEqual(complaints.filter((complaint) => !/404/.test(complaint)), []);
});

test("the example of an extension restores the captions of a video", async () => {
  const profile = mkdtempSync(join(tmpdir(), "profile-"));
  const extension = join(folder, "extension");
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    ignoreDefaultArgs: ["--disable-extensions"],
    args: ["--no-sandbox", `--disable-extensions-except=${extension}`, `--load-extension=${extension}`],
  });
  try {
    const captions = "WEBVTT\n\n00:00.000 --> 00:02.000\nwe met <i>angela</i>\nmerkel in lisbon\n\n00:02.500 --> 00:04.000\nit was late\n";
    writeFileSync(join(folder, "talk.vtt"), captions);
    writeFileSync(join(folder, "video.html"), '<!doctype html><video><track default kind="captions" srclang="en" src="talk.vtt"></video>');
    const video = await context.newPage();
    await video.goto(`${server.address}video.html`);
    const cues = () => video.evaluate(() => [...(document.querySelector("video").textTracks[0].cues ?? [])].map(({ text }) => text));
    const expected = ["We met <i>Angela</i>\nMerkel in Lisbon.", "It was late."];
    for (let n = 0; n < 200 && String(await cues()) !== String(expected); n++) await video.waitForTimeout(50);
    assert.deepEqual(await cues(), expected);
    // Captions that come later, as those of a live stream.
    await video.evaluate(() => {
      const [track] = document.querySelector("video").textTracks;
      track.addCue(new VTTCue(0, 9, "thanks angela"));
      track.dispatchEvent(new Event("cuechange"));
    });
    for (let n = 0; n < 200 && !(await cues()).includes("Thanks, Angela."); n++) await video.waitForTimeout(50);
    assert.ok((await cues()).includes("Thanks, Angela."), String(await cues()));
  } finally {
    await context.close();
    rmSync(profile, { recursive: true });
  }
});
