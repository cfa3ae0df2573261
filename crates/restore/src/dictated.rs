//! Replaces dictation commands by the text that they stand for: `comma` by a comma.
//!
//! A phrase after an article is a noun (`a comma`), not a command. A phrase of everyday words (`period`) is a command
//! only where the model expects a punctuation mark in the text without the phrase. Which mark is written is up to the
//! table of the language, not to the model.

use std::ops::Range;

use super::TextRestorer;
use majuscule_base::error::{Error, Result, option};
use majuscule_text::language::{DictatedPhrase, Dictation, has_word};
use majuscule_text::{Language, Mark, MarkForm, MarkPlaces, MarkSet, OutputForm};

/// The lowest probability of any mark at which a doubtful phrase is a command. In a test of 50 phrases in seven
/// languages (`tests/program/dictated.rs`), phrases that are not commands stay below 0.13.
const EXPECTED: f32 = 0.15;

/// A command in a line.
#[derive(Debug)]
struct SpokenCommand {
    /// The positions of its words in the line.
    words: Range<usize>,
    writes: String,
    is_doubtful: bool,
}

impl TextRestorer {
    /// Replaces the dictation commands in a plain text by the text that they stand for. In a line with commands,
    /// white space becomes single spaces.
    ///
    /// # Errors
    /// Returns the method's errors, and [`Error::Usage`] for a language whose commands are not known and for a model without
    /// punctuation.
    pub fn dictated(&self, text: &str) -> Result<String> {
        let tag = self.options.language();
        let dictation = Language::of(tag).map(|language| &language.dictation);
        let Some(dictation) = dictation.filter(|dictation| !dictation.commands.is_empty()) else {
            let known = Language::ALL.iter().filter(|language| !language.dictation.commands.is_empty());
            let known: Vec<&str> = known.map(|language| language.tag).collect();
            let (option, known) = (option("dictated"), known.join(", "));
            return Err(Error::usage(format!(
                "{option} knows no commands of \"{tag}\": expected one of {known}"
            )));
        };
        let options = self.options.clone().marks(MarkSet::USUAL).mark_places(MarkPlaces::Everywhere);
        let restorer = self.model.with(options.mark_threshold(None).form(OutputForm::Text));
        text.split_inclusive('\n').map(|line| restorer.dictated_line(line, dictation)).collect()
    }

    fn dictated_line(&self, line: &str, dictation: &Dictation) -> Result<String> {
        let content = line.trim_end_matches(['\r', '\n']);
        let words: Vec<&str> = content.split_whitespace().collect();
        let lower = |word: &&str| self.options.locale().lower(word).replace('’', "'");
        let mut commands = commands(&words.iter().map(lower).collect::<Vec<_>>(), dictation);
        if commands.iter().any(|command| command.is_doubtful) {
            self.options.interrupt.check()?;
            self.drop_unexpected(&words, &mut commands)?;
        }
        if commands.is_empty() {
            return Ok(line.to_owned());
        }
        Ok(written(&words, &commands, self.options.language()) + &line[content.len()..])
    }

    /// Drops each doubtful command for which the model expects no mark at its position in the line without commands.
    fn drop_unexpected(&self, words: &[&str], commands: &mut Vec<SpokenCommand>) -> Result<()> {
        let (mut text, mut ends) = (String::new(), vec![0]);
        let mut next = commands.iter().peekable();
        for (at, word) in words.iter().enumerate() {
            while next.next_if(|command| command.words.end <= at).is_some() {}
            if next.peek().is_none_or(|command| at < command.words.start) {
                text.push_str(if text.is_empty() { "" } else { " " });
                text.push_str(word);
            }
            ends.push(text.len());
        }
        let restored = self.words(&text)?;
        commands.retain(|command| {
            let end = ends[command.words.start];
            let last = restored[..restored.partition_point(|word| word.span.start < end)].last();
            let found = last.and_then(|word| Some((word.mark, word.mark_confidence?)));
            let expected = match found {
                Some((Mark::None, none)) => 1.0 - none,
                found => found.map_or(0.0, |(_, mark)| mark),
            };
            !command.is_doubtful || expected >= EXPECTED
        });
        Ok(())
    }
}

/// Returns the phrases of a line that may be commands: at each position the longest phrase.
fn commands(words: &[String], dictation: &Dictation) -> Vec<SpokenCommand> {
    let (mut found, mut at): (Vec<SpokenCommand>, _) = (Vec::new(), 0);
    while at < words.len() {
        let here = dictation.phrases().filter_map(|DictatedPhrase { phrase, writes, is_doubtful }| {
            let count = phrase.split(' ').count();
            let is_here = words.get(at..at + count).is_some_and(|words| words.iter().eq(phrase.split(' ')));
            is_here.then_some((count, writes, is_doubtful))
        });
        let Some((count, writes, is_doubtful)) = here.max_by_key(|(count, ..)| *count) else {
            at += 1;
            continue;
        };
        let follows_command = found.last().is_some_and(|last| last.words.end == at);
        let is_noun = at > 0 && has_word(dictation.determiners, &words[at - 1]);
        if follows_command || !is_noun {
            // The rows of languages write a line end and a no-break space like this.
            let writes = writes.replace("\\n", "\n").replace('~', "\u{a0}");
            found.push(SpokenCommand { words: at..at + count, writes, is_doubtful });
        }
        at += count;
    }
    found
}

/// Returns the line with each command replaced by the text that it stands for.
fn written(words: &[&str], commands: &[SpokenCommand], language: &str) -> String {
    let (mut out, mut at, mut commands) = (String::new(), 0, commands.iter().peekable());
    // True if no space is before the next word.
    let mut joins = true;
    while at < words.len() {
        let space = if joins { "" } else { " " };
        let Some(command) = commands.next_if(|command| command.words.start == at) else {
            out.extend([space, words[at]]);
            (at, joins) = (at + 1, false);
            continue;
        };
        at = command.words.end;
        let mark = command.writes.chars().next().map(Mark::of).unwrap_or_default();
        if let Some(opening) = command.writes.strip_prefix(' ') {
            out.extend([space, opening]);
            joins = true;
        } else if let Some((space, mark)) = mark.spelling(language, MarkForm::Written) {
            out.extend(space.chars().chain([mark]));
            joins = false;
        } else {
            out.push_str(&command.writes);
            joins = command.writes.ends_with('\n');
        }
    }
    out
}
