//! The user's spellings of words and phrases, which take precedence over every other decision.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::case::{Capitals, Case};
use super::locale::Locale;
use super::tokenize::tokenize;
use super::tokens::{Break, Constraint, Token, Tokens};
use majuscule_base::error::{Error, Result};

/// Spellings of words and phrases.
///
/// ```
/// use majuscule_text::{Locale, tokenize::tokenize, spellings::Spellings};
///
/// let words = Spellings::read("iPhone\nNew York\n".as_bytes(), "words.txt", Locale::Root)?;
/// let text = "an iphone in new york";
/// let mut tokens = tokenize(text, Locale::Root, "en");
/// words.fix(text.as_bytes(), 0, true, &mut tokens);
/// # Ok::<(), majuscule::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Spellings {
    locale: Locale,
    /// A trie of the phrases, the root first; a path from the root spells a phrase word by word.
    nodes: Arc<Vec<TrieNode>>,
}

#[derive(Debug, Clone, Default)]
struct TrieNode {
    /// The child nodes by the next word and the text before it; see [`step`].
    next: FxHashMap<Box<str>, usize>,
    /// The phrases that end at this node, phrases with the most marks around them first: `C#`, `C`.
    phrases: Vec<SpellingPhrase>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SpellingPhrase {
    /// The capitals of each word.
    words: Vec<Capitals>,
    /// The marks before the first word, as in `.NET`, and after the last, as in `C#`.
    marks: [String; 2],
    /// The line of the list with the phrase, counted from 1.
    line: u64,
}

/// The result of matching phrases that begin with some word of a text.
enum PhraseMatch<'a> {
    Phrase(&'a SpellingPhrase),
    /// The available words match, and more words may follow.
    SoFar,
    Nothing,
}

impl Spellings {
    /// Reads a list with one spelling per line (`iPhone`, `New York`), or with the text to replace
    /// and its spelling, separated by a tab (`iphone<TAB>iPhone`). Empty lines and lines that begin
    /// with `#` are skipped. Marks belong to the spelling: `.NET` and `C#` do not apply to `net`
    /// and `c`. `name` is the file's name in errors.
    ///
    /// # Errors
    /// Returns [`Error::Input`] for a line without a word, a line that changes more than case, a
    /// line with more than marks around its words, and two lines that clash.
    pub fn read(list: &[u8], name: &str, locale: Locale) -> Result<Self> {
        let mut all = Self { locale, nodes: Arc::default() };
        for (line, number) in list.split(|&b| b == b'\n').zip(1..) {
            let line = std::str::from_utf8(line).map_err(|_| {
                Error::line(name, number, "these bytes are not UTF-8: save the list as UTF-8")
            })?;
            let line = line.trim_start_matches('\u{feff}').trim();
            if !line.is_empty() && !line.starts_with('#') {
                all.add(line, number).map_err(|problem| Error::line(name, number, problem))?;
            }
        }
        Ok(all)
    }

    /// Returns true if there are no spellings.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn add(&mut self, line: &str, number: u64) -> Result<(), String> {
        let spelling = spelling(line, self.locale)?;
        let tokens = tokenize(spelling, self.locale, "");
        let (Some(first), Some(last)) = (tokens.as_slice().first(), tokens.as_slice().last()) else {
            return Err(format!(
                "\"{spelling}\" has no word to spell: URLs, addresses, file names and @handles are always left as they are"
            ));
        };
        let marks = [&spelling[..first.source.start as usize], &spelling[last.source.end as usize..]];
        if let Some(marks) = marks.iter().find(|marks| marks.contains(char::is_whitespace)) {
            return Err(format!(
                "\"{spelling}\" has \"{}\" besides its words: give the spelling alone",
                marks.trim()
            ));
        }
        let capitals = |token: &Token| {
            let word = &spelling[token.source.start as usize..token.source.end as usize];
            Case::of(word, self.locale).capitals(word, self.locale)
        };
        let words = tokens.as_slice().iter().map(capitals).collect();
        let phrase = SpellingPhrase { words, marks: marks.map(str::to_owned), line: number };
        let at = self.grow(spelling, &tokens);
        Arc::make_mut(&mut self.nodes)[at].insert(phrase)
    }

    /// Returns the index of the node that these words lead to, and adds it if necessary.
    fn grow(&mut self, spelling: &str, tokens: &Tokens) -> usize {
        let nodes = Arc::make_mut(&mut self.nodes);
        if nodes.is_empty() {
            nodes.push(TrieNode::default());
        }
        let mut at = 0;
        let mut key = String::new();
        for k in 0..tokens.len() {
            step(spelling.as_bytes(), tokens, k, k == 0, &mut key);
            let new = nodes.len();
            at = *nodes[at].next.entry(key.as_str().into()).or_insert(new);
            if at == new {
                nodes.push(TrieNode::default());
            }
        }
        at
    }

    /// Fixes the case of the words from index `from` on that the list contains; the longest matching phrase wins. The
    /// positions of the words are byte positions in `source`. A phrase does not cross the end of a line.
    ///
    /// Returns the number of words that are settled: all words if the line is complete (`whole`), and otherwise the
    /// words before a tail that later words may complete to a phrase.
    pub fn fix(&self, source: &[u8], from: usize, whole: bool, tokens: &mut Tokens) -> usize {
        if self.is_empty() {
            return tokens.len();
        }
        let mut at = from;
        let mut key = String::new();
        while at < tokens.len() {
            match self.find(source, tokens, at, whole, &mut key) {
                PhraseMatch::SoFar => return at,
                PhraseMatch::Phrase(phrase) => {
                    for &capitals in &phrase.words {
                        // The case depends on the letters of the word itself: `NATO` spells `nato's` too.
                        let case = Case::of_capitals(capitals, tokens.lower(at), self.locale);
                        tokens.as_mut_slice()[at].constraint = Constraint::Fixed(case);
                        at += 1;
                    }
                }
                PhraseMatch::Nothing => at += 1,
            }
        }
        at
    }

    /// Finds the longest phrase that matches the words from `at` on, unless more words may follow
    /// and complete a longer one.
    fn find(
        &self,
        source: &[u8],
        tokens: &Tokens,
        at: usize,
        whole: bool,
        key: &mut String,
    ) -> PhraseMatch<'_> {
        let words = tokens.as_slice();
        let mut node = &self.nodes[0];
        let mut found = PhraseMatch::Nothing;
        for k in at..words.len() {
            if k > at && words[k].before >= Break::Line || !step(source, tokens, k, k == at, key) {
                return found;
            }
            let fitting = |node: Option<&usize>| {
                let mut phrases = node.into_iter().flat_map(|&node| &self.nodes[node].phrases);
                phrases.find(|phrase| phrase.fits_marks(source, &words[at], &words[k]))
            };
            let next = node.next.get(key.as_str());
            // `iPhone` spells `iphone's` too.
            let possessive = || key.strip_suffix("'s").and_then(|key| node.next.get(key));
            if let Some(phrase) = fitting(next).or_else(|| fitting(possessive())) {
                found = PhraseMatch::Phrase(phrase);
            }
            match next {
                Some(&next) => node = &self.nodes[next],
                None => return found,
            }
        }
        if whole || node.next.is_empty() { found } else { PhraseMatch::SoFar }
    }
}

/// Returns the spelling in a line, after checking that it differs from the replaced text in case
/// only.
fn spelling(line: &str, locale: Locale) -> Result<&str, String> {
    let Some((from, spelling)) = line.split_once('\t') else { return Ok(line) };
    let (from, spelling) = (from.trim(), spelling.trim());
    if locale.lower(from) != locale.lower(spelling) {
        return Err(format!(
            "\"{from}\" becomes \"{spelling}\", which changes more than case: give the same letters on both sides"
        ));
    }
    Ok(spelling)
}

/// Writes the trie key of word `k` to `key`: the word in lower case, preceded by the text before it unless the word
/// is the first. A gap of white space becomes one space. Returns false if the bytes before the word are not UTF-8.
fn step(source: &[u8], tokens: &Tokens, k: usize, is_first: bool, key: &mut String) -> bool {
    key.clear();
    if !is_first {
        let words = tokens.as_slice();
        let gap = &source[words[k - 1].source.end as usize..words[k].source.start as usize];
        let Ok(gap) = std::str::from_utf8(gap) else { return false };
        key.push_str(if gap.trim().is_empty() && !gap.is_empty() { " " } else { gap });
    }
    key.push_str(tokens.lower(k));
    true
}

impl TrieNode {
    fn insert(&mut self, phrase: SpellingPhrase) -> Result<(), String> {
        match self.phrases.iter().find(|other| other.marks == phrase.marks) {
            Some(other) if other.words == phrase.words => Ok(()),
            Some(other) => {
                Err(format!("this spelling clashes with line {}: keep one of the two", other.line))
            }
            None => {
                let at = self.phrases.partition_point(|other| other.marks_len() >= phrase.marks_len());
                self.phrases.insert(at, phrase);
                Ok(())
            }
        }
    }
}

impl SpellingPhrase {
    fn marks_len(&self) -> usize {
        self.marks.iter().map(String::len).sum()
    }

    /// Returns true if the marks of the phrase surround the words from `first` to `last`.
    fn fits_marks(&self, source: &[u8], first: &Token, last: &Token) -> bool {
        let [left, right] = &self.marks;
        source[..first.source.start as usize].ends_with(left.as_bytes())
            && source[last.source.end as usize..].starts_with(right.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(list: &str, text: &str) -> Vec<(String, Case)> {
        let words = Spellings::read(list.as_bytes(), "words.txt", Locale::Root).unwrap();
        let mut tokens = tokenize(text, Locale::Root, "en");
        words.fix(text.as_bytes(), 0, true, &mut tokens);
        let fixed = |(lower, token): (&str, &Token)| match token.constraint {
            Constraint::Fixed(case) => Some((lower.to_owned(), case)),
            _ => None,
        };
        tokens.iter().filter_map(fixed).collect()
    }

    #[test]
    fn the_longest_phrase_wins() {
        let list = "new york\nNew York City\nAT&T\n";
        assert_eq!(fixed(list, "in new  york city").len(), 3);
        assert_eq!(fixed(list, "new york")[0].1, Case::Lower);
        assert_eq!(fixed(list, "at&t"), [("at".to_owned(), Case::Upper), ("t".to_owned(), Case::Upper)]);
        assert!(fixed(list, "at, t").is_empty());
        assert!(fixed(list, "new\nyork").is_empty());
    }

    /// Returns the text with the words of the list spelled as listed, and all others unchanged.
    fn spelled(list: &str, text: &str) -> String {
        let words = Spellings::read(list.as_bytes(), "words.txt", Locale::Root).unwrap();
        let mut tokens = tokenize(text, Locale::Root, "en");
        words.fix(text.as_bytes(), 0, true, &mut tokens);
        let mut spelled = text.to_owned();
        for (_, token) in tokens.iter() {
            if let Constraint::Fixed(case) = token.constraint {
                let position = token.source.start as usize..token.source.end as usize;
                spelled.replace_range(position.clone(), &case.applied(&text[position], Locale::Root));
            }
        }
        spelled
    }

    #[test]
    fn a_possessive_is_spelled_like_its_word() {
        assert_eq!(spelled("iPhone", "my iphone's screen"), "my iPhone's screen");
        assert_eq!(spelled("iPhone", "my iphone’s screen"), "my iPhone’s screen");
        assert_eq!(spelled("NATO\nX", "nato's house, NATO'S, x's"), "NATO's house, NATO's, X's");
        assert_eq!(spelled("zZz's Law\nzZz", "zzz's screen, zzz's law"), "zZz's screen, zZz's Law");
        assert_eq!(spelled("zZz\nZZZ's", "zzz's zzz"), "ZZZ's zZz");
    }

    #[test]
    fn marks_around_a_spelling_belong_to_it() {
        assert_eq!(spelled(".NET", "the net, .net and .net's"), "the net, .NET and .NET's");
        assert_eq!(spelled("C#\nC++", "c c# c+ c++ c"), "c C# c+ C++ c");
        assert_eq!(spelled("c\nC#", "C c# C#"), "c C# C#");
        // Of two that fit alike, the first of the list does.
        assert_eq!(spelled("+C\nc+", "+c+"), "+C+");
        assert_eq!(spelled("Yahoo! Inc.", "yahoo inc. yahoo! inc."), "yahoo inc. Yahoo! Inc.");
        let problem = Spellings::read(b"- iPhone", "w.txt", Locale::Root).unwrap_err().to_string();
        assert_eq!(
            problem,
            "w.txt, line 1: \"- iPhone\" has \"-\" besides its words: give the spelling alone"
        );
    }

    #[test]
    fn phrases_that_share_a_first_word_are_found_without_a_look_at_each_other() {
        let lines: Vec<String> = (0..500).map(|i| format!("New x{i}y")).collect();
        assert_eq!(spelled(&lines.join("\n"), &lines.join(" ").to_lowercase()), lines.join(" "));
        // After the root and "new", with its many children, each phrase has a node of its own: no
        // search sees the others.
        let words = Spellings::read(lines.join("\n").as_bytes(), "words.txt", Locale::Root).unwrap();
        let phrases: Vec<usize> = words.nodes.iter().map(|node| node.phrases.len()).collect();
        assert_eq!(phrases, [&[0, 0][..], &[1; 500]].concat());
        assert_eq!([words.nodes[0].next.len(), words.nodes[1].next.len()], [1, 500]);
    }

    #[test]
    fn a_phrase_cut_in_two_waits_for_the_rest() {
        let words = Spellings::read(b"New York City", "words.txt", Locale::Root).unwrap();
        let text = "i love new york";
        let mut tokens = tokenize(text, Locale::Root, "en");
        assert_eq!(words.fix(text.as_bytes(), 0, false, &mut tokens), 2);
        assert_eq!(words.fix(text.as_bytes(), 0, true, &mut tokens), 4);
    }

    #[test]
    fn bad_lines_are_named() {
        let problem =
            |list: &str| Spellings::read(list.as_bytes(), "w.txt", Locale::Root).unwrap_err().to_string();
        assert_eq!(
            problem("# mine\niPhone\nIPHONE"),
            "w.txt, line 3: this spelling clashes with line 2: keep one of the two"
        );
        assert!(problem("iphone\tiPhones").contains("changes more than case"));
        assert_eq!(spelled("iphone\tiPhone", "my iphone"), "my iPhone");
        assert!(problem("@home").contains("no word to spell"));
        assert!(Spellings::read(b"\xff", "w.txt", Locale::Root).is_err());
    }
}
