//! Splits corpora into parts for training, development and testing, reproducibly for each seed.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;

use super::read::Reading;
use super::{Corpus, Protocol, marks};
use crate::random::below;
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, Publish};
use majuscule_format::{Format, has_names};
use majuscule_text::Locale;

/// The settings of splitting a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub struct SplitConfig {
    /// Seed of the split: another seed gives another split
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
}

/// The proportions of train, dev and test in percent; each file is split in these proportions, exact to the
/// line.
const SHARES: [u32; 3] = [80, 10, 10];

/// The names of the parts and of their folders.
pub const PARTS: [&str; 3] = ["train", "dev", "test"];

/// The file that describes how a folder of parts was made.
pub const MANIFEST: &str = "split.json";

/// The result of a split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SplitReport {
    /// The version of majuscule that made the split.
    pub version: &'static str,
    /// The seed; the same seed makes the same parts again.
    pub seed: u64,
    /// The proportions of train, dev and test in percent.
    pub shares: [u32; 3],
    /// The names of the files in the folders.
    pub files: Vec<String>,
    /// The number of sentences in train, dev and test.
    pub sentences: [u64; 3],
    /// The sentences that occur in two parts.
    pub shared: Vec<SharedSentences>,
}

/// The sentences that two parts share: the same words, ignoring case and punctuation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedSentences {
    /// The part whose sentences are counted.
    pub part: &'static str,
    /// The other part that contains these sentences.
    pub also_in: &'static str,
    /// The number of shared sentences.
    pub sentences: u64,
}

/// Splits `files` into `folder`: `train/NAME`, `dev/NAME` and `test/NAME` for each file, with the
/// lines in their order, and `split.json`. Empty lines are left out. With `replace`, an existing
/// folder of parts may be replaced.
///
/// # Errors
/// If a file cannot be read or a part cannot be written, if two files have the same name, or if a
/// transcript would be cut.
pub fn split(
    files: &[PathBuf],
    reading: &Reading,
    config: &SplitConfig,
    folder: &Path,
    replace: bool,
) -> Result<SplitReport> {
    let names = names(files)?;
    check_outside(files, folder)?;
    check_cuttable(files, reading)?;
    let mut report = None;
    files::publish_folder(folder, replace.then_some(MANIFEST), |folder| {
        for part in PARTS {
            let folder = folder.join(part);
            std::fs::create_dir(&folder).map_err(|error| Error::io("create", folder, error))?;
        }
        let written = lines(files, reading, config, |part, i| folder.join(PARTS[part]).join(&names[i]))?;
        let found = examine(&written, reading, config, &names)?;
        let json =
            serde_json::to_string_pretty(&found).map_err(|error| Error::io("write", folder, error.into()))?;
        files::publish(folder.join(MANIFEST), |file| {
            writeln!(file, "{json}").map_err(|error| Error::io("write", folder, error))
        })?;
        report = Some(found);
        Ok(())
    })?;
    Ok(report.expect("a folder is published only once it is filled"))
}

/// Returns the names of the files in the parts: the names of the input files, without the extension
/// of a compressed file.
fn names(files: &[PathBuf]) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = files::uncompressed_name(&name);
        if name.is_empty() || name == "-" {
            let file = file.display();
            return Err(Error::usage(format!(
                "{file} has no name from which to derive the names of its parts: name a file"
            )));
        }
        if names.iter().any(|other| other == name) {
            return Err(Error::usage(format!(
                "two files are called {name}, so their parts would have the same name: rename one of the files"
            )));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// Checks that no input file is in the folder, because replacing the folder would delete the file.
fn check_outside(files: &[PathBuf], folder: &Path) -> Result<()> {
    let Ok(folder) = folder.canonicalize() else { return Ok(()) };
    let inside = |file: &&PathBuf| file.canonicalize().is_ok_and(|file| file.starts_with(&folder));
    match files.iter().find(inside) {
        None => Ok(()),
        Some(file) => {
            let (file, folder) = (file.display(), folder.display());
            Err(Error::usage(format!(
                "{file} is in {folder}, where the parts are written: name another folder"
            )))
        }
    }
}

/// Checks that the files can be split by lines, which is possible only in formats whose lines are
/// sentences.
fn check_cuttable(files: &[PathBuf], reading: &Reading) -> Result<()> {
    for file in files {
        let kind = reading.format.of_input(&mut files::open(file)?)?;
        if !kind.info().is_cut_by_lines {
            let (file, kind) = (file.display(), kind.shown());
            return Err(Error::usage(format!(
                "{file} is {kind}, which cannot be split by lines: give text with a sentence per line"
            )));
        }
    }
    Ok(())
}

/// A part of a file, which is opened for writing at its first line.
struct PartFile {
    path: PathBuf,
    file: Option<Publish>,
}

impl PartFile {
    /// Appends a line.
    fn write(&mut self, line: &str) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(Publish::new(&self.path)?),
        };
        writeln!(file, "{line}").map_err(|error| Error::io("write", &self.path, error))
    }

    /// Closes the file and returns its path, if it has lines.
    fn finish(self) -> Result<Option<PathBuf>> {
        let Some(file) = self.file else { return Ok(None) };
        file.commit()?;
        Ok(Some(self.path))
    }
}

/// Draws a part for each of `total` items: each part gets exactly its rounded proportion, and all orders
/// are equally likely (selection sampling, algorithm S of Knuth 1997, section 3.4.2, for several parts).
struct PartSampler {
    left: [u64; 3],
    random: ChaCha8Rng,
}

impl PartSampler {
    fn new(total: u64, seed: u64, stream: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Self { left: quotas(total, SHARES), random }
    }

    fn next(&mut self) -> usize {
        let mut at = below(&mut self.random, self.left.iter().sum());
        for (part, left) in self.left.iter_mut().enumerate() {
            if at < *left {
                *left -= 1;
                return part;
            }
            at -= *left;
        }
        0
    }
}

/// Divides `total` into integers by proportions. The remainder left by rounding goes to the largest
/// fractions, and among equal fractions to the first.
fn quotas(total: u64, shares: [u32; 3]) -> [u64; 3] {
    let sum: u128 = shares.iter().map(|&share| u128::from(share)).sum();
    let exact = |share: u32| u128::from(total) * u128::from(share);
    let mut quotas = shares.map(|share| (exact(share) / sum) as u64);
    let mut order = [0, 1, 2];
    order.sort_by_key(|&part| std::cmp::Reverse(exact(shares[part]) % sum));
    let rest = total - quotas.iter().sum::<u64>();
    for &part in order.iter().take(rest as usize) {
        quotas[part] += 1;
    }
    quotas
}

/// Distributes the lines of each file among the parts, independently of other files. `path` returns the path of a part
/// of a file. Returns the paths that were written, by parts.
fn lines(
    files: &[PathBuf],
    reading: &Reading,
    config: &SplitConfig,
    path: impl Fn(usize, usize) -> PathBuf,
) -> Result<[Vec<PathBuf>; 3]> {
    let mut written = [const { Vec::new() }; 3];
    for (i, file) in files.iter().enumerate() {
        let headed = has_header(file, reading);
        let total = count_lines(file, headed)?;
        let mut draw = PartSampler::new(total, config.seed, i as u64);
        let mut parts = [0, 1, 2].map(|part| PartFile { path: path(part, i), file: None });
        let mut lines = files::open(file)?.lines();
        // Each part of a table has its header.
        if headed && let Some(header) = lines.next()? {
            parts.iter_mut().try_for_each(|part| part.write(header))?;
        }
        while let Some(line) = lines.next()? {
            if !line.trim().is_empty() {
                parts[draw.next()].write(line)?;
            }
        }
        for (part, written) in parts.into_iter().zip(&mut written) {
            written.extend(part.finish()?);
        }
    }
    Ok(written)
}

/// The number of lines that are not empty.
fn count_lines(file: &Path, headed: bool) -> Result<u64> {
    let mut lines = files::open(file)?.lines();
    if headed {
        lines.next()?;
    }
    let mut count = 0;
    while let Some(line) = lines.next()? {
        count += u64::from(!line.trim().is_empty());
    }
    Ok(count)
}

fn has_header(file: &Path, reading: &Reading) -> bool {
    let kind = if reading.format == Format::Auto { Format::of_name(file) } else { reading.format };
    kind.info().has_header && has_names(reading.field.as_deref())
}

/// Counts the sentences of the parts that were written, and the sentences that occur in two parts.
fn examine(
    written: &[Vec<PathBuf>; 3],
    reading: &Reading,
    config: &SplitConfig,
    names: &[String],
) -> Result<SplitReport> {
    // For each sentence of dev and test, by its hash, the number of occurrences in each part. These
    // sentences are few compared to train, which is not kept in memory.
    let mut held: BTreeMap<u64, [u64; 3]> = BTreeMap::new();
    let mut sentences = [0; 3];
    for part in [1, 2, 0] {
        each_sentence(&written[part], reading, |words| {
            sentences[part] += 1;
            match held.get_mut(&words) {
                Some(counts) => counts[part] += 1,
                None if part == 0 => {}
                None => held.entry(words).or_default()[part] += 1,
            }
        })?;
    }
    let shared = |part: usize, other: usize| SharedSentences {
        part: PARTS[part],
        also_in: PARTS[other],
        sentences: held.values().filter(|counts| counts[other] > 0).map(|counts| counts[part]).sum(),
    };
    Ok(SplitReport {
        version: env!("CARGO_PKG_VERSION"),
        seed: config.seed,
        shares: SHARES,
        files: names.to_vec(),
        sentences,
        shared: vec![shared(1, 0), shared(2, 0), shared(2, 1)],
    })
}

/// Calls `visit` with a hash of the words of each sentence.
fn each_sentence(files: &[PathBuf], reading: &Reading, mut visit: impl FnMut(u64)) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let corpus = Corpus::new(files, reading.clone(), Protocol::Text, Locale::Root)?;
    let (mut scratch, mut lower) = (String::new(), String::new());
    corpus.for_each_sentence(&mut |sentence| {
        // The hash is never written, since the hash function of the standard library may change between versions.
        let mut hasher = DefaultHasher::new();
        let mut any = false;
        marks::words(sentence.text, Locale::Root, &mut scratch, |word| {
            lower.clear();
            Locale::Root.lower_into(word, &mut lower);
            lower.hash(&mut hasher);
            any = true;
        });
        if any {
            visit(hasher.finish());
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn file(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.path().join(name);
            fs::write(&path, text).unwrap();
            path
        }

        fn split(&self, files: &[PathBuf], config: &SplitConfig) -> Result<SplitReport> {
            split(files, &Reading::default(), config, &self.0.path().join("out"), true)
        }

        fn part(&self, part: &str, name: &str) -> Vec<String> {
            let text = fs::read_to_string(self.0.path().join("out").join(part).join(name));
            text.unwrap_or_default().lines().map(str::to_owned).collect()
        }
    }

    fn numbered(name: &str, count: usize) -> String {
        (0..count).map(|i| format!("{name} says {i}\n")).collect()
    }

    fn number(line: &str) -> usize {
        line.rsplit(' ').next().unwrap().parse().unwrap()
    }

    proptest! {
        #[test]
        fn quotas_add_up_and_are_less_than_one_off(total in 0u64..10_000, shares in proptest::array::uniform3(0u32..100)) {
            prop_assume!(shares != [0; 3]);
            let quotas = quotas(total, shares);
            prop_assert_eq!(quotas.iter().sum::<u64>(), total);
            let sum: u32 = shares.iter().sum();
            for (quota, share) in quotas.iter().zip(shares) {
                let exact = total as f64 * f64::from(share) / f64::from(sum);
                prop_assert!((*quota as f64 - exact).abs() < 1.0);
                prop_assert!(share > 0 || *quota == 0);
            }
        }
    }

    #[test]
    fn every_line_goes_to_one_part_in_its_order_and_by_the_shares() {
        let folder = Folder::new();
        let file = folder.file("a.txt", &(numbered("Ana", 60) + "\n \n" + &numbered("Rui", 40)));
        let report = folder.split(&[file], &SplitConfig { seed: 1 }).unwrap();
        assert_eq!(report.sentences, [80, 10, 10]);
        let mut all = Vec::new();
        for part in PARTS {
            let lines = folder.part(part, "a.txt");
            let (ana, rui): (Vec<&String>, Vec<_>) = lines.iter().partition(|line| line.starts_with("Ana"));
            assert!(ana.is_sorted_by_key(|line| number(line)) && rui.is_sorted_by_key(|line| number(line)));
            assert!(lines.iter().rev().take(rui.len()).all(|line| line.starts_with("Rui")));
            all.extend(lines);
        }
        all.sort();
        let mut expected: Vec<_> = numbered("Ana", 60).lines().map(str::to_owned).collect();
        expected.extend(numbered("Rui", 40).lines().map(str::to_owned));
        expected.sort();
        assert_eq!(all, expected);
    }

    #[test]
    fn a_seed_gives_the_same_split_and_another_another() {
        let folder = Folder::new();
        let file = folder.file("a", &numbered("Ana", 200));
        let dev = |seed| {
            folder.split(std::slice::from_ref(&file), &SplitConfig { seed }).unwrap();
            folder.part("dev", "a")
        };
        let (one, again, two) = (dev(1), dev(1), dev(2));
        assert_eq!(one, again);
        assert_ne!(one, two);
        // Pinned, so that no version changes a published split.
        assert_eq!(one.iter().map(|line| number(line)).take(4).collect::<Vec<_>>(), [8, 40, 42, 53]);
    }

    #[test]
    fn a_transcript_is_not_cut() {
        let folder = Folder::new();
        let transcript = folder.file("a.nlp", "token|punctuation\nYes|.\n");
        assert!(matches!(folder.split(&[transcript], &SplitConfig { seed: 1 }), Err(Error::Usage(_))));
    }

    #[test]
    fn sentences_that_stand_in_two_parts_are_reported() {
        let folder = Folder::new();
        let file = folder.file("a", &"Thank you.\nthank you!\n".repeat(10));
        let report = folder.split(&[file], &SplitConfig { seed: 1 }).unwrap();
        let shared: Vec<u64> = report.shared.iter().map(|shared| shared.sentences).collect();
        assert_eq!((report.sentences, shared), ([16, 2, 2], vec![2, 2, 2]));
        let file = folder.file("b", &numbered("Ana", 20));
        let report = folder.split(&[file], &SplitConfig { seed: 1 }).unwrap();
        assert!(report.shared.iter().all(|shared| shared.sentences == 0));
    }

    #[test]
    fn every_part_of_a_table_has_its_names() {
        let folder = Folder::new();
        let file = folder.file("a.tsv", &("id\ttext\n".to_owned() + &"7\tOlá.\n".repeat(10)));
        let report = folder.split(&[file], &SplitConfig { seed: 1 }).unwrap();
        assert_eq!(report.sentences, [8, 1, 1]);
        assert_eq!(folder.part("dev", "a.tsv"), ["id\ttext", "7\tOlá."]);
    }

    #[test]
    fn two_files_of_one_name_are_refused() {
        let folder = Folder::new();
        let file = folder.file("a", "Olá");
        let refused = folder.split(&[file.clone(), file], &SplitConfig { seed: 1 });
        assert!(matches!(refused, Err(Error::Usage(_))));
        assert!(matches!(
            folder.split(&[PathBuf::from("-")], &SplitConfig { seed: 1 }),
            Err(Error::Usage(_))
        ));
        let file = folder.file("b", "Olá");
        folder.split(&[file], &SplitConfig { seed: 1 }).unwrap();
        let inside = folder.0.path().join("out/train/b");
        assert!(matches!(folder.split(&[inside], &SplitConfig { seed: 1 }), Err(Error::Usage(_))));
    }
}
