/** The tag of a language that has models in the package. */
export type Language = "en" | "es" | "fr" | "nl" | "pt" | "de" | "it";

/** The models of a language: `accurate`, a network, is the program's usual one; `fast` has a quarter of its size. */
export type Preset = "accurate" | "fast";

/** A format that files are read in. */
export type Format = "auto" | "text" | "srt" | "vtt" | "ass" | "ttml" | "ctm" | "stm" | "jsonl" | "whisper-json" | "conll" | "trn" | "nlp" | "labels" | "tsv" | "csv" | "lrc" | "kaldi" | "tok";

/** The options of restoring, named as the program's. */
export interface RestoreOptions {
  /** Your own spellings, such as `["iPhone", "New York"]`: they always win. */
  spellings?: string[];
  /** The former name of `spellings`. */
  words?: string[];
  /** The tag of the text's language, for its abbreviations; by default the model's. */
  lang?: string;
  // Options: begin
  /** Extent of one text: words of one text influence each other, words of two texts never do. With line, no line or record waits for the next one. */
  context?: "auto" | "line" | "file";
  /** Capitals of the input to keep: auto by default, but ignore for live text, which cannot wait for the whole line that auto examines. */
  case?: "auto" | "keep" | "ignore";
  /** Sentence starts that get a capital. */
  sentenceStart?: "auto" | "always" | "never";
  /** Balance between missing and superfluous capitals, for maxent and networks. */
  capitals?: "few" | "balanced" | "many";
  /** Rules of a house style, with commas between them. */
  style?: string;
  /** Insert commas, full stops and question marks where the text has no punctuation; all inserts them everywhere, and a list such as .,?!:;-… inserts these marks everywhere. */
  marks?: boolean | string;
  /** Form of punctuation marks: by default as the language writes them (with spaces in French), but apart in tok and joined in ctm, stm, trn and nlp. With apart, marks in ctm and conll get rows of their own. */
  markForm?: "written" | "joined" | "apart";
  /** Insert only punctuation marks of at least probability P (0 to 1); by default, the model decides by the costs it was trained with. With P, hmm and ngram use at most 8 later words. */
  markThreshold?: number;
  /** Language whose case mappings are used, such as tr or nl; by default the model's language. */
  locale?: string;
  /** Number of later words that a choice may depend on, which live text then waits for; 0 means no later words. By default all the context that the method uses, and 1 for live text. */
  lookAhead?: number;
  /** Leave a word as it is in the input if its case has a probability below P (0 to 1). The user's own spellings, capitals that are kept and sentence starts count as certain. */
  threshold?: number;
  /** Copy unreadable parts (bytes that are not UTF-8, parts of a file that are not in its format) unchanged, instead of stopping there. */
  lossy?: boolean;
  /** Text before the text, as at the cursor of an editor: it is context, and the text goes on in its last sentence. A space is inserted if one is missing. */
  before?: string;
  /** Text after the text, as at the cursor of an editor: it is context, and no sentence ends before its small letters. */
  after?: string;
  /** Number of contexts in which each word is decided. */
  predictions?: number;
  // Options: end
}

/** The format of the output, if it differs from the file's, and its new cues. */
export interface OutputOptions {
  // Options of the output: begin
  /** Format of the output; by default the one of its file extension, or else that of the input. Restoring cuts a recogniser's words into new cues if it writes srt, vtt or ass. */
  to?: Format;
  /** Refuse to leave out information that the other format cannot hold, such as cue settings in srt. */
  strict?: boolean;
  /** Begin a cue with the name of its speaker where the speaker changes (ANA: so we met), if the other format has no other place for it, as srt. Without speakers, plain text names none either: it is otherwise a transcript if the file has speakers, a paragraph for each turn, after the speaker's name. */
  speakers?: boolean;
  /** Names for the speakers of the file: SPEAKER_00=Laura,SPEAKER_01=Tom. */
  names?: string;
  /** Begin each paragraph of a transcript in plain text with its time: [00:12:07]. */
  times?: boolean;
  /** Write plain text in paragraphs also if the file has no speakers. */
  paragraphs?: boolean;
  /** Write the names of speakers in a transcript in bold type, as Markdown does. */
  markdown?: boolean;
  /** Cut the words into new cues: at the ends of sentences, otherwise at commas and pauses, and where the speaker changes. */
  cues?: "sentence";
  /** Maximum length of a line of a new cue, in characters; 42 by default. */
  maxChars?: number;
  /** Maximum number of lines in a new cue; 2 by default. */
  maxLines?: number;
  /** Maximum duration of a new cue, in seconds; 7 by default. */
  maxSeconds?: number;
  /** Minimum duration of a new cue, in seconds: a cue stays on the screen after its words if there is time (1 by default). Shorter cues are reported in a note. */
  minSeconds?: number;
  /** Maximum reading speed, in characters per second (17 by default); faster cues are reported in a note. */
  maxCps?: number;
  // Options of the output: end
}

/** The options of restoring a file. With `to` it is then converted; a recogniser's words become cues of subtitles. */
export interface FileOptions extends RestoreOptions, OutputOptions {
  /** The format; by default by the name or the first bytes. */
  format?: Format;
  /** The name of the file, which indicates the format and appears in errors. */
  name?: string;
  /** The encoding of a file without a byte-order mark: UTF-8 by default, or UTF-16. */
  encoding?: string;
  // Options of files: begin
  /** Field of jsonl, or column of tsv or csv, that holds the text (text by default; result.text names a nested field of jsonl); number of the conll column that holds the words, or of the column of a table without a header. */
  field?: string;
  /** End a sentence at each pause of at least this many seconds between the words of ctm, the segments of stm and whisper-json, or the cues of srt, vtt and ass. */
  pauseEnds?: number | "never";
  /** Lines of the output: the lines of the input, or for plain text one sentence or one paragraph per line. */
  lines?: "same" | "sentence" | "paragraph";
  // Options of files: end
}

/** The options of a conversion. */
export interface ConvertOptions extends OutputOptions {
  /** The format of the output. */
  to: Exclude<Format, "auto">;
  /** The format of the file; by default by the name or the first bytes. */
  from?: Format;
  name?: string;
  encoding?: string;
  field?: string;
  /** The language of the text, for new cues. */
  lang?: string;
}

/** A word of a text, restored. */
export interface Word {
  /** The word as it is in the text. */
  text: string;
  /** The word with the case that it gets. */
  form: string;
  /** The position of its first code unit of UTF-16 in the text; of a word of `label`, its number. */
  start: number;
  /** The position after its last code unit. */
  end: number;
  /** The word with that case and with the marks that are inserted, as its language writes them. */
  written: string;
  /** The punctuation mark inserted after it. */
  mark?: string;
  /** The opening inserted before it (`¿`). */
  opening?: string;
  /** The probability of the case, from 0 to 1. */
  probability?: number;
  /** The probability of the mark, or of no mark; only with `marks`. */
  markProbability?: number;
  /** True if a sentence ends after it. */
  sentenceEnd?: boolean;
}

/** What became of a file. */
export declare class FileResult {
  private constructor();
  /** The file. */
  readonly bytes: Uint8Array;
  /** The file as a text. */
  readonly text: string;
  /** Its format. */
  readonly format: Format;
  /** The tag of the language that it was restored in; none of a conversion. */
  readonly language?: string;
  /** Its encoding; none of a conversion, which writes UTF-8. */
  readonly encoding?: string;
  /** What may surprise, such as a text in another language. */
  readonly notes: string[];
}

/** A text that is restored while it arrives. All that is returned by `push`, `now` and `finish` together is the text. */
export declare class LiveStream {
  private constructor();
  /** Takes the next part of the text, cut anywhere, and returns what is certain by then. */
  push(text: string): string;
  /** Stops waiting: returns all that has come, with the right context there is. */
  now(): string;
  /** Returns what `now` would return, and continues to wait. */
  tail(): string;
  /** Ends the text and returns the rest, with half a surrogate pair whose other half never came. */
  finish(): string;
  /** True once the text has ended. */
  readonly isFinished: boolean;
}

/** A file: bytes, or a string, which is UTF-8. */
export type File = Uint8Array | ArrayBuffer | string;

/** A trained model. */
export declare class Model {
  private constructor();
  /** The tag of its language. */
  readonly language: string;
  /** Its method. */
  readonly method: string;
  /** The marks that it can insert. */
  readonly marks: string;
  /** True after a bug ended it: load it again. */
  readonly isBroken: boolean;
  /** Restores a text. */
  restore(text: string, options?: RestoreOptions): string;
  /** Returns the words of a text, restored. */
  words(text: string, options?: RestoreOptions): Word[];
  /** Restores words that come without a text, such as a recogniser's, and returns one for each. */
  label(words: Iterable<string>, options?: RestoreOptions): Word[];
  /** Starts a text that is restored while it arrives. Marks have to be named then, as in `{ marks: "all" }`. */
  stream(options?: RestoreOptions): LiveStream;
  /** Returns a stream of strings: live text in, restored text out as soon as it is certain. */
  transform(options?: RestoreOptions): TransformStream<string, string>;
  /** Restores a file: the same bytes with other capitals, or converted with `to`. */
  restoreFile(file: File, format?: Format, options?: FileOptions): FileResult;
  restoreFile(file: File, options: FileOptions): FileResult;
  /** Converts a file to another format. */
  convert(file: File, options: ConvertOptions): FileResult;
}

/** Where the files of the package are, if not in the module's folder: a folder of the same origin as the module or the page. */
export interface Place {
  base?: string | URL;
}

/** How a model is loaded. */
export interface LoadOptions extends Place {
  /**
   * `text` is smaller and slower code for text and subtitles, with the preset `fast`; it does not convert.
   */
  core?: "all" | "text";
}

/** Loads the model of a language (once), or one from the bytes of a packed file, such as `train` of the program writes. */
export declare function load(language?: Language | (string & {}), options?: { preset?: Preset } & LoadOptions): Promise<Model>;
export declare function load(bytes: Uint8Array | ArrayBuffer, options?: LoadOptions): Promise<Model>;

/** Detects the language of a text; `undefined` if the text does not show it, or has no model here. */
export declare function detectLanguage(text: string, options?: Place): Promise<Language | undefined>;

/** Detects the language of a text, or of a file in bytes, with a remark if the text does not tell one that has a model. */
export declare function languageOf(
  given: File,
  options?: Pick<FileOptions, "name" | "format" | "encoding" | "field"> & Place,
): Promise<{ language?: Language; note?: string }>;

/** Converts a file to another format; no model is loaded. */
export declare function convert(file: File, options: ConvertOptions & Place): Promise<FileResult>;

/** The languages that have models in the package. */
export declare const LANGUAGES: Language[];

/** The presets that each language has. */
export declare const PRESETS: Preset[];

/** An error in the program's words: wrong arguments, a wrong file, a wrong model, or a bug. */
export declare class MajusculeError extends Error {
  readonly kind: "usage" | "input" | "model" | "bug";
}
