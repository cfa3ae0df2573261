//! The openings of questions (`¿`) for methods that choose none: rules find the clause that a question
//! begins with, once the mark at the end of its sentence is known.

use majuscule_base::error::Result;
use majuscule_text::language::{QuestionWords, has_word};
use majuscule_text::restorer::{Boundary, Session};
use majuscule_text::{Break, Choice, Language, Mark, RestoreOptions, Token, Tokens};

/// The largest number of words of a sentence with an opening, so that memory stays bounded.
const LONGEST: usize = 256;

/// The largest number of words of a question tag: `¿de acuerdo?`
const LONGEST_TAG: usize = 2;

/// Returns a session with openings, if marks with openings are requested.
pub(super) fn with_openings<'a>(
    session: Box<dyn Session + 'a>,
    options: &RestoreOptions,
) -> Box<dyn Session + 'a> {
    let language = options.language();
    let opens = options.marks.iter().any(|mark| mark.opening(language).is_some());
    match Language::of(language).and_then(|language| language.question_words.as_ref()).filter(|_| opens) {
        Some(words) => Box::new(OpeningSession {
            session,
            words,
            options: options.clone(),
            held: Tokens::new(),
            choices: Vec::new(),
            is_cut: false,
        }),
        None => session,
    }
}

/// A session whose choices wait for the end of their sentence.
struct OpeningSession<'a> {
    session: Box<dyn Session + 'a>,
    words: &'static QuestionWords,
    options: RestoreOptions,
    /// The words that wait, and the choices that are known for the first of these words.
    held: Tokens,
    choices: Vec<Choice>,
    /// True if the beginning of the current sentence was already passed on.
    is_cut: bool,
}

impl Session for OpeningSession<'_> {
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        self.held.extend(tokens, 0..tokens.len());
        self.session.push(tokens, end, &mut self.choices)?;
        let mut from = 0;
        while let Some((to, is_whole)) = self.sentence(from, end) {
            if is_whole && !self.is_cut {
                self.close(from, to);
                self.open(from, to);
            }
            self.is_cut = !is_whole;
            out.extend(&self.choices[from..to]);
            from = to;
        }
        if from > 0 {
            self.choices.drain(..from);
            let mut held = Tokens::new();
            held.extend(&self.held, from..self.held.len());
            self.held = held;
        }
        self.is_cut &= end != Boundary::Reset;
        Ok(())
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        out.extend(&self.choices);
        self.session.guess(out)
    }
}

impl OpeningSession<'_> {
    /// Returns the end of the sentence that begins at word `from`, or the end of its part that waits no longer, and
    /// true if the sentence ends there; `None` if all words wait.
    fn sentence(&self, from: usize, end: Boundary) -> Option<(usize, bool)> {
        let words = self.held.as_slice();
        for (at, choice) in self.choices.iter().enumerate().skip(from) {
            let opens = |next: &Token| next.before >= Break::Turn;
            if choice.label.mark.ends_sentence() || words.get(at + 1).is_some_and(opens) {
                return Some((at + 1, true));
            }
            if at + 1 - from == LONGEST {
                return Some((at + 1, false));
            }
        }
        let is_all = end >= Boundary::Force && from < self.choices.len();
        is_all.then_some((self.choices.len(), end == Boundary::Reset))
    }

    /// Changes the mark inserted at the end of a sentence to the one that matches the sentence's opening mark: `?`
    /// after `¿`.
    fn close(&mut self, from: usize, to: usize) {
        let words = &self.held.as_slice()[from..to];
        let opening = |(word, choice): (&Token, &Choice)| {
            [word.opening, Some(choice.opening)].into_iter().flatten().find(|&mark| mark != Mark::None)
        };
        let opened = words.iter().zip(&self.choices[from..to]).rev().find_map(opening);
        let Some(mark) = opened.filter(|&mark| self.options.marks.has(mark)) else { return };
        let is_inserted = words.last().is_some_and(|last| last.right.is_none());
        let choice = &mut self.choices[to - 1];
        let end = choice.label.mark.within(self.options.marks);
        if is_inserted && end.ends_sentence() && end.character().is_some() {
            choice.label.mark = mark;
        }
    }

    /// Inserts an opening into a sentence if the mark at its end has one and the sentence has none yet.
    fn open(&mut self, from: usize, to: usize) {
        let words = &self.held.as_slice()[from..to];
        let choices = &self.choices[from..to];
        let Some((last, choice)) = words.last().zip(choices.last()) else { return };
        let mark = choice.label.mark.within(self.options.marks);
        let is_open = |word: &Token| word.opening.is_none_or(|mark| mark == Mark::None);
        let stays = last.right.is_none_or(|right| Mark::of(right) == mark);
        if mark.opening(self.options.language()).is_none()
            || !stays
            || !words.iter().all(is_open)
            || choices.iter().any(|choice| choice.opening != Mark::None)
        {
            return;
        }
        let at = from + self.clause(from, to);
        self.choices[at].opening = mark;
    }

    /// Returns the position in a sentence of the word that its question begins with: the first word of the
    /// clause after a colon, of a clause with an interrogative, of a tag, or of the first clause that is not
    /// an address.
    fn clause(&self, from: usize, to: usize) -> usize {
        let QuestionWords { interrogatives, leading, tags, addresses } = self.words;
        let lower = |at: usize| self.held.lower(from + at);
        let mark = |at: usize| self.choices[from + at].label.mark;
        let len = to - from;
        let colon = (0..len - 1).rev().find(|&at| mark(at) == Mark::Colon).map_or(0, |at| at + 1);
        let ends = (colon + 1..len).filter(|&at| mark(at - 1) != Mark::None);
        let starts: Vec<usize> = std::iter::once(colon).chain(ends).collect();
        let ends = starts[1..].iter().copied().chain([len]);
        let clauses: Vec<_> = starts.iter().copied().zip(ends).collect();
        let asks = |&(start, end): &(usize, usize)| {
            let first = (start..end).find(|&at| !has_word(leading, lower(at)));
            first.is_some_and(|at| has_word(interrogatives, lower(at)))
        };
        if let Some((start, _)) = clauses.iter().find(|clause| asks(clause)) {
            return *start;
        }
        let (last, _) = clauses[clauses.len() - 1];
        let is_tag = len - last <= LONGEST_TAG && has_word(tags, lower(last));
        let is_address = |&(start, end): &(usize, usize)| {
            end - start == 1 && end < len || has_word(addresses, lower(start))
        };
        match clauses.iter().find(|clause| !is_address(clause)) {
            Some((start, _)) if !is_tag || last == 0 => *start,
            _ => last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_text::{Label, Locale, MarkSet};

    /// Assigns each word the mark that follows it in a list.
    struct Marks(Vec<Mark>, usize);

    impl Session for Marks {
        fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<()> {
            for mark in &self.0[self.1..self.1 + tokens.len()] {
                out.push(Choice { label: Label { mark: *mark, ..Label::default() }, ..Choice::default() });
            }
            self.1 += tokens.len();
            Ok(())
        }
    }

    /// Returns a text with the openings that are inserted, if its words are pushed in steps; `¿` shows where
    /// the text has an opening.
    fn opened(text: &str, step: usize) -> String {
        let (mut tokens, mut marks) = (Tokens::new(), Vec::new());
        for word in text.split_whitespace() {
            let opening = word.chars().next().map(Mark::opened_by).filter(|mark| *mark != Mark::None);
            tokens.push(
                word.trim_matches(|c: char| !c.is_alphabetic()),
                Locale::Root,
                Token { opening, ..Token::default() },
            );
            marks.push(word.chars().next_back().map_or(Mark::None, Mark::of));
        }
        let options = RestoreOptions::default().in_language(Some("es".to_owned()));
        let options = options.marks(MarkSet::USUAL);
        let mut session = with_openings(Box::new(Marks(marks, 0)), &options);
        let mut choices = Vec::new();
        for from in (0..tokens.len()).step_by(step) {
            let mut part = Tokens::new();
            part.extend(&tokens, from..tokens.len().min(from + step));
            session.push(&part, Boundary::None, &mut choices).unwrap();
        }
        session.push(&Tokens::new(), Boundary::Reset, &mut choices).unwrap();
        let written = |(word, choice): (&str, &Choice)| match choice.opening.opening("es") {
            Some(c) => format!("{c}{word}"),
            None => word.to_owned(),
        };
        text.split_whitespace().zip(&choices).map(written).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_question_opens_at_the_clause_that_asks() {
        for text in [
            "¿Qué hora es?",
            "Bien. ¿Dónde vives? Aquí.",
            "Hola, ¿cómo estás?",
            "Ana, ¿vienes mañana?",
            "Y tú, ¿de dónde eres?",
            "Si no llueve, ¿vamos al parque?",
            "¿Te gusta, Ana?",
            "Eres de aquí, ¿verdad?",
            "Nos vemos allí, ¿de acuerdo?",
            "¿Sabes qué quiere, o no lo dijo?",
            "La cuestión, señores, es otra: ¿quién paga?",
            "Vino Ana. No preguntó nada.",
        ] {
            let plain = text.replace('¿', "");
            for step in [1, 2, 100] {
                assert_eq!(opened(&plain, step), text);
            }
            assert_eq!(opened(text, 100), text, "an opening is there");
        }
    }

    #[test]
    fn an_endless_sentence_has_no_opening() {
        let text = format!("{}casa? qué tal?", "la ".repeat(LONGEST));
        let expected = text.replace("qué", "¿qué");
        assert_eq!([1, 7, 10_000].map(|step| opened(&text, step) == expected), [true; 3]);
    }
}
