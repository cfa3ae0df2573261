/** What the types allow, and what they refuse. It is compiled, not run. */

import { type Word, MajusculeError, convert, detectLanguage, languageOf, load } from "majuscule";

const m = await load("en", { preset: "fast" });
const text: string = m.restore("we met", { marks: true, spellings: ["iPhone"], lookAhead: 1 });
const words: Word[] = m.words(text);
const places: [number, number][] = words.map(({ start, end }) => [start, end]);
const certain: number = words[0]?.probability ?? 0;
const labelled: Word[] = m.label(new Set(["we", "met"]));
const live = m.stream({ sentenceStart: "never" });
const parts: string[] = [live.push("we"), live.tail(), live.now(), live.finish()];
const piped: ReadableStream<string> = new ReadableStream<string>().pipeThrough(m.transform());
const bytes: Uint8Array = m.restoreFile(new Uint8Array(), "srt", { marks: "all" }).bytes;
const notes: string[] = m.restoreFile("a", { name: "a.txt", lines: "sentence" }).notes;
const cues: string = m.restoreFile(bytes, { name: "a.json", to: "srt", maxChars: 30, cues: "sentence" }).text;
const vtt: string = (await convert(bytes, { to: "vtt", from: "srt", cues: "sentence", maxChars: 30 })).text;
const language: string | undefined = await detectLanguage(text);
const { note } = await languageOf(bytes, { name: "a.srt" });
await load(new Uint8Array());
if (new Error() instanceof MajusculeError) throw new Error();

// @ts-expect-error: there is no such option
m.restore(text, { mark: true });
// @ts-expect-error: there is no such preset
await load("en", { preset: "best" });
// @ts-expect-error: a conversion names its output
m.convert(bytes, { from: "srt" });
// @ts-expect-error: a file is no number
m.restoreFile(3);

export { certain, cues, labelled, language, note, notes, parts, piped, places, vtt };
