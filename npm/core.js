/** An instance of the core, in WebAssembly: text and bytes in, text and bytes out. */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** An error in the program's words. `kind` is `usage`, `input`, `model` or `bug`. */
export class MajusculeError extends Error {
  constructor(kind, message) {
    super(message);
    this.name = "MajusculeError";
    this.kind = kind;
  }
}

/** Fails for what a caller can mend. */
export function refuse(message) {
  throw new MajusculeError("usage", message);
}

export class Core {
  #exports;
  #options = "";
  #panic = ""; // why the instance is of no more use

  /** Starts an instance of a compiled module. */
  static async start(module) {
    const core = new Core();
    core.#exports = (await WebAssembly.instantiate(module)).exports;
    return core;
  }

  get isBroken() {
    return this.#panic !== "";
  }

  /** Calls a function with bytes as its input and returns its answer, whose bytes are valid until the next call. */
  call(name, input, ...numbers) {
    if (this.#panic) throw new MajusculeError("bug", `${this.#panic}: load the model again`);
    const exports = this.#exports;
    try {
      const at = exports.input_place(input.length);
      // The memory is another object once it has grown.
      new Uint8Array(exports.memory.buffer, at, input.length).set(input);
      const failed = exports[`majuscule_${name}`](...numbers);
      const answer = new Uint8Array(exports.memory.buffer, exports.answer_place(), exports.answer_length());
      if (!failed) return answer;
      const { kind, message } = JSON.parse(decoder.decode(answer));
      throw new MajusculeError(kind, message);
    } catch (error) {
      if (error instanceof MajusculeError) throw error;
      // The state of an instance that stopped half-way is unknown.
      this.#panic = `this is a bug of majuscule, or memory ran out (${this.#lastWords() || error.message})`;
      throw new MajusculeError("bug", this.#panic);
    }
  }

  #lastWords() {
    const { memory, panic_place, panic_length } = this.#exports;
    return decoder.decode(new Uint8Array(memory.buffer, panic_place(), panic_length()));
  }

  /** Calls a function with a text, which answers with one. */
  text(name, text, ...numbers) {
    return decoder.decode(this.call(name, encoded(text), ...numbers));
  }

  /** Calls a function with a text, which answers with JSON. */
  json(name, text = "", ...numbers) {
    return JSON.parse(this.text(name, text, ...numbers));
  }

  /** Sets the options of the next calls. */
  configure(options) {
    const json = jsonOf(options);
    if (json === this.#options) return;
    this.#options = ""; // refused options are none
    this.call("set_options", encoded(json));
    this.#options = json;
  }
}

/** Returns a text as UTF-8. Half a surrogate pair has no bytes there, so it is refused. */
export function encoded(text) {
  if (typeof text !== "string") throw new TypeError(`the text is ${kindOf(text)}, but a string is expected`);
  if (text.isWellFormed ? !text.isWellFormed() : /\p{Surrogate}/u.test(text)) {
    const at = text.search(/\p{Surrogate}/u);
    refuse(`the text has half a surrogate pair at ${at}: cut strings between characters`);
  }
  return encoder.encode(text);
}

/** Returns the bytes of a file; a string is UTF-8. */
export function bytesOf(file) {
  if (typeof file === "string") return encoded(file);
  if (file instanceof ArrayBuffer) return new Uint8Array(file);
  if (ArrayBuffer.isView(file)) return new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
  throw new TypeError(`the file is ${kindOf(file)}, but bytes (a Uint8Array) or a string are expected`);
}

/** Returns options as JSON. Numbers that JSON does not have become strings, which are refused with their names. */
export function jsonOf(options = {}) {
  if (options === null || typeof options !== "object" || Array.isArray(options)) {
    throw new TypeError(`the options are ${kindOf(options)}, but an object is expected`);
  }
  return JSON.stringify(options, (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value));
}

function kindOf(value) {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? `a ${value.constructor?.name ?? "strange object"}` : `a ${typeof value}`;
}
