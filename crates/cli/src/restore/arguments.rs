//! The arguments of `majuscule restore`, and the library options that they set.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Arg;
use clap::builder::StyledStr;
use majuscule_arguments::{BARE_MARKS, UserOptionArgs, by_name, default_name};
use majuscule_base::error::Error;
use majuscule_base::files::{Encoding, Limits};
use majuscule_base::named::NamedValue;
use majuscule_convert::{Conversion, TranscriptForm, is_converted};
use majuscule_format::Format;
use majuscule_restore::LanguageChoice;
use majuscule_restore::models::{LANGUAGES, Preset};
use majuscule_restore::pool::DEFAULT_LANGUAGE;
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{MarkPlaces, OptionValue, OutputForm, RestoreOptions};

use crate::backend::BackendArgs;
use crate::cascade::CascadeArgs;
use crate::convert::{OutputFormArgs, is_markdown};
use crate::host;
use crate::messages::shown;
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
#[command(before_help = crate::COMMANDS, after_help = EXAMPLES, mut_args(with_relations))]
pub struct RestoreArgs {
    /// The limits on the memory that a text may take.
    #[arg(from_global, id = "input_limit")]
    pub(super) limits: Limits,
    #[command(flatten)]
    pub(super) targets: Targets,
    #[command(flatten)]
    pub(super) output_form: OutputFormArgs,
    #[command(flatten)]
    pub(super) user: UserOptionArgs,
    /// Format of the files; everything in them except the text stays unchanged
    ///
    /// In subtitles and transcripts a sentence continues from cue to cue, tags and [events] are not
    /// words, and a dash or a voice marks another speaker.
    #[arg(long, value_parser = by_name::<Format>(), default_value = default_name::<Format>())]
    pub(super) format: Format,
    /// Encoding of texts without a byte-order mark (one of UTF-8 or UTF-16 takes precedence):
    /// windows-1252, koi8-r, ..., named as in the WHATWG standard (its koi8-u has ў and Ў at AE and
    /// BE), but none with two bytes per character; UTF-8 by default. Texts are written in their own encoding,
    /// probabilities and diffs in UTF-8
    #[arg(long, value_name = "NAME")]
    pub(super) encoding: Option<Encoding>,
    /// Language of the built-in model, en by default: {languages}, or auto
    ///
    /// auto detects the language of each file from its first 4 KiB, or 64 KiB if those do not suffice, and waits for
    /// these or for the end of the input. If the language is not detected or has no model, the file is restored in the
    /// language of most files in its folder or in the run, or else in English, with a note on standard error. With auto
    /// or without --lang, the language declared in Whisper's JSON is used. Without auto, a text clearly in another
    /// language causes a warning. With a --model of several languages, --lang names the language of the text
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
    /// Replace dictated commands by what they write: comma, full stop, question mark, new line, open quote, ...
    ///
    /// Their words are removed, so not only case changes. A phrase after an article is no command (a comma), and one of
    /// everyday words only where the model expects punctuation without it (the jurassic period stays). For plain text,
    /// which is read as a whole, in the languages of the built-in models.
    #[arg(long, conflicts_with_all = ["stream", "n_best", "check", "diff", "confidence"])]
    pub(super) dictated: bool,
    /// Your own spellings, one word or phrase per line (iPhone, New York); they always win
    #[arg(long, visible_alias = "spellings", value_name = "FILE")]
    pub(super) words: Option<PathBuf>,
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
    #[command(flatten)]
    pub(super) voting: VotingArgs,
    #[command(flatten)]
    pub(super) backend: BackendArgs,
    /// Print each word on its own line with the probability of its case, and with --marks also the
    /// mark after it and its probability, instead of the text; an error for methods without
    /// probabilities
    #[arg(long, conflicts_with_all = ["to", "cues"])]
    pub(super) confidence: bool,
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
    #[arg(long, value_name = "N", value_parser = crate::page::number, conflicts_with_all = ["confidence", "to", "cues"])]
    pub(super) n_best: Option<NonZeroUsize>,
    /// Number of threads: at most, and by default, the number
    /// of cores. The output does not depend on it
    #[arg(long, value_name = "N", value_parser = crate::page::number)]
    pub(super) threads: Option<NonZeroUsize>,
    /// Print errors only: no summary of many files, no notes, no progress
    #[arg(short, long)]
    pub(super) quiet: bool,
}

/// Relates an option to others, and names the languages in its help.
fn with_relations(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "marks" => arg.visible_alias("punctuate").conflicts_with("n_best"),
        "mark_form" | "mark_threshold" => arg.requires("marks").conflicts_with("n_best"),
        "threshold" => arg.conflicts_with("n_best"),
        "look_ahead" => arg.visible_alias("lookahead").conflicts_with("n_best"),
        "before" | "after" => arg.allow_hyphen_values(true).conflicts_with_all([
            "stream",
            "confidence",
            "n_best",
            "json",
            "to",
            "cues",
        ]),
        "group" => arg.conflicts_with("context"),
        "lines" => arg.conflicts_with_all(["confidence", "n_best", "json", "cues"]),
        "lang" => {
            let named = |help: Option<&StyledStr>| {
                help.map(|help| help.to_string().replace("{languages}", &LANGUAGES.join(", ")))
            };
            let (short, long) = (named(arg.get_help()), named(arg.get_long_help()));
            arg.help(short.unwrap_or_default()).long_help(long.unwrap_or_default())
        }
        _ => arg,
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

impl RestoreArgs {
    /// Returns true if the model is a built-in one.
    pub(super) fn is_built_in(&self) -> bool {
        self.model.is_none() && self.cascade.files().is_empty()
    }

    /// Returns true if the language of each file selects its model.
    pub(super) fn is_told_by_file(&self) -> bool {
        self.lang() == "auto" && self.is_built_in()
    }

    /// Returns the choice of the language of each text.
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

    /// Returns all inputs other than the texts: the spellings, and the models with the files of their folders.
    pub(super) fn other_inputs(&self) -> Vec<PathBuf> {
        let mut inputs: Vec<PathBuf> = self.words.iter().cloned().collect();
        for model in self.model.iter().chain(self.cascade.files()) {
            let files = std::fs::read_dir(model).into_iter().flatten();
            inputs.extend(files.filter_map(|file| Some(file.ok()?.path())));
            inputs.push(model.clone());
        }
        inputs
    }

    /// Returns the arguments as options of the library, without the spellings, which depend on the model.
    pub(super) fn options(&self) -> RestoreOptions {
        let options = self.user.options.clone();
        // While a text arrives, it is unknown whether it will have marks.
        let is_bare = self.user.value("marks") == Some(&OptionValue::Text(BARE_MARKS.to_owned()));
        let options =
            if self.stream && is_bare { options.mark_places(MarkPlaces::Everywhere) } else { options };
        let options = match self.stream && !self.user.has("case") {
            true => options.capitalized(Capitalized::Ignore),
            false => options,
        };
        let (look_ahead, form) = (options.look_ahead.or(self.stream.then_some(1)), options.form);
        options
            .look_ahead(look_ahead)
            .id(self.id.clone())
            .threads(threads(self.threads))
            .limits(self.limits)
            .interrupt(host::interrupt())
            .form(match (self.confidence, self.json) {
                (false, _) if self.targets.is_compared() => OutputForm::Diff,
                (false, _) => form,
                (true, false) => OutputForm::Words,
                (true, true) => OutputForm::Json,
            })
    }

    pub(super) fn follow(&self) -> FollowOptions {
        let max_delay = self.max_delay.map(Duration::from_millis);
        FollowOptions { max_delay, revisable: self.json && !self.confidence }
    }

    /// Returns the format that a text is converted to once it is restored; `None` if it keeps its
    /// format. Without `--to`, the name of the output determines the format.
    ///
    /// # Errors
    /// Refuses an output name with the extension of a format that the text cannot be converted to.
    pub(super) fn converts_to(
        &self,
        kind: Format,
        file: &Path,
        target: &Path,
    ) -> Result<Option<Format>, Error> {
        if let Some(to) = self.output_form.to() {
            return Ok(Some(to).filter(|to| *to != kind || self.output_form.asks_for_cues()));
        }
        if is_markdown(target) && !is_markdown(file) && is_converted(kind, Format::Text)
            || self.output_form.is_transcript() && kind == Format::Text
        {
            return Ok(Some(Format::Text));
        }
        let is_json = |format: Format| format.info().has_objects || format.info().is_whole();
        let named = Format::named(target).filter(|other| {
            let is_same = *other == kind
                || is_json(kind) && is_json(*other)
                || kind.info().is_named_as_text && other.is_plain_text();
            !is_same && Format::named(file) != Some(*other)
        });
        match named {
            Some(other) if is_converted(kind, other) => Ok(Some(other)),
            Some(other) if self.format == Format::Auto => {
                let (from, to) = (shown(file), target.display());
                Err(Error::usage(format!(
                    "{to} has the extension of {}, but {from} is {}, which cannot be converted to it: give the output another extension",
                    other.name_of(),
                    kind.name_of(),
                )))
            }
            _ => Ok(Some(kind).filter(|_| self.output_form.asks_for_cues())),
        }
    }

    /// Returns the conversion of a text after it is restored, if it is converted; `language` is the
    /// language of its model.
    pub(super) fn conversion(
        &self,
        from: Format,
        to: Format,
        target: &Path,
        language: &str,
    ) -> Option<Conversion> {
        let shared = self.output_form.conversion(target);
        let paragraphs = self.user.options.form == OutputForm::Paragraphs;
        let wanted = Conversion {
            to,
            field: self.user.options.field.clone(),
            transcript: TranscriptForm { paragraphs, ..shared.transcript },
            ..shared
        };
        let mut conversion = wanted.after_restoring(from)?;
        conversion.set_language(self.lang.as_deref().filter(|lang| *lang != "auto"), language);
        Some(conversion)
    }
}
