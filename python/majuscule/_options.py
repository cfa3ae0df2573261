"""The options of the program's verbs as keyword arguments. Made by tools/generate.py: change the program instead."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, TypedDict

Path = str | os.PathLike[str]


class RestoreFileOptions(TypedDict, total=False):
    """The options of `majuscule restore`."""

    after: str
    """Text after the text, as at the cursor of an editor: it is context, and no sentence ends before its small
    letters."""
    before: str
    """Text before the text, as at the cursor of an editor: it is context, and the text goes on in its last sentence.
    A space is inserted if one is missing."""
    capitals: Literal["few", "balanced", "many"]
    """Balance between missing and superfluous capitals, for maxent and networks. The default is balanced."""
    case: Literal["auto", "keep", "ignore"]
    """Capitals of the input to keep: auto by default, but ignore for live text, which cannot wait for the whole line
    that auto examines."""
    context: Literal["auto", "line", "file"]
    """Extent of one text: words of one text influence each other, words of two texts never do. With line, no line or
    record waits for the next one. The default is auto."""
    cues: Literal["sentence"]
    """Cut the words into new cues: at the ends of sentences, otherwise at commas and pauses, and where the speaker
    changes."""
    dictated: bool
    """Replace dictated commands by what they write: comma, full stop, question mark, new line, open quote, ..."""
    encoding: str
    """Encoding of texts without a byte-order mark (one of UTF-8 or UTF-16 takes precedence): windows-1252, koi8-r,
    ..., named as in the WHATWG standard (its koi8-u has ў and Ў at AE and BE), but none with two bytes per character;
    UTF-8 by default. Texts are written in their own encoding, probabilities and diffs in UTF-8."""
    end_threshold: float
    """With overlapping windows, end a sentence after a word if more than this fraction of them do [default: 0.1]."""
    field: str
    """Field of jsonl, or column of tsv or csv, that holds the text (text by default; result.text names a nested field
    of jsonl); number of the conll column that holds the words, or of the column of a table without a header."""
    force: bool
    """Replace outputs that exist already."""
    format: Literal["auto", "text", "srt", "vtt", "ass", "ttml", "ctm", "stm", "jsonl", "whisper-json", "conll", "trn", "nlp", "labels", "tsv", "csv", "lrc", "kaldi", "tok"]
    """Format of the files; everything in them except the text stays unchanged. The default is auto."""
    group: str
    """Field of jsonl (call, or meta.call for a nested field) that groups records: consecutive records with the same
    value form one text."""
    input_limit: str
    """Maximum unpacked size of an input that must be held in memory as a whole: a list, a recipe, whisper-json, a
    transducer. One line of text may take 1/32 of it. The default is 256M."""
    lines: Literal["same", "sentence", "paragraph"]
    """Lines of the output: the lines of the input, or for plain text one sentence or one paragraph per line. The
    default is same."""
    locale: str
    """Language whose case mappings are used, such as tr or nl; by default the model's language."""
    look_ahead: int
    """Number of later words that a choice may depend on, which live text then waits for; 0 means no later words. By
    default all the context that the method uses, and 1 for live text."""
    lossy: bool
    """Copy unreadable parts (bytes that are not UTF-8, parts of a file that are not in its format) unchanged, instead
    of stopping there."""
    mark_form: Literal["written", "joined", "apart"]
    """Form of punctuation marks: by default as the language writes them (with spaces in French), but apart in tok and
    joined in ctm, stm, trn and nlp. With apart, marks in ctm and conll get rows of their own."""
    mark_threshold: float
    """Insert only punctuation marks of at least probability P (0 to 1); by default, the model decides by the costs it
    was trained with. With P, hmm and ngram use at most 8 later words."""
    marks: bool | str
    """Insert commas, full stops and question marks where the text has no punctuation; all inserts them everywhere,
    and a list such as .,?!:;-… inserts these marks everywhere."""
    max_chars: int
    """Maximum length of a line of a new cue, in characters; 42 by default."""
    max_cps: int
    """Maximum reading speed, in characters per second (17 by default); faster cues are reported in a note."""
    max_lines: int
    """Maximum number of lines in a new cue; 2 by default."""
    max_seconds: float
    """Maximum duration of a new cue, in seconds; 7 by default."""
    min_seconds: float
    """Minimum duration of a new cue, in seconds: a cue stays on the screen after its words if there is time (1 by
    default). Shorter cues are reported in a note."""
    names: str
    """Names for the speakers of the file: SPEAKER_00=Laura,SPEAKER_01=Tom."""
    no_speakers: bool
    """Name no speakers, in plain text either."""
    pause_ends: str
    """End a sentence at each pause of at least this many seconds between the words of ctm, the segments of stm and
    whisper-json, or the cues of srt, vtt and ass."""
    predictions_per_word: int
    """Decide each word in N overlapping windows: slower, but often better. A bert model averages its probabilities on
    texts longer than its window. With any other model, windows vote, and each begins 1/N of a window after the
    previous one."""
    sentence_start: Literal["auto", "always", "never"]
    """Sentence starts that get a capital. The default is auto."""
    speakers: bool
    """Begin a cue with the name of its speaker where the speaker changes (ANA: so we met), if the other format has no
    other place for it, as srt. Without speakers, plain text names none either: it is otherwise a transcript if the
    file has speakers, a paragraph for each turn, after the speaker's name."""
    step: int
    """Number of words from the beginning of one window to the beginning of the next [default: 1]."""
    strict: bool
    """Refuse to leave out information that the other format cannot hold, such as cue settings in srt."""
    style: Literal["small-offices", "title-headings", "capital-items"] | Iterable[Literal["small-offices", "title-headings", "capital-items"]]
    """Rules of a house style, with commas between them."""
    threads: int
    """Number of threads: at most, and by default, the number of cores. The output does not depend on it."""
    threshold: float
    """Leave a word as it is in the input if its case has a probability below P (0 to 1). The user's own spellings,
    capitals that are kept and sentence starts count as certain."""
    times: bool
    """Begin each paragraph of a transcript in plain text with its time: [00:12:07]."""
    to: Literal["auto", "text", "srt", "vtt", "ass", "ttml", "ctm", "stm", "jsonl", "whisper-json", "conll", "trn", "nlp", "labels", "tsv", "csv", "lrc", "kaldi", "tok"]
    """Format of the output; by default the one of its file extension, or else that of the input. Restoring cuts a
    recogniser's words into new cues if it writes srt, vtt or ass."""
    window: int
    """Cut texts into overlapping windows of this many words, which vote on the case of each word and on the mark
    after it (see end_threshold for sentence ends) [default: 200]."""
    spellings: Iterable[str]
    """Your own spellings, one word or phrase per line (iPhone, New York); they always win."""
    words: Iterable[str]
    """The former name of `spellings`."""


class ConvertOptions(TypedDict, total=False):
    """The options of `majuscule convert`."""

    cues: Literal["sentence"]
    """Cut the words into new cues: at the ends of sentences, otherwise at commas and pauses, and where the speaker
    changes."""
    encoding: str
    """Encoding of a file without a byte-order mark (one of UTF-8 or UTF-16 takes precedence): windows-1252, koi8-r,
    shift_jis, gbk, ..., named as in the WHATWG standard (its koi8-u has ў and Ў at AE and BE); UTF-8 by default. The
    output is UTF-8."""
    field: str
    """Field of jsonl that holds the text (text by default)"""
    force: bool
    """Replace outputs that exist already."""
    from_: Literal["auto", "text", "srt", "vtt", "ass", "ttml", "ctm", "stm", "jsonl", "whisper-json", "conll", "trn", "nlp", "labels", "tsv", "csv", "lrc", "kaldi", "tok"]
    """Format of the input; by default the format of its file extension."""
    input_limit: str
    """Maximum unpacked size of an input that must be held in memory as a whole: a list, a recipe, whisper-json, a
    transducer. One line of text may take 1/32 of it. The default is 256M."""
    lang: str
    """Language of the text, such as en, whose abbreviations, articles and prepositions guide the cuts; by default the
    language that the file declares, or else any language."""
    max_chars: int
    """Maximum length of a line of a new cue, in characters; 42 by default."""
    max_cps: int
    """Maximum reading speed, in characters per second (17 by default); faster cues are reported in a note."""
    max_lines: int
    """Maximum number of lines in a new cue; 2 by default."""
    max_seconds: float
    """Maximum duration of a new cue, in seconds; 7 by default."""
    min_seconds: float
    """Minimum duration of a new cue, in seconds: a cue stays on the screen after its words if there is time (1 by
    default). Shorter cues are reported in a note."""
    names: str
    """Names for the speakers of the file: SPEAKER_00=Laura,SPEAKER_01=Tom."""
    no_speakers: bool
    """Name no speakers, in plain text either."""
    speakers: bool
    """Begin a cue with the name of its speaker where the speaker changes (ANA: so we met), if the other format has no
    other place for it, as srt. Without speakers, plain text names none either: it is otherwise a transcript if the
    file has speakers, a paragraph for each turn, after the speaker's name."""
    strict: bool
    """Refuse to leave out information that the other format cannot hold, such as cue settings in srt."""
    times: bool
    """Begin each paragraph of a transcript in plain text with its time: [00:12:07]."""
    to: Literal["auto", "text", "srt", "vtt", "ass", "ttml", "ctm", "stm", "jsonl", "whisper-json", "conll", "trn", "nlp", "labels", "tsv", "csv", "lrc", "kaldi", "tok"]
    """Format of the output; by default the one of its file extension, or else that of the input. Restoring cuts a
    recogniser's words into new cues if it writes srt, vtt or ass."""


class TrainOptions(TypedDict, total=False):
    """The options of `majuscule train`."""

    arcs: Literal["failure", "epsilon"]
    """The kind of arcs that back off to shorter n-grams. The default is failure."""
    average: bool
    """Use the average of the weights over all words instead of the final weights (AdaGrad)"""
    back_off: bool
    """Back off to shorter histories only for unseen n-grams, instead of interpolating all of them."""
    begin_weights: Path
    """Take the weights for sentence beginnings from a file too (maxent features target begin)"""
    bits: str
    """The binary logarithm of the number of hashed weights that features share. The default is 24."""
    capital_cost: str
    """The cost of a wrong capital relative to the cost of a missing one: above 1 for precision, below for recall. The
    default is 1."""
    checkpoint: Path
    """Save the progress of training to this file now and then. If the file exists, training resumes from it and gives
    the same model; the file is removed once the model is written."""
    checkpoint_every: int
    """The number of words after which the checkpoint is written again. The default is 5000000."""
    cost: float
    """The cost of −ln P of a word relative to half the squared weights; 1 by default (LIBLINEAR)"""
    dictionary: Path
    """The names of the features that other files give as numbers, as written by maxent features."""
    encoding: str
    """Encoding of texts without a byte-order mark, which identifies UTF-16 and UTF-8: windows-1252, koi8-r,
    shift_jis, gbk, ..., named as in the WHATWG standard (its koi8-u has ў and Ў at AE and BE); UTF-8 by default."""
    end_cost: str
    """The cost of a superfluous sentence end relative to the cost of a missing one; by default the cost with the best
    F on held-out text, or the value of mark_cost."""
    epochs: int
    """The number of passes over the corpus. The default is 1."""
    features: Literal["word", "bigrams", "trigrams", "neighbours", "wide", "affixes", "shape", "profile", "marks", "spans", "ngrams", "lists", "lists-around", "forms", "forms-around", "tags", "tags-around", "clusters", "previous"] | Iterable[Literal["word", "bigrams", "trigrams", "neighbours", "wide", "affixes", "shape", "profile", "marks", "spans", "ngrams", "lists", "lists-around", "forms", "forms-around", "tags", "tags-around", "clusters", "previous"]]
    """The groups of features; by default a useful selection, with the groups of list, forms and tagger if these are
    given."""
    field: str
    """Field of jsonl that holds the text (text by default; result.text names a nested field), column of tsv (text by
    default; a name in the first line, or a number counted from 1 if the file has no such line), or number of the
    conll column that holds the words."""
    force: bool
    """Replace outputs that exist already."""
    format: Literal["auto", "text", "srt", "vtt", "ass", "ttml", "ctm", "stm", "jsonl", "whisper-json", "conll", "trn", "nlp", "labels", "tsv", "csv", "lrc", "kaldi", "tok"]
    """Format of the files; a line of text is a sentence. The default is auto."""
    forms: Path
    """A lexicon of other text, from lexicon build, in which the usual spellings of words are looked up. The model
    includes it."""
    held_out: float
    """Hold out this fraction of the examples, and stop when the loss on them gets worse; the best weights are kept
    (AdaGrad, with several epochs) The default is 0."""
    input_limit: str
    """Maximum unpacked size of an input that must be held in memory as a whole: a list, a recipe, whisper-json, a
    transducer. One line of text may take 1/32 of it. The default is 256M."""
    l1: float
    """The L1 penalty on the absolute values of weights, relative to the sum of −ln P over the words; it makes many
    weights 0 (AdaGrad) The default is 0."""
    l2: float
    """The L2 penalty on half the squared weights, relative to the same sum: LIBLINEAR's 1/C, and 1 in MegaM (AdaGrad,
    L-BFGS) The default is 0."""
    lang: str
    """Language of the text; en,pt for text in several languages [default: en; detected where a model or a lexicon
    stores it]."""
    lexicon: Path | Iterable[Path]
    """Add the counts of a lexicon or the entries of a word list; with one, no corpus is needed."""
    list: Path | Iterable[Path]
    """A list of words and phrases in which words are looked up, one entry per line; may be given up to 16 times. The
    model includes it."""
    lm: Path
    """Use an existing language model, ARPA or binary, instead of training one; the map is then built from its words,
    unless map or a corpus gives one."""
    locale: str
    """Language whose case mappings are used, such as tr or nl; by default the one in lang."""
    look_ahead: int
    """The number of words of right context that the features see: at most 3, or 8 with marks (3 of them for case) The
    default is 3."""
    lower_min_count: int
    """Leave out words whose most frequent form is lower-cased and that were seen fewer times than this: the model is
    smaller, and these words stay lower-cased anyway. The default is 0."""
    map: Path
    """Use an existing map of forms, in the format of SRILM's disambig and `lexicon export format map`."""
    map_weight: float
    """The exponent of the map's weights, which for a corpus are the relative frequencies of a word's forms; 0 ignores
    them, as the paper's T does. The default is 0."""
    mark_cost: str
    """The cost of a superfluous mark inside a sentence relative to the cost of a missing one; by default the cost
    with the best F on held-out text, or 1 without such text."""
    mark_size: int
    """Keep N features of punctuation; by default as many as of case."""
    marks: bool | str
    """Also learn punctuation: commas, full stops and question marks, or the marks listed (.,?!:;-…)"""
    min_count: float | Iterable[float]
    """For each order, the lowest raw count that an n-gram needs to be kept: 1,5,5 drops n-grams of orders 2 and up
    that were seen fewer than five times. The last value holds for all higher orders; discounts are computed before
    any n-gram is dropped."""
    no_parts: bool
    """Keep unseen compound words (jean-jacques) lower-cased, as the papers' baseline does, instead of giving them the
    case of their parts."""
    order: int
    """The length of the longest n-grams, from 1 to 7. The default is 3."""
    pack: Path
    """Also write the model as one packed file, as the built-in models are."""
    patience: int
    """The number of epochs in a row that may be worse than the best. The default is 1."""
    protocol: str
    """Training protocol: text, batista, rei, susanto, asr, asr:N (windows of N words), mix (alternates all kinds of
    text) or windows (for networks) [default: mix for maxent, text otherwise]."""
    rate: str
    """The learning rate. The default is 0.1."""
    right_context_dropout: float
    """Dropout of right context: this fraction of the examples sees fewer words of it than look_ahead, down to none,
    so that the model also works with less look-ahead. The default is 0.25."""
    seed: int
    """The seed of the choice of held-out examples. The default is 1."""
    shuffle: int
    """Shuffle the corpus in memory first, in stretches of N consecutive sentences, so that the text at its end has no
    larger influence than the rest; 0 keeps the order, and the corpus on disk. The default is 16."""
    size: str
    """Keep the N features with the largest weights, and train those again; or with a size such as 2MB or 500kB, keep
    as many as fit, with the words, into a packed model of that size. The default is 1000000."""
    smoothing: Literal["modified-kneser-ney", "kneser-ney", "witten-bell", "good-turing"]
    """The smoothing method, which reserves probability for unseen n-grams. The default is modified-kneser-ney."""
    solver: Literal["adagrad", "lbfgs", "liblinear", "liblinear-dual"]
    """The solver that finds the weights. The default is adagrad."""
    solver_memory: str
    """The memory that LIBLINEAR or L-BFGS may take, such as 2G or 500M: each holds the whole corpus. The default is
    4G."""
    spellings: Path | Iterable[Path]
    """A list of words in mixed case that the corpus may lack, one per line as it is spelled: iPhone, O'Neill. Entries
    of a list count too; may be given several times."""
    split: bool
    """Split lines of text, and texts of tsv and jsonl, into sentences; without it each line is one sentence. Files of
    other formats have their own sentences."""
    tagger: Path
    """A tagger, from tagger train, whose parts of speech are features of words. The model includes it."""
    threads: int
    """Number of threads: at most, and by default, the number of cores. The model does not depend on it."""
    unknown: Literal["guess", "keep"]
    """The treatment of words that are not in the map. The default is guess."""
    vocabulary: int
    """Keep the N most frequent forms in the language model; all others are counted as the unknown word."""
    weight_bits: Literal["8", "16"]
    """The number of bits of a weight in the model: with 8, weights above 6 are cut to 6, with a note; 16 is the
    default for weights from a file or from a solver other than AdaGrad."""
    weights: Path
    """Take the weights from a file instead of learning them: a model of LIBLINEAR, whose features dictionary names,
    or weights of MegaM."""


class EvaluateOptions(TypedDict, total=False):
    """The options of `majuscule evaluate`."""

    align: Path
    """Output of a speech recogniser for the corpus, or a folder of outputs if the corpus is a folder: the model sees
    these words without case, one stream per recording, and they are aligned with the words of the corpus as in score
    align."""
    calibration: bool
    """Also compare the model's probabilities with the truth, including the probabilities of punctuation where the
    protocol scores it."""
    capitals: Literal["few", "balanced", "many"]
    """Balance between missing and superfluous capitals, for maxent and networks. The default is balanced."""
    case: Literal["auto", "keep", "ignore"]
    """Capitals of the recogniser's output that count, with each recording as one line; none by default. Without align
    a model sees no capitals."""
    choices: Path
    """Write the words of each example to FILE, one JSON object per line: the true forms, the chosen forms and the
    words that do not count."""
    encoding: str
    """Encoding of texts without a byte-order mark, which identifies UTF-16 and UTF-8: windows-1252, koi8-r,
    shift_jis, gbk, ..., named as in the WHATWG standard (its koi8-u has ў and Ў at AE and BE); UTF-8 by default."""
    end_threshold: float
    """With overlapping windows, end a sentence after a word if more than this fraction of them do [default: 0.1]."""
    field: str
    """Field of jsonl that holds the text (text by default; result.text names a nested field), column of tsv (text by
    default; a name in the first line, or a number counted from 1 if the file has no such line), or number of the
    conll column that holds the words."""
    force: bool
    """Replace outputs that exist already."""
    format: Literal["auto", "text", "srt", "vtt", "ass", "ttml", "ctm", "stm", "jsonl", "whisper-json", "conll", "trn", "nlp", "labels", "tsv", "csv", "lrc", "kaldi", "tok"]
    """Format of the files; a line of text is a sentence. The default is auto."""
    input_limit: str
    """Maximum unpacked size of an input that must be held in memory as a whole: a list, a recipe, whisper-json, a
    transducer. One line of text may take 1/32 of it. The default is 256M."""
    intervals: bool
    """Also print 95 % intervals, from a bootstrap over the examples as in compare."""
    lang: str
    """Language of the text; en,pt for text in several languages [default: en; detected where a model or a lexicon
    stores it]."""
    look_ahead: int
    """Number of later words that a choice may depend on; 0 means no later words."""
    mark_threshold: float
    """Score only punctuation marks of at least probability P (0 to 1), as in restore mark_threshold."""
    per_category: bool
    """Also score each category of the labels of stm by itself, such as the focus condition f0."""
    per_file: bool
    """Also score each file by itself."""
    per_speaker: bool
    """Also score each speaker by itself, in stm and nlp."""
    predictions_per_word: int
    """Decide each word in N overlapping windows: slower, but often better. A bert model averages its probabilities on
    texts longer than its window. With any other model, windows vote, and each begins 1/N of a window after the
    previous one."""
    protocol: str
    """Protocol: what a system sees and which words count (text, batista, rei, susanto, asr, or asr:N; with marks
    iwslt, sepp, punctuator2 or segments) The default is text."""
    sentence_start: Literal["auto", "always", "never"]
    """Sentence starts that get a capital, as in restore; by default the model alone decides."""
    split: bool
    """Split lines of text, and texts of tsv and jsonl, into sentences; without it each line is one sentence. Files of
    other formats have their own sentences."""
    step: int
    """Number of words from the beginning of one window to the beginning of the next [default: 1]."""
    threads: int
    """Number of threads that a method may use: at most, and by default, the number of cores. The figures do not
    depend on it."""
    top: int
    """Number of errors to list, the most frequent first. The default is 20."""
    window: int
    """Cut texts into overlapping windows of this many words, which vote on the case of each word and on the mark
    after it (see end_threshold for sentence ends) [default: 200]."""
    spellings: Iterable[str]
    """Your own spellings, one word or phrase per line, as in restore; they always win."""
    words: Iterable[str]
    """The former name of `spellings`."""


class ScoreOptions(TypedDict, total=False):
    """The options of `majuscule score`."""

    align: bool
    """Align the words, which may differ: a recogniser's output with the true text. All words count; protocol iwslt or
    punctuator2 also scores the marks after them."""
    encoding: str
    """Encoding of texts without a byte-order mark, which identifies UTF-16 and UTF-8: windows-1252, koi8-r,
    shift_jis, gbk, ..., named as in the WHATWG standard (its koi8-u has ў and Ў at AE and BE); UTF-8 by default."""
    field: str
    """Field of jsonl that holds the text (text by default; result.text names a nested field), column of tsv (text by
    default; a name in the first line, or a number counted from 1 if the file has no such line), or number of the
    conll column that holds the words."""
    format: Literal["auto", "text", "srt", "vtt", "ass", "ttml", "ctm", "stm", "jsonl", "whisper-json", "conll", "trn", "nlp", "labels", "tsv", "csv", "lrc", "kaldi", "tok"]
    """Format of the files; a line of text is a sentence. The default is auto."""
    input_limit: str
    """Maximum unpacked size of an input that must be held in memory as a whole: a list, a recipe, whisper-json, a
    transducer. One line of text may take 1/32 of it. The default is 256M."""
    lang: str
    """Language of the text; en,pt for text in several languages [default: en; detected where a model or a lexicon
    stores it]."""
    locale: str
    """Language whose case mappings count (tr, az and nl have their own); by default the one in lang."""
    per_category: bool
    """Also score the words of each category of the reference, such as the focus condition f0, by themselves (stm)"""
    per_file: bool
    """Also score each recording by itself."""
    per_speaker: bool
    """Also score the words of each speaker of the reference by themselves (stm)"""
    protocol: str
    """Protocol: what a system sees and which words count (text, batista, rei, susanto, asr, or asr:N; with marks
    iwslt, sepp, punctuator2 or segments) The default is text."""
    split: bool
    """Split lines of text, and texts of tsv and jsonl, into sentences; without it each line is one sentence. Files of
    other formats have their own sentences."""
    top: int
    """Number of errors to list, the most frequent first. The default is 20."""


class CompareOptions(TypedDict, total=False):
    """The options of `majuscule compare`."""

    align: bool
    """Align recognisers' outputs, whose words may differ, with the text, and compare word errors, capitals,
    punctuation marks and sentence ends, each in its own table. Folders are paired by file names. Without protocol,
    punctuation is scored as under iwslt."""
    compact: bool
    """Print a table that fits a column of a page: F and SER with half of their intervals, and one p-value."""
    csv: Path
    """Also write all figures of align to this file, as comma-separated values."""
    encoding: str
    """Encoding of texts without a byte-order mark, which identifies UTF-16 and UTF-8: windows-1252, koi8-r,
    shift_jis, gbk, ..., named as in the WHATWG standard (its koi8-u has ў and Ў at AE and BE); UTF-8 by default."""
    field: str
    """Field of jsonl that holds the text (text by default; result.text names a nested field), column of tsv (text by
    default; a name in the first line, or a number counted from 1 if the file has no such line), or number of the
    conll column that holds the words."""
    force: bool
    """Replace outputs that exist already."""
    format: Literal["auto", "text", "srt", "vtt", "ass", "ttml", "ctm", "stm", "jsonl", "whisper-json", "conll", "trn", "nlp", "labels", "tsv", "csv", "lrc", "kaldi", "tok"]
    """Format of the files; a line of text is a sentence. The default is auto."""
    input_limit: str
    """Maximum unpacked size of an input that must be held in memory as a whole: a list, a recipe, whisper-json, a
    transducer. One line of text may take 1/32 of it. The default is 256M."""
    lang: str
    """Language of the text; en,pt for text in several languages [default: en; detected where a model or a lexicon
    stores it]."""
    latex: Path
    """Also write the tables of align to this file, as LaTeX with the rules of booktabs."""
    locale: str
    """Language whose case mappings count (tr, az and nl have their own); by default the one in lang."""
    output: Path | Iterable[Path]
    """Output of another system for the text; may be given several times."""
    protocol: str
    """Protocol: what a system sees and which words count (text, batista, rei, susanto, asr, or asr:N; with marks
    iwslt, sepp, punctuator2 or segments) The default is text."""
    resamples: int
    """Number of resamples of the examples. The default is 1000."""
    seed: int
    """Seed of the resampling: the same seed gives the same figures. The default is 1."""
    show_differences: bool | int
    """Show the errors by kind of word (sentence start, acronym, hyphen, office, unknown word, name), and at most N
    sentences that the systems write differently, those that distinguish them most first."""
    split: bool
    """Split lines of text, and texts of tsv and jsonl, into sentences; without it each line is one sentence. Files of
    other formats have their own sentences."""
    threads: int
    """Number of threads that a method may use: at most, and by default, the number of cores. The figures do not
    depend on it."""


class LmTrainOptions(TypedDict, total=False):
    """The options of `majuscule lm`."""

    back_off: bool
    """Back off to shorter histories only for unseen n-grams, instead of interpolating all of them."""
    counts: Path | Iterable[Path]
    """Files of lm count, instead of text: the model is trained on all of them together."""
    discount_fallback: bool | str | Iterable[str]
    """Discounts for orders with too few counts to estimate them, as in a small corpus."""
    encoding: str
    """Encoding of texts without a byte-order mark, which identifies UTF-16 and UTF-8: windows-1252, koi8-r,
    shift_jis, gbk, ..., named as in the WHATWG standard (its koi8-u has ў and Ў at AE and BE); UTF-8 by default."""
    field: str
    """Field of jsonl that holds the text (text by default; result.text names a nested field), column of tsv (text by
    default; a name in the first line, or a number counted from 1 if the file has no such line), or number of the
    conll column that holds the words."""
    force: bool
    """Replace outputs that exist already."""
    format: Literal["auto", "text", "srt", "vtt", "ass", "ttml", "ctm", "stm", "jsonl", "whisper-json", "conll", "trn", "nlp", "labels", "tsv", "csv", "lrc", "kaldi", "tok"]
    """Format of the files; a line of text is a sentence. The default is auto."""
    input_limit: str
    """Maximum unpacked size of an input that must be held in memory as a whole: a list, a recipe, whisper-json, a
    transducer. One line of text may take 1/32 of it. The default is 256M."""
    lang: str
    """Language of the text; en,pt for text in several languages [default: en; detected where a model or a lexicon
    stores it]."""
    marks: bool | str
    """Treat punctuation marks as words too: commas, full stops and question marks, or those listed (.,?!:;-…); other
    marks count as the nearest of these."""
    memory: str
    """Memory limit for counting and estimation, such as 2G or 500M; the rest goes to disk. The output does not depend
    on it. The limit does not cover the words, the input and output buffers and, except for .arpa, the model being
    written: about 12 bytes per n-gram of the highest order and 24 per other n-gram."""
    min_count: float | Iterable[float]
    """For each order, the lowest raw count that an n-gram needs to be kept: 1,5,5 drops n-grams of orders 2 and up
    that were seen fewer than five times. The last value holds for all higher orders; discounts are computed before
    any n-gram is dropped."""
    order: int
    """The length of the longest n-grams, from 1 to 7. The default is 3."""
    plain: bool
    """Treat everything between white space as a word, as other toolkits do."""
    protocol: str
    """Protocol that defines the words, such as text (all words of each sentence, no punctuation) or batista (also
    without its first word) The default is text."""
    prune: float | Iterable[float]
    """Pruning as in lmplz: n-grams seen at most N times are dropped, so 0,4,4 equals min_count 1,5,5."""
    smoothing: Literal["modified-kneser-ney", "kneser-ney", "witten-bell", "good-turing"]
    """The smoothing method, which reserves probability for unseen n-grams. The default is modified-kneser-ney."""
    split: bool
    """Split lines of text, and texts of tsv and jsonl, into sentences; without it each line is one sentence. Files of
    other formats have their own sentences."""
    temp: Path
    """Folder for temporary files under memory; by default the output's folder."""
    threads: int
    """Number of threads that read the text: at most, and by default, the number of cores. The output does not depend
    on it."""
    unknown: Literal["count", "prune"]
    """Treatment of n-grams with out-of-vocabulary words. The default is count."""
    vocabulary: int
    """Keep the N most frequent words, each with all its forms."""
    vocabulary_list: Path
    """Keep the words of a list, one per line."""


class LexiconBuildOptions(TypedDict, total=False):
    """The options of `majuscule lexicon`."""

    encoding: str
    """Encoding of texts without a byte-order mark, which identifies UTF-16 and UTF-8: windows-1252, koi8-r,
    shift_jis, gbk, ..., named as in the WHATWG standard (its koi8-u has ў and Ў at AE and BE); UTF-8 by default."""
    field: str
    """Field of jsonl that holds the text (text by default; result.text names a nested field), column of tsv (text by
    default; a name in the first line, or a number counted from 1 if the file has no such line), or number of the
    conll column that holds the words."""
    force: bool
    """Replace outputs that exist already."""
    format: Literal["auto", "text", "srt", "vtt", "ass", "ttml", "ctm", "stm", "jsonl", "whisper-json", "conll", "trn", "nlp", "labels", "tsv", "csv", "lrc", "kaldi", "tok"]
    """Format of the files; a line of text is a sentence. The default is auto."""
    input_limit: str
    """Maximum unpacked size of an input that must be held in memory as a whole: a list, a recipe, whisper-json, a
    transducer. One line of text may take 1/32 of it. The default is 256M."""
    lang: str
    """Language of the text; en,pt for text in several languages [default: en; detected where a model or a lexicon
    stores it]."""
    min_count: int
    """Drop words seen fewer times than this, in whatever case."""
    part: bool
    """Count a part of a corpus, which may have no capitals: merge parts adds the parts up."""
    protocol: str
    """Protocol under which to count, such as text, rei or batista. The default is text."""
    split: bool
    """Split lines of text, and texts of tsv and jsonl, into sentences; without it each line is one sentence. Files of
    other formats have their own sentences."""
    threads: int
    """Number of threads: at most, and by default, the number of cores."""
    vocabulary: int
    """Keep the N most frequent words, with all of their forms."""
