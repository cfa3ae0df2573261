/**
 * Pairs a text with its restored form. Restoring changes the case of letters and inserts punctuation, so that each
 * character of the text has one in the result, in order.
 */

const LETTER = /\p{L}/u;
const HALF = /[\ud800-\udfff]/; // half of a character beyond the first 65,536
const SPACE = /\s/;
const TAG = /<\/?[a-z][^<>]*>|\{\\[^{}]*\}/giy; // mark-up of subtitles
const CORE = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;
const OWN_MARK = /[.,?!:;…]/;

/**
 * A word of a result with the punctuation that touches it, in parts: `lead`, `core` (from its first letter or digit to its
 * last), `middle`, `mark` (what was inserted) and `tail`.
 */
export class ResultWord {
  fix = null;
  sure = null; // the probabilities of its case and its mark, if they are known

  constructor(was, wasAt, at, parts) {
    Object.assign(this, { was, wasAt, at }, parts);
    this.now = this.lead + this.core + this.middle + this.mark + this.tail;
  }

  /** The word as it is shown, with what the user chose. */
  get text() {
    const { core, mark } = { core: this.core, mark: this.mark, ...this.fix };
    return this.lead + core + this.middle + mark + this.tail;
  }

  get isChanged() {
    return this.text !== this.was;
  }

  /** The core as it was. */
  get wasCore() {
    return CORE.exec(this.was)?.[0] ?? "";
  }

  /** The offset of the core in the text. */
  get key() {
    return this.wasAt + this.was.indexOf(this.wasCore);
  }

  /** True if the text has no punctuation of its own after the word. */
  get takesMark() {
    return !OWN_MARK.test(this.middle + this.tail);
  }
}

/**
 * Returns `from`, for each character of `now` the index of its character in `was`, or -1 if it was inserted; and `used`, the
 * length of the part of `was` that has pairs.
 */
export function pair(was, now) {
  const from = new Int32Array(now.length).fill(-1);
  let i = 0;
  for (let j = 0; j < now.length; j++) {
    if (i < was.length && isPair(was[i], now[j])) from[j] = i++;
  }
  // A mark with a space before it: the space that was there is the later one.
  for (let j = 1; j < now.length; j++) {
    let k = j;
    while (k < now.length && from[k] < 0) k++;
    if (k > j && now[k - 1] === now[j - 1] && SPACE.test(now[k - 1])) {
      from[k - 1] = from[j - 1];
      from[j - 1] = -1;
    }
    j = Math.max(j, k);
  }
  return { from, used: i };
}

function isPair(a, b) {
  if (a === b) return true;
  return (LETTER.test(a) && LETTER.test(b)) || (HALF.test(a) && HALF.test(b)) || a.toLowerCase() === b.toLowerCase();
}

/**
 * Splits a restored line into pieces: strings between words, and `ResultWord`s. `wasAt` is the offset of the line in its
 * text. Mark-up of subtitles is no word.
 */
export function pieces(was, now, wasAt = 0, hasTags = false) {
  const { from, used } = pair(was, now);
  if (used < was.length) return [now];
  const found = [];
  const gap = (text) => {
    if (typeof found.at(-1) === "string") found.push(found.pop() + text);
    else if (text) found.push(text);
  };
  for (let at = 0; at < now.length; ) {
    let end = hasTags ? tagEnd(now, at) : 0;
    if (!end && SPACE.test(now[at]) && from[at] >= 0) end = at + 1;
    if (end) {
      gap(now.slice(at, end));
      at = end;
      continue;
    }
    end = at + 1;
    while (end < now.length && !(SPACE.test(now[end]) && from[end] >= 0) && !(hasTags && tagEnd(now, end))) end++;
    const word = wordOf(was, now, from, at, end, wasAt);
    if (word) found.push(word);
    else gap(now.slice(at, end));
    at = end;
  }
  return found;
}

function tagEnd(text, at) {
  if (text[at] !== "<" && text[at] !== "{") return 0;
  TAG.lastIndex = at;
  return TAG.test(text) ? TAG.lastIndex : 0;
}

function wordOf(was, now, from, at, end, wasAt) {
  const text = now.slice(at, end);
  const core = CORE.exec(text);
  if (!core) return null;
  const behind = at + core.index + core[0].length;
  let [first, last] = [behind, behind];
  while (first < end && from[first] >= 0) first++;
  for (last = first; last < end && from[last] < 0; ) last++;
  if (first === end) first = last = behind;
  const paired = from.subarray(at, end).filter((index) => index >= 0);
  if (!paired.length) return null;
  const [start, stop] = [paired[0], paired.at(-1) + 1];
  return new ResultWord(was.slice(start, stop), wasAt + start, at, {
    lead: text.slice(0, core.index),
    core: core[0],
    middle: now.slice(behind, first),
    mark: now.slice(first, last),
    tail: now.slice(last, end),
  });
}

/** Gives the words of rows the probabilities of an engine's words, which are in the same order. */
export function rate(rows, words) {
  let next = 0;
  for (const row of rows) {
    for (const word of row.pieces) {
      if (typeof word === "string") continue;
      const end = word.wasAt + word.was.length;
      while (next < words.length && words[next].end <= word.wasAt) next++;
      for (let n = next; n < words.length && words[n].start < end; n++) {
        const { confidence = null, mark_confidence = null, sentence_end = false } = words[n];
        const least = (a, b) => (a == null ? b : b == null ? a : Math.min(a, b));
        word.sure = { core: least(word.sure?.core, confidence), mark: mark_confidence };
        word.endsSentence = sentence_end;
      }
    }
  }
}

/** The rows of a text: its lines. */
export function lineRows(was, now, hasTags = false) {
  const [before, after] = [was.split("\n"), now.split("\n")];
  if (before.length !== after.length) return [{ label: "", was, now, nowAt: 0, pieces: [now] }];
  let [wasAt, nowAt] = [0, 0];
  return after.map((line, n) => {
    const row = { label: String(n + 1), was: before[n], now: line, nowAt, pieces: pieces(before[n], line, wasAt, hasTags) };
    wasAt += before[n].length + 1;
    nowAt += line.length + 1;
    return row;
  });
}

const CUE_FORMATS = ["srt", "vtt"];
const TAG_FORMATS = [...CUE_FORMATS, "ass", "ttml"];
const JSON_FORMATS = ["whisper-json", "jsonl"];

/** The rows of a file: cues, segments or lines, at most `most` of them. Rows of JSON have no place in the file. */
export function fileRows(was, now, format, most) {
  if (JSON_FORMATS.includes(format)) return jsonRows(was, now).slice(0, most);
  const lines = lineRows(was, now, TAG_FORMATS.includes(format));
  const rows = CUE_FORMATS.includes(format) ? cueRows(lines) : lines.filter((row) => row.now.trim());
  return rows.slice(0, most);
}

/** Joins the lines of each cue: those between its timing and an empty line. */
function cueRows(lines) {
  const rows = [];
  let cue = null;
  for (const line of lines) {
    const timing = /^\s*((?:\d+:)?\d+:\d+)[.,]\d+\s*-->/.exec(line.was);
    if (timing) {
      cue = { label: timing[1], was: "", now: "", pieces: [] };
      continue;
    }
    if (!line.was.trim()) cue = null;
    if (!cue) continue;
    if (cue.pieces.length) {
      cue.was += "\n" + line.was;
      cue.now += "\n" + line.now;
      // Where words are is counted from the beginning of the cue.
      const shift = line.nowAt - cue.nowAt;
      line.pieces.forEach((piece) => typeof piece !== "string" && (piece.at += shift));
      cue.pieces.push("\n", ...line.pieces);
    } else {
      rows.push(Object.assign(cue, { was: line.was, now: line.now, nowAt: line.nowAt, pieces: line.pieces }));
    }
  }
  return rows;
}

const TEXT_FIELDS = ["text", "transcript", "sentence", "utterance", "display"];

/** Pairs the texts of two JSON documents, or of the lines of two files of JSON. */
function jsonRows(was, now) {
  const [before, after] = [documentsOf(was), documentsOf(now)];
  const rows = after.flatMap((value, n) => textsOf(before[n], value, after.length > 1 ? String(n + 1) : ""));
  return rows.length ? rows : lineRows(was, now).map((row) => ({ ...row, nowAt: undefined }));
}

/** Reads a document, or one a line. Recognisers in Python write NaN, which is not JSON. */
function documentsOf(text) {
  const json = text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (found) => (found[0] === '"' ? found : "null"));
  try {
    return [JSON.parse(json)];
  } catch {
    try {
      return json.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
    } catch {
      return [];
    }
  }
}

function textsOf(was, now, label) {
  if (Array.isArray(now)) return now.flatMap((value, n) => textsOf(was?.[n], value, label || String(n + 1)));
  if (now === null || typeof now !== "object") return [];
  const rows = [];
  const place = typeof now.start === "number" ? clock(now.start) : label;
  const inside = Object.keys(now).filter((name) => name !== "words" && name !== "tokens");
  for (const name of inside) {
    const [old, value] = [was?.[name], now[name]];
    if (typeof value === "object") rows.push(...textsOf(old, value, ""));
  }
  // The text of a document is that of its segments again.
  if (rows.length) return rows;
  for (const name of inside) {
    const [old, value] = [was?.[name], now[name]];
    if (typeof value !== "string" || typeof old !== "string") continue;
    if (!TEXT_FIELDS.includes(name) && old === value) continue;
    const [shown, restored] = [old.trim(), value.trim()];
    rows.push({ label: place, was: shown, now: restored, pieces: pieces(shown, restored) });
  }
  return rows;
}

function clock(seconds) {
  const two = (n) => String(Math.floor(n)).padStart(2, "0");
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}
