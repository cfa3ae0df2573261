//! Features and weights in the formats of other programs: the text formats of svmlight and MegaM,
//! and models of LIBLINEAR.

use std::fmt::Display;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::cells::Gradient;
use super::dataset::{ExampleRow, ExampleScratch};
use super::matrix::{Matrix, UNLIKELY, against_the_rest};
use super::names;
use super::solving::check_penalties;
use super::{MaxentConfig, Prepared, Solving};
use crate::corpus::Corpus;
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::{self, Input, Lines};
use majuscule_base::interrupt::Interrupt;
use majuscule_methods::maxent::gazetteers::Gazetteers;
use majuscule_methods::maxent::templates::Group;
use majuscule_methods::maxent::{BEGIN, CLASSES, Maxent, WEIGHTS_EACH};
use majuscule_text::Class;

/// The settings for writing the features of a corpus.
#[derive(Debug, Clone, PartialEq, clap::Args)]
#[group(skip)]
pub struct Exchange {
    /// The format of the file
    #[arg(long = "as", value_enum, value_name = "FORM", default_value_t)]
    pub form: ExchangeFormat,
    /// The prediction target
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub target: Target,
    /// Leave out features that were seen fewer than N times
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub min_count: u32,
    /// The groups of features; all by default
    #[arg(long, value_parser = majuscule_arguments::by_name::<Group>(), value_name = "GROUP,…", value_delimiter = ',')]
    pub features: Vec<Group>,
    /// The number of words of right context that the features see
    #[arg(long, value_name = "N", default_value_t = MaxentConfig::LOOK_AHEAD)]
    pub look_ahead: usize,
    /// Dropout of right context: this fraction of the examples sees fewer words of it than
    /// --look-ahead, down to none, as in train maxent
    #[arg(long, alias = "leave-out", value_name = "P", default_value_t = MaxentConfig::RIGHT_CONTEXT_DROPOUT)]
    pub right_context_dropout: f32,
    /// Keep the statistics of how words are written only for the N most frequent words
    #[arg(long, value_name = "N", default_value_t = MaxentConfig::VOCABULARY)]
    pub vocabulary: usize,
}

/// A format of training data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ExchangeFormat {
    /// A class as a number and ascending index:1, as LIBLINEAR reads it
    #[default]
    Svmlight,
    /// A class, a tab and the names of features, as MegaM reads it with -nc
    Megam,
}

/// The prediction target of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Target {
    /// The case of the word: 0 lower, 1 title, 2 upper, 3 mixed
    #[default]
    Case,
    /// The beginning of a sentence at the word: 1 if it begins one, else 0
    Begin,
}

impl ExampleRow<'_> {
    /// Returns the features of a word that affect a target, and the word's class: for the target
    /// `begin`, the class is title at a sentence beginning and lower elsewhere. `None` if the word
    /// does not teach the target.
    pub(super) fn of(&self, target: Target) -> Option<(&[u64], Class)> {
        match target {
            Target::Case => Some((&self.features[..self.all], self.answer.class?)),
            Target::Begin => {
                Some((self.features, if self.answer.begins? { Class::Title } else { Class::Lower }))
            }
        }
    }
}

/// The settings for finding the weights of a matrix.
#[derive(Debug, Clone, PartialEq, clap::Args)]
#[group(skip)]
pub struct FitConfig {
    /// The L2 penalty on half the squared weights of all classes, relative to the sum of −ln P over
    /// the rows
    #[arg(long, value_name = "PENALTY", allow_negative_numbers = true, default_value_t = 1.0)]
    pub l2: f64,
    /// Stop once the gradient has fallen to this fraction of its initial size
    #[arg(long, value_name = "FRACTION", default_value_t = 1e-6)]
    pub precision: f64,
    /// Take at most N steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub steps: usize,
}

majuscule_arguments::default_of_arguments!(FitConfig);

/// Writes the training data of a corpus, one row per word. For svmlight, also writes the names of
/// its features to `dictionary`, one index, tab and name per line, numbered by first occurrence.
/// The corpus is read three times.
///
/// # Errors
/// If the corpus cannot be read or teaches no case, if the settings are invalid, or if a file
/// cannot be written.
pub fn write_features(
    exchange: &Exchange,
    corpus: &Corpus,
    threads: NonZeroUsize,
    out: &mut impl Write,
    dictionary: &mut (impl Write + ?Sized),
) -> Result<()> {
    let config = exchange.config();
    let prepared = Prepared::new(&config, corpus, threads)?;
    let gazetteers = Gazetteers::default();
    let data = prepared.data(&config, corpus, &gazetteers);
    if exchange.target == Target::Begin && !data.begins {
        let (target, protocol) = (option("target"), option("protocol"));
        return Err(Error::usage(format!(
            "{target} begin: the beginnings of sentences are learned only under {protocol} asr and mix"
        )));
    }
    // The count of each feature, and its index, which is 0 until assigned.
    let mut features: FxHashMap<u64, (u32, u32)> = FxHashMap::default();
    data.rows_of(false, |row| {
        let found = row.of(exchange.target).into_iter().flat_map(|(found, _)| found);
        found.for_each(|&feature| features.entry(feature).or_default().0 += 1);
    })?;
    features.retain(|_, (count, _)| *count >= exchange.min_count);
    let refused = |error| Error::io("write", "the features", error);
    let (mut scratch, mut last, mut row, mut kept) = (ExampleScratch::default(), 0, Vec::new(), Vec::new());
    corpus.for_each(&mut |example| {
        let mut result = Ok(());
        data.rows(example, &mut scratch, |found| {
            let Some((seen, class)) = found.of(exchange.target).filter(|_| result.is_ok()) else { return };
            kept.clear();
            kept.extend(seen.iter().filter(|feature| features.contains_key(feature)));
            let words = names::words(&example.tokens, found.at);
            result = match exchange.form {
                ExchangeFormat::Megam => {
                    let names = names::of(&prepared.set, &kept, &words, &found.observation);
                    writeln!(out, "{}\t{}", label(class, exchange), names.join(" ")).map_err(refused)
                }
                ExchangeFormat::Svmlight => {
                    row.clear();
                    let mut new = Vec::new();
                    for feature in &kept {
                        let Some((_, index)) = features.get_mut(feature) else { continue };
                        if *index == 0 {
                            last += 1;
                            *index = last;
                            new.push(*feature);
                        }
                        row.push(*index);
                    }
                    row.sort_unstable();
                    row.dedup();
                    let first = last + 1 - new.len() as u32;
                    let mut named = (first..).zip(names::of(&prepared.set, &new, &words, &found.observation));
                    named
                        .try_for_each(|(index, name)| writeln!(dictionary, "{index}\t{name}"))
                        .and_then(|()| write!(out, "{}", label(class, exchange)))
                        .and_then(|()| row.iter().try_for_each(|index| write!(out, " {index}:1")))
                        .and_then(|()| writeln!(out))
                        .map_err(refused)
                }
            };
        });
        result
    })
}

impl Exchange {
    /// Returns the configuration of a model with these features.
    fn config(&self) -> MaxentConfig {
        let Self { look_ahead, right_context_dropout, vocabulary, .. } = *self;
        let features = self.features.clone();
        MaxentConfig { features, look_ahead, right_context_dropout, vocabulary, ..MaxentConfig::default() }
    }
}

/// Returns the class of a row in the given format.
fn label(class: Class, exchange: &Exchange) -> String {
    match (exchange.form, exchange.target) {
        (ExchangeFormat::Svmlight, _) => (class as u8).to_string(),
        (ExchangeFormat::Megam, Target::Case) => class.name().to_owned(),
        (ExchangeFormat::Megam, Target::Begin) => BEGIN_NAMES[usize::from(class == Class::Title)].to_owned(),
    }
}

/// The names of MegaM's two classes for sentence beginnings.
const BEGIN_NAMES: [&str; 2] = ["inside", "begin"];

/// The first line of MegaM's weights if classes have names.
const MEGAM_NAMES: &str = "***NAMED_LABELS_IDS***";

/// The bias feature that MegaM adds automatically.
const MEGAM_BIAS: &str = "**BIAS**";

/// Writes the weights of a model in MegaM's format, for the features in a dictionary (or a list of
/// names) that the model has.
///
/// # Errors
/// If the dictionary is invalid, or if `out` cannot be written.
pub fn write_weights(model: &Maxent, target: Target, dictionary: &Path, out: &mut impl Write) -> Result<()> {
    if target == Target::Begin && !model.settings.begins {
        let target = option("target");
        return Err(Error::usage(format!("{target} begin: the model does not choose where sentences begin")));
    }
    let steps = model.settings.steps as f32;
    let mut lines = files::open(dictionary)?.lines();
    let refused = |error| Error::io("write", "the weights", error);
    write_head(target, out).map_err(refused)?;
    while let Some(line) = lines.next()? {
        let name = line.rsplit('\t').next().unwrap_or_default();
        let Some(feature) = names::parse(name) else {
            let problem = format!("\"{name}\" is not the name of a feature");
            return Err(lines.problem(problem));
        };
        let Some(weights) = model.weights.get(feature) else { continue };
        let weights = weights.map(|weight| f32::from(weight) / steps);
        write_line(name, weights, target, out).map_err(refused)?;
    }
    Ok(())
}

fn write_head(target: Target, out: &mut impl Write) -> std::io::Result<()> {
    match target {
        Target::Case => writeln!(out, "{MEGAM_NAMES}\t{}", Class::ALL.map(Class::name).join("\t")),
        Target::Begin => Ok(()),
    }
}

fn write_line(
    name: &str,
    weights: [impl Display; WEIGHTS_EACH],
    target: Target,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let [title, upper, mixed, end] = weights;
    match target {
        Target::Case => writeln!(out, "{name}\t0\t{title}\t{upper}\t{mixed}"),
        Target::Begin => writeln!(out, "{name}\t{end}"),
    }
}

/// Finds the optimal multinomial weights of a matrix in svmlight's format, and writes them in
/// MegaM's format with the names of a dictionary or with indices. For the labels -1 and +1, each
/// feature gets one weight for +1. The matrix is held in memory.
///
/// # Errors
/// If a file is invalid, if the settings are invalid, if the steps do not suffice, or if `out`
/// cannot be written.
pub fn fit(fit: &FitConfig, matrix: Input, dictionary: Option<&Path>, out: &mut impl Write) -> Result<()> {
    check_penalties(0.0, fit.l2)?;
    if !(fit.precision > 0.0 && fit.precision < 1.0) {
        let problem =
            format!("{} {}: expected a fraction between 0 and 1", option("precision"), fit.precision);
        return Err(Error::usage(problem));
    }
    let matrix = Matrix::read(&mut matrix.lines())?;
    let names = dictionary.map(read_dictionary).transpose()?;
    if let (Some(names), Some(file)) = (&names, dictionary)
        && names.len() < matrix.features as usize
    {
        return Err(short(file, names.len(), matrix.features as usize));
    }
    let far = || {
        let FitConfig { steps, precision, .. } = fit;
        let [reach, more, l2] = ["precision", "steps", "l2"].map(option);
        let problem = format!("{steps} steps do not reach {reach} {precision}");
        Error::usage(format!("{problem}: give more {more}, a larger fraction, or a larger {l2}"))
    };
    let refused = |error| Error::io("write", "the weights", error);
    let name = |at: usize| names.as_ref().map_or_else(|| (at + 1).to_string(), |names| names[at].clone());
    let interrupt = Interrupt::default();
    let (target, weights): (_, Vec<[f64; WEIGHTS_EACH]>) = if matrix.is_signed {
        let weights = matrix.fit_signed(fit, &interrupt)?.ok_or_else(far)?;
        (Target::Begin, weights.into_iter().map(|end| [0.0, 0.0, 0.0, end]).collect())
    } else {
        let weights = matrix.fit(fit, &interrupt)?.ok_or_else(far)?;
        (Target::Case, weights.into_iter().map(|[title, upper, mixed]| [title, upper, mixed, 0.0]).collect())
    };
    write_head(target, out).map_err(refused)?;
    let mut weights = weights.into_iter().enumerate();
    weights.try_for_each(|(at, weights)| write_line(&name(at), weights, target, out)).map_err(refused)
}

fn short(file: &Path, found: usize, expected: usize) -> Error {
    let problem =
        format!("has {found} names, but there are {expected} features: give the file written with them");
    Error::file(file.to_string_lossy(), problem)
}

/// Reads the names of features 1, 2, ….
fn read_dictionary(file: &Path) -> Result<Vec<String>> {
    let mut lines = files::open(file)?.lines();
    let mut names = Vec::new();
    while let Some(line) = lines.next()? {
        match line.split_once('\t') {
            Some((index, name)) if index.parse() == Ok(names.len() + 1) && names::parse(name).is_some() => {
                names.push(name.to_owned());
            }
            _ => {
                let problem = format!("expected {}, a tab and the name of a feature", names.len() + 1);
                return Err(lines.problem(problem));
            }
        }
    }
    Ok(names)
}

/// Reads the weights from files, by feature: the weights of the classes, and of the beginning of a
/// sentence.
///
/// # Errors
/// If a file cannot be read or is invalid.
pub(super) fn read_weights(solving: &Solving, begins: bool) -> Result<Option<Vec<(u64, Gradient)>>> {
    let Some(file) = &solving.weights else { return Ok(None) };
    let dictionary = solving.dictionary.as_deref();
    let mut weights: FxHashMap<u64, Gradient> = FxHashMap::default();
    for (feature, [title, upper, mixed, _]) in read_file(file, dictionary, Target::Case)? {
        add(&mut weights, feature, [title, upper, mixed, 0.0]);
    }
    match &solving.begin_weights {
        Some(file) => {
            for (feature, [end, ..]) in read_file(file, dictionary, Target::Begin)? {
                let mut gradient = [0.0; WEIGHTS_EACH];
                gradient[BEGIN] = end;
                add(&mut weights, feature, gradient);
            }
        }
        None if begins => {
            return Err(Error::usage(format!(
                "{} without {}: under the protocols asr and mix the beginnings of sentences are chosen too",
                option("weights"),
                option("begin-weights")
            )));
        }
        None => {}
    }
    let mut weights: Vec<(u64, Gradient)> = weights.into_iter().collect();
    weights.sort_unstable_by_key(|(feature, _)| *feature);
    let most =
        weights.iter().flat_map(|(_, weights)| weights).fold(0.0f32, |most, weight| most.max(weight.abs()));
    if most > MOST {
        let problem = format!(
            "has a weight of {most:e}: expected at most {MOST}; learn the weights with a larger penalty"
        );
        return Err(Error::file(file.to_string_lossy(), problem));
    }
    Ok(Some(weights))
}

/// The largest weight that is accepted: a larger one would make the quantisation of ordinary
/// weights too coarse.
const MOST: f32 = 1000.0;

fn add(weights: &mut FxHashMap<u64, Gradient>, feature: u64, more: Gradient) {
    let sum = weights.entry(feature).or_default();
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// Reads the weights of a file. For a binary target, the first weight belongs to the second class.
fn read_file(file: &Path, dictionary: Option<&Path>, target: Target) -> Result<Vec<(u64, Gradient)>> {
    let names = dictionary.map(read_dictionary).transpose()?;
    let mut input = files::open(file)?;
    if !input.peek(LIBLINEAR.len())?.starts_with(LIBLINEAR) {
        return read_megam(&mut input.lines(), names.as_deref(), target);
    }
    let (Some(names), Some(dictionary)) = (names, dictionary) else {
        let problem =
            format!("a model of LIBLINEAR has no names of features: give {} too", option("dictionary"));
        return Err(Error::file(file.to_string_lossy(), problem));
    };
    let bias = names.iter().position(|name| names::parse(name) == Some(names::bias()));
    let (weights, with_bias) = read_liblinear(&mut input.lines(), target, bias)?;
    if names.len() + usize::from(with_bias) < weights.len() {
        return Err(short(dictionary, names.len(), weights.len() - usize::from(with_bias)));
    }
    let features = names.iter().filter_map(|name| names::parse(name));
    // The weight of LIBLINEAR's own bias comes last.
    let (named, bias) = weights.split_at(weights.len() - usize::from(with_bias));
    let named = features.zip(named.iter().copied());
    Ok(named.chain(bias.iter().map(|weights| (names::bias(), *weights))).collect())
}

/// The first bytes of a model of LIBLINEAR.
const LIBLINEAR: &[u8] = b"solver_type";

/// Reads the weights of a model of LIBLINEAR in the order of their indices, and also returns true
/// if the last weight is LIBLINEAR's own bias. `bias_at` is the index of the bias among the
/// features, if there is one.
fn read_liblinear(
    lines: &mut Lines,
    target: Target,
    bias_at: Option<usize>,
) -> Result<(Vec<Gradient>, bool)> {
    let mut labels: Vec<usize> = Vec::new();
    let (mut features, mut bias): (Option<usize>, f64) = (None, -1.0);
    loop {
        let Some(line) = lines.next()? else {
            return Err(lines.problem("ends before its weights: expected w"));
        };
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        let read = match key.trim() {
            "w" => break,
            "label" => value
                .split_ascii_whitespace()
                .map(|label| label.parse().ok())
                .collect::<Option<_>>()
                .map(|found| labels = found),
            "nr_feature" => value
                .trim()
                .parse()
                .ok()
                .filter(|count: &usize| *count < 1 << 28)
                .map(|count| features = Some(count)),
            "bias" => finite(value.trim()).map(|value| bias = value),
            "solver_type" | "nr_class" => Some(()),
            _ => None,
        };
        if read.is_none() {
            let problem = format!("\"{line}\": expected the header of a LIBLINEAR model");
            return Err(lines.problem(problem));
        }
    }
    let count = if target == Target::Case { CLASSES } else { 2 };
    let is_class =
        |label: &usize| *label < count && labels.iter().filter(|other| *other == label).count() == 1;
    if labels.len() < 2 || !labels.iter().all(is_class) {
        return Err(lines.problem(format!("labels {labels:?}: expected at least two of 0 to {}", count - 1)));
    }
    let with_bias = bias >= 0.0;
    let rows = features.unwrap_or_default() + usize::from(with_bias);
    let width = if labels.len() == 2 { 1 } else { labels.len() };
    let mut columns: [Vec<f64>; CLASSES] = Default::default();
    for row in 0..rows {
        let Some(line) = lines.next()? else {
            return Err(
                lines.problem(format!("{row} weights, but its header declares {rows}: it is cut off"))
            );
        };
        let values: Option<Vec<f64>> = line.split_ascii_whitespace().map(finite).collect();
        let Some(values) = values.filter(|values| values.len() == width) else {
            return Err(lines.problem(format!("expected {width} finite weights")));
        };
        // The bias is a feature whose value may differ from 1.
        let scale = if row + 1 == rows && with_bias { bias } else { 1.0 };
        for (at, label) in labels.iter().enumerate() {
            // For two labels the model holds the weights of the first; the weights of the second
            // are their negatives.
            let value = values.get(at).copied().unwrap_or_else(|| -values[0]);
            columns[*label].push(value * scale);
        }
    }
    let columns = columns.each_ref().map(|column| (!column.is_empty()).then_some(column.as_slice()));
    let bias_at = if with_bias { Some(rows - 1) } else { bias_at };
    let weights = match target {
        Target::Case => against_the_rest(columns, bias_at, rows),
        Target::Begin => {
            let column = columns[1].unwrap_or_default();
            column.iter().map(|value| [*value as f32, 0.0, 0.0, 0.0]).collect()
        }
    };
    Ok((weights, with_bias))
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Reads weights of MegaM: each line has a feature and its weight for each class, or only for the
/// second of two classes.
fn read_megam(lines: &mut Lines, names: Option<&[String]>, target: Target) -> Result<Vec<(u64, Gradient)>> {
    let known: Vec<&str> = match target {
        Target::Case => Class::ALL.map(Class::name).to_vec(),
        Target::Begin => BEGIN_NAMES.to_vec(),
    };
    // The class of each column, by name or by number.
    let mut order: Vec<usize> = (0..known.len()).collect();
    let mut found = Vec::new();
    while let Some(line) = lines.next()? {
        let mut parts = line.split_ascii_whitespace();
        let Some(name) = parts.next() else { continue };
        if name == MEGAM_NAMES {
            let named: Option<Vec<usize>> =
                parts.map(|name| known.iter().position(|known| *known == name)).collect();
            let Some(named) = named.filter(|named| named.len() >= 2 && named.contains(&0)) else {
                let problem = format!("expected at least two of the classes {}", known.join(", "));
                return Err(lines.problem(problem));
            };
            order = named;
            continue;
        }
        let feature = match (name, name.parse::<usize>().ok().zip(names)) {
            (MEGAM_BIAS, _) => Some(names::bias()),
            (_, Some((index, names))) => {
                index.checked_sub(1).and_then(|at| names.get(at)).and_then(|name| names::parse(name))
            }
            (name, None) => names::parse(name),
        };
        let Some(feature) = feature else {
            let dictionary = option("dictionary");
            let problem = format!("\"{name}\" is neither the name of a feature nor an index of {dictionary}");
            return Err(lines.problem(problem));
        };
        let values: Option<Vec<f64>> = parts.map(finite).collect();
        let binary = order.len() == 2 || target == Target::Begin;
        let mut columns = [0.0; CLASSES];
        match values.as_deref() {
            Some([value]) if binary => columns[order[1]] = *value,
            Some(values) if values.len() == order.len() => {
                order.iter().zip(values).for_each(|(class, value)| columns[*class] = *value);
            }
            _ => {
                let problem = format!("expected a feature and {} finite weights", order.len());
                return Err(lines.problem(problem));
            }
        }
        let mut weights = [0.0; WEIGHTS_EACH];
        for class in order.iter().copied().filter(|class| *class > 0) {
            weights[class - 1] = (columns[class] - columns[0]) as f32;
        }
        found.push((feature, weights));
    }
    if found.is_empty() {
        return Err(lines.problem("has no weights: expected a feature and its weights per line"));
    }
    // Classes that the file does not name are never chosen.
    let mut unlikely = [0.0; WEIGHTS_EACH];
    let unnamed = |class: &usize| target == Target::Case && !order.contains(class);
    (1..CLASSES).filter(unnamed).for_each(|class| unlikely[class - 1] = -UNLIKELY as f32);
    found.push((names::bias(), unlikely));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use crate::methods::maxent::{Solver, Solving, train};
    use majuscule_text::restorer::{Request, Restorer};
    use majuscule_text::{Case, Label, Locale, Mark, Tokens};
    use proptest::prelude::*;
    use std::path::PathBuf;

    const EXCHANGE: Exchange = Exchange {
        form: ExchangeFormat::Svmlight,
        target: Target::Case,
        min_count: 1,
        features: Vec::new(),
        look_ahead: 1,
        right_context_dropout: 0.25,
        vocabulary: 100,
    };

    fn corpus(protocol: Protocol) -> Corpus {
        let text = "They told us here.\nThey saw the US army.\n".repeat(30);
        Corpus::of_text(&text, Reading::default(), protocol, Locale::Root)
    }

    /// Returns the rows of a corpus, and the names of its features.
    fn features(exchange: &Exchange, protocol: Protocol) -> (String, String) {
        let (mut rows, mut names) = (Vec::new(), Vec::new());
        let corpus = corpus(protocol);
        write_features(exchange, &corpus, NonZeroUsize::MIN, &mut rows, &mut names).unwrap();
        (String::from_utf8(rows).unwrap(), String::from_utf8(names).unwrap())
    }

    /// Creates a folder with files of these texts.
    fn files(texts: &[(&str, &str)]) -> (tempfile::TempDir, Vec<PathBuf>) {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<_> = texts.iter().map(|(name, _)| folder.path().join(name)).collect();
        paths.iter().zip(texts).for_each(|(path, (_, text))| std::fs::write(path, text).unwrap());
        (folder, paths)
    }

    fn input(text: &str) -> Input<'static> {
        Input::new("rows", std::io::Cursor::new(text.as_bytes().to_vec())).unwrap()
    }

    fn is_upper(model: &Maxent, words: &str) -> bool {
        let tokens = Tokens::of_words(words.split(' '), Locale::Root);
        let at = words.split(' ').position(|word| word == "us").unwrap();
        model.restore_batch(&[tokens], Request::default()).unwrap()[0][at].label.case == Case::Upper
    }

    #[test]
    fn weights_learned_elsewhere_restore_text() {
        let (rows, names) = features(&EXCHANGE, Protocol::Text);
        let (_folder, paths) = files(&[("names", &names)]);
        let how = FitConfig { l2: 0.1, ..FitConfig::default() };
        let mut weights = Vec::new();
        fit(&how, input(&rows), Some(&paths[0]), &mut weights).unwrap();
        let weights = String::from_utf8(weights).unwrap();
        assert!(
            weights.starts_with("***NAMED_LABELS_IDS***\tlower\ttitle\tupper\tmixed\nbias\t0\t"),
            "{weights}"
        );
        let (_folder, paths) = files(&[("weights", &weights)]);
        let solving = Solving { weights: Some(paths[0].clone()), ..Solving::default() };
        let config = MaxentConfig { look_ahead: 1, solving, ..MaxentConfig::default() };
        let model = train(&config, &corpus(Protocol::Text), NonZeroUsize::MIN).unwrap();
        assert!(is_upper(&model, "we saw the us army") && !is_upper(&model, "they told us here"));
        // The solver of `train` finds the same.
        let best = Solving { solver: Solver::Lbfgs, l2: 0.1, ..Solving::default() };
        let best = MaxentConfig { solving: best, ..config };
        let best = train(&best, &corpus(Protocol::Text), NonZeroUsize::MIN).unwrap();
        assert!(best.sections() == model.sections());
        // Written out again, the weights equal the weights that were read, up to quantisation.
        let (_folder, paths) = files(&[("names", &names)]);
        let mut again = Vec::new();
        write_weights(&model, Target::Case, &paths[0], &mut again).unwrap();
        let of = |text: &str, name: &str| -> f32 {
            let line = text.lines().find(|line| line.starts_with(&format!("{name}\t"))).unwrap();
            line.split('\t').nth(3).unwrap().parse().unwrap()
        };
        let again = String::from_utf8(again).unwrap();
        assert!((of(&again, "b+=us_army") - of(&weights, "b+=us_army")).abs() < 0.002, "{again}");
    }

    #[test]
    fn rows_name_what_a_pencil_finds() {
        let exchange = Exchange { features: vec![Group::Word, Group::Bigrams], look_ahead: 0, ..EXCHANGE };
        let (rows, names) = features(&exchange, Protocol::Text);
        assert!(rows.starts_with("0 1:1 2:1 3:1\n0 1:1 4:1 5:1\n"), "{rows}");
        assert!(
            names.starts_with("1\tbias\n2\tw=told\n3\tb-=they_told\n4\tw=us\n5\tb-=told_us\n"),
            "{names}"
        );
        let (rows, names) =
            features(&Exchange { form: ExchangeFormat::Megam, ..exchange.clone() }, Protocol::Text);
        assert!(rows.starts_with("lower\tbias w=told b-=they_told\nlower\tbias w=us"), "{rows}");
        assert!(names.is_empty());
        let seldom = Exchange { min_count: 61, ..exchange };
        assert!(features(&seldom, Protocol::Text).1.lines().eq(["1\tbias"]));
    }

    #[test]
    fn a_model_of_liblinear_is_read() {
        let names = "1\tbias\n2\tw=us\n";
        let model =
            "solver_type L2R_LR\nnr_class 2\nlabel 2 0\nnr_feature 2\nbias 2\nw\n0.5 \n-1.5 \n0.25 \n";
        let (_folder, paths) = files(&[("names", names), ("model", model)]);
        let found = read_file(&paths[1], Some(&paths[0]), Target::Case).unwrap();
        let us = names::parse("w=us").unwrap();
        // Half of 0.5 − −0.5, and of 0 − −0.5 for classes without weights.
        assert_eq!(found[0], (names::bias(), [0.25, 0.5, 0.25, 0.0]));
        assert_eq!(found[1], (us, [-0.75, -1.5, -0.75, 0.0]));
        // Its own bias has the value 2; classes without weights have −12 on it: half of −12 − −0.5.
        assert_eq!(found[2], (names::bias(), [-5.75, 0.5, -5.75, 0.0]));
        let problem = read_file(&paths[1], None, Target::Case).unwrap_err().to_string();
        assert!(problem.contains("`dictionary`"), "{problem}");
    }

    #[test]
    fn weights_of_megam_are_differences_to_lower_case() {
        let text = "***NAMED_LABELS_IDS***\ttitle\tlower\n**BIAS**\t0.5\t0.25\nw=us\t-1\t1\n";
        let (_folder, paths) = files(&[("weights", text)]);
        let found = read_file(&paths[0], None, Target::Case).unwrap();
        assert_eq!(found[0], (names::bias(), [0.25, 0.0, 0.0, 0.0]));
        assert_eq!(found[1], (names::parse("w=us").unwrap(), [-2.0, 0.0, 0.0, 0.0]));
        assert_eq!(found[2], (names::bias(), [0.0, -6.0, -6.0, 0.0]));
        let (_folder, paths) = files(&[("weights", "w=us\t1.5\n")]);
        assert_eq!(read_file(&paths[0], None, Target::Begin).unwrap()[0].1[0], 1.5);
    }

    #[test]
    fn beginnings_come_from_a_file_of_their_own() {
        let protocol = Protocol::Asr { window: NonZeroUsize::new(20).unwrap() };
        let (rows, _) = features(&Exchange { target: Target::Begin, ..EXCHANGE }, protocol);
        assert!(rows.lines().all(|row| row.starts_with("0 ") || row.starts_with("1 ")), "{rows}");
        let (_folder, paths) =
            files(&[("case", "bias\t0\t-3\t-3\t-3\nw=us\t0\t0\t6\t0\n"), ("begin", "w=they\t3\nbias\t-1\n")]);
        let solving = Solving { weights: Some(paths[0].clone()), ..Solving::default() };
        let config = MaxentConfig { look_ahead: 1, solving: solving.clone(), ..MaxentConfig::default() };
        assert!(matches!(train(&config, &corpus(protocol), NonZeroUsize::MIN), Err(Error::Usage(_))));
        let solving = Solving { begin_weights: Some(paths[1].clone()), ..solving };
        let model = train(&MaxentConfig { solving, ..config }, &corpus(protocol), NonZeroUsize::MIN).unwrap();
        let tokens = Tokens::of_words("they saw the us army they told us here".split(' '), Locale::Root);
        let request = Request { sentence_ends: true, ..Request::default() };
        let choices = model.restore_batch(&[tokens], request).unwrap().remove(0);
        let having = |is: fn(&Label) -> bool| {
            (0..choices.len()).filter(|&at| is(&choices[at].label)).collect::<Vec<_>>()
        };
        assert_eq!(having(|label| label.mark == Mark::SentenceEnd), [4]);
        assert_eq!(having(|label| label.case == Case::Title), [0, 5]);
    }

    #[test]
    fn what_is_no_file_of_weights_is_refused() {
        let head = "solver_type L2R_LR\nnr_class 2\nlabel 1 0\nnr_feature 2\nbias -1\nw\n";
        for text in [
            "",
            "w=us\n",
            "w=us\t1\n",
            "w=us 0 1 NaN 0\n",
            "w=us 0 1 inf 0\n",
            "zebra=us\t0\t0\t0\t0\n",
            "***NAMED_LABELS_IDS***\tlower\tblue\n",
            "***NAMED_LABELS_IDS***\ttitle\tupper\n",
            "solver_type L2R_LR\n",
            "solver_type L2R_LR\nzebra 1\n",
            "solver_type L2R_LR\nlabel 7 8\nw\n",
            "solver_type L2R_LR\nlabel 1 1\nw\n",
            "solver_type L2R_LR\nnr_feature -3\n",
            "solver_type L2R_LR\nbias NaN\nw\n",
            head,
            &format!("{head}1\n"),
            &format!("{head}1\nNaN\n"),
            &format!("{head}1 2\n3 4\n"),
            &head.replace("nr_feature 2", "nr_feature 3").replace("w\n", "w\n1\n2\n3\n"),
        ] {
            let (_folder, paths) = files(&[("names", "1\tbias\n2\tw=us\n"), ("weights", text)]);
            let found = read_file(&paths[1], Some(&paths[0]), Target::Case);
            assert!(matches!(found, Err(Error::Input { .. })), "{text:?} {found:?}");
        }
        for names in ["1 bias\n", "2\tbias\n", "1\tzebra\n"] {
            let (_folder, paths) = files(&[("names", names)]);
            assert!(matches!(read_dictionary(&paths[0]), Err(Error::Input { .. })), "{names:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_weights_or_an_error(text in "(solver_type L\n|label 0 1\n|nr_feature 2\n|bias 1\n|w\n|w=us 1 2 3 4\n|\\PC{0,9}\n|1 ){0,9}") {
            let (_folder, paths) = files(&[("names", "1\tbias\n2\tw=us\n"), ("weights", &text)]);
            for target in [Target::Case, Target::Begin] {
                let _ = read_file(&paths[1], Some(&paths[0]), target);
            }
        }
    }

    #[test]
    fn dropout_hides_right_context_from_this_fraction_of_the_rows() {
        // "b+" names the word and the one after it, which the last word of a line lacks.
        let seen = |right_context_dropout| {
            let exchange = Exchange { form: ExchangeFormat::Megam, right_context_dropout, ..EXCHANGE };
            let (rows, _) = features(&exchange, Protocol::Text);
            rows.lines().filter(|row| row.contains("b+=they_") || row.contains("b+=saw_")).count()
        };
        let all = features(&Exchange { form: ExchangeFormat::Megam, ..EXCHANGE }, Protocol::Text).0;
        let all = all.lines().filter(|row| row.contains(" w=they") || row.contains(" w=saw")).count();
        assert!(all > 0 && seen(0.0) == all, "{} of {all}", seen(0.0));
        assert_eq!(seen(1.0), 0);
        let refused = Exchange { right_context_dropout: 1.5, ..EXCHANGE };
        let found = write_features(
            &refused,
            &corpus(Protocol::Text),
            NonZeroUsize::MIN,
            &mut Vec::new(),
            &mut Vec::new(),
        );
        let found = found.unwrap_err().to_string();
        assert!(found.contains("1.5: expected a fraction from 0 to 1"), "{found}");
    }

    #[test]
    fn settings_that_cannot_be_are_refused() {
        let default = FitConfig::default;
        for how in [
            FitConfig { l2: -1.0, ..default() },
            FitConfig { l2: f64::NAN, ..default() },
            FitConfig { precision: 0.0, ..default() },
            FitConfig { precision: f64::NAN, ..default() },
            FitConfig { steps: 0, ..default() },
        ] {
            let found = fit(&how, input("0 1:1\n1 2:1\n"), None, &mut Vec::new());
            assert!(matches!(found, Err(Error::Usage(_))), "{how:?}");
        }
        let end = Exchange { target: Target::Begin, ..EXCHANGE };
        let found = write_features(
            &end,
            &corpus(Protocol::Text),
            NonZeroUsize::MIN,
            &mut Vec::new(),
            &mut Vec::new(),
        );
        assert!(matches!(found, Err(Error::Usage(_))));
    }
}
