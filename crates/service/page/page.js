/** The page: what is typed, pasted or dropped goes to the engine, and its result is shown. */

import { at, save } from "./dom.js";
import { ENCODINGS, decoded, guess } from "./encodings.js";
import { engine } from "./engine.js";
import { shownAnswer, worded } from "./messages.js";
import { fileRows, lineRows, rate } from "./align.js";
import { ResultView } from "./view.js";
import { Fixes, MySpellings } from "./choices.js";
import { WordWindow } from "./word.js";
import { SpellingList } from "./spellings.js";
import { LiveText } from "./live.js";

const WAIT = 150; // ms without a key before the text is restored
const MOST = 20000; // rows of a file that are shown
const SPEECH = ["whisper-json", "ctm", "stm"]; // formats of recognisers, which become subtitles
const SAMPLE = 2000; // characters by which the language of a live text is detected
const OPTIONS = "majuscule.options";
const EXAMPLE =
  "good evening and welcome to the city library in lisbon tonight we talk to professor helen carter who came all the way " +
  "from edinburgh to tell us about the history of maps\n\nhelen when did people begin to draw the coast of portugal";

const [input, output] = ["input", "output"].map(at);
engine.token = sessionStorage.getItem("token") ?? "";

const spellings = new MySpellings(() => spellingList.show());
const spellingList = new SpellingList(spellings, (entries) => take(null, null, entries));
const view = new ResultView(output, openWord);
const wordWindow = new WordWindow(choose);
const live = new LiveText(engine, showLive, tellLive);

/** What is restored: the text of the box, or a file. */
const text = { fixes: new Fixes(spellings), was: "", rows: [], language: "en" };
let file = null;
let isLive = false;
let isTranscript = true; // whether a recogniser's file is shown as a transcript
let timer = 0;
let running = null; // the request that is under way

const shown = () => file ?? text;
const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
const options = () => ({
  lang: at("lang").value,
  preset: at("preset").value,
  marks: at("marks").value,
  threshold: at("threshold").value,
  spellings: spellings.list,
  encoding: file?.encoding,
});
const languageName = (tag) => [...at("lang").options].find(({ value }) => value === tag)?.text;

/** Shows what became of something; `spoken` is for screen readers too. */
function say(message, { isError = false, spoken = isError } = {}) {
  at("status").textContent = message;
  at("status").classList.toggle("problem", isError);
  if (spoken && at("announcement").textContent !== message) at("announcement").textContent = message;
}

// --- Restoring ---

/** Runs work that a later call aborts. */
async function latest(work) {
  running?.abort();
  const control = (running = new AbortController());
  output.classList.add("stale");
  try {
    await work(control.signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    fail(error);
  } finally {
    if (running === control) {
      running = null;
      output.classList.remove("stale");
    }
  }
}

function fail(error) {
  if (error.status === 401) at("token-field").hidden = false;
  say(error instanceof TypeError ? "The service does not answer" : worded(error.message), { isError: true });
}

/** Restores what is shown; `note` is said with the result. */
function restore(note = "") {
  clearTimeout(timer);
  if (isLive) return;
  return file ? restoreFile(file, note) : restoreText(note);
}

function restoreText(note) {
  const was = input.value;
  if (text.was !== was) text.fixes.follow(text.was, was);
  text.was = was;
  if (!was.trim()) {
    running?.abort();
    text.rows = [];
    draw();
    return say(note);
  }
  return latest(async (signal) => {
    const given = options();
    const answer = shownAnswer(await engine.restore(was, given, signal), given, { text: was, words: [] });
    const rows = lineRows(was, answer.text);
    rate(rows, answer.words);
    Object.assign(text, { rows, now: answer.text, language: answer.language });
    draw();
    const facts = [note, changes(rows), languageName(answer.language), ...answer.notes];
    say(facts.filter(Boolean).join(" · "), { spoken: Boolean(note) });
  });
}

function restoreFile(of, note) {
  return latest(async (signal) => {
    if (!of.rows.length) say(`Restoring ${of.name} …`);
    of.guess ??= of.encoding = guess(new Uint8Array(await of.source.arrayBuffer()));
    signal.throwIfAborted();
    showKind();
    const given = options();
    of.was ??= await decoded(of.source, of.encoding);
    const kept = { text: of.was, blob: of.source };
    const restored = shownAnswer(await engine.file(of.source, given, signal), given, kept);
    const rows = fileRows(of.was, restored.text, restored.format, MOST + 1);
    const isCut = rows.length > MOST;
    const canFix = rows[0]?.nowAt !== undefined && of.encoding === "utf-8";
    const { text: now, blob, language, format } = restored;
    Object.assign(of, { rows: rows.slice(0, MOST), now, blob, language, format, canFix });
    await showTranscript(signal);
    const facts = [note, changes(of.rows), languageName(language), format, ...restored.notes];
    if (isCut) facts.push(`the first ${MOST.toLocaleString("en")} rows are shown; Copy and Download include all rows`);
    say(facts.filter(Boolean).join(" · "), { spoken: true });
  });
}

/** Shows the file, as a transcript if it is a recogniser's and that is wanted. */
async function showTranscript(signal) {
  const of = file;
  of.transcript = null;
  if (isTranscript && SPEECH.includes(of.format)) {
    const { blob } = await engine.convert(new Blob([result()]), of.name, conversion(of, "txt"));
    const paragraphs = (await blob.text()).split("\n").filter(Boolean);
    signal?.throwIfAborted();
    of.transcript = paragraphs.slice(0, MOST).map((line) => ({ label: "", was: line, now: line, pieces: [line] }));
  }
  if (of !== file) return;
  showKind();
  draw();
}

/** The options with which a file is converted to text in paragraphs or to subtitles. */
function conversion({ format, language }, to) {
  const lang = language ? { lang: language } : {};
  return { from: format, ...lang, ...(to === "txt" ? { to: "text", paragraphs: true } : { to, cues: "sentence" }) };
}

function changes(rows) {
  const words = rows.flatMap(({ pieces }) => pieces.filter((piece) => typeof piece !== "string"));
  return `${count(words.length, "word")}, ${words.filter((word) => word.isChanged).length.toLocaleString("en")} changed`;
}

/** Shows the rows of the text or the file with their fixes. */
function draw() {
  const { rows, fixes, transcript } = shown();
  fixes.apply(rows);
  output.classList.toggle("transcript", Boolean(transcript));
  // It scrolls, and has no words to step through.
  if (transcript) output.tabIndex = 0;
  else output.removeAttribute("tabindex");
  view.show(transcript ?? rows, { isCompared: Boolean(file) && !transcript });
  const isEmpty = !rows.length;
  at("empty").hidden = !isEmpty || Boolean(file);
  at("copy").disabled = at("download").disabled = isEmpty;
  at("undo").hidden = !fixes.canUndo;
  at("legend").hidden = isEmpty || Boolean(file);
}

/** The result with the fixes in it. */
function result() {
  if (isLive) return live.text;
  const { rows, now, canFix = true } = shown();
  if (!canFix) return now;
  let [fixed, done] = ["", 0];
  for (const { pieces, nowAt } of rows) {
    for (const word of pieces) {
      if (typeof word === "string" || !word.fix) continue;
      fixed += now.slice(done, nowAt + word.at) + word.text;
      done = nowAt + word.at + word.now.length;
    }
  }
  return fixed + now.slice(done);
}

// --- Words and spellings ---

function openWord(word, anchor) {
  const { rows, language, canFix = true } = shown();
  const words = rows.flatMap(({ pieces }) => pieces.filter((piece) => typeof piece !== "string"));
  const before = words[words.indexOf(word) - 1];
  const isOpening = !before || before.endsSentence || /[.?!…]["'”’»)\]]*$/.test(before.text);
  const space = (mark) => (mark === "?" && language === "fr" ? "\u202f" : "");
  wordWindow.open(word, anchor, { canFix, isOpening, space });
}

/** Fixes a word as chosen in its window. */
function choose(word, fix, isAlways) {
  const { canFix = true } = shown();
  const spelling = fix?.core && isAlways ? fix.core : null;
  const note = `“${fix?.core ?? word.core}” is ${fix ? "fixed" : "as restored"}${spelling ? " and in my spellings" : ""}`;
  take(canFix ? word : null, fix, spelling ? MySpellings.entries([spelling]) : [], note);
}

/** Takes a step that can be undone. */
function take(word, fix, entries, note = "") {
  shown().fixes.step(word, fix, entries);
  renew(entries.length > 0, note);
}

function renew(isAnew, note) {
  draw();
  if (isAnew) return restore(note);
  say([note, changes(shown().rows)].filter(Boolean).join(" · "), { spoken: true });
}

function back(isRedo) {
  const { fixes } = shown();
  const before = spellings.list.join("\n");
  if (isRedo ? fixes.redo() : fixes.undo()) renew(spellings.list.join("\n") !== before, isRedo ? "Redone" : "Undone");
}

// --- Files ---

function open(source) {
  if (!source) return;
  if (isLive) setLive(false);
  file = { fixes: new Fixes(spellings), source, name: source.name, rows: [], now: "" };
  showKind();
  draw();
  restore();
}

function close() {
  file = null;
  showKind();
  draw();
  restore();
  input.focus();
}

/** Shows the parts of the page that belong to a text, a file or a live text. */
function showKind() {
  at("sheet").classList.toggle("file", Boolean(file));
  at("source").hidden = Boolean(file);
  at("close").hidden = !file;
  at("columns").hidden = !file || Boolean(file.transcript);
  at("encoding-field").hidden = !file?.guess || file.guess === "utf-8";
  at("encoding").value = file?.encoding ?? "utf-8";
  at("as").hidden = at("transcript").hidden = !SPEECH.includes(file?.format);
  at("transcript").setAttribute("aria-pressed", String(isTranscript));
  at("as").options[0].text = /\.[^.]*$/.exec(file?.name)?.[0] ?? "as it is";
  at("output-name").textContent = file ? file.name : isLive ? "Live result" : "Restored";
  at("open").hidden = isLive;
  at("replay").hidden = !isLive;
  at("mode-text").setAttribute("aria-pressed", String(!isLive));
  at("mode-live").setAttribute("aria-pressed", String(isLive));
}

function download() {
  if (!at("as").hidden && at("as").value) return convert(file, at("as").value);
  const { fixes, blob, canFix } = shown();
  const isAsSent = file && (!canFix || !fixes.size);
  const [name, content] = file
    ? [file.name.replace(/(\.[^.]*)?$/, ".restored$1"), isAsSent ? blob : new Blob([result()])]
    : ["restored.txt", new Blob([result()], { type: "text/plain" })];
  save(content, name);
}

/** Saves a recogniser's file as a transcript or as subtitles. */
async function convert(of, to) {
  const { name } = of;
  try {
    const { blob, notes } = await engine.convert(new Blob([result()]), name, conversion(of, to));
    const saved = name.replace(/(\.[^.]*)?$/, `.restored.${to}`);
    save(blob, saved);
    say([saved, ...notes.map(worded)].join(" · "), { spoken: true });
  } catch (error) {
    fail(error);
  }
}

async function copy() {
  try {
    await navigator.clipboard.writeText(result());
    say("Copied", { spoken: true });
  } catch {
    getSelection().selectAllChildren(output);
    say("The browser does not allow copying: the text is selected, press Ctrl+C", { isError: true });
  }
}

// --- Live text ---

function setLive(on) {
  if (on === isLive) return;
  running?.abort();
  isLive = on;
  if (on) file = null;
  live.stop();
  showKind();
  if (on) {
    at("undo").hidden = at("legend").hidden = true;
    say("Type or paste: words become final as they arrive · Replay sends the text at the speed of speech");
    return startLive(() => live.type(input.value, liveOptions()));
  }
  draw();
  restore();
}

/** Starts a live text once its language is known: it is not detected as the text comes. */
async function startLive(start) {
  if (at("lang").value === "auto" && input.value.trim()) {
    try {
      text.language = (await engine.restore(input.value.slice(0, SAMPLE), options())).language;
    } catch (error) {
      return fail(error);
    }
  }
  if (isLive) start();
}

function liveOptions() {
  const given = options();
  return given.lang === "auto" ? { ...given, lang: text.language ?? "en" } : given;
}

function showLive(rows) {
  if (!isLive) return;
  const isAtEnd = output.scrollHeight - output.scrollTop - output.clientHeight < 40;
  view.show(rows, { hasControls: false });
  at("empty").hidden = rows.length > 0;
  at("copy").disabled = at("download").disabled = !rows.some((row) => row.now);
  if (isAtEnd) output.scrollTop = output.scrollHeight;
}

/** What is said of a live text; nothing if there is none. */
const LIVE_STATES = { on: "Live", replay: "Replaying at 160 words a minute", off: "All words are final" };

function tellLive(state, error) {
  at("replay").textContent = live.isReplaying ? "Stop" : "Replay";
  input.readOnly = live.isReplaying;
  if (!isLive || state === "none") return;
  const facts = error ? [worded(error)] : [LIVE_STATES[state], languageName(liveOptions().lang)];
  say(facts.filter(Boolean).join(" · "), { isError: Boolean(error), spoken: true });
}

// --- Start ---

async function languages() {
  try {
    const choices = (await engine.languages()).map(({ tag, name }) => new Option(name, tag));
    at("lang").replaceChildren(new Option("Detect", "auto"), ...choices);
    at("lang").value = keptOptions().lang ?? "auto";
    if (!at("lang").value) at("lang").value = "auto";
  } catch (error) {
    fail(error);
  }
}

function keptOptions() {
  try {
    return JSON.parse(localStorage.getItem(OPTIONS)) ?? {};
  } catch {
    return {};
  }
}

function keepOptions() {
  const { lang, preset, marks, threshold } = options();
  try {
    localStorage.setItem(OPTIONS, JSON.stringify({ lang, preset, marks, threshold }));
  } catch {
    // A browser without storage keeps them until the page is left.
  }
}

input.addEventListener("input", () => {
  if (isLive) return live.type(input.value, liveOptions());
  clearTimeout(timer);
  timer = setTimeout(restore, WAIT);
});
// Both panes show the same part of a text.
for (const [one, other] of [[input, output], [output, input]]) {
  one.addEventListener("scroll", () => {
    if (isLive || !one.matches(":hover, :focus, :focus-within")) return;
    const range = one.scrollHeight - one.clientHeight;
    if (range > 0) other.scrollTop = (one.scrollTop / range) * (other.scrollHeight - other.clientHeight);
  });
}
at("options").addEventListener("submit", (event) => event.preventDefault());
at("options").addEventListener("change", ({ target }) => {
  if (target.id === "token") {
    engine.token = target.value.trim();
    sessionStorage.setItem("token", engine.token);
    languages();
  } else if (target.id === "encoding") {
    Object.assign(file, { encoding: target.value, was: undefined });
  } else {
    keepOptions();
  }
  if (!isLive) return restore();
  live.stop();
  startLive(() => live.type(input.value, liveOptions()));
});
at("mode-text").addEventListener("click", () => setLive(false));
at("mode-live").addEventListener("click", () => setLive(true));
at("replay").addEventListener("click", () => {
  if (live.isReplaying) return live.finish();
  startLive(() => live.replay(input.value, liveOptions()));
});
at("open").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", ({ target }) => {
  open(target.files[0]);
  target.value = "";
});
at("close").addEventListener("click", close);
at("copy").addEventListener("click", copy);
at("download").addEventListener("click", download);
at("transcript").addEventListener("click", () => {
  isTranscript = !isTranscript;
  showTranscript().catch(fail);
});
at("undo").addEventListener("click", () => back(false));
at("example").addEventListener("click", () => {
  input.focus();
  // As if typed, so that it can be undone.
  document.execCommand("insertText", false, EXAMPLE);
});
at("word").addEventListener("toggle", ({ newState }) => {
  if (newState === "closed" && at("word").contains(document.activeElement)) view.focus();
});
document.addEventListener("keydown", (event) => {
  const isText = event.target.matches?.("textarea, input:not([type=checkbox]), dialog *");
  if (!(event.ctrlKey || event.metaKey) || isText || isLive) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  back(key === "y" || event.shiftKey);
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    // A selection that is dragged into the box stays the browser's.
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.toggle("dropping", kind === "dragover");
    if (kind === "drop") open(event.dataTransfer.files[0]);
  });
}

at("encoding").replaceChildren(...ENCODINGS.map((name) => new Option(name)));
at("about").textContent = engine.about;
at("about").hidden = !engine.about;
for (const [id, value] of Object.entries(keptOptions())) {
  if (id !== "lang" && [...at(id).options].some((option) => option.value === value)) at(id).value = value;
}
spellingList.show();
languages().then(() => input.value && restore());
