//! `majuscule evaluate`: evaluates a model on texts in their true case.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::measure::{self, Measure};
use super::usage::Timed;
use crate::backend::BackendArgs;
use crate::cascade::CascadeArgs;
use crate::force::ForceArg;
use crate::methods::methods;
use crate::page::threads;
use crate::voting::VotingArgs;
use crate::{folders, host, named};
use majuscule_arguments::{by_name, default_name};
use majuscule_base::error::{Error, Result};
use majuscule_base::files::Publish;
use majuscule_restore::models::{Model, Preset, Read};
use majuscule_text::restorer::{Request, Restorer, SentenceStarts, check_capitals};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{CapitalBalance, Locale, SentenceStart, Spellings};
use majuscule_train::corpus::{Corpus, Reading, SpeechPartKind};
use majuscule_train::eval::aligned::report::{AlignedReport, ReportedParts};
use majuscule_train::eval::aligned::{self, files::Cases};
use majuscule_train::eval::score::check_words;
use majuscule_train::eval::{
    Choices, Report, Score, System, compare, evaluate_each, marks_for, scores_sentence_ends,
};

/// Evaluates a model: it sees the words without capitals,
/// and its choices are compared with the true case
///
/// Only the model's own choices count, unless --words, --sentence-start or --case apply these steps
/// of restore too. To measure everything that restore does to a text, run score on its output.
///
/// With --align the model sees the output of a speech
/// recogniser, which is aligned with the true text.
#[derive(Debug, clap::Args)]
pub struct EvaluateArgs {
    /// Texts in their true case, scored together; - is standard input
    #[arg(required = true, value_name = "CORPUS")]
    pub corpora: Vec<PathBuf>,
    /// Output of a speech recogniser for the corpus, or a folder of outputs if the corpus is a
    /// folder: the model sees these words without case, one stream per recording, and they are
    /// aligned with the words of the corpus as in score --align
    #[arg(long, value_name = "HYPOTHESIS", conflicts_with_all = ["calibration", "intervals"])]
    pub align: Option<PathBuf>,
    /// Model, a folder or packed file; accurate and fast are the built-in ones of --lang, and
    /// accurate is the default
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    /// Built-in model of the language to use
    #[arg(long, value_parser = by_name::<Preset>(), default_value = default_name::<Preset>(), conflicts_with = "model")]
    pub preset: Preset,
    #[command(flatten)]
    pub cascade: CascadeArgs,
    /// Your own spellings, one word or phrase per line, as in restore; they always win
    #[arg(long, value_name = "FILE")]
    pub words: Option<PathBuf>,
    /// Sentence starts that get a capital, as in restore; by default the model alone decides
    #[arg(long, value_parser = by_name::<SentenceStart>())]
    pub sentence_start: Option<SentenceStart>,
    /// Capitals of the recogniser's output that count, with each recording as one line; none by
    /// default. Without --align a model sees no capitals
    #[arg(long, value_parser = by_name::<Capitalized>(), requires = "align")]
    pub case: Option<Capitalized>,
    /// Also score each file by itself
    #[arg(long)]
    pub per_file: bool,
    /// Also score each speaker by itself, in stm and nlp
    #[arg(long, conflicts_with = "align")]
    pub per_speaker: bool,
    /// Also score each category of the labels of stm by itself, such as the focus condition f0
    #[arg(long, conflicts_with = "align")]
    pub per_category: bool,
    /// Also compare the model's probabilities with the truth, including the probabilities of punctuation
    /// where the protocol scores it
    #[arg(long)]
    pub calibration: bool,
    /// Also print 95 % intervals, from a bootstrap over the examples as in compare
    #[arg(long)]
    pub intervals: bool,
    /// Balance between missing and superfluous capitals, for maxent and networks
    #[arg(long, value_parser = by_name::<CapitalBalance>(), default_value = default_name::<CapitalBalance>())]
    pub capitals: CapitalBalance,
    /// Number of later words that a choice may depend on; 0 means no later words
    #[arg(long, value_name = "N")]
    pub look_ahead: Option<usize>,
    #[command(flatten)]
    pub voting: VotingArgs,
    /// Score only punctuation marks of at least probability P (0 to 1), as in restore --mark-threshold
    #[arg(long, value_name = "P", value_parser = crate::page::probability)]
    pub mark_threshold: Option<f32>,
    #[command(flatten)]
    pub backend: BackendArgs,
    /// Number of threads that a method may use: at most, and by default, the number of cores. The
    /// figures do not depend on it
    #[arg(long, value_name = "N", value_parser = crate::page::number)]
    pub threads: Option<NonZeroUsize>,
    /// Number of errors to list, the most frequent first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Write the words of each example to FILE, one JSON object per line: the true forms, the
    /// chosen forms and the words that do not count
    #[arg(long, value_name = "FILE")]
    pub choices: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArg,
    #[command(flatten)]
    pub measure: Measure,
}

/// Evaluates the model and prints the report.
///
/// # Errors
/// If the model or a corpus cannot be read, or no word is scored.
pub fn run(args: EvaluateArgs) -> Result<()> {
    if let Some(choices) = &args.choices {
        args.force.check(choices, &args.corpora)?;
    }
    let (model, read) = args.load()?;
    let (Model { manifest, restorer }, predictions) = args.voting.apply(model)?;
    check_capitals(&*restorer, args.capitals)?;
    let threads = threads(args.threads);
    let request = Request {
        confidence: args.calibration,
        look_ahead: args.look_ahead,
        capitals: args.capitals,
        predictions,
        mark_threshold: args.mark_threshold,
        threads,
        ..Request::default()
    };
    let mut reading = args.measure.reading.clone();
    // A model stores the language of its texts; of several languages, `--lang` may name one.
    if !manifest.is_of(reading.language()) {
        reading.language = Some(manifest.language.clone());
    }
    let spellings = args.spellings(manifest.locale)?;
    if let Some(hypothesis) = &args.align {
        let report =
            args.aligned(hypothesis, &*restorer, request, &reading, (manifest.locale, &spellings))?;
        tell(read);
        return args.measure.layout.print(|layout| report.page(layout));
    }
    let files = folders::paths(&args.corpora, reading.format)?;
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let protocol = args.measure.protocol;
    let corpus = Corpus::new(&files, reading, protocol, manifest.locale)?;
    let mut corpus = host::watched(corpus.with_spellings(spellings));
    measure::tell_paragraphs(&corpus)?;
    let mut system = System::new("");
    let publish = |file: &PathBuf| Publish::new(file).map(|publish| (publish, file.clone()));
    let mut written = args.choices.as_ref().map(publish).transpose()?;
    let score = evaluate_each(
        &Timed(&*restorer),
        request,
        args.sentence_start,
        &corpus,
        &mut |tokens, gold, choices| {
            if args.intervals {
                system.push(gold, choices, protocol);
            }
            written.as_mut().map_or(Ok(()), |(publish, file)| {
                Choices::of(tokens, gold, choices, protocol, manifest.locale).write(publish, file)
            })
        },
    )?;
    written.map_or(Ok(()), |(publish, _)| publish.commit())?;
    check_words(protocol, &corpus.name(), score.all().tokens())?;
    let sentence_ends = scores_sentence_ends(&*restorer, protocol);
    let config = args.measure.config(&files, manifest.locale, sentence_ends, args.top);
    let mut report = Report::of(&score, &config);
    if args.intervals {
        let compared = compare(&[system], Default::default())?.systems;
        report.intervals = compared.first().map(|system| system.intervals);
    }
    args.push_parts(&mut corpus, &mut report, &|part: &Corpus| {
        evaluate_each(&*restorer, request, args.sentence_start, part, &mut |_, _, _| Ok(()))
    })?;
    tell(read);
    args.measure.layout.print(|layout| report.page(layout))
}

/// Reports the percentage of words that the second model of a cascade had to read.
fn tell(read: Option<Arc<Read>>) {
    if let Some(read) = read {
        tell!("the second model read {:.1} % of the words", 100.0 * read.fraction());
    }
}

impl EvaluateArgs {
    /// Scores a hypothesis that is aligned with the only corpus, after the model has restored it.
    fn aligned(
        &self,
        hypothesis: &Path,
        restorer: &dyn Restorer,
        request: Request,
        reading: &Reading,
        (locale, spellings): (Locale, &Spellings),
    ) -> Result<AlignedReport> {
        let timed = Timed(restorer);
        let starts = self.sentence_start.map_or(request.starts, SentenceStarts::from);
        let config = measure::aligned_config(self.measure.protocol, locale, self.top)?;
        let marks = marks_for(&timed, self.measure.protocol, self.mark_threshold)?;
        let request = Request { starts, marks, ..request };
        let kept = self.case.unwrap_or(Capitalized::Ignore);
        let cases = Cases::Restored { method: &timed, request, spellings, kept };
        let scores = aligned::files::score_files(self.reference()?, hypothesis, reading, locale, cases)?;
        let asked = ReportedParts { files: self.per_file, ..ReportedParts::default() };
        Ok(AlignedReport::of(&scores, &config, asked))
    }

    /// Adds the scores of the requested parts of a corpus: its files, and the speakers and categories of its
    /// transcripts.
    fn push_parts(
        &self,
        corpus: &mut Corpus,
        report: &mut Report,
        score_of: &dyn Fn(&Corpus) -> Result<Score>,
    ) -> Result<()> {
        let protocol = self.measure.protocol;
        if self.per_file {
            for file in corpus.parts()? {
                report.push_file(file.name(), &score_of(&file)?, protocol);
            }
        }
        let asked =
            [(self.per_speaker, SpeechPartKind::Speaker), (self.per_category, SpeechPartKind::Category)];
        for (_, kind) in asked.into_iter().filter(|(is_asked, _)| *is_asked) {
            let parts = corpus.speech_parts(kind)?;
            if parts.is_empty() {
                let (kind, formats, name) = (kind.name(), kind.formats(), corpus.name());
                tell!("there is no {kind} to score by itself in {name}: only {formats} files can name one");
            }
            for (name, part) in parts {
                report.push_speech_part(kind, name, &score_of(&part)?, protocol);
            }
        }
        Ok(())
    }

    /// Reads the user's own spellings.
    fn spellings(&self, locale: Locale) -> Result<Spellings> {
        let Some(file) = &self.words else { return Ok(Spellings::default()) };
        let words = host::open(file)?.within(self.measure.reading.limits).bytes()?;
        Spellings::read(&words, &file.to_string_lossy(), locale)
    }

    /// Returns the only corpus, with which a hypothesis is aligned.
    fn reference(&self) -> Result<&Path> {
        let [reference] = self.corpora.as_slice() else {
            let problem = "corpora are named, but a hypothesis has one reference: name one, or two folders whose files have the \
                           same names";
            return Err(Error::usage(format!("--align: {} {problem}", self.corpora.len())));
        };
        Ok(reference)
    }

    fn load(&self) -> Result<(Model, Option<Arc<Read>>)> {
        let parts = [
            ("file", self.per_file && self.align.is_none()),
            ("speaker", self.per_speaker),
            ("category", self.per_category),
        ];
        let is_piped = self.corpora.iter().any(|file| file == Path::new("-"));
        if let Some((part, _)) = parts.iter().find(|(_, is_asked)| is_piped && *is_asked) {
            return Err(Error::usage(format!(
                "--per-{part} reads each file twice, but standard input can be read only once: give files"
            )));
        }
        let language = self.measure.reading.language();
        if language == "auto" {
            let problem = "--lang auto cannot be used, since one model is evaluated on all texts: name its language, such as --lang en, or a \
                           model of your own with --model";
            return Err(Error::usage(problem));
        }
        let computing = self.backend.computing();
        if let Some((model, read)) = self.cascade.load(language, &computing)? {
            return Ok((model, Some(read)));
        }
        let model = match &self.model {
            Some(path) => named::load(path, language, &computing, true),
            None => methods().load_preset(language, self.preset, &computing),
        };
        Ok((model?, None))
    }
}
