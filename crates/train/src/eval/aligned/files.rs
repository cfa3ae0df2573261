//! Pairs references and hypotheses: two files, or the files of two folders by their names.
//! Recordings in the files are paired by their names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{AlignedScore, Pairing, Transcript, score_pairs};
use crate::corpus::{Corpus, Protocol, Reading};
use majuscule_base::error::{Error, Result};
use majuscule_base::files;
use majuscule_format::unfiltered_name;
use majuscule_text::restorer::{Request, Restorer};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{Locale, Spellings};

/// The source of the cases of a hypothesis.
#[derive(Clone, Copy)]
pub enum Cases<'a> {
    /// The hypothesis has its own cases.
    Own,
    /// A method chooses the cases of the hypothesis's words.
    Restored {
        /// The method.
        method: &'a dyn Restorer,
        /// The options of the method.
        request: Request,
        /// Words and phrases that the user spells. They take precedence over the method.
        spellings: &'a Spellings,
        /// The capitals of the hypothesis that are kept. A recording counts as a line.
        kept: Capitalized,
    },
}

/// The scores of the recordings that both sides have, and the names of the recordings that only one
/// side has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileScores {
    /// The scored recordings, each with the name of its hypothesis.
    pub recordings: Vec<(String, AlignedScore)>,
    /// The files and recordings that were not scored.
    pub left_out: Vec<UnpairedFile>,
}

/// A file or a recording that only one side has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnpairedFile {
    /// The name of the file or recording.
    pub name: String,
    /// The side that is missing.
    pub lacks: Lacking,
    /// True if the recording is scored although the hypothesis lacks it: all words of the reference
    /// count as deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_deleted: bool,
}

impl UnpairedFile {
    /// Describes the file in a line; `of` names its system.
    pub(super) fn line(&self, of: &str) -> String {
        let what = if self.is_deleted { "all deleted" } else { "left out" };
        format!("{what}{of}: {}, which has no {}\n", self.name, self.lacks.name())
    }
}

/// The side that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lacking {
    /// The reference is missing.
    Reference,
    /// The hypothesis is missing.
    Hypothesis,
}

impl Lacking {
    /// The name of the side, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Hypothesis => "hypothesis",
        }
    }
}

impl FileScores {
    /// The sum of the scores of all recordings.
    pub fn all(&self) -> AlignedScore {
        let mut all = AlignedScore::default();
        self.recordings.iter().for_each(|(_, score)| all += score);
        all
    }
}

/// Scores hypotheses against their references: two files, or two folders, whose files are paired by
/// their names up to the last full stop (before `.filt`, `.gz`, `.zst` or `.xz`). Recordings within
/// files are paired by name and channel, ignoring case, unless each side has a single recording.
/// Named utterances are paired by name. If the hypothesis lacks a recording, all words of that
/// recording count as deleted, as in sclite; an utterance that the hypothesis lacks is not scored.
///
/// # Errors
/// If a file cannot be read or violates its format, if the method fails, or if both sides have
/// nothing in common.
pub fn score_files(
    reference: &Path,
    hypothesis: &Path,
    reading: &Reading,
    locale: Locale,
    cases: Cases<'_>,
) -> Result<FileScores> {
    files::check_inputs(&[reference, hypothesis])?;
    let (pairs, mut left_out) = pair(reference, hypothesis)?;
    let mut recordings = Vec::new();
    let read =
        |file: &Path| Transcript::read(&Corpus::new(&[file], reading.clone(), Protocol::default(), locale)?);
    for (reference, hypothesis) in pairs {
        let name = hypothesis.to_string_lossy().into_owned();
        let sides = Recordings::new(read(&reference)?, read(&hypothesis)?);
        if !sides.have_something_in_common() {
            let problem = format!(
                "names no recording that {} has: expected the same names and channels in both, or one recording in each",
                reference.display()
            );
            return Err(Error::file(name, problem));
        }
        let of_several = sides.pairs.len() > 1;
        left_out.extend(sides.left_out(&reference, &hypothesis));
        for (references, hypotheses) in sides.pairs {
            let name = match &references.recording {
                Some(recording) if of_several => format!("{name}: {recording}"),
                _ => name.clone(),
            };
            let hypotheses = match cases {
                Cases::Own => hypotheses,
                Cases::Restored { method, request, spellings, kept } => {
                    hypotheses.restored(method, request, locale, spellings, kept)?
                }
            };
            let pairing = Pairing::of(&references, &hypotheses);
            if pairing.pairs.is_empty() && references.is_named() {
                let problem = format!(
                    "names no utterance that {} has: expected the same names in both",
                    reference.display()
                );
                return Err(Error::file(name, problem));
            }
            left_out.extend(unpaired(&references, &pairing.only_reference, &reference, Lacking::Hypothesis));
            left_out.extend(unpaired(&hypotheses, &pairing.only_hypothesis, &hypothesis, Lacking::Reference));
            recordings.push((name, score_pairs(&references, &hypotheses, &pairing, locale)));
        }
    }
    let scores = FileScores { recordings, left_out };
    if scores.all().counts.words().reference() == 0 {
        let problem = "contains no words to score: expected the spoken words in their true case";
        return Err(Error::file(reference.to_string_lossy(), problem));
    }
    Ok(scores)
}

/// Lists the utterances without a partner in one line.
fn unpaired(side: &Transcript, utterances: &[usize], file: &Path, lacks: Lacking) -> Option<UnpairedFile> {
    /// The number of utterances that are named.
    const NAMED: usize = 3;
    let names: Vec<_> = utterances.iter().filter_map(|&at| side.utterances[at].name.as_deref()).collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more utterances"),
    };
    let named: Vec<_> = names.iter().take(NAMED).map(|name| format!("({name})")).collect();
    let name = format!("{}: {}{more}", file.display(), named.join(", "));
    (!names.is_empty()).then_some(UnpairedFile { name, lacks, is_deleted: false })
}

/// Pairs of a reference and a hypothesis, and the files that are alone.
type PairedFiles = (Vec<(PathBuf, PathBuf)>, Vec<UnpairedFile>);

/// Returns the paired files of both sides, and the files that were left out.
fn pair(reference: &Path, hypothesis: &Path) -> Result<PairedFiles> {
    match [reference, hypothesis].map(Path::is_dir) {
        [true, true] => {}
        [false, false] => {
            return Ok((vec![(reference.into(), hypothesis.into())], Vec::new()));
        }
        [is_folder, _] => {
            let (folder, other) = if is_folder { (reference, hypothesis) } else { (hypothesis, reference) };
            return Err(Error::usage(format!(
                "{} is a folder, but {} is not: give two files, or two folders whose files have the same names",
                folder.display(),
                other.display()
            )));
        }
    }
    let references = by_stem(reference)?;
    let mut hypotheses = by_stem(hypothesis)?;
    let (mut pairs, mut left_out) = (Vec::new(), Vec::new());
    let left = |file: &Path, lacks| UnpairedFile {
        name: file.to_string_lossy().into_owned(),
        lacks,
        is_deleted: false,
    };
    for (stem, reference) in references {
        match hypotheses.remove(&stem) {
            Some(hypothesis) => pairs.push((reference, hypothesis)),
            None => left_out.push(left(&reference, Lacking::Hypothesis)),
        }
    }
    left_out.extend(hypotheses.values().map(|file| left(file, Lacking::Reference)));
    if pairs.is_empty() {
        return Err(Error::usage(format!(
            "{} and {} have nothing in common: expected files with the same names in both, except for extensions such as .nlp or .ctm",
            reference.display(),
            hypothesis.display()
        )));
    }
    Ok((pairs, left_out))
}

/// Returns the files of a folder by their names without extensions. Files whose names begin with a
/// full stop are ignored.
fn by_stem(folder: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut files = BTreeMap::new();
    for path in files::paths_in(folder)?.into_iter().filter(|path| !path.is_dir()) {
        let name = files::name(&path);
        let stem = stem(&name).to_owned();
        if let Some(other) = files.insert(stem.clone(), path) {
            let mut names = [files::name(&other), name];
            names.sort();
            return Err(Error::usage(format!(
                "{} has {} and {}, which are both named {stem}: remove one",
                folder.display(),
                names[0],
                names[1]
            )));
        }
    }
    Ok(files)
}

fn stem(name: &str) -> &str {
    let name = unfiltered_name(files::uncompressed_name(name));
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The paired recordings of two files.
struct Recordings {
    /// The recordings of the reference with their hypotheses, which are empty where the hypothesis
    /// lacks a recording.
    pairs: Vec<(Transcript, Transcript)>,
    only_hypothesis: Vec<Transcript>,
}

impl Recordings {
    fn new(references: Vec<Transcript>, mut hypotheses: Vec<Transcript>) -> Self {
        let alone = references.len() == 1 && hypotheses.len() == 1;
        let name = |one: &Transcript| one.recording.as_deref().map(str::to_lowercase);
        let pair = |reference: Transcript| {
            let same = |hypothesis: &Transcript| alone || name(hypothesis) == name(&reference);
            let hypothesis = hypotheses.iter().position(same).map(|at| hypotheses.remove(at));
            (reference, hypothesis.unwrap_or_default())
        };
        let pairs = references.into_iter().map(pair).collect();
        Self {
            pairs,
            only_hypothesis: hypotheses.into_iter().filter(|one| !one.utterances.is_empty()).collect(),
        }
    }

    /// Returns true if some recording has both sides, or if the hypothesis is empty.
    fn have_something_in_common(&self) -> bool {
        self.only_hypothesis.is_empty()
            || self.pairs.iter().any(|(_, hypothesis)| !hypothesis.utterances.is_empty())
    }

    fn left_out(&self, reference: &Path, hypothesis: &Path) -> Vec<UnpairedFile> {
        let name = |file: &Path, one: &Transcript| match &one.recording {
            Some(recording) => format!("{}: {recording}", file.display()),
            None => file.to_string_lossy().into_owned(),
        };
        let is_missing =
            |pair: &&(Transcript, Transcript)| pair.1.utterances.is_empty() && self.pairs.len() > 1;
        let missing = self.pairs.iter().filter(is_missing).map(|(one, _)| UnpairedFile {
            name: name(reference, one),
            lacks: Lacking::Hypothesis,
            is_deleted: true,
        });
        let left = self.only_hypothesis.iter().map(|one| UnpairedFile {
            name: name(hypothesis, one),
            lacks: Lacking::Reference,
            is_deleted: false,
        });
        missing.chain(left).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn scored(folder: &Path, reference: &str, hypothesis: &str) -> Result<FileScores> {
        let [reference, hypothesis] = [reference, hypothesis].map(|name| folder.join(name));
        score_files(&reference, &hypothesis, &Reading::default(), Locale::Root, Cases::Own)
    }

    #[test]
    fn the_files_of_folders_are_paired_by_their_names() {
        let folder = folder(&[
            ("ref/a.stm", "talk 1 ana 0 1 We met Ana.\n"),
            ("ref/b.txt", "Yes."),
            ("ref/d.x.txt", "No."),
            ("hyp/a.ctm", "talk A 0 1 we\ntalk A 1 1 met\ntalk A 2 1 Ana\n"),
            ("hyp/c.txt", "Nothing"),
            ("hyp/d.x.nlp", "token|punctuation\nno|\n"),
            ("hyp/.hidden", ""),
        ]);
        let scores = scored(folder.path(), "ref", "hyp").unwrap();
        let names: Vec<&str> =
            scores.recordings.iter().map(|(name, _)| name.rsplit('/').next().unwrap()).collect();
        assert_eq!(names, ["a.ctm", "d.x.nlp"]);
        let left: Vec<_> =
            scores.left_out.iter().map(|left| (left.name.rsplit('/').next().unwrap(), left.lacks)).collect();
        assert_eq!(left, [("b.txt", Lacking::Hypothesis), ("c.txt", Lacking::Reference)]);
        assert_eq!(
            (scores.all().counts.words().reference(), scores.all().counts.words().ser()),
            (4, Some(0.0))
        );
    }

    #[test]
    fn recordings_are_paired_by_name_and_channel() {
        let folder = folder(&[
            ("ref.stm", "one A x 0 1 We met Ana.\nTWO a x 0 1 She left\none B x 0 1 Yes\n"),
            ("hyp.ctm", "two A 0 1 she\ntwo A 1 1 left\none A 0 1 we\nthree A 0 1 no\n"),
            ("other.ctm", "four A 0 1 we\nfive A 0 1 met\n"),
        ]);
        let scores = scored(folder.path(), "ref.stm", "hyp.ctm").unwrap();
        let names: Vec<&str> =
            scores.recordings.iter().map(|(name, _)| name.rsplit(": ").next().unwrap()).collect();
        assert_eq!(names, ["one A", "TWO a", "one B"]);
        let left = |scores: &FileScores| -> Vec<(String, bool)> {
            let left =
                |left: &UnpairedFile| (left.name.rsplit(": ").next().unwrap().to_owned(), left.is_deleted);
            scores.left_out.iter().map(left).collect()
        };
        // A channel that the hypothesis lacks is deleted.
        assert_eq!(left(&scores), [("one B".into(), true), ("three A".into(), false)]);
        assert_eq!((scores.all().counts.deleted.tokens(), scores.all().counts.recognised.tokens()), (3, 3));
        let error = scored(folder.path(), "ref.stm", "other.ctm").unwrap_err().to_string();
        assert!(error.contains("other.ctm: names no recording that "), "{error}");
    }

    #[test]
    fn nothing_in_common_is_an_error() {
        let folder = folder(&[
            ("ref/a.txt", "We met Ana."),
            ("hyp/b.txt", "we met ana"),
            ("twice/a.txt", "we"),
            ("twice/a.nlp", ""),
            ("other.txt", "they left"),
            ("none.txt", "...\n"),
            ("a.trn", "We left (x-1)\n"),
            ("b.trn", "we left (x-2)\n"),
        ]);
        for (reference, hypothesis, problem) in [
            ("ref", "hyp", "have nothing in common: expected files with the same names"),
            ("ref", "twice", "has a.nlp and a.txt, which are both named a: remove one"),
            ("ref", "other.txt", "give two files, or two folders"),
            ("a.trn", "b.trn", "b.trn: names no utterance that "),
            ("none.txt", "other.txt", "none.txt: contains no words to score: "),
        ] {
            let error = scored(folder.path(), reference, hypothesis).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn utterances_of_one_side_alone_are_left_out_and_named() {
        let folder = folder(&[
            ("a.trn", "We left (x-1)\nNo (x-2)\n"),
            ("b.trn", "no (x-2)\na (y-1)\nb (y-2)\nc (y-3)\nd (y-4)\ne (y-5)\n"),
        ]);
        let scores = scored(folder.path(), "a.trn", "b.trn").unwrap();
        let left: Vec<&str> =
            scores.left_out.iter().map(|left| left.name.rsplit(": ").next().unwrap()).collect();
        assert_eq!(left, ["(x-1)", "(y-1), (y-2), (y-3) and 2 more utterances"]);
        assert_eq!(scores.all().counts.words().reference(), 1);
    }

    #[test]
    fn filtered_transcripts_are_what_they_were_before() {
        let folder = folder(&[
            ("ref/x.stm.filt", "x A s 0 9 we met Ana\n"),
            ("hyp/x.ctm.filt", "x A 0 1 we\nx A 1 1 met\nx A 2 1 ana\n"),
        ]);
        let scores = scored(folder.path(), "ref", "hyp").unwrap();
        assert_eq!(
            (scores.all().counts.words().reference(), scores.all().counts.words().ser()),
            (3, Some(0.0))
        );
    }

    #[test]
    fn nothing_that_is_right_is_a_result() {
        let folder = folder(&[("a.txt", "We met Ana."), ("b.txt", "they left"), ("none.txt", "")]);
        for (hypothesis, rate) in [("b.txt", 1.0), ("none.txt", 1.0)] {
            assert_eq!(
                scored(folder.path(), "a.txt", hypothesis).unwrap().all().counts.words().ser(),
                Some(rate)
            );
        }
    }

    #[test]
    fn a_recogniser_that_heard_nothing_deletes_all() {
        let folder = folder(&[
            ("ref/a.txt", "We met Ana."),
            ("ref/b.txt", "Yes"),
            ("hyp/a.nlp", ""),
            ("hyp/b.ctm", "b 1 0 1 yes"),
        ]);
        let scores = scored(folder.path(), "ref", "hyp").unwrap();
        assert_eq!(scores.recordings[0].1.counts.deleted.tokens(), 3);
    }
}
