/** The engine that restores in the browser, in a worker: the interface is that of `crates/service/page/engine.js`. */

import { decoded } from "./encodings.js";

class LocalEngine {
  about = "Everything that you type or drop here stays in this browser.";
  #worker = new Worker(new URL("restorer.js", import.meta.url), { type: "module" });
  #waiting = new Map(); // what is done with the answer to each call
  #calls = 0;
  #streams = new Map();
  #latest = Promise.resolve(); // the call under way

  constructor() {
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => this.#fail(new Error(`the browser cannot run the page: ${event.message ?? "its worker does not start"}`));
  }

  #receive({ call, stream, answer, error, name, message }) {
    if (stream) return this.#streams.get(stream)?.[name]?.(message);
    const { resolve, reject } = this.#waiting.get(call);
    this.#waiting.delete(call);
    if (error) reject(new Error(error));
    else resolve(answer);
  }

  /** Ends all calls: the worker is of no use. */
  #fail(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #ask(name, given, transferred = []) {
    return new Promise((resolve, reject) => {
      const call = ++this.#calls;
      this.#waiting.set(call, { resolve, reject });
      this.#worker.postMessage({ call, name, given }, transferred);
    });
  }

  /** Makes a call once the one before has ended, unless it is aborted by then. */
  async #inTurn(signal, work) {
    const before = this.#latest;
    let free;
    this.#latest = new Promise((resolve) => (free = resolve));
    try {
      await before;
      signal?.throwIfAborted();
      const answer = await work();
      signal?.throwIfAborted();
      return answer;
    } finally {
      free();
    }
  }

  languages() {
    return this.#ask("languages");
  }

  restore(text, options, signal) {
    return this.#inTurn(signal, () => this.#ask("restore", { text, options }));
  }

  file(file, options, signal) {
    return this.#inTurn(signal, async () => {
      // The package reads no other encodings than these.
      const isRead = options.encoding.startsWith("utf-");
      const encoding = isRead ? options.encoding : "utf-8";
      const text = isRead ? "" : await decoded(file, options.encoding);
      if (text.includes("\ufffd")) throw new Error(`${file.name} has bytes that are not ${options.encoding}: choose another encoding`);
      const given = isRead ? file : new Blob([text]);
      const answer = await this.#askOfFile("file", given, { name: file.name, options: { ...options, encoding } });
      if (!isRead) answer.notes.push(`read as ${options.encoding}, written as UTF-8`);
      return { ...answer, text: await decoded(answer.blob, encoding) };
    });
  }

  convert(file, name, options) {
    return this.#inTurn(null, () => this.#askOfFile("convert", file, { name, options }));
  }

  /** Makes a call on a file. */
  async #askOfFile(call, file, given) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const answer = await this.#ask(call, { ...given, bytes }, [bytes.buffer]);
    return { ...answer, blob: new Blob([answer.bytes]) };
  }

  stream(options, on) {
    const stream = ++this.#calls;
    const tell = (name, message) => this.#worker.postMessage({ stream, name, message });
    const end = (error) => this.#streams.delete(stream) && on.end(error ? new Error(error) : null);
    this.#streams.set(stream, { begin: on.begin, results: on.results, end });
    tell("begin", options);
    return {
      send: (text) => tell("send", text),
      close: () => tell("close"),
      abort: () => {
        tell("abort");
        end(null);
      },
    };
  }
}

/** The engine of the page. */
export const engine = new LocalEngine();

// Without a secure connection there is no service worker, and the page needs its server.
navigator.serviceWorker?.register("offline.js");
