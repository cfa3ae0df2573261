//! Describes in one line how figures were made, in the manner of sacrebleu (Post 2018): figures
//! with equal lines are comparable.

use std::fmt;
use std::path::Path;

use super::slots::Matching;
use crate::corpus::{Protocol, Reading};
use majuscule_text::Locale;

/// The conditions, other than the texts and the method, on which figures depend. Under `susanto`, the signature
/// includes the source of the tokens: `as-given` for tokenised files and transcripts, `found` for lines that the
/// tokenizer of restoring splits, or `as-given-or-found` for files of both kinds.
///
/// ```
/// use majuscule_train::corpus::{Protocol, Reading};
/// use majuscule_train::eval::Signature;
/// use majuscule_text::Locale;
///
/// let signature = Signature::of(Protocol::Rei, &Reading::default(), &["test.txt"], Locale::Root).to_string();
/// assert!(signature.starts_with("protocol:rei|tokens:words|marks:removed|classes:U-T-L|first:context-where-capital|"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    protocol: Protocol,
    tokens: &'static str,
    sentences: &'static str,
    locale: Locale,
    aligned: bool,
}

impl Signature {
    /// The signature of files read under a protocol. If files are compared with a reference, only
    /// the file of the reference matters.
    pub fn of(protocol: Protocol, reading: &Reading, files: &[impl AsRef<Path>], locale: Locale) -> Self {
        let tokens = if protocol == Protocol::Susanto { tokens(reading, files) } else { "words" };
        let sentences = if reading.split { "split" } else { "lines" };
        Self { protocol, tokens, sentences, locale, aligned: false }
    }

    /// The signature of recordings whose words were aligned, as by [`aligned`](super::aligned),
    /// under `asr` or a protocol of marks.
    pub fn of_aligned(protocol: Protocol, locale: Locale) -> Self {
        Self { protocol, tokens: "words-and-parts-between-hyphens", sentences: "none", locale, aligned: true }
    }
}

/// Returns the source of the tokens, for a protocol that uses tokens as they are given.
fn tokens(reading: &Reading, files: &[impl AsRef<Path>]) -> &'static str {
    let given = files.iter().filter(|file| reading.is_tokenised(file.as_ref())).count();
    match given {
        0 => "found",
        _ if given == files.len() => "as-given",
        _ => "as-given-or-found",
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { protocol, tokens, sentences, locale, aligned } = self;
        let (name, first) = (protocol.name(), first_word(*protocol));
        let classes = classes(Matching::of(*protocol));
        let marks = match protocol {
            Protocol::Mix => "by-turns",
            _ if protocol.removes_marks() => "removed",
            _ => "kept",
        };
        write!(f, "protocol:{name}|tokens:{tokens}|marks:{marks}")?;
        if let Some(convention) = protocol.mark_convention() {
            let marks = convention.marks();
            let marks = if marks.is_empty() { "sentence-ends".into() } else { marks.to_string() };
            write!(f, "|scored:{marks}")?;
        }
        let window = match protocol.window() {
            _ if *aligned => "none|aligned:edit-distance".to_owned(),
            window => window.map_or_else(|| "none".to_owned(), |window| window.to_string()),
        };
        write!(f, "|classes:{classes}|first:{first}|average:micro|window:{window}|sentences:{sentences}")?;
        write!(f, "|locale:{locale}|results:{}", crate::RESULTS_VERSION)
    }
}

fn classes(matching: Matching) -> &'static str {
    match matching {
        Matching::Spelling => "spelling",
        Matching::Tags => "U-T-L",
    }
}

/// The treatment of the first word of a sentence.
fn first_word(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Text => "context",
        Protocol::Batista => "removed",
        Protocol::Rei => "context-where-capital",
        Protocol::Mix => "by-turns",
        _ => "scored",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_one_line_that_names_everything() {
        let signatures = Protocol::ALL.map(|protocol| {
            Signature::of(protocol, &Reading::default(), &["a.tok"], Locale::Dutch).to_string()
        });
        let [text, batista, rei, susanto, asr, mix, windows, _, lines, _, iwslt, .., segments] = &signatures;
        assert!(text.starts_with(
            "protocol:text|tokens:words|marks:kept|classes:spelling|first:context|average:micro|"
        ));
        assert!(batista.contains("|first:removed|") && rei.contains("|classes:U-T-L|"));
        assert!(susanto.contains("|tokens:as-given|") && susanto.contains("|window:none|"));
        assert!(asr.contains("|window:200|sentences:lines|locale:nl|results:"), "{asr}");
        assert!(mix.contains("|marks:by-turns|") && mix.contains("|first:by-turns|"), "{mix}");
        assert!(windows.contains("|marks:removed|") && windows.contains("|first:scored|"), "{windows}");
        assert!(lines.starts_with("protocol:lines|") && lines.contains("|first:scored|"), "{lines}");
        assert!(iwslt.contains("|marks:removed|scored:,.?|classes:U-T-L|first:scored|"), "{iwslt}");
        assert!(
            segments.contains("|scored:sentence-ends|") && segments.contains("|window:none|"),
            "{segments}"
        );
        assert!(signatures.iter().all(|signature| !signature.contains(['\n', ' '])));
    }

    #[test]
    fn an_alignment_is_named() {
        let signature = Signature::of_aligned("asr".parse().unwrap(), Locale::Root).to_string();
        assert!(signature.starts_with("protocol:asr|tokens:words-and-parts-between-hyphens|marks:removed|"));
        assert!(signature.contains("|window:none|aligned:edit-distance|sentences:none|"), "{signature}");
    }

    #[test]
    fn under_susanto_it_says_where_tokens_come_from() {
        for (files, tokens) in [
            (&["a.tok.gz", "b.nlp"][..], "|tokens:as-given|"),
            (&["a.txt", "-"], "|tokens:found|"),
            (&["a.tok", "a.txt"], "|tokens:as-given-or-found|"),
        ] {
            let signature = Signature::of(Protocol::Susanto, &Reading::default(), files, Locale::Root);
            assert!(signature.to_string().contains(tokens), "{signature}");
            let signature = Signature::of(Protocol::Text, &Reading::default(), files, Locale::Root);
            assert!(signature.to_string().contains("|tokens:words|"), "{signature}");
        }
    }
}
