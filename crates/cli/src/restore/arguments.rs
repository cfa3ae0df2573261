//! The arguments of `majuscule restore`, and what they ask of the library.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use majuscule::error::Error;
use majuscule::files::{Encoding, Limits};
use majuscule::format::Format;
use majuscule::methods::Preset;
use majuscule::restore::LanguageChoice;
use majuscule::restore::pool::DEFAULT_LANGUAGE;
use majuscule::text::tokenize::Capitalized;
use majuscule::text::{
    CapitalBalance, Context, Locale, MarkForm, MarkPlaces, MarkSet, OutputForm, RestoreOptions,
    SentenceStart, StyleRule, WantedMarks,
};
use majuscule_arguments::{by_name, default_name};

use crate::backend::BackendArgs;
use crate::cascade::CascadeArgs;
use crate::convert::OutputFormArgs;
use crate::host;
use crate::page::threads;
use crate::stream::FollowOptions;
use crate::targets::Targets;
use crate::voting::VotingArgs;

/// Restores capital letters, and punctuation with --marks, in text
///
/// Only the case of letters changes, and --marks inserts punctuation. The format stays, unless the
/// extension of the output (-o talk.srt) or --to names another. The case of a word is decided by
/// the first of these that applies: the spellings of --words, capitals kept from the input
/// (--case), the start of a sentence (--sentence-start), the conventions of the language, the model.
#[derive(Debug, clap::Args)]
#[command(before_help = crate::COMMANDS, after_help = EXAMPLES)]
pub struct RestoreArgs {
    /// The limits on what is held in memory of a text.
    #[arg(from_global, id = "input_limit")]
    pub(super) limits: Limits,
    #[command(flatten)]
    pub(super) targets: Targets,
    #[command(flatten)]
    pub(super) output_form: OutputFormArgs,
    /// Format of the files; everything in them except the text stays unchanged
    ///
    /// In subtitles and transcripts a sentence continues from cue to cue, tags and [events] are not
    /// words, and a dash or a voice marks another speaker.
    #[arg(long, value_parser = by_name::<Format>(), default_value = default_name::<Format>())]
    pub(super) format: Format,
    /// Field of jsonl, or column of tsv or csv, that holds the text (text by default; result.text
    /// names a nested field of jsonl); number of the conll column that holds the words, or of the
    /// column of a table without a header
    #[arg(long, value_name = "NAME")]
    pub(super) field: Option<String>,
    /// Extent of one text: words of one text influence each other, words of two texts never do.
    /// With line, no line or record waits for the next one
    #[arg(long, value_parser = by_name::<Context>(), default_value = default_name::<Context>())]
    pub(super) context: Context,
    /// Field of jsonl (call, or meta.call for a nested field) that groups records: consecutive
    /// records with the same value form one text
    #[arg(long, value_name = "FIELD", conflicts_with = "context")]
    pub(super) group: Option<String>,
    /// Encoding of texts without a byte-order mark (one of UTF-8 or UTF-16 takes precedence):
    /// windows-1252, koi8-r, shift_jis, gbk, ..., named as in the WHATWG standard (its koi8-u has ў
    /// and Ў at AE and BE); UTF-8 by default. Texts are written in their own encoding,
    /// probabilities and diffs in UTF-8
    #[arg(long, value_name = "NAME")]
    pub(super) encoding: Option<Encoding>,
    /// Language of the built-in model: en (the default), es, fr, nl, pt, de, it, or auto
    ///
    /// auto detects the language of each file from its first 4 KiB, or 64 KiB if those do not
    /// suffice, and waits for these or for the end of the input. If the language is not detected or
    /// has no model, the file is restored in that of most files in its folder or in the run, or else
    /// in English, with a note on standard error. With auto or without --lang, the language declared
    /// in Whisper's JSON is used. Without auto, a text clearly in another language causes a warning.
    /// With a --model of several languages, --lang names the language of the text
    #[arg(long, value_name = "LANG", value_parser = crate::page::language)]
    pub(super) lang: Option<String>,
    /// Built-in model of the language to use
    #[arg(long, value_parser = by_name::<Preset>(), default_value = default_name::<Preset>())]
    pub(super) preset: Preset,
    /// Model made by train, used instead of a built-in one
    #[arg(long, value_name = "FOLDER", conflicts_with = "preset")]
    pub(super) model: Option<PathBuf>,
    #[command(flatten)]
    pub(super) cascade: CascadeArgs,
    /// Your own spellings, one word or phrase per line (iPhone, New York); they always win
    #[arg(long, value_name = "FILE")]
    pub(super) words: Option<PathBuf>,
    /// Capitals of the input to keep: auto by default, but ignore with --stream, which cannot wait
    /// for the whole line that auto examines
    #[arg(long, value_parser = by_name::<Capitalized>())]
    pub(super) case: Option<Capitalized>,
    /// Sentence starts that get a capital
    #[arg(long, value_parser = by_name::<SentenceStart>(), default_value = default_name::<SentenceStart>())]
    pub(super) sentence_start: SentenceStart,
    /// Balance between missing and superfluous capitals, for maxent and networks
    #[arg(long, value_parser = by_name::<CapitalBalance>(), default_value = default_name::<CapitalBalance>())]
    pub(super) capitals: CapitalBalance,
    /// Rules of a house style, with commas between them
    #[arg(long, value_name = "RULES", value_parser = by_name::<StyleRule>(), value_delimiter = ',')]
    pub(super) style: Vec<StyleRule>,
    /// Insert commas, full stops and question marks where the text has no punctuation; --marks=all
    /// inserts them everywhere, and a list such as --marks=.,?!:;-… inserts these marks everywhere
    ///
    /// By default (auto), a line or cue with punctuation is left as it is, and so is one without any
    /// between lines that have some. With --stream, which does not wait for whole lines, the default
    /// is all. Existing punctuation and capitals stay, so restoring a text twice changes nothing the
    /// second time. The model must have been trained with punctuation (train maxent --marks). Each
    /// word waits for the next one, since the input may have a mark between them.
    #[arg(
        long,
        visible_alias = "punctuate",
        value_name = "MARKS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = USUAL_MARKS,
        conflicts_with = "n_best"
    )]
    pub(super) marks: Option<MarksArg>,
    /// Form of punctuation marks: by default as the language writes them (with spaces in French),
    /// but apart in tok and joined in ctm, stm, trn and nlp. With apart, marks in ctm and conll get
    /// rows of their own
    #[arg(long, value_parser = by_name::<MarkForm>(), requires = "marks", conflicts_with = "n_best")]
    pub(super) mark_form: Option<MarkForm>,
    /// Insert only punctuation marks of at least probability P (0 to 1); by default, the model decides
    /// by the costs it was trained with. With P, hmm and ngram use at most 8 later words
    #[arg(long, value_name = "P", value_parser = crate::page::probability, allow_negative_numbers = true, requires = "marks", conflicts_with = "n_best")]
    pub(super) mark_threshold: Option<f32>,
    /// End a sentence at each pause of at least this many seconds between the words of ctm, the
    /// segments of stm and whisper-json, or the cues of srt, vtt and ass
    ///
    /// With --marks, pauses of 2 seconds end a sentence by default; never turns this off.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(super) pause_ends: Option<PauseEnds>,
    /// Lines of the output: those of the input, or one sentence per line, which is for plain text
    #[arg(long, value_enum, default_value_t, conflicts_with_all = ["confidence", "n_best", "json", "to", "cues"])]
    pub(super) lines: OutputLines,
    /// Language whose case pairs are used, such as tr or nl; that of the model by default
    #[arg(long, value_name = "LANG")]
    pub(super) locale: Option<Locale>,
    /// Print each word as soon as it is decided, without waiting for the end of its line
    ///
    /// A word ends at white space or at the end of the input. It is printed once the next word has
    /// ended too, or the next N words with --look-ahead N. Printed words never change, and the
    /// output does not depend on how the input is chunked, unless --max-delay fires. The rest of a
    /// line has no influence: a line begins a sentence if the text before it has ended one, and with
    /// --sentence-start always, every line does. Words also wait for the end of an open mark-up tag
    /// and of a phrase of --words that may still continue.
    ///
    /// With --format ctm, jsonl or whisper-json (one document per line), a record is printed once
    /// all its words are decided.
    #[arg(long, conflicts_with_all = ["n_best", "to", "cues"])]
    pub(super) stream: bool,
    /// With --stream and JSON, the field that identifies a record (id by
    /// default): a record whose identifier has occurred before replaces
    /// the earlier one, since recognisers revise their output
    #[arg(long, value_name = "NAME")]
    pub(super) id: Option<String>,
    /// With --stream, print words that have been pending for this long, decided by the words that
    /// have arrived; if that splits a word, its remainder is left unchanged
    #[arg(long, value_name = "MILLISECONDS", requires = "stream", conflicts_with = "n_best")]
    pub(super) max_delay: Option<u64>,
    /// Number of later words that a choice may depend on, which live text then waits for; 0 is
    /// none. By default all the context that the method uses, and 1 with --stream
    #[arg(long, visible_alias = "lookahead", value_name = "N")]
    pub(super) look_ahead: Option<usize>,
    #[command(flatten)]
    pub(super) voting: VotingArgs,
    #[command(flatten)]
    pub(super) backend: BackendArgs,
    /// Print each word on its own line with the probability of its case, and with --marks also the
    /// mark after it and its probability, instead of the text; an error for methods without
    /// probabilities
    #[arg(long, conflicts_with_all = ["to", "cues"])]
    pub(super) confidence: bool,
    /// Leave a word as it is in the input if its case has a probability below P (0 to 1). Words of
    /// --words, capitals that are kept and sentence starts count as certain
    #[arg(long, value_name = "P", value_parser = crate::page::probability, allow_negative_numbers = true, conflicts_with = "n_best")]
    pub(super) threshold: Option<f32>,
    /// Print JSON, one object per line
    ///
    /// With --confidence, one object per word:
    /// {"line":1,"form":"Lisbon","probability":0.98}, with "mark":"." where --marks inserts one and
    /// "mark_probability":0.91 of this mark or of none,
    /// and "sentence_end":true or false if the model predicts sentence ends. With --stream alone, one object per update:
    /// {"committed":"in ","tail":"Lisbon"}. The committed texts together are the output of
    /// --stream; tail may still change.
    #[arg(long, conflicts_with_all = ["n_best", "to", "cues"], verbatim_doc_comment)]
    pub(super) json: bool,
    /// Print the N most probable versions of each line, restored by
    /// itself: log10 of the probability, a tab and the text, with an empty
    /// line after the last; an error for methods without n-best lists
    #[arg(long, value_name = "N", value_parser = crate::page::number, conflicts_with_all = ["confidence", "look_ahead", "to", "cues"])]
    pub(super) n_best: Option<NonZeroUsize>,
    /// Copy unreadable parts (bytes that are not UTF-8, parts of a file that are not in its format)
    /// unchanged, instead of stopping there
    #[arg(long)]
    pub(super) lossy: bool,
    /// Number of threads: at most, and by default, the number
    /// of cores. The output does not depend on it
    #[arg(long, value_name = "N", value_parser = crate::page::number)]
    pub(super) threads: Option<NonZeroUsize>,
    /// Print errors only: no summary of many files, no notes, no progress
    #[arg(short, long)]
    pub(super) quiet: bool,
}

/// The lines of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum OutputLines {
    /// The lines of the input
    #[default]
    Same,
    /// One sentence per line; empty lines stay
    Sentence,
}

/// The value of `--marks`; `None` for a bare one: the usual marks, only where the text shows none, if it
/// is read whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarksArg(Option<WantedMarks>);

/// The value that stands for a bare `--marks`.
const USUAL_MARKS: &str = "usual";

impl FromStr for MarksArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |error: Error| error.worded(crate::flag);
        let named = (text != USUAL_MARKS).then(|| text.parse().map_err(wrong));
        Ok(Self(named.transpose()?))
    }
}

const EXAMPLES: &str = "\
Examples:
  majuscule restore talk.txt -o talk.cased.txt
  majuscule restore --marks talk.json -o talk.marked.json
  majuscule restore --marks talk.json -o talk.vtt --cues sentence --max-chars 36
  majuscule restore --marks talks/ --to srt -o subtitles/
  majuscule restore --in-place=.bak talks/
  majuscule restore --lang auto --encoding windows-1252 legendas/ -o restored/
  majuscule restore --check subtitles/*.vtt
  some-recogniser | majuscule restore | less
  some-recogniser | majuscule restore --stream --max-delay 500
  majuscule restore --lang pt --words my.words legendas.txt.gz
  majuscule restore --model my-model --sentence-start always talk.txt
  majuscule restore --cascade fast,my-tagger --sure 0.95 talk.txt";

/// The value of `--pause-ends`: the shortest pause that ends a sentence, if one does.
#[derive(Debug, Clone, Copy)]
pub(super) struct PauseEnds(Option<Duration>);

impl FromStr for PauseEnds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "never" {
            return Ok(Self(None));
        }
        let seconds = text.parse().ok().filter(|&seconds: &f64| (0.001..=3600.0).contains(&seconds));
        let least = seconds.map(Duration::from_secs_f64);
        least
            .map(|least| Self(Some(least)))
            .ok_or_else(|| "expected seconds from 0.001 to 3600, such as 1.5, or never".to_owned())
    }
}

impl RestoreArgs {
    /// Returns true if the model is a built-in one.
    pub(super) fn is_built_in(&self) -> bool {
        self.model.is_none() && self.cascade.files().is_empty()
    }

    /// Returns true if the language of each file selects its model.
    pub(super) fn is_told_by_file(&self) -> bool {
        self.lang() == "auto" && self.is_built_in()
    }

    /// The choice of the language of each text.
    pub(super) fn language(&self) -> LanguageChoice {
        match &self.lang {
            _ if self.is_told_by_file() => LanguageChoice::Detected,
            Some(language) => LanguageChoice::Named(language.clone()),
            None if self.stream => LanguageChoice::Fixed,
            None => LanguageChoice::Default,
        }
    }

    pub(super) fn lang(&self) -> &str {
        self.lang.as_deref().unwrap_or(DEFAULT_LANGUAGE)
    }

    /// All inputs other than the texts: the spellings, and the
    /// models with the files of their folders.
    pub(super) fn other_inputs(&self) -> Vec<PathBuf> {
        let mut inputs: Vec<PathBuf> = self.words.iter().cloned().collect();
        for model in self.model.iter().chain(self.cascade.files()) {
            let files = std::fs::read_dir(model).into_iter().flatten();
            inputs.extend(files.filter_map(|file| Some(file.ok()?.path())));
            inputs.push(model.clone());
        }
        inputs
    }

    /// The arguments as options of the library, without the spellings, which depend on the model.
    pub(super) fn options(&self) -> RestoreOptions {
        // Of a text that comes in, no one knows whether it will show marks.
        let usual = WantedMarks { marks: MarkSet::USUAL, places: MarkPlaces::Everywhere };
        let usual = if self.stream { usual } else { WantedMarks::AUTO };
        let WantedMarks { marks, places } =
            self.marks.map_or(WantedMarks::default(), |MarksArg(named)| named.unwrap_or(usual));
        RestoreOptions::default()
            .in_locale(self.locale)
            .capitalized(match self.case {
                None if self.stream => Capitalized::Ignore,
                case => case.unwrap_or_default(),
            })
            .sentence_start(self.sentence_start)
            .capitals(self.capitals)
            .style(self.style.iter().copied().collect())
            .context(self.context)
            .group(self.group.clone())
            .field(self.field.clone())
            .id(self.id.clone())
            .lossy(self.lossy)
            .look_ahead(self.look_ahead.or(self.stream.then_some(1)))
            .threshold(self.threshold)
            .marks(marks)
            .mark_places(places)
            .mark_form(self.mark_form)
            .mark_threshold(self.mark_threshold)
            .pause_ends(self.pause_ends.and_then(|PauseEnds(least)| least))
            .threads(threads(self.threads))
            .limits(self.limits)
            .interrupt(host::interrupt())
            .form(match (self.confidence, self.json) {
                (false, _) if self.targets.is_compared() => OutputForm::Diff,
                (false, _) if self.lines == OutputLines::Sentence => OutputForm::Sentences,
                (false, _) => OutputForm::Text,
                (true, false) => OutputForm::Words,
                (true, true) => OutputForm::Json,
            })
    }

    pub(super) fn follow(&self) -> FollowOptions {
        let max_delay = self.max_delay.map(Duration::from_millis);
        FollowOptions { max_delay, revisable: self.json && !self.confidence }
    }
}
