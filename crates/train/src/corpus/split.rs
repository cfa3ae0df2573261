//! Splits corpora into parts for training, development and testing, the same for the same seed.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;

use super::read::Reading;
use super::{Corpus, Protocol, marks};
use crate::random::below;
use majuscule::error::{Error, Result, option};
use majuscule::files::{self, Publish};
use majuscule::format::{Format, has_names};
use majuscule::text::Locale;

/// The settings of splitting a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub struct SplitConfig {
    /// Shares of train, dev and test; each file is split in these proportions, exact to the line
    #[arg(long, value_name = "TRAIN,DEV,TEST", default_value_t)]
    pub shares: SplitShares,
    /// Seed of the split: another seed gives another split
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Keep documents whole: each file goes to one part
    #[arg(long, conflicts_with = "disjoint")]
    pub documents: bool,
    /// For parallel files: take each line from only one of them, so that no sentence occurs
    /// together with its translation
    #[arg(long)]
    pub disjoint: bool,
}

impl Default for SplitConfig {
    fn default() -> Self {
        Self { shares: SplitShares::default(), seed: 1, documents: false, disjoint: false }
    }
}

/// The shares of train, dev and test, not all of them 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SplitShares([u32; 3]);

impl Default for SplitShares {
    fn default() -> Self {
        Self([80, 10, 10])
    }
}

impl FromStr for SplitShares {
    type Err = Error;

    fn from_str(shares: &str) -> Result<Self> {
        let numbers: Vec<u32> = shares.split(',').map_while(|share| share.trim().parse().ok()).collect();
        match <[u32; 3]>::try_from(numbers) {
            Ok(numbers) if shares.split(',').count() == 3 && numbers != [0; 3] => Ok(Self(numbers)),
            _ => Err(Error::usage(format!(
                "shares \"{shares}\": expected three whole numbers, not all 0, such as 80,10,10"
            ))),
        }
    }
}

impl fmt::Display for SplitShares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [train, dev, test] = self.0;
        write!(f, "{train},{dev},{test}")
    }
}

/// The names of the parts and of their folders.
pub const PARTS: [&str; 3] = ["train", "dev", "test"];

/// The file that describes how a folder of parts was made.
pub const MANIFEST: &str = "split.json";

/// The result of a split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SplitReport {
    /// The version of majuscule that made the split.
    pub version: &'static str,
    /// The seed, which gives the same parts again.
    pub seed: u64,
    /// The requested shares.
    pub shares: SplitShares,
    /// True if files were kept whole.
    pub documents: bool,
    /// True if each line was taken from only one file.
    pub disjoint: bool,
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
/// If a file cannot be read or a part cannot be written, if two files have the same name, if a
/// transcript would be cut, or if parallel files differ in length.
pub fn split(
    files: &[PathBuf],
    reading: &Reading,
    config: &SplitConfig,
    folder: &Path,
    replace: bool,
) -> Result<SplitReport> {
    let names = names(files)?;
    check_outside(files, folder)?;
    if config.disjoint && files.len() < 2 {
        let problem = format!("{} is for parallel files: name two or more", option("disjoint"));
        return Err(Error::usage(problem));
    }
    if !config.documents {
        check_cuttable(files, reading)?;
    }
    let mut report = None;
    files::publish_folder(folder, replace.then_some(MANIFEST), |folder| {
        let mut parts = PartFiles::new(folder, &names, config)?;
        match (config.documents, config.disjoint) {
            (true, _) => documents(files, config, &mut parts)?,
            (false, true) => disjoint_lines(files, reading, config, &mut parts)?,
            (false, false) => lines(files, reading, config, &mut parts)?,
        }
        let written = parts.finish()?;
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

/// The names of the files in the parts: their own names, without the extension of a compressed
/// file.
fn names(files: &[PathBuf]) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = files::uncompressed_name(&name);
        if name.is_empty() || name == "-" {
            let file = file.display();
            return Err(Error::usage(format!("{file} has no file name to give its parts: name a file")));
        }
        if names.iter().any(|other| other == name) {
            return Err(Error::usage(format!(
                "two files are called {name}, so their parts would be one: rename one"
            )));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// Checks that no input lies in the folder, because replacing the folder would delete it.
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

/// Checks that the lines of the files can stand alone, which holds only for formats whose lines are
/// sentences.
fn check_cuttable(files: &[PathBuf], reading: &Reading) -> Result<()> {
    for file in files {
        let kind = reading.format.of_input(&mut files::open(file)?)?;
        if !kind.info().is_cut_by_lines {
            let (file, kind) = (file.display(), kind.shown());
            return Err(Error::usage(format!(
                "{file} is {kind}, which cannot be split by lines: give {}",
                option("documents")
            )));
        }
    }
    Ok(())
}

/// The files of the parts, each opened for writing at its first line.
struct PartFiles {
    files: Vec<[Option<Publish>; 3]>,
    paths: Vec<[PathBuf; 3]>,
    /// The paths of the files that were written.
    written: [Vec<PathBuf>; 3],
}

impl PartFiles {
    fn new(folder: &Path, names: &[String], config: &SplitConfig) -> Result<Self> {
        let mut parts = Self { files: Vec::new(), paths: Vec::new(), written: [vec![], vec![], vec![]] };
        for (part, _) in PARTS.iter().zip(config.shares.0).filter(|(_, share)| *share > 0) {
            let folder = folder.join(part);
            std::fs::create_dir(&folder).map_err(|error| Error::io("create", folder, error))?;
        }
        for name in names {
            parts.paths.push(PARTS.map(|part| folder.join(part).join(name)));
            parts.files.push([None, None, None]);
        }
        Ok(parts)
    }

    /// Appends a line to a part of a file.
    fn write(&mut self, file: usize, part: usize, line: &str) -> Result<()> {
        let path = &self.paths[file][part];
        let slot = &mut self.files[file][part];
        let out = match slot {
            Some(out) => out,
            None => slot.insert(Publish::new(path)?),
        };
        writeln!(out, "{line}").map_err(|error| Error::io("write", path, error))
    }

    /// Closes the parts of a file, so that few are open at once.
    fn close(&mut self, file: usize) -> Result<()> {
        for (part, slot) in self.files[file].iter_mut().enumerate() {
            if let Some(out) = slot.take() {
                out.commit()?;
                self.written[part].push(self.paths[file][part].clone());
            }
        }
        Ok(())
    }

    /// Closes all files and returns the paths of each part's files.
    fn finish(mut self) -> Result<[Vec<PathBuf>; 3]> {
        (0..self.files.len()).try_for_each(|file| self.close(file))?;
        Ok(self.written)
    }
}

/// Draws a part for each of `total` items: each part gets exactly its rounded share, and all orders
/// are equally likely (selection sampling, algorithm S of Knuth 1997, section 3.4.2, for several
/// parts).
struct PartSampler {
    left: Vec<u64>,
    random: ChaCha8Rng,
}

impl PartSampler {
    fn new(total: u64, shares: &[u32], seed: u64, stream: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Self { left: quotas(total, shares), random }
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

/// Divides `total` into integers by shares. The remainder left by rounding goes to the largest
/// fractions, the first of equal ones.
fn quotas(total: u64, shares: &[u32]) -> Vec<u64> {
    let sum: u128 = shares.iter().map(|&share| u128::from(share)).sum();
    let exact = |share: u32| u128::from(total) * u128::from(share);
    let mut quotas: Vec<u64> = shares.iter().map(|&share| (exact(share) / sum) as u64).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by_key(|&part| std::cmp::Reverse(exact(shares[part]) % sum));
    let rest = total - quotas.iter().sum::<u64>();
    for &part in order.iter().take(rest as usize) {
        quotas[part] += 1;
    }
    quotas
}

/// Copies each file unchanged to one part.
fn documents(files: &[PathBuf], config: &SplitConfig, parts: &mut PartFiles) -> Result<()> {
    let mut draw = PartSampler::new(files.len() as u64, &config.shares.0, config.seed, 0);
    for (i, file) in files.iter().enumerate() {
        let part = draw.next();
        let mut lines = files::open(file)?.lines();
        while let Some(line) = lines.next()? {
            parts.write(i, part, line)?;
        }
        parts.close(i)?;
    }
    Ok(())
}

/// Distributes the lines of each file among the parts, independently of other files.
fn lines(files: &[PathBuf], reading: &Reading, config: &SplitConfig, parts: &mut PartFiles) -> Result<()> {
    for (i, file) in files.iter().enumerate() {
        let headed = has_header(file, reading);
        let total = count_lines(file, headed)?;
        let mut draw = PartSampler::new(total, &config.shares.0, config.seed, i as u64);
        let mut lines = files::open(file)?.lines();
        copy_header(&mut lines, headed, i, config, parts)?;
        while let Some(line) = lines.next()? {
            if !line.trim().is_empty() {
                parts.write(i, draw.next(), line)?;
            }
        }
        parts.close(i)?;
    }
    Ok(())
}

/// Assigns each line number of the parallel files to one part, which gets the line of only one of
/// them.
fn disjoint_lines(
    files: &[PathBuf],
    reading: &Reading,
    config: &SplitConfig,
    parts: &mut PartFiles,
) -> Result<()> {
    let mut inputs = Vec::new();
    for (i, file) in files.iter().enumerate() {
        let mut lines = files::open(file)?.lines();
        copy_header(&mut lines, has_header(file, reading), i, config, parts)?;
        inputs.push(lines);
    }
    let total = count_parallel(files, reading)?;
    let shares = config.shares.0.repeat(files.len());
    let mut draw = PartSampler::new(total, &shares, config.seed, 0);
    for _ in 0..total {
        let drawn = draw.next();
        let (taken, part) = (drawn / PARTS.len(), drawn % PARTS.len());
        for (i, lines) in inputs.iter_mut().enumerate() {
            let line = lines.next()?.unwrap_or_default();
            if i == taken && !line.trim().is_empty() {
                parts.write(i, part, line)?;
            }
        }
    }
    Ok(())
}

/// The number of lines of parallel files.
fn count_parallel(files: &[PathBuf], reading: &Reading) -> Result<u64> {
    let mut first = None;
    for file in files {
        let headed = has_header(file, reading);
        let mut lines = files::open(file)?.lines();
        let mut count = 0;
        while lines.next()?.is_some() {
            count += 1;
        }
        let count = if headed { u64::saturating_sub(count, 1) } else { count };
        let (expected, other) = *first.get_or_insert((count, file));
        if count != expected {
            let other = other.display();
            let problem = format!(
                "found {count} lines, but {other} has {expected}: parallel files have a translation on the same line"
            );
            return Err(Error::file(file.to_string_lossy(), problem));
        }
    }
    Ok(first.map_or(0, |(count, _)| count))
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

/// Copies the header of a table to each part.
fn copy_header(
    lines: &mut files::Lines,
    headed: bool,
    file: usize,
    config: &SplitConfig,
    parts: &mut PartFiles,
) -> Result<()> {
    if headed && let Some(header) = lines.next()? {
        for (part, _) in config.shares.0.iter().enumerate().filter(|(_, share)| **share > 0) {
            parts.write(file, part, header)?;
        }
    }
    Ok(())
}

/// Counts the sentences of the parts that were written, and those that occur in two parts.
fn examine(
    written: &[Vec<PathBuf>; 3],
    reading: &Reading,
    config: &SplitConfig,
    names: &[String],
) -> Result<SplitReport> {
    // The sentences of dev and test by part. They are few compared to train, which is not kept in
    // memory.
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
        shares: config.shares,
        documents: config.documents,
        disjoint: config.disjoint,
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
        // The hash is never written: that of the standard library may change from version to
        // version.
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
            let quotas = quotas(total, &shares);
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
        let report = folder.split(&[file], &SplitConfig::default()).unwrap();
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
            folder
                .split(std::slice::from_ref(&file), &SplitConfig { seed, ..SplitConfig::default() })
                .unwrap();
            folder.part("dev", "a")
        };
        let (one, again, two) = (dev(1), dev(1), dev(2));
        assert_eq!(one, again);
        assert_ne!(one, two);
        // Pinned, so that no version changes a published split.
        assert_eq!(one.iter().map(|line| number(line)).take(4).collect::<Vec<_>>(), [8, 40, 42, 53]);
    }

    #[test]
    fn of_parallel_files_each_line_is_taken_once() {
        let folder = Folder::new();
        let names = ["x.en", "x.pt", "x.es"];
        let files = names.map(|name| folder.file(name, &numbered(name, 30)));
        let config =
            SplitConfig { disjoint: true, shares: "4,1,0".parse().unwrap(), ..SplitConfig::default() };
        let report = folder.split(&files, &config).unwrap();
        assert_eq!(report.sentences, [24, 6, 0]);
        assert!(!folder.0.path().join("out/test").exists());
        let mut seen = Vec::new();
        for name in names {
            for (part, expected) in [("train", 8), ("dev", 2)] {
                let lines = folder.part(part, name);
                assert_eq!(lines.len(), expected);
                seen.extend(lines.iter().map(|line| number(line)));
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..30).collect::<Vec<_>>());

        let short = folder.file("y.en", &numbered("y", 29));
        let error = folder.split(&[files[0].clone(), short], &config).unwrap_err().to_string();
        assert!(error.contains("found 29 lines") && error.contains("has 30"), "{error}");
        assert!(matches!(folder.split(&files[..1], &config), Err(Error::Usage(_))));
    }

    #[test]
    fn documents_stay_whole() {
        let folder = Folder::new();
        let files: Vec<_> =
            (0..10).map(|i| folder.file(&format!("{i}.txt"), &numbered("Ana", i + 1))).collect();
        let config = SplitConfig { documents: true, ..SplitConfig::default() };
        folder.split(&files, &config).unwrap();
        let counts = PARTS.map(|part| fs::read_dir(folder.0.path().join("out").join(part)).unwrap().count());
        assert_eq!(counts, [8, 1, 1]);
        let transcript = folder.file("a.nlp", "token|punctuation\nYes|.\n");
        let refused = folder.split(std::slice::from_ref(&transcript), &SplitConfig::default());
        assert!(matches!(refused, Err(Error::Usage(_))));
        assert_eq!(folder.split(&[transcript], &config).unwrap().sentences, [1, 0, 0]);
    }

    #[test]
    fn sentences_that_stand_in_two_parts_are_reported() {
        let folder = Folder::new();
        let file = folder.file("a", &"Thank you.\nthank you!\n".repeat(10));
        let report = folder.split(&[file], &SplitConfig::default()).unwrap();
        let shared: Vec<u64> = report.shared.iter().map(|shared| shared.sentences).collect();
        assert_eq!((report.sentences, shared), ([16, 2, 2], vec![2, 2, 2]));
        let file = folder.file("b", &numbered("Ana", 20));
        let report = folder.split(&[file], &SplitConfig::default()).unwrap();
        assert!(report.shared.iter().all(|shared| shared.sentences == 0));
    }

    #[test]
    fn every_part_of_a_table_has_its_names() {
        let folder = Folder::new();
        let file = folder.file("a.tsv", &("id\ttext\n".to_owned() + &"7\tOlá.\n".repeat(10)));
        let report = folder.split(&[file], &SplitConfig::default()).unwrap();
        assert_eq!(report.sentences, [8, 1, 1]);
        assert_eq!(folder.part("dev", "a.tsv"), ["id\ttext", "7\tOlá."]);
    }

    #[test]
    fn two_files_of_one_name_and_wrong_shares_are_refused() {
        let folder = Folder::new();
        let file = folder.file("a", "Olá");
        let refused = folder.split(&[file.clone(), file], &SplitConfig::default());
        assert!(matches!(refused, Err(Error::Usage(_))));
        assert!(matches!(folder.split(&[PathBuf::from("-")], &SplitConfig::default()), Err(Error::Usage(_))));
        let file = folder.file("b", "Olá");
        folder.split(&[file], &SplitConfig::default()).unwrap();
        let inside = folder.0.path().join("out/train/b");
        assert!(matches!(folder.split(&[inside], &SplitConfig::default()), Err(Error::Usage(_))));
        for wrong in ["", "80,20", "1,2,x", "0,0,0", "1,2,3,4", "1,2,3,x", "-1,2,3"] {
            assert!(wrong.parse::<SplitShares>().is_err(), "{wrong}");
        }
    }
}
