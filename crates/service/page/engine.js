import { decoded } from "./encodings.js";

const BYTES = { "Content-Type": "application/octet-stream" };
const LONGEST_LIST = 4000; // bytes of spellings in an address; longer lists go into a form

/**
 * The engine that restores, here over HTTP. `docs/page/engine.js` is another one, which restores in the browser. Each has
 * these methods:
 *
 * - `languages()`: the languages, as `[{ tag, name }]`.
 * - `restore(text, options, signal)`: `{ text, words, language, notes }`; offsets of words count UTF-16.
 * - `file(file, options, signal)`: `{ blob, text, language, format, notes }`; the file comes back in its format.
 * - `convert(file, name, options)`: `{ blob, notes }`, with options of a conversion, such as `from` and `to`.
 * - `stream(options, on)`: a live text, see `SocketStream`.
 *
 * `options` has `lang`, `preset`, `marks`, `threshold`, `spellings` and, for a file, `encoding`. The page shows `about`, which
 * says where text goes, if there is something to say.
 */
class HttpEngine {
  about = "";
  token = "";

  async ask(address, init = {}) {
    const headers = new Headers(init.headers);
    if (this.token) headers.set("Authorization", `Bearer ${this.token}`);
    const response = await fetch(address, { ...init, headers });
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    throw Object.assign(new Error(problem.detail || `status ${response.status}`), problem, { status: response.status });
  }

  async languages() {
    return (await (await this.ask("v1/languages")).json()).languages;
  }

  async restore(text, options, signal) {
    const body = JSON.stringify({ text, ...fieldsOf(options) });
    const headers = { "Content-Type": "application/json" };
    return (await this.ask("v1/restore?offsets=utf16", { method: "POST", headers, body, signal })).json();
  }

  async file(file, options, signal) {
    const { lang, preset, marks, threshold, spellings, encoding } = options;
    const query = new URLSearchParams({ lang, preset, marks, name: file.name, format: "auto" });
    const list = spellings.join("\n");
    let body = file;
    if (encodeURIComponent(list).length > LONGEST_LIST) {
      body = new FormData();
      body.set("spellings", list);
      body.set("file", file);
    } else if (list) {
      query.set("spellings", list);
    }
    if (encoding !== "utf-8") query.set("encoding", encoding);
    if (threshold) query.set("threshold", threshold);
    if (threshold && marks) query.set("mark_threshold", threshold);
    const headers = body === file ? BYTES : {};
    const response = await this.ask(`v1/restore?${query}`, { method: "POST", headers, body, signal });
    const blob = await response.blob();
    return {
      blob,
      text: await decoded(blob, encoding),
      language: response.headers.get("Content-Language"),
      format: response.headers.get("Majuscule-Format"),
      notes: notesOf(response),
    };
  }

  async convert(file, name, options) {
    const query = new URLSearchParams({ ...options, name });
    const response = await this.ask(`v1/convert?${query}`, { method: "POST", headers: BYTES, body: file });
    return { blob: await response.blob(), notes: notesOf(response) };
  }

  stream(options, on) {
    return new SocketStream(this, options, on);
  }
}

/** The engine of the page. */
export const engine = new HttpEngine();

const notesOf = (response) => JSON.parse(response.headers.get("Majuscule-Notes") || "[]");

/** The options as fields of JSON. */
function fieldsOf({ lang, preset, marks, threshold, spellings }) {
  const sure = threshold ? { threshold: Number(threshold) } : {};
  if (threshold && marks) sure.mark_threshold = Number(threshold);
  return { lang, preset, marks: marks || false, spellings, ...sure };
}

const ALIVE = 8000; // ms between signs of life
const LOST = [1001, 1006, 1012]; // the codes of a connection that breaks, or whose server stops

/**
 * A live text, in a language that is named. `send(text)` adds text, and `close()` ends it after the last results.
 * `on` has `begin()`, `results(message)`, `error(message)` for a message that was refused, and `end(error)`, whose error has `isLost`
 * if another stream may go on with the text.
 */
class SocketStream {
  #engine;
  #on;
  #waiting = []; // the messages before the socket is open
  #isBegun = false;
  #isEnded = false;
  #socket = null;
  #alive = 0;

  constructor(engine, options, on) {
    [this.#engine, this.#on] = [engine, on];
    this.#connect();
    this.#tell({ type: "Configure", ...fieldsOf(options), interim: true });
    this.#alive = setInterval(() => this.#tell({ type: "KeepAlive" }), ALIVE);
  }

  send(text) {
    this.#tell({ type: "Text", text });
  }

  close() {
    this.#tell({ type: "CloseStream" });
  }

  /** Ends the stream at once, without its last results. */
  abort() {
    this.#end(null);
    this.#socket?.close(1000);
  }

  #tell(message) {
    const text = JSON.stringify(message);
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
    else this.#waiting.push(text);
  }

  #connect() {
    const address = new URL("v1/live", document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    let socket;
    try {
      socket = new WebSocket(address, this.#engine.token ? ["bearer", this.#engine.token] : []);
    } catch {
      return queueMicrotask(() => this.#end(new Error("The token has characters that a socket cannot send")));
    }
    this.#socket = socket;
    socket.onopen = () => this.#waiting.splice(0).forEach((text) => socket.send(text));
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = ({ code, reason }) => this.#closed(code, reason);
  }

  #receive(message) {
    if (message.type === "Begin") {
      this.#isBegun = true;
      return this.#on.begin();
    }
    if (message.type === "Results") return this.#on.results(message);
    if (message.type === "Error") return this.#on.error(message.detail || message.title);
    if (message.type === "Termination") this.#end(null);
  }

  async #closed(code, reason) {
    if (this.#isEnded) return;
    const error = this.#isBegun ? new Error(reason || "The connection was lost") : await this.#cause();
    this.#end(Object.assign(error, { isLost: this.#isBegun && LOST.includes(code) }));
  }

  /** Finds out why no connection came about: a browser does not say. */
  async #cause() {
    try {
      await this.#engine.ask("v1/live");
    } catch (error) {
      if (error instanceof TypeError) return new Error("The service does not answer");
      if (error.status === 404) return new Error("This service has no live view");
      if (error.status === 401) return error;
    }
    return new Error("The service answers, but something on the way to it refuses the connection for live text");
  }

  #end(error) {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#alive);
    this.#on.end(error);
  }
}
