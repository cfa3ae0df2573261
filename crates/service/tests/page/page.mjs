/**
 * The page in a browser: `node page.mjs SERVICE [PICTURES]`. SERVICE is the program with the verb `serve`, the address of a
 * running service, or the folder of the page without a server (docs/page/dist); PICTURES is a folder for screenshots. The
 * browser is Debian's, or that of CHROMIUM.
 */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { after, before, beforeEach, afterEach, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";
import { worded } from "../../page/messages.js";
import { fakeLive } from "./live.mjs";
import { isAddress, isFolder, start } from "./service.mjs";

const [given, pictures] = process.argv.slice(2);
const isLocal = isFolder(given); // the page restores by itself
const overHttp = { skip: isLocal && "the page asks no service" };
const TEXT = "we met angela merkel in lisbon it was late";
const RESTORED = "We met Angela Merkel in Lisbon. It was late.";
const INTERVIEW = readFileSync(new URL("../../../../examples/interview.json", import.meta.url));
const SRT = readFileSync(new URL("../../../../examples/talk.srt", import.meta.url));

let service, browser, context, page;
let complaints; // what the page must never do

before(async () => {
  service = await start(given);
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  if (pictures) mkdirSync(pictures, { recursive: true });
});
after(async () => {
  await browser?.close();
  service?.stop();
});
beforeEach(async () => {
  await visit();
});
afterEach(async () => {
  await context.close();
  assert.deepEqual(complaints, []);
});

/** Opens the page in a browser of its own. */
async function visit(options = {}) {
  await context?.close();
  complaints = [];
  context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`error: ${error}`));
  page.on("console", (message) => message.type() !== "log" && complaints.push(`console: ${message.text()}`));
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(service.address) || request.url().startsWith("blob:");
    if (!isOwn) complaints.push(`request: ${request.url()}`);
  });
  page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  await page.goto(service.address);
  await page.locator("#lang option").nth(1).waitFor({ state: "attached" });
  assert.equal(await page.inputValue("#preset"), "accurate");
  await page.selectOption("#preset", "accurate");
  await page.selectOption("#lang", "en");
}

const output = () => page.locator("#output").innerText();
const word = (text) => page.locator("#output .w", { hasText: new RegExp(text) }).first();
const form = (text) => page.locator("#word-forms button", { hasText: new RegExp(text) });
const status = () => page.locator("#status").innerText();

async function until(read, expected) {
  const deadline = Date.now() + 5000;
  let found = await read();
  while (found !== expected && Date.now() < deadline) {
    await page.waitForTimeout(20);
    found = await read();
  }
  assert.equal(found, expected);
}

/** Shows a recogniser's file as a transcript, or beside the original. */
async function showTranscript(on) {
  await page.locator("#transcript").waitFor();
  if ((await page.getAttribute("#transcript", "aria-pressed")) !== String(on)) await page.click("#transcript");
}

async function type(text) {
  await page.locator("#input").focus();
  await page.keyboard.type(text);
}

/** Drops a file onto the page. */
async function drop(name, bytes) {
  const data = await page.evaluateHandle(
    ([name, bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
      return data;
    },
    [name, Buffer.from(bytes).toString("base64")],
  );
  await page.dispatchEvent("#sheet", "dragover", { dataTransfer: data });
  await page.dispatchEvent("#sheet", "drop", { dataTransfer: data });
}

async function downloaded(button) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Restores a file without the page. */
async function restored(bytes, query) {
  if (isLocal) {
    const { load } = await import(`${resolve(given)}/majuscule/majuscule.js`);
    const { format, lang, marks, encoding, spellings = "" } = Object.fromEntries(new URLSearchParams(query));
    return Buffer.from((await load(lang)).restoreFile(bytes, format, { marks, encoding, words: spellings.split(",").filter(Boolean) }).bytes);
  }
  const response = await fetch(`${service.address}v1/restore?${query}`, { method: "POST", body: bytes });
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

async function fix(text, chosen) {
  await word(text).click();
  await form(chosen).click();
}

test("a text is restored as one types, and each change is marked with its probability", async () => {
  await type(TEXT);
  await until(output, RESTORED);
  assert.deepEqual(await page.locator("#output mark").allInnerTexts(), ["We", "Angela", "Merkel", "Lisbon.", "It", "late."]);
  assert.match(await page.locator("#output mark").first().getAttribute("title"), /^was: we, case \d+ %, punctuation \d+ %$/);
  assert.match(await status(), /^9 words, 6 changed · English$/);
});

test("a pasted text is restored, and the box undoes as boxes do", async () => {
  await page.evaluate((text) => navigator.clipboard.writeText(text), TEXT);
  await page.locator("#input").focus();
  await page.keyboard.press("Control+v");
  await until(output, RESTORED);
  await type(" in porto");
  await until(output, "We met Angela Merkel in Lisbon. It was late in Porto.");
  for (let n = 0; n < 12 && (await page.inputValue("#input")); n++) await page.keyboard.press("Control+z");
  assert.equal(await page.inputValue("#input"), "");
  await until(output, "");
  for (let n = 0; n < 12; n++) await page.keyboard.press("Control+Shift+z");
  assert.equal(await page.inputValue("#input"), `${TEXT} in porto`);
});

test("the example can be undone", async () => {
  await page.click("#example");
  await page.locator("#output mark").first().waitFor();
  await page.keyboard.press("Control+z");
  assert.equal(await page.inputValue("#input"), "");
});

test("options change the result, and are kept", async () => {
  await type(TEXT);
  await until(output, RESTORED);
  await page.selectOption("#marks", "");
  await until(output, "We met Angela Merkel in Lisbon It was late");
  await page.selectOption("#marks", "all");
  await page.selectOption("#threshold", "0.95");
  await until(async () => (await output()).includes("Lisbon."), false);
  await page.reload();
  assert.equal(await page.inputValue("#threshold"), "0.95");
  await until(() => page.inputValue("#lang"), "en");
});

test("a word is fixed, undone and done again by keys and by the button", async () => {
  await type("we met angela in lisbon");
  await until(output, "We met Angela in Lisbon.");
  await fix("met", "MET");
  await until(output, "We MET Angela in Lisbon.");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "MET");
  await until(status, "“MET” is fixed and in my spellings · 5 words, 4 changed · English");
  await page.keyboard.press("Control+z");
  await until(output, "We met Angela in Lisbon.");
  assert.equal(await page.locator("#spellings-count").innerText(), "");
  await page.keyboard.press("Control+Shift+z");
  await until(output, "We MET Angela in Lisbon.");
  await page.click("#undo");
  await until(output, "We met Angela in Lisbon.");
  assert.equal(await page.locator("#undo").isHidden(), true);
});

test("a fix stays with its word while the text is edited around it", async () => {
  await page.selectOption("#marks", "");
  await type("we met angela in lisbon");
  await until(output, "We met Angela in Lisbon");
  await word("Angela").click();
  await page.uncheck("#word-always");
  await form("ANGELA").click();
  await until(output, "We met ANGELA in Lisbon");
  await page.locator("#input").focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("yesterday ");
  await until(output, "Yesterday we met ANGELA in Lisbon");
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" with angela");
  await until(output, "Yesterday we met ANGELA in Lisbon with Angela");
  await word("ANGELA").click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+z");
  await until(output, "Yesterday we met Angela in Lisbon with Angela");
});

test("the punctuation after a word is fixed, and a spelling of one's own", async () => {
  await type("we met angela in lisbon");
  await until(output, "We met Angela in Lisbon.");
  await word("Lisbon").click();
  await page.getByRole("button", { name: "question mark" }).click();
  await until(output, "We met Angela in Lisbon?");
  await word("Lisbon").click();
  await page.locator("#word-marks").getByRole("button", { name: "none" }).click();
  await until(output, "We met Angela in Lisbon");
  await word("Angela").click();
  await page.fill("#word-own", "helen");
  await page.keyboard.press("Enter");
  assert.match(await page.locator("#word-error").innerText(), /“helen” is another word/);
  await page.fill("#word-own", "anGela");
  await page.keyboard.press("Enter");
  await until(output, "We met anGela in Lisbon");
  await page.click("#copy");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "We met anGela in Lisbon");
  const { name, bytes } = await downloaded("#download");
  assert.deepEqual([name, bytes.toString()], ["restored.txt", "We met anGela in Lisbon"]);
});

test("spellings are kept, listed, removed, imported and exported", async () => {
  await type("i use an iphone in lisbon");
  await until(output, "I use an iPhone in Lisbon.");
  await fix("iPhone", "IPHONE");
  await until(output, "I use an IPHONE in Lisbon.");
  await page.reload();
  await page.locator("#lang option").nth(1).waitFor({ state: "attached" });
  await type("my iphone");
  await until(output, "My IPHONE.");
  await page.click("#open-spellings");
  await page.setInputFiles("#spellings-file", { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("# mine\nLISBON\nnew York\n") });
  await until(() => page.locator("#spelling-list span").allInnerTexts().then(String), "new York,LISBON,IPHONE");
  assert.equal((await downloaded("#export-spellings")).bytes.toString(), "IPHONE\nLISBON\nnew York\n");
  await page.fill("#spelling", "Lisbon Airport");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove IPHONE" }).click();
  await page.fill("#spelling", "!");
  await page.keyboard.press("Enter");
  assert.match(await page.locator("#spelling-error").innerText(), /“!” has no word/);
  await page.keyboard.press("Escape");
  await page.fill("#input", "my iphone at lisbon airport in lisbon");
  await until(output, "My iPhone at Lisbon Airport in LISBON.");
});

test("a dropped file is shown cue by cue, and comes back byte for byte", async () => {
  await drop("talk.srt", SRT);
  await page.locator("#output .row").first().waitFor();
  const row = page.locator("#output .row", { hasText: "edinburgh" });
  assert.deepEqual(
    [await row.locator(".at").innerText(), await row.locator(".was").innerText(), await row.locator(".now").innerText()],
    ["00:00:11", "from edinburgh to tell us\nabout the history of maps. helen,", "from Edinburgh to tell us\nabout the history of maps. Helen,"],
  );
  const expected = await restored(SRT, "format=srt&lang=en&marks=auto");
  const { name, bytes } = await downloaded("#download");
  assert.equal(name, "talk.restored.srt");
  assert.deepEqual(bytes, expected);

  await fix("Edinburgh", "EDINBURGH");
  await until(() => row.locator(".now").innerText(), "from EDINBURGH to tell us\nabout the history of maps. Helen,");
  assert.equal((await downloaded("#download")).bytes.toString(), expected.toString().replace("Edinburgh", "EDINBURGH"));
  await page.click("#undo");
  await until(() => row.locator(".now").innerText(), "from Edinburgh to tell us\nabout the history of maps. Helen,");
  await page.click("#close");
  assert.equal(await page.locator("#input").isVisible(), true);
});

test("every format has rows, and spellings reach files of JSON", async () => {
  for (const [name, text] of [["talk.vtt", "Edinburgh"], ["talk.json", "Carter"], ["talk.ctm", "London"], ["en.txt", "London"]]) {
    await drop(name, readFileSync(new URL(`../../../../examples/${name}`, import.meta.url)));
    await until(() => page.locator("#output-name").innerText(), name);
    if (name === "talk.json") await showTranscript(false);
    await until(async () => (await page.locator("#output mark", { hasText: text }).count()) > 0, true);
  }
  const json = readFileSync(new URL("../../../../examples/talk.json", import.meta.url));
  await drop("talk.json", json);
  await until(() => page.locator("#output .at").first().innerText(), "00:00:04");
  await word("Carter").click();
  assert.equal(await page.locator("#word-marks").isHidden(), true);
  await form("CARTER").click();
  await word("CARTER").waitFor();
  const expected = await restored(json, "format=whisper-json&lang=en&marks=auto&spellings=CARTER");
  assert.deepEqual((await downloaded("#download")).bytes, expected);
});

test("a recogniser's file is shown as a transcript and saved as one", async () => {
  await drop("interview.json", INTERVIEW);
  await showTranscript(true);
  await page.locator("#output .row", { hasText: /^SPEAKER_00: Hello and welcome back/ }).waitFor();
  assert.match(await page.locator("#output .row").nth(1).innerText(), /^SPEAKER_01: Thank you, Laura/);
  if (pictures) await page.screenshot({ path: `${pictures}/transcript.png` });
  await page.selectOption("#as", "txt");
  const { name, bytes } = await downloaded("#download");
  assert.equal(name, "interview.restored.txt");
  assert.match(bytes.toString(), /^SPEAKER_00: Hello[^\n]*\n\nSPEAKER_01: Thank you, Laura[^\n]*\n\n/);
  await page.selectOption("#as", "vtt");
  assert.match((await downloaded("#download")).bytes.toString(), /^WEBVTT\n\n00:00:00\.000 --> [^\n]*\n<v SPEAKER_00>Hello/);
  await showTranscript(false);
  await until(() => page.locator("#output .at").first().innerText(), "00:00:00");
});

test("a recogniser's JSON is also saved as subtitles", async () => {
  await drop("talk.json", readFileSync(new URL("../../../../examples/talk.json", import.meta.url)));
  await showTranscript(false);
  await fix("Carter", "CARTER");
  await word("CARTER").waitFor();
  await page.selectOption("#as", "srt");
  const { name, bytes } = await downloaded("#download");
  assert.equal(name, "talk.restored.srt");
  assert.match(bytes.toString(), /^1\n00:00:04,000 --> 00:00:07,\d+\nGood evening and welcome\n[^]*Helen CARTER/);
  assert.match(await status(), /^talk\.restored\.srt · left out: /);
  await drop("talk.srt", SRT);
  await word("Edinburgh").waitFor();
  assert.equal(await page.isHidden("#as"), true);
});

test("a file that is not UTF-8 shows a menu of encodings, with a guess", async () => {
  await page.selectOption("#lang", "auto");
  const was = "wir trafen angela merkel in münchen\nes war spät und schön\n";
  for (const [file, encoding] of [["latin1", "windows-1252"], ["utf16le", "utf-16le"]]) {
    const bytes = Buffer.from(was, file);
    await drop(`${file}.txt`, bytes);
    await until(() => page.locator("#output-name").innerText(), `${file}.txt`);
    await word("München").waitFor();
    assert.equal(await page.inputValue("#encoding"), encoding);
    const isKept = !isLocal || file === "utf16le";
    const expected = await (isKept ? restored(bytes, `encoding=${encoding}&lang=de&marks=auto&format=text`) : restored(Buffer.from(was), "lang=de&marks=auto&format=text"));
    assert.deepEqual((await downloaded("#download")).bytes, expected);
    assert.equal((await status()).includes("written as UTF-8"), !isKept);
  }
  await drop("latin1.txt", Buffer.from(was, "latin1"));
  await until(() => page.inputValue("#encoding"), "windows-1252");
  await page.selectOption("#encoding", "utf-8");
  await page.locator("#status.problem").waitFor();
  assert.match(await status(), /byte 0xfc is not UTF-8: .*, or choose another encoding$/);
  await page.selectOption("#encoding", "macintosh");
  await word("¸.chen").waitFor();
  await page.click("#close");
  assert.equal(await page.isHidden("#encoding-field"), true);
  complaints = complaints.filter((complaint) => !/status of 422/.test(complaint));
});

test("messages have the words of the page, and advise nothing that it lacks", () => {
  const as = (name) => [name, `\`${name}\``];
  for (const [given, expected] of [
    [(o) => `a.txt, line 1: byte 0xfc is not UTF-8: convert the file, name its encoding (${o("encoding")} windows-1252), or pass such bytes through with ${o("lossy")}`, "a.txt, line 1: byte 0xfc is not UTF-8: convert the file, or choose another encoding"],
    [(o) => `found the columns "id", but none is called "text": name the column of the text with ${o("field")}, or give its number there if the first line has no names; correct the file, or pass such parts through with ${o("lossy")}`, 'found the columns "id", but none is called "text": correct the file'],
    [(o) => `cannot detect the language of the text: restored as English, the default; ${o("lang")} names another`, "cannot detect the language of the text: restored as English, the default; choose another language"],
    [(o) => `a.txt looks German, but is restored as English: give ${o("lang")} de, or ${o("lang")} auto, which detects the language`, "a.txt looks German, but is restored as English: choose another language"],
    [(o) => `the built-in models are for en, es; train a model on your own text, and name it with ${o("model")}`, "the built-in models are for en, es"],
    [(o) => `a.srt begins like vtt: read as vtt; give ${o("format")} srt if it is srt`, "a.srt begins like vtt: read as vtt"],
    [(o) => `found 0x81, which is not a character in windows-1255: name the right ${o("encoding")}`, "found 0x81, which is not a character in windows-1255: choose another encoding"],
    [() => "found a format with code: a model, a field; or none", "found a format with code: a model, a field; or none"],
  ]) {
    for (const way of [0, 1]) assert.equal(worded(given((name) => as(name)[way])), expected);
  }
});

test("a text in a language without a model stays as it is, unless a language is chosen", async () => {
  await page.selectOption("#lang", "auto");
  const finnish = "tapasimme hänet helsingissä eilen illalla ja puhuimme pitkään kaupungin historiasta ja sen ihmisistä";
  await page.fill("#input", finnish);
  await until(output, finnish);
  assert.match(await status(), /^13 words, 0 changed · the text looks Finnish: there is no model for it, and it stays as it is$/);
  await drop("fi.txt", finnish);
  await until(async () => (await status()).includes("fi.txt looks Finnish"), true);
  assert.equal((await downloaded("#download")).bytes.toString(), finnish);
  await page.click("#close");
  await page.selectOption("#lang", "en");
  await until(async () => (await output()).startsWith("Tapasimme"), true);
});

test("a doubtful word has a shade even if it stays as it was", async () => {
  await type("the bill was paid by bill and rose rose from her chair in may");
  await page.locator("#output span:is(.p2, .p3)").first().waitFor();
  assert.match(await page.locator("#output span:is(.p2, .p3)").first().getAttribute("title"), /^unchanged, case \d+ %/);
});

test("words are reached by one tab stop and the arrow keys", async () => {
  await type("we met angela\n\nit was late in lisbon");
  await word("Lisbon").waitFor();
  assert.equal(await page.locator("#output [tabindex]").count(), 1);
  await page.keyboard.press("Tab");
  while ((await page.evaluate(() => document.activeElement.className)) !== "w") await page.keyboard.press("Tab");
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  assert.equal(await focused(), "We");
  for (const [key, expected] of [["ArrowRight", "met"], ["ArrowDown", "was"], ["End", "Lisbon."], ["ArrowUp", "Angela."], ["Home", "We"]]) {
    await page.keyboard.press(key);
    assert.equal(await focused(), expected, key);
  }
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#word").isVisible(), true);
  assert.equal(await page.evaluate(() => document.activeElement.innerText.split(/\s/)[0]), "We");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#word").isHidden(), true);
  assert.equal(await focused(), "We");
});

test("text, names and spellings are never mark-up", async () => {
  const evil = "<img src=x onerror=alert(1)>";
  await page.click("#open-spellings");
  await page.fill("#spelling", evil);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.fill("#input", `${evil} we met angela <script>alert(2)</script>`);
  await page.waitForTimeout(600);
  for (const name of [`${evil}.srt`, `${evil}.txt`, `${evil}.png`]) {
    await drop(name, `1\n00:00:01,000 --> 00:00:02,000\n${evil} we met angela\n`);
    await until(() => page.locator("#output-name").innerText(), name);
    await page.waitForTimeout(300);
  }
  assert.equal(await page.locator("#spelling-list span").textContent(), evil);
  assert.equal(await page.locator("img, #output script, #output svg").count(), 0);
  complaints = complaints.filter((complaint) => !/status of 4\d\d/.test(complaint));
});

test("errors say what to do", async () => {
  await drop("talk.pdf", "%PDF-1.7\n");
  await page.locator("#status.problem").waitFor();
  assert.match(await status(), /PDF|pdf/);
  assert.equal(await page.locator("#announcement").innerText(), await status());
  await page.click("#close");
  if (isLocal) return;
  await page.route("**/v1/restore*", (route) => route.abort());
  await type("we met angela");
  await until(status, "The service does not answer");
  complaints = complaints.filter((complaint) => !/status of 4\d\d|ERR_FAILED/.test(complaint));
});

test("a service with a token asks for it", { skip: isAddress(given) || isLocal }, async () => {
  const folder = mkdtempSync(`${tmpdir()}/page-`);
  writeFileSync(`${folder}/token`, "open-sesame\n");
  const guarded = await start(given, "--token", `${folder}/token`);
  try {
    await page.goto(guarded.address);
    await until(() => page.locator("#token-field").isVisible(), true);
    await page.fill("#token", "open-sesame");
    await page.keyboard.press("Enter");
    await page.locator("#lang option").nth(1).waitFor({ state: "attached" });
    await type("we met angela in lisbon");
    await until(output, "We met Angela in Lisbon.");
  } finally {
    guarded.stop();
    rmSync(folder, { recursive: true });
  }
  complaints = complaints.filter((complaint) => !/status of 401|^request: /.test(complaint));
});

test("live text settles, and what may still change is grey", overHttp, async () => {
  const live = await fakeLive(page);
  await page.click("#mode-live");
  await type("we met angela in lisbon today ");
  await until(output, "We met Angela in Lisbon today ");
  assert.equal(await page.locator("#output .interim").innerText(), "today ");
  assert.deepEqual(live.messages[0], { type: "Configure", lang: "en", preset: "accurate", marks: "auto", spellings: [], interim: true });
  assert.equal(live.messages.filter(({ type }) => type === "Text").map(({ text }) => text).join(""), "we met angela in lisbon today ");
  // An edit of what is settled begins anew.
  await page.fill("#input", "we met helen ");
  await until(output, "We met Helen ");
  await page.click("#replay");
  await until(() => page.locator("#replay").innerText(), "Stop");
  await until(() => page.locator("#replay").innerText(), "Replay");
  await until(output, "We met Helen ");
  assert.equal(await page.locator("#output .interim").count(), 0);
  assert.match(await status(), /^All words are final/);
});

test("the engine itself settles live text", async (t) => {
  if (!isLocal && (await fetch(`${service.address}v1/live`)).status === 404) return t.skip("the service has no live view");
  await page.click("#mode-live");
  await type("we met angela merkel in lisbon today ");
  await until(async () => (await page.locator("#output mark").first().innerText()), "We");
  await until(async () => (await page.locator("#output .interim").innerText()).includes("Lisbon"), true);
  await page.click("#replay");
  await until(() => page.locator("#replay").innerText(), "Stop");
  await until(() => page.locator("#replay").innerText(), "Replay");
  await until(async () => (await output()).trim(), "We met Angela Merkel in Lisbon today.");
  assert.match(await status(), /^All words are final · English/);
  await page.selectOption("#marks", "");
  await until(async () => (await output()).trim(), "We met Angela Merkel in Lisbon today");
});

test("a lost live connection goes on where it was", overHttp, async () => {
  const live = await fakeLive(page);
  await page.click("#mode-live");
  await type("we met angela ");
  await until(output, "We met Angela ");
  live.lose();
  await type("in lisbon today ");
  await until(output, "We met Angela in Lisbon today ");
  assert.equal(live.sockets, 2);
  await page.click("#replay");
  await until(output, "We met Angela ");
  live.lose();
  await until(output, "We met Angela in Lisbon today ");
  await until(status, "All words are final · English");
});

test("the page may connect to its own socket, and says if there is none", overHttp, async () => {
  const found = await page.evaluate(async () => {
    const refused = [];
    document.addEventListener("securitypolicyviolation", ({ blockedURI }) => refused.push(blockedURI));
    const socket = new WebSocket(`${location.origin.replace("http", "ws")}/no/such/socket`);
    await new Promise((resolve) => (socket.onerror = socket.onopen = resolve));
    return refused;
  });
  assert.deepEqual(found, []);
  await page.routeWebSocket(/\/v1\/live/, (socket) => socket.close({ code: 1011 }));
  await page.route("**/v1/live*", (route) => route.fulfill({ status: 404, body: "{}" }));
  await page.click("#mode-live");
  await type("we met angela");
  await until(status, "This service has no live view");
  complaints = complaints.filter((complaint) => !/no\/such\/socket|status of 404/.test(complaint));
});

test("the page without a server says that text stays here, and needs no network", { skip: !isLocal }, async () => {
  assert.equal(await page.locator("#about").innerText(), "Everything that you type or drop here stays in this browser.");
  await type(TEXT);
  await until(output, RESTORED);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await context.setOffline(true);
  await page.reload();
  await page.locator("#lang option").nth(1).waitFor({ state: "attached" });
  await type(TEXT);
  await until(output, RESTORED);
  await drop("talk.srt", SRT);
  await word("Edinburgh").waitFor();
  await context.setOffline(false);
});

test("ten thousand cues scroll smoothly", async () => {
  const time = (n) => new Date(n * 2000).toISOString().slice(11, 23).replace(".", ",");
  const cue = (n) => `${n}\n${time(n)} --> ${time(n + 1)}\nwe met angela merkel in lisbon\nand it was late on day ${n}\n`;
  const file = Array.from({ length: 10000 }, (_, n) => cue(n + 1)).join("\n");
  // What the page does is measured, and not the service.
  await page.selectOption("#preset", "fast");
  await page.selectOption("#marks", "");
  await drop("long.srt", file);
  await page.locator("#output .row").first().waitFor({ timeout: 60000 });
  assert.equal(await page.locator("#output .row").count(), 10000);
  await browser.startTracing(page, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"] });
  const frames = await page.evaluate(async () => {
    const output = document.getElementById("output");
    const frames = [];
    let last = performance.now();
    for (let n = 0; n < 240; n++) {
      // Wheel steps, and some jumps of the scroll bar.
      output.scrollTop = n % 40 === 39 ? (output.scrollHeight * n) / 240 : output.scrollTop + 120;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      frames.push(performance.now() - last);
      last = performance.now();
    }
    return frames.sort((a, b) => a - b);
  });
  const tasks = mainTasks(JSON.parse(await browser.stopTracing()));
  const words = await page.locator("#output .w").count();
  const [median, most] = [frames[120], frames[228]].map((time) => time.toFixed(0));
  console.log(`10,000 cues: frames of ${median} ms, 95 % below ${most} ms; longest tasks of ${tasks.slice(0, 3).map(Math.round)} ms of CPU; ${words} words`);
  // Time of the CPU, which other programs of the machine do not lengthen.
  assert.ok(tasks.length > 100 && tasks[0] < 200, `tasks of ${tasks.slice(0, 5)} ms`);
  assert.ok(words < 20000, `${words} words are elements at once`);
  // The end has its words, and a fix there reaches the file.
  await page.locator("#output").evaluate((output) => (output.scrollTop = output.scrollHeight));
  const last = page.locator("#output .row").last();
  await last.locator(".w", { hasText: /Lisbon/ }).click();
  await page.uncheck("#word-always");
  await form("LISBON").click();
  const { bytes } = await downloaded("#download");
  assert.match(bytes.toString().split("\n").slice(-3).join("\n"), /LISBON/);
});

/** The times of the CPU, in ms, of the tasks of the page's main thread, the longest first. */
function mainTasks({ traceEvents }) {
  const { pid, tid } = traceEvents.find(({ name }) => name === "FireAnimationFrame");
  const tasks = traceEvents.filter((event) => event.name === "RunTask" && event.pid === pid && event.tid === tid);
  return tasks.map(({ tdur = 0 }) => tdur / 1000).sort((a, b) => b - a);
}

for (const [device, viewport] of Object.entries({ laptop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 }, "small phone": { width: 320, height: 640 } })) {
  for (const colorScheme of ["light", "dark"]) {
    test(`every state on a ${colorScheme} ${device} is accessible`, async () => {
      await visit({ viewport, colorScheme });
      await fakeLive(page);
      await check("empty");
      await page.click("#example");
      await word("Carter").waitFor();
      await check("text");
      await word("Carter").click();
      await check("word");
      await form("CARTER").click();
      await until(async () => (await status()).startsWith("“CARTER” is fixed"), true);
      await check("fixed");
      await page.click("#open-spellings");
      await check("spellings");
      await page.keyboard.press("Escape");
      await drop("talk.srt", SRT);
      await word("Edinburgh").waitFor();
      await check("file");
      await drop("interview.json", INTERVIEW);
      await showTranscript(true);
      await page.locator("#output.transcript .row").first().waitFor();
      await check("transcript");
      await page.click("#close");
      await page.click("#mode-live");
      await page.locator("#output .interim").waitFor();
      await check("live");
      await page.click("#mode-text");
      await page.route("**/v1/restore*", (route) => route.abort());
      await (isLocal ? drop("talk.pdf", "%PDF-1.7\n") : type(" x"));
      await page.locator("#status.problem").waitFor();
      await check("error");
      complaints = complaints.filter((complaint) => !/ERR_FAILED/.test(complaint));
    });

    const check = async (state) => {
      await page.mouse.move(0, 0);
      await page.locator("#output:not(.stale)").waitFor();
      if (pictures) await page.screenshot({ path: `${pictures}/${device}-${colorScheme}-${state}.png` });
      const { violations } = await new AxeBuilder({ page }).analyze();
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
      assert.deepEqual(found, [], state);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${state} is ${overflow} px too wide`);
    };
  }
}
