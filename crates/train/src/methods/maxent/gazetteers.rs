//! Builds the gazetteers of a model from word lists, a lexicon and a tagger.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::MaxentConfig;
use crate::corpus::Corpus;
use crate::lexicon::{LexiconEntry, List, read};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files;
use majuscule_methods::maxent::gazetteers::{self, Gazetteers, LISTED, LONGEST, MOST_LISTS, listed, phrase};
use majuscule_methods::maxent::hash::hash;
use majuscule_methods::maxent::table::HashTable;
use majuscule_methods::maxent::tagger::Tagger;
use majuscule_methods::model;
use majuscule_text::{Case, Locale, Tokens};

/// Reads the files that the settings name, and returns the gazetteers and the mixed-case spellings.
///
/// # Errors
/// If a file is missing, invalid or empty.
pub(super) fn read(config: &MaxentConfig, corpus: &Corpus) -> Result<(Gazetteers, BTreeMap<String, Case>)> {
    let mut mixed = BTreeMap::new();
    let forms = config.forms.as_ref().map(|file| forms(file, corpus, &mut mixed)).transpose()?;
    let lists = (!config.lists.is_empty()).then(|| lists(config, corpus.locale(), &mut mixed)).transpose()?;
    for file in &config.spellings {
        read_list(file, corpus.locale(), &mut mixed)?;
    }
    let tagger = config.tagger.as_ref().map(|file| tagger(file, corpus)).transpose()?;
    Ok((Gazetteers { lists, forms, clusters: None, tagger }, mixed))
}

fn lists(
    config: &MaxentConfig,
    locale: Locale,
    mixed: &mut BTreeMap<String, Case>,
) -> Result<HashTable<LISTED>> {
    let mut entries: BTreeMap<u64, (u16, usize)> = BTreeMap::new();
    for (number, list) in read_lists(&config.lists, MOST_LISTS, locale, mixed)?.into_iter().enumerate() {
        for words in list {
            let hashes: Vec<u64> = words.iter().map(|(lower, _)| hash(lower.as_bytes())).collect();
            let key = if let [word] = hashes[..] { word } else { phrase(hashes.iter().copied()) };
            entries.entry(key).or_default().0 |= 1 << number;
            let longest = &mut entries.entry(hashes[0]).or_default().1;
            *longest = hashes.len().max(*longest);
        }
    }
    let entries = entries.into_iter().map(|(key, (lists, longest))| (key, listed(lists, longest)));
    table(entries)
}

/// Reads the entries of at most `most` lists for one model, and adds the first mixed-case spelling of
/// each word to `mixed`.
///
/// # Errors
/// If there are too many lists, or one is missing, invalid or empty.
pub fn read_lists(
    files: &[PathBuf],
    most: usize,
    locale: Locale,
    mixed: &mut BTreeMap<String, Case>,
) -> Result<Vec<Vec<Tokens>>> {
    if files.len() > most {
        let problem = format!("{} lists: at most {most} fit into a model", files.len());
        return Err(Error::usage(format!("{problem}; put some of them into one file")));
    }
    files.iter().map(|file| read_list(file, locale, mixed)).collect()
}

/// Reads the entries of a list, and adds the first mixed-case spelling of each word to `mixed`.
fn read_list(file: &Path, locale: Locale, mixed: &mut BTreeMap<String, Case>) -> Result<Vec<Tokens>> {
    let name = file.to_string_lossy();
    let list = List::read(files::open(file)?, locale)?;
    if list.entries().is_empty() {
        return Err(Error::file(name, "has no entries: expected one word or phrase per line"));
    }
    let mut entry = |words: &[String]| {
        if words.len() > LONGEST {
            let problem =
                format!("\"{}\" has {} words: a phrase has at most {LONGEST}", words.join(" "), words.len());
            return Err(Error::file(name.clone(), format!("{problem}; shorten it or take it out")));
        }
        let tokens = Tokens::of_words(words.iter().map(String::as_str), locale);
        for ((lower, _), word) in tokens.iter().zip(words) {
            if let case @ Case::Mixed(_) = Case::of(word, locale) {
                mixed.entry(lower.to_owned()).or_insert(case);
            }
        }
        Ok(tokens)
    };
    list.entries().iter().map(|words| entry(words)).collect()
}

fn forms(file: &Path, corpus: &Corpus, mixed: &mut BTreeMap<String, Case>) -> Result<HashTable<1>> {
    let name = file.to_string_lossy();
    let reading = read::LexiconReadConfig {
        language: Some(corpus.language().to_owned()),
        ..read::LexiconReadConfig::default()
    };
    let lexicon = read::read(files::open(file)?, &reading)?;
    corpus.note(lexicon.notes());
    if lexicon.is_empty() {
        return Err(Error::file(name, "has no words: expected a lexicon made by lexicon build"));
    }
    if let Some(problem) = other_locale(lexicon.locale(), corpus) {
        return Err(Error::file(name, format!("{problem}: build it again with {}", option("lang"))));
    }
    for entry in lexicon.iter() {
        if let case @ Case::Mixed(_) = entry.majority() {
            mixed.insert(entry.word.to_owned(), case);
        }
    }
    table(lexicon.iter().map(|entry| (hash(entry.word.as_bytes()), [form(&entry)])))
}

fn tagger(file: &Path, corpus: &Corpus) -> Result<Tagger> {
    let store = model::open(file)?;
    let tagger = Tagger::open(&*store)?;
    if let Some(problem) = other_locale(store.manifest().locale, corpus) {
        let problem = format!("{problem}: train the tagger again with {}", option("lang"));
        return Err(Error::model(file.to_string_lossy(), problem));
    }
    Ok(tagger)
}

/// Returns the problem with a file whose case mappings differ from the corpus.
fn other_locale(found: Locale, corpus: &Corpus) -> Option<String> {
    let expected = corpus.locale();
    (found != expected).then(|| {
        format!(
            "has the case mappings of \"{found}\", but the corpus has the case mappings of \"{expected}\""
        )
    })
}

fn form(entry: &LexiconEntry<'_>) -> u8 {
    let case = entry.majority();
    let count = entry.count();
    let most: f64 =
        entry.forms.iter().filter(|form| form.case.class() == case.class()).map(|form| form.count).sum();
    gazetteers::form(case.class() as u8, if count > 0.0 { most / count } else { 0.0 }, count)
}

pub(super) fn table<const N: usize>(values: impl Iterator<Item = (u64, [u8; N])>) -> Result<HashTable<N>> {
    HashTable::open(HashTable::build(values).into()).map_err(Error::usage)
}
