/** The worker of the page: restores what `engine.js` sends, one call after the other. */

import { LANGUAGES, convert, languageOf, load } from "./majuscule/majuscule.js";

const DEFAULT = "en";
const names = new Intl.DisplayNames(["en"], { type: "language" });
const streams = new Map();

/** The options of the page as those of the package. */
function optionsOf({ marks, threshold, spellings }, more = {}) {
  const sure = threshold ? { threshold: Number(threshold) } : {};
  if (threshold && marks) sure.markThreshold = Number(threshold);
  return { marks: marks || false, words: spellings, ...sure, ...more };
}

/** Chooses the model: that of the language that is named, or that is detected. */
async function chosen(text, { lang, preset }, file) {
  const { language, note } = lang === "auto" ? await languageOf(text, file) : { language: lang };
  const tag = language ?? DEFAULT;
  return { m: await load(tag, { preset }), language: tag, notes: note ? [note] : [] };
}

const calls = {
  languages: () => LANGUAGES.map((tag) => ({ tag, name: names.of(tag) })),

  async restore({ text, options }) {
    const { m, ...facts } = await chosen(text, options);
    const words = m.words(text, optionsOf(options));
    let [restored, at] = ["", 0];
    for (const { start, end, written } of words) {
      restored += text.slice(at, start) + written;
      at = end;
    }
    const rated = ({ start, end, probability, markProbability, sentenceEnd }) => {
      return { start, end, confidence: probability, mark_confidence: markProbability, sentence_end: sentenceEnd };
    };
    return { text: restored + text.slice(at), words: words.map(rated), ...facts };
  },

  async file({ name, bytes, options }) {
    const { encoding } = options;
    const { m, notes, language } = await chosen(bytes, options, { name, encoding });
    const restored = m.restoreFile(bytes, optionsOf(options, { name, encoding }));
    return { bytes: restored.bytes, format: restored.format, language, notes: [...notes, ...restored.notes] };
  },

  async convert({ name, bytes, options }) {
    const { bytes: converted, notes } = await convert(bytes, { ...options, name });
    return { bytes: converted, notes };
  },
};

const steps = {
  async begin(options, tell) {
    const { m } = await chosen("", options);
    // Live text has no whole lines to look at.
    const marks = options.marks === "auto" ? "all" : options.marks;
    tell("begin");
    return m.stream(optionsOf({ ...options, marks }));
  },

  send(text, tell, stream) {
    settle(stream.push(text), tell);
    tell("results", { is_final: false, transcript: stream.tail() });
    return stream;
  },

  close(_, tell, stream) {
    settle(stream.finish(), tell);
    tell("end");
  },

  abort: () => undefined,
};

const settle = (transcript, tell) => transcript && tell("results", { is_final: true, transcript });

/** Takes a step of a live text. */
async function advance({ stream, name, message }) {
  const tell = (name, message) => postMessage({ stream, name, message });
  // A text that has failed or ended takes no more.
  if (name !== "begin" && !streams.has(stream)) return;
  try {
    const next = await steps[name](message, tell, streams.get(stream));
    if (next) streams.set(stream, next);
    else streams.delete(stream);
  } catch (error) {
    streams.delete(stream);
    tell("end", error.message);
  }
}

async function answer({ call, name, given }) {
  try {
    const answer = await calls[name](given);
    postMessage({ call, answer });
  } catch (error) {
    postMessage({ call, error: error.message });
  }
}

let last = Promise.resolve();
onmessage = ({ data }) => {
  last = last.then(() => (data.stream ? advance(data) : answer(data)));
};

// The first text finds its model loaded, and the page has it without a network from now on.
load(DEFAULT).catch(() => undefined);
