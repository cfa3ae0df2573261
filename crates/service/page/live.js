/** A live text: what is typed or replayed goes to a stream, and settled and open results come back. */

import { pair, pieces } from "./align.js";

const PAUSE = 3000; // ms after a failure until typing tries again
const RETRIES = 4; // streams that fail in a row after a lost connection, until it is given up
const WORD_TIME = 375; // ms a word: 160 words a minute, as people speak
const PARAGRAPH = { words: 60, silence: 4000 }; // a sentence after so many words, or so many ms, begins a paragraph

export class LiveText {
  #engine;
  #show;
  #tell;
  #stream = null;
  #sent = ""; // the text that the stream has, or the next one gets
  #used = 0; // the length of its part that is settled
  #rows = [];
  #interim = "";
  #timer = 0;
  #isWhole = false; // true once no more text comes
  #retry = 0; // the time before which typing begins no stream
  #heard = 0; // the time of the last settled text

  /** `show(rows)` shows rows; `tell(state, error)` is told of `none`, `on`, `replay` and `off`, and of errors. */
  constructor(engine, show, tell) {
    [this.#engine, this.#show, this.#tell] = [engine, show, tell];
  }

  get isReplaying() {
    return this.#timer !== 0;
  }

  /** The settled text. */
  get text() {
    return this.#rows.map(({ now }) => now).join("\n");
  }

  /** Takes the text as it is now typed. A text that is no longer what was sent begins anew. */
  type(text, options) {
    if (!text.startsWith(this.#sent)) this.stop();
    if (!this.#stream && (!text.trim() || performance.now() < this.#retry)) return;
    if (!this.#stream) this.#begin(options);
    const more = text.slice(this.#sent.length);
    if (more) this.#send(more);
  }

  /** Sends a text word by word, as fast as people speak. */
  replay(text, options) {
    this.stop();
    const words = text.match(/\s*\S+\s*/g) ?? [];
    if (!words.length) return;
    this.#begin(options);
    let next = 0;
    this.#timer = setInterval(() => {
      this.#send(words[next++]);
      if (next === words.length) this.finish();
    }, WORD_TIME);
    this.#tell("replay");
  }

  /** Ends the text: decides all of it. */
  finish() {
    this.#rest();
    this.#isWhole = true;
    this.#stream?.close();
  }

  /** Forgets the text. */
  stop() {
    this.#rest();
    this.#stream?.abort();
    [this.#stream, this.#sent, this.#used, this.#rows, this.#interim, this.#isWhole] = [null, "", 0, [], "", false];
    this.#draw();
    this.#tell("none");
  }

  #rest() {
    clearInterval(this.#timer);
    this.#timer = 0;
  }

  #send(text) {
    this.#sent += text;
    this.#stream?.send(text);
  }

  /** Begins a stream, after so many that failed in a row. */
  #begin(options, failed = 0) {
    const stream = this.#engine.stream(options, {
      begin: () => {
        failed = 0;
        if (this.#stream === stream) this.#tell(this.isReplaying ? "replay" : "on");
      },
      results: (message) => this.#stream === stream && this.#take(message),
      error: (detail) => this.#stream === stream && this.#tell("on", detail),
      end: (error) => {
        if (this.#stream !== stream) return;
        if (!(error?.isLost || (error && failed)) || failed >= RETRIES) return this.#ended(error);
        setTimeout(() => this.#stream === stream && this.#goOn(options, failed + 1), 250 * 2 ** failed);
      },
    });
    this.#stream = stream;
  }

  /** Sends another stream what is not settled, and the words of its line before it, by which it knows where it is. */
  #goOn(options, failed) {
    const line = this.#rows.at(-1);
    if (line) {
      this.#used -= line.was.length;
      this.#interim = line.now + this.#interim;
      Object.assign(line, { was: "", now: "", pieces: [] });
    }
    this.#begin(options, failed);
    this.#stream.send(this.#sent.slice(this.#used));
    if (this.#isWhole) this.#stream.close();
  }

  #ended(error) {
    this.#rest();
    this.#stream = null;
    if (error) this.#retry = performance.now() + PAUSE;
    // What is typed from now on is another text.
    this.#sent = "\0";
    this.#tell("off", error?.message);
  }

  #take({ is_final, transcript }) {
    if (!is_final) {
      this.#interim = transcript;
      return this.#draw();
    }
    this.#interim = "";
    const was = this.#sent.slice(this.#used);
    const { used } = pair(was, transcript);
    this.#used += used;
    this.#add(was.slice(0, used), transcript);
    this.#draw();
  }

  /** Adds settled text to the rows, whose words it may continue. */
  #add(was, now) {
    const [before, after] = [was.split("\n"), now.split("\n")];
    const begins = this.#endsParagraph();
    if (begins) after[0] = after[0].trimStart();
    after.forEach((line, n) => {
      if (n || begins || !this.#rows.length) this.#rows.push({ label: "", was: "", now: "", pieces: [] });
      const row = this.#rows.at(-1);
      row.pieces = [...row.pieces, ...(before.length === after.length ? pieces(before[n], line) : [line])];
      [row.was, row.now] = [row.was + (before[n] ?? ""), row.now + line];
    });
  }

  /** Whether a paragraph begins with the next settled text: after a sentence, in a long paragraph or after a silence. */
  #endsParagraph() {
    const { now = "" } = this.#rows.at(-1) ?? {};
    const silence = performance.now() - this.#heard;
    this.#heard += silence;
    if (!/[.?!…]["'”’»)\]]*\s*$/.test(now)) return false;
    return silence > PARAGRAPH.silence || now.split(/\s+/).length > PARAGRAPH.words;
  }

  #draw() {
    const rows = this.#rows.length || !this.#interim ? this.#rows : [{ label: "", was: "", now: "", pieces: [] }];
    const last = rows.length - 1;
    this.#show(rows.map((row, n) => (n === last ? { ...row, interim: this.#interim } : row)));
  }
}
