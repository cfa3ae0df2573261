/** Restores capitals, punctuation and sentence ends, in Node, browsers and workers. */

import { Core, MajusculeError, bytesOf, encoded, jsonOf, refuse } from "./core.js";
import { compiled, modelBytes, placeOf } from "./files.js";
import { MODELS } from "./models.js";

export { MajusculeError };

/** The languages that have models in the package. */
export const LANGUAGES = [...new Set(Object.keys(MODELS).map((name) => name.split(".")[0]))];

/** The presets, which each language has. */
export const PRESETS = ["accurate", "fast"];

const NOTHING = new Uint8Array();
const modules = new Map(); // by address
const models = new Map(); // by address and name

/** The cores: code for everything, and for text and subtitles with the preset fast. */
const CORES = { all: "majuscule.wasm", text: "majuscule.text.wasm" };

/** Loads the model of a language, or one from the bytes of its packed file. */
export async function load(model = "en", { preset = "accurate", core = "all", base } = {}) {
  const place = placeOf(base);
  if (!Object.hasOwn(CORES, core)) refuse(`there is no core ${JSON.stringify(core)}: expected one of ${Object.keys(CORES).join(", ")}`);
  if (typeof model !== "string") return new Model(await begun(place, core), bytesOf(model));
  const language = model.toLowerCase().split(/[-_]/)[0];
  if (!PRESETS.includes(preset)) refuse(`there is no preset ${JSON.stringify(preset)}: expected one of ${PRESETS.join(", ")}`);
  const name = `${language}.${preset}`;
  if (!LANGUAGES.includes(language)) refuse(`there is no model of language ${JSON.stringify(model)}: expected one of ${LANGUAGES.join(", ")}`);
  return kept(models, `${place}${core}.${name}`, async () => {
    const [begins, bytes] = await Promise.all([begun(place, core), modelBytes(place, name, MODELS[name])]);
    return new Model(begins, bytes);
  });
}

/** Detects the language of a text: its tag, or `undefined` if the text does not show it, or has no model here. */
export async function detectLanguage(text, { base } = {}) {
  return (await languageOf(text, { base })).language;
}

/** Detects the language of a text, or of the bytes of a file, with a remark if there is no model of it. */
export async function languageOf(given, { base, ...file } = {}) {
  const core = await withoutModel(base);
  if (typeof given === "string" && !Object.keys(file).length) return core.json("language", given);
  core.configure(file);
  return JSON.parse(new TextDecoder().decode(core.call("file_language", bytesOf(given))));
}

/** Converts a file to another format; a model is not needed. */
export async function convert(file, { base, ...options } = {}) {
  return converted(await withoutModel(base), file, options);
}

/** Does some work once for each key; one that failed is done again, and so is one whose model is broken. */
async function kept(map, key, work) {
  const known = map.get(key);
  if (known) {
    const found = await known.catch(() => undefined);
    if (found && !found.isBroken) return found;
    // Another caller may have begun it again meanwhile.
    if (map.get(key) !== known) return kept(map, key, work);
  }
  const made = work();
  map.set(key, made);
  return made;
}

async function begun(place, core = "all") {
  const name = CORES[core];
  return Core.start(await kept(modules, `${place}${name}`, () => compiled(place, name)));
}

const withoutModel = (base) => {
  const place = placeOf(base);
  return kept(models, place.href, () => begun(place));
};

function converted(core, file, options) {
  const [json, bytes] = [encoded(jsonOf(options)), bytesOf(file)];
  const input = new Uint8Array(4 + json.length + bytes.length);
  new DataView(input.buffer).setUint32(0, json.length, true);
  input.set(json, 4);
  input.set(bytes, 4 + json.length);
  const answer = core.call("convert", input).slice();
  return new FileResult(answer, core.json("report"));
}

/** A trained model. */
export class Model {
  #core;

  constructor(core, bytes) {
    this.#core = core;
    const { language, method, marks } = JSON.parse(new TextDecoder().decode(core.call("load", bytes)));
    /** The tag of its language. */
    this.language = language;
    /** Its method. */
    this.method = method;
    /** The marks that it can insert. */
    this.marks = marks;
  }

  /** True after a bug: the model is of no more use. */
  get isBroken() {
    return this.#core.isBroken;
  }

  /** Restores a text. */
  restore(text, options) {
    this.#core.configure(options);
    return this.#core.text("restore", text);
  }

  /** Returns the words of a text, restored. Positions count code units of UTF-16, as JavaScript does. */
  words(text, options) {
    this.#core.configure(options);
    return this.#core.json("words", text);
  }

  /** Restores words that come without a text, such as a recogniser's, and returns one for each. */
  label(words, options) {
    if (typeof words === "string") throw new TypeError("the words are a string, but a list of words is expected: text.split(\" \") makes one");
    this.#core.configure(options);
    return this.#core.json("label", JSON.stringify([...words]));
  }

  /** Starts a text that is restored while it arrives. */
  stream(options) {
    this.#core.configure(options);
    return new LiveStream(this.#core);
  }

  /** Returns a TransformStream of strings: live text in, restored text out as soon as it is certain. */
  transform(options) {
    const stream = this.stream(options);
    const pass = (text, control) => text && control.enqueue(text);
    return new TransformStream({
      transform: (chunk, control) => pass(stream.push(chunk), control),
      flush: (control) => pass(stream.finish(), control),
    });
  }

  /** Restores a file: the same bytes with other capitals, or converted with `to`. Without a format, its name and its first bytes tell. */
  restoreFile(file, format, options) {
    const given = typeof format === "object" && format !== null ? format : { ...options, ...(format ? { format } : {}) };
    this.#core.configure(given);
    const answer = this.#core.call("restore_file", bytesOf(file)).slice();
    return new FileResult(answer, this.#core.json("report"));
  }

  /** Converts a file to another format. */
  convert(file, options) {
    return converted(this.#core, file, options);
  }
}

/** What became of a file. */
export class FileResult {
  constructor(bytes, { format, language, encoding, notes }) {
    /** The file. */
    this.bytes = bytes;
    /** Its format. */
    this.format = format;
    /** The tag of the language that it was restored in. */
    this.language = language;
    /** Its encoding. */
    this.encoding = encoding;
    /** What may surprise. */
    this.notes = notes;
  }

  /** The file as a text. */
  get text() {
    return new TextDecoder(this.encoding ?? "utf-8", { ignoreBOM: true }).decode(this.bytes);
  }
}

/** Streams that nobody holds any more are forgotten. */
const forgotten = new FinalizationRegistry(({ core, number }) => core.isBroken || core.call("stream_drop", NOTHING, number));

/** A text that is restored while it arrives. */
export class LiveStream {
  #core;
  #number;
  #half = ""; // the first half of a surrogate pair whose other half is to come

  constructor(core) {
    this.#core = core;
    this.#number = core.json("stream_start");
    forgotten.register(this, { core, number: this.#number }, this);
  }

  /** True once the text has ended. */
  get isFinished() {
    return this.#number === null;
  }

  /** Takes the next part of the text and returns what is certain by then. */
  push(text) {
    if (typeof text !== "string") encoded(text);
    const given = this.#half + text;
    const last = given.charCodeAt(given.length - 1);
    const half = last >= 0xd800 && last < 0xdc00 ? given.at(-1) : "";
    const certain = this.#ask("push", half ? given.slice(0, -1) : given);
    this.#half = half; // a refused part changes nothing
    return certain;
  }

  /** Stops waiting: returns all that has come. */
  now() {
    return this.#ask("now");
  }

  /** Returns what `now` would return, and continues to wait. */
  tail() {
    return this.#ask("tail");
  }

  /** Ends the text and returns the rest, with half a surrogate pair whose other half never came. */
  finish() {
    const rest = this.#ask("finish") + this.#half;
    this.#number = null;
    forgotten.unregister(this);
    return rest;
  }

  #ask(name, text = "") {
    if (this.isFinished) refuse("the stream has ended: start another one");
    return this.#core.text(`stream_${name}`, text, this.#number);
  }
}
