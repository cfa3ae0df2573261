"use strict";

/** The engine that restores: a text (`restore`) or a file (`file`). This one asks the service. */
const engine = {
  token: sessionStorage.getItem("token") || "",

  async ask(address, init) {
    const headers = new Headers(init.headers);
    if (this.token) headers.set("Authorization", `Bearer ${this.token}`);
    const response = await fetch(address, { ...init, headers });
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    throw Object.assign(new Error(problem.detail || `status ${response.status}`), { status: response.status });
  },

  /** Restores a text: its words with offsets in UTF-16, the text, language and notes. */
  async restore(text, options, signal) {
    const marks = options.marks || false;
    const body = JSON.stringify({ text, lang: options.lang, preset: options.preset, marks });
    const headers = { "Content-Type": "application/json" };
    const response = await this.ask("v1/restore?offsets=utf16", { method: "POST", headers, body, signal });
    return response.json();
  },

  /** Restores a file, which comes back in its format. */
  async file(file, options, signal) {
    const query = new URLSearchParams({ ...options, name: file.name, format: "auto" });
    const headers = { "Content-Type": "application/octet-stream" };
    const response = await this.ask(`v1/restore?${query}`, { method: "POST", headers, body: file, signal });
    return {
      blob: await response.blob(),
      language: response.headers.get("Content-Language"),
      format: response.headers.get("Majuscule-Format"),
      notes: JSON.parse(response.headers.get("Majuscule-Notes") || "[]"),
    };
  },

  async languages() {
    return (await this.ask("v1/languages", {})).json();
  },
};

const at = (id) => document.getElementById(id);
const [input, output, status_] = ["input", "output", "status"].map(at);
const WAIT = 150; // ms without a key before the text is restored
const SHOWN = 200000; // characters of a file that are shown

let timer = 0;
let running = null; // the request that is under way
let result = null; // what Copy and Download give: { name, blob or text }
let dropped = null; // the file that was opened

const options = () => ({ lang: at("lang").value, preset: at("preset").value, marks: at("marks").value });

function say(text, isError = false) {
  status_.textContent = text;
  status_.classList.toggle("error", isError);
}

/** Shows a result, or none, and what can be done with it. */
function keep(next) {
  result = next;
  at("copy").disabled = at("download").disabled = !next;
  output.classList.remove("stale");
}

/** Runs work that a later call aborts. */
async function latest(work) {
  running?.abort();
  const control = (running = new AbortController());
  output.classList.add("stale");
  try {
    await work(control.signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    output.classList.remove("stale");
    at("token-field").hidden = error.status !== 401 && !engine.token;
    say(error instanceof TypeError ? "The service does not answer." : error.message, true);
  } finally {
    if (running === control) running = null;
  }
}

function restore() {
  clearTimeout(timer);
  if (dropped) return restoreFile(dropped);
  const text = input.value;
  if (!text.trim()) {
    running?.abort();
    output.replaceChildren();
    keep(null);
    return say("");
  }
  return latest(async (signal) => {
    const answer = await engine.restore(text, options(), signal);
    output.replaceChildren(...shown(text, answer.words));
    at("legend").hidden = false;
    keep({ name: "restored.txt", text: answer.text });
    const changed = output.querySelectorAll("mark").length;
    say([`${count(answer.words.length, "word")}, ${changed} changed; ${answer.model}`, ...answer.notes].join(" · "));
  });
}

const count = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** The restored text as nodes, with changed words marked. Text only ever becomes text nodes. */
function shown(text, words) {
  const nodes = [];
  let done = 0;
  for (const [n, word] of words.entries()) {
    // A word has the punctuation that touches it, as in the answer.
    const gap = text.slice(done, word.start);
    const start = n && !/\s/.test(gap) ? done : word.start - /\S*$/.exec(gap)[0].length;
    const next = words[n + 1]?.start ?? text.length;
    const end = word.end + /^\S*/.exec(text.slice(word.end, next))[0].length;
    nodes.push(document.createTextNode(text.slice(done, start)));
    const was = text.slice(start, end);
    nodes.push(was === word.punctuated_word ? document.createTextNode(was) : changed(was, word));
    done = end;
  }
  nodes.push(document.createTextNode(text.slice(done)));
  return nodes;
}

function changed(was, word) {
  const mark = document.createElement("mark");
  mark.textContent = word.punctuated_word;
  const sure = Math.min(word.confidence ?? 1, word.mark_confidence ?? 1);
  if (sure < 0.95) mark.className = sure < 0.6 ? "p3" : sure < 0.8 ? "p2" : "p1";
  const percent = (p) => `${Math.round(p * 100)} %`;
  const parts = [`was: ${was}`];
  if (word.confidence != null) parts.push(`case ${percent(word.confidence)}`);
  if (word.mark_confidence != null) parts.push(`punctuation ${percent(word.mark_confidence)}`);
  mark.title = parts.join(", ");
  return mark;
}

function restoreFile(file) {
  return latest(async (signal) => {
    say(`Restoring ${file.name} …`);
    const restored = await engine.file(file, options(), signal);
    const [was, text] = await Promise.all([file.text(), restored.blob.text()]);
    output.replaceChildren(...compared(was, text.slice(0, SHOWN)));
    at("legend").hidden = true; // A file comes without probabilities.
    const name = file.name.replace(/(\.[^.]*)?$/, ".restored$1");
    keep({ name, blob: restored.blob, text });
    const rest = text.length > SHOWN ? ["only the beginning is shown; Download has all of it"] : [];
    say([`${file.name}: ${restored.format}, ${restored.language}`, ...rest, ...restored.notes].join(" · "));
  });
}

/** A restored file as nodes, with changed words marked where the words pair off. */
function compared(was, text) {
  const old = was.split(/\s+/);
  let n = 0;
  let plain = "";
  const nodes = [];
  for (const part of text.split(/(\s+)/)) {
    const before = /^\s/.test(part) ? part : old[n++];
    if (part === before || before?.slice(0, 1).toLowerCase() !== part.slice(0, 1).toLowerCase()) {
      plain += part;
      continue;
    }
    nodes.push(document.createTextNode(plain), changed(before, { punctuated_word: part }));
    plain = "";
  }
  nodes.push(document.createTextNode(plain));
  return nodes;
}

async function open(file) {
  if (!file) return;
  dropped = null;
  input.value = (await file.slice(0, SHOWN).text());
  dropped = file;
  output.replaceChildren();
  keep(null);
  restore();
}

function download() {
  const blob = result.blob || new Blob([result.text], { type: "text/plain" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = result.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copy() {
  try {
    await navigator.clipboard.writeText(result.text);
    say("Copied.");
  } catch {
    getSelection().selectAllChildren(output);
    say("The browser does not let the page copy: the text is selected, press Ctrl+C.", true);
  }
}

async function languages() {
  try {
    const { languages } = await engine.languages();
    const kept = at("lang").value;
    const choices = languages.map(({ tag, name }) => new Option(name, tag));
    at("lang").replaceChildren(new Option("Detect", "auto"), ...choices);
    at("lang").value = kept;
  } catch (error) {
    at("token-field").hidden = error.status !== 401;
    say(error.message, true);
  }
}

input.addEventListener("input", () => {
  dropped = null;
  clearTimeout(timer);
  timer = setTimeout(restore, WAIT);
});
// Both panes show the same part of a text.
for (const [one, other] of [[input, output], [output, input]]) {
  one.addEventListener("scroll", () => {
    if (!one.matches(":hover, :focus")) return;
    const range = one.scrollHeight - one.clientHeight;
    if (range > 0) other.scrollTop = (one.scrollTop / range) * (other.scrollHeight - other.clientHeight);
  });
}
at("options").addEventListener("submit", (event) => event.preventDefault());
at("options").addEventListener("change", (event) => {
  if (event.target.id === "token") {
    engine.token = event.target.value.trim();
    sessionStorage.setItem("token", engine.token);
    languages();
  }
  restore();
});
at("open").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", (event) => {
  open(event.target.files[0]);
  event.target.value = "";
});
at("copy").addEventListener("click", copy);
at("download").addEventListener("click", download);
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    document.body.classList.toggle("dropping", kind === "dragover");
    if (kind === "drop") open(event.dataTransfer.files[0]);
  });
}
languages();
if (input.value) restore();
