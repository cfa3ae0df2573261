//! Texts and words in memory: strings in, strings out.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{Passes, RestoredWord, TextRestorer, between, options};
#[cfg(doc)]
use majuscule_base::error::Error;
use majuscule_base::error::{Result, caught};
use majuscule_base::files::Input;
use majuscule_format::{Format, Piece};
use majuscule_text::markup::untagged;
use majuscule_text::restorer::Request;
use majuscule_text::write::spell;
use majuscule_text::{Case, Decision, OutputForm, RestoreOptions};

/// The number of texts that a thread processes at a time.
const TAKEN: usize = 16;

/// Restores texts independently of each other. Memory is reused from one text to the next.
pub(super) struct TextQueue<'a> {
    passes: Passes<'a>,
    options: RestoreOptions,
}

impl<'a> TextQueue<'a> {
    /// Makes a queue for the texts of a restorer; `request` changes the request to the method.
    pub(super) fn new(restorer: &'a TextRestorer, request: impl FnOnce(Request) -> Request) -> Result<Self> {
        let method = &*restorer.model.restorer;
        let options = Format::Text.fill_in(&restorer.options)?;
        let request = request(options::request(&options, method, Format::Text)?);
        // Texts are read on the thread that restores them.
        let options = options.threads(NonZeroUsize::MIN);
        Ok(Self { passes: Passes::new(Format::Text, method, request, &options), options })
    }

    /// Restores a text and passes its pieces to `take`. After an error, or a panic of the method,
    /// the queue must not be used again.
    fn run(&mut self, text: &str, take: &mut dyn FnMut(&Piece, &[Decision], &RestoreOptions)) -> Result<()> {
        let Self { passes, options } = self;
        passes.run(Input::of_text("text", text.as_bytes()), &mut |piece, decisions| {
            take(piece, decisions, options);
            Ok(())
        })?;
        passes.forget();
        Ok(())
    }

    /// Restores a text.
    pub(super) fn restore(&mut self, text: &str) -> Result<String> {
        let mut restored = Vec::with_capacity(text.len());
        self.run(text, &mut |piece, decisions, options| piece.write(decisions, options, &mut restored))?;
        // Valid UTF-8 stays valid.
        Ok(String::from_utf8(restored)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// Restores the words of a text.
    pub(super) fn words(&mut self, text: &str, ends_sentences: bool) -> Result<Vec<RestoredWord>> {
        let (mut words, mut at) = (Vec::new(), 0);
        self.run(text, &mut |piece, decisions, options| {
            push_words(piece, decisions, options, ends_sentences, at, &mut words);
            at += piece.source.len();
        })?;
        Ok(words)
    }
}

/// Appends the words of a piece that begins at the byte `at` of its text. With `ends_sentences`,
/// each word records whether a sentence ends after it.
pub(super) fn push_words(
    piece: &Piece,
    decisions: &[Decision],
    options: &RestoreOptions,
    ends_sentences: bool,
    at: usize,
    words: &mut Vec<RestoredWord>,
) {
    for (token, decision) in piece.tokens.as_slice().iter().zip(decisions) {
        let span = token.source.start as usize..token.source.end as usize;
        let Ok(word) = str::from_utf8(&piece.source[span.clone()]) else { continue };
        let mut text = String::with_capacity(word.len());
        let resolved = spell(word, token, decision, options, &mut text);
        words.push(RestoredWord {
            case: Case::of(&untagged(&text), options.locale()),
            text,
            span: at + span.start..at + span.end,
            // If the method has no probabilities, the other words get none either.
            confidence: decision.choice.confidence.and(resolved.confidence),
            opening: decision.placed.before,
            mark: decision.placed.after,
            mark_confidence: decision.mark_confidence(options),
            ends_sentence: ends_sentences.then_some(decision.choice.label.mark.ends_sentence()),
        });
    }
}

impl TextRestorer {
    /// Restores texts independently of each other, and returns the results in the same order. The
    /// failure of a text does not affect other texts, and a panic is an error of its text
    /// ([`Error::Bug`]). After an [interruption](RestoreOptions::interrupt), the results of the
    /// remaining texts are [`Error::Interrupted`].
    ///
    /// ```
    /// use std::num::NonZeroUsize;
    ///
    /// let restorer = majuscule::Model::embedded("en")?.with(Default::default());
    /// let restored = restorer.restore_all(&["we met in lisbon", "thanks angela"], NonZeroUsize::MIN);
    /// let restored: Vec<String> = restored.into_iter().collect::<Result<_, _>>()?;
    /// assert_eq!(restored, ["We met in Lisbon", "Thanks Angela"]);
    /// # Ok::<(), majuscule::Error>(())
    /// ```
    pub fn restore_all<T: AsRef<str> + Sync>(
        &self,
        texts: &[T],
        threads: NonZeroUsize,
    ) -> Vec<Result<String>> {
        let parts: Vec<&[T]> = texts.chunks(TAKEN).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let (mut queue, mut done) = (None, Vec::new());
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(part) = parts.get(at) else { return done };
                let restored = part.iter().map(|text| self.next(&mut queue, text.as_ref()));
                done.push((at, restored.collect::<Vec<_>>()));
            }
        };
        let threads = threads.get().min(parts.len());
        let mut done = thread::scope(|scope| {
            // If the system refuses to start a thread, there is one fewer.
            let others: Vec<_> =
                (1..threads).filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
            let mut done = work();
            for other in others {
                done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            done
        });
        done.sort_unstable_by_key(|(at, _)| *at);
        done.into_iter().flat_map(|(_, restored)| restored).collect()
    }

    /// Restores the next of several texts; the queue is replaced after a text fails.
    fn next<'a>(&'a self, queue: &mut Option<TextQueue<'a>>, text: &str) -> Result<String> {
        self.options.interrupt.check()?;
        if self.options.form != OutputForm::Text || self.options.around.is_some() {
            return caught(|| self.restore(text));
        }
        let mut own = match queue.take() {
            Some(queue) => queue,
            None => TextQueue::new(self, |request| request)?,
        };
        let restored = caught(|| own.restore(text));
        if restored.is_ok() {
            *queue = Some(own);
        }
        restored
    }

    /// Returns the restored words of a text.
    ///
    /// ```
    /// let model = majuscule::Model::embedded("en")?;
    /// let words = model.with(Default::default()).words("we met in lisbon")?;
    /// assert_eq!((&*words[3].text, words[3].span.clone()), ("Lisbon", 10..16));
    /// assert!(words[3].confidence.is_some_and(|probability| probability > 0.5));
    /// # Ok::<(), majuscule::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the method's errors.
    pub fn words(&self, text: &str) -> Result<Vec<RestoredWord>> {
        let ends_sentences = self.model.restorer.labels().ends_sentences();
        let request = |request| word_request(request, ends_sentences);
        if let Some(around) = &self.options.around {
            return between::words(&*self.model.restorer, &self.options, around, text, request);
        }
        TextQueue::new(self, request)?.words(text, ends_sentences)
    }

    /// Restores words that come without a text, such as the words of a recogniser, and returns one
    /// result for each. The `text` of a result is the restored word with the punctuation that it
    /// already has; `span` is the number of the word. If a word consists of several words, it gets
    /// the lowest of their probabilities. A word without a letter or digit is returned unchanged,
    /// without a probability.
    ///
    /// ```
    /// let restorer = majuscule::Model::embedded("en")?.with(Default::default());
    /// let words = restorer.restore_words(&["we", "met", "angela", "merkel"])?;
    /// assert_eq!((&*words[2].text, words[2].span.clone()), ("Angela", 2..3));
    /// assert_eq!(words.len(), 4);
    /// # Ok::<(), majuscule::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the method's errors.
    pub fn restore_words<T: AsRef<str>>(&self, words: &[T]) -> Result<Vec<RestoredWord>> {
        let (mut text, mut positions) = (String::new(), Vec::<Range<usize>>::with_capacity(words.len()));
        for word in words {
            if !text.is_empty() {
                text.push(' ');
            }
            let start = text.len();
            // A line end inside a word is not a line end of the text.
            text.extend(word.as_ref().chars().map(|c| if is_line_end(c) { ' ' } else { c }));
            positions.push(start..text.len());
        }
        let mut found = self.words(&text)?.into_iter().peekable();
        let restored = |(number, (position, word)): (usize, (Range<usize>, &T))| {
            let (word, mut parts) = (word.as_ref(), RestoredParts::default());
            while let Some(part) = found.next_if(|part| part.span.start < position.end) {
                parts.add(word, part.span.start.saturating_sub(position.start), part);
            }
            let whole = parts.join(word);
            let case = Case::of(&untagged(&whole.text), self.options.locale());
            RestoredWord { span: number..number + 1, case, ..whole }
        };
        Ok(positions.into_iter().zip(words).enumerate().map(restored).collect())
    }
}

/// The restored parts of a word that came without a text.
#[derive(Debug, Clone, Default)]
pub struct RestoredParts {
    text: String,
    /// The number of bytes of the word that are restored.
    copied: usize,
    whole: Option<RestoredWord>,
}

impl RestoredParts {
    /// Adds a part, which begins at byte `start` of the word. Text that begins in one word and ends in another, such as
    /// a tag, is left as it is.
    pub fn add(&mut self, word: &str, start: usize, part: RestoredWord) {
        let end = start + part.span.len();
        let Some(before) = word.get(self.copied..start).filter(|_| end <= word.len()) else { return };
        self.text.extend([before, &*part.text]);
        self.copied = end;
        self.whole = Some(match self.whole.take() {
            None => part,
            Some(first) => RestoredWord {
                confidence: first.confidence.zip(part.confidence).map(|(one, other)| one.min(other)),
                opening: first.opening,
                ..part
            },
        });
    }

    /// Returns the restored word, with the lowest of the probabilities of its parts.
    pub fn join(mut self, word: &str) -> RestoredWord {
        self.text.push_str(word.get(self.copied..).unwrap_or_default());
        RestoredWord { text: self.text, ..self.whole.unwrap_or_default() }
    }
}

/// Returns the request for single words with their probabilities and, with `ends_sentences`, the
/// ends of sentences.
pub(super) fn word_request(request: Request, ends_sentences: bool) -> Request {
    Request { confidence: true, sentence_ends: ends_sentences, ..request }
}

/// Returns true for the characters that end a line of text.
fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::models::Model;
    use crate::{Stream, Streaming, WordStream};
    use majuscule_base::error::Error;
    use majuscule_base::interrupt::Interrupt;
    use majuscule_methods::model::Manifest;
    use majuscule_text::restorer::{Boundary, Restorer, Session};
    use majuscule_text::{Choice, Class, Label, Labels, Locale, Mark, MarkSet, Tokens};

    /// A method that chooses a capital and a full stop for every word, and panics at `panic`.
    struct Capitals(Labels);

    struct CapitalsSession;

    impl Restorer for Capitals {
        fn labels(&self) -> &Labels {
            &self.0
        }

        fn look_ahead(&self) -> Option<usize> {
            Some(0)
        }

        fn session(&self, _: Request) -> Box<dyn Session + '_> {
            Box::new(CapitalsSession)
        }
    }

    impl Session for CapitalsSession {
        fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<()> {
            for (lower, _) in tokens.iter() {
                assert_ne!(lower, "panic", "no such word");
                let label = Label { case: Case::Title, mark: Mark::Period };
                out.push(Choice { confidence: Some(0.5), ..Choice::from(label) });
            }
            Ok(())
        }
    }

    fn restorer(options: RestoreOptions) -> TextRestorer {
        let marks = |class| [Mark::None, Mark::Period].map(|mark| (class, mark));
        let labels = Labels::new(Class::ALL.into_iter().flat_map(marks));
        let manifest = Manifest {
            format: majuscule_methods::model::FORMAT,
            method: "capitals".into(),
            language: "en".into(),
            locale: Locale::Root,
            version: String::new(),
            settings: serde_json::Value::Null,
            trained_on: Default::default(),
            labels: labels.clone(),
            files: Vec::new(),
        };
        let method: Arc<dyn Restorer> = Arc::new(Capitals(labels));
        Model { manifest: manifest.into(), restorer: method }.with(options)
    }

    fn two() -> NonZeroUsize {
        NonZeroUsize::new(2).unwrap()
    }

    #[test]
    fn all_texts_are_restored_as_each_is_by_itself() {
        let texts: Vec<String> = (0..1000).map(|n| format!("text {n} of\n many\r\n")).collect();
        for form in [OutputForm::Text, OutputForm::Words] {
            let restorer = restorer(RestoreOptions::default().form(form));
            let all = restorer.restore_all(&texts, two());
            assert_eq!(all.len(), texts.len());
            for (restored, text) in all.into_iter().zip(&texts) {
                assert_eq!(restored.unwrap(), restorer.restore(text).unwrap());
            }
        }
        assert!(restorer(RestoreOptions::default()).restore_all::<&str>(&[], two()).is_empty());
    }

    #[test]
    fn a_panic_is_the_error_of_its_text_alone() {
        let restorer = restorer(RestoreOptions::default());
        let all = restorer.restore_all(&["a bee", "do panic now", "a bee"], NonZeroUsize::MIN);
        assert!(matches!(&all[1], Err(Error::Bug(message)) if message.contains("no such word")), "{all:?}");
        assert_eq!([&all[0], &all[2]].map(|text| text.as_ref().unwrap().as_str()), ["A Bee", "A Bee"]);
    }

    #[test]
    fn interrupted_texts_say_so() {
        let interrupt = Interrupt::new();
        let restorer = restorer(RestoreOptions::default().interrupt(interrupt.clone()));
        assert!(restorer.restore("a bee").is_ok());
        interrupt.set();
        let all = restorer.restore_all(&["a bee"; 40], two());
        assert!(all.len() == 40 && all.iter().all(|text| matches!(text, Err(Error::Interrupted))));
        assert!(matches!(restorer.restore("a bee"), Err(Error::Interrupted)));
    }

    #[test]
    fn a_long_piece_stops_within_some_words() {
        struct Stopping(Labels, Interrupt, AtomicUsize);
        struct StoppingSession<'a>(&'a Stopping);

        impl Restorer for Stopping {
            fn labels(&self) -> &Labels {
                &self.0
            }

            fn look_ahead(&self) -> Option<usize> {
                Some(0)
            }

            fn session(&self, _: Request) -> Box<dyn Session + '_> {
                Box::new(StoppingSession(self))
            }
        }

        impl Session for StoppingSession<'_> {
            fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<()> {
                let Stopping(_, interrupt, words) = self.0;
                interrupt.set();
                words.fetch_add(tokens.len(), Ordering::Relaxed);
                out.extend(tokens.iter().map(|_| Choice::default()));
                Ok(())
            }
        }

        let words = "a ".repeat(9000);
        for (format, text) in
            [(Format::WhisperJson, format!("{{\"text\":\"{words}\"}}")), (Format::Text, words.clone())]
        {
            let interrupt = Interrupt::new();
            let method = Stopping(Labels::cases(), interrupt.clone(), AtomicUsize::default());
            let options = RestoreOptions::default().interrupt(interrupt);
            let input = Input::of_text("text", text.as_bytes());
            let stopped = crate::restore(format, input, &method, &options, &mut |_, _| Ok(()));
            assert!(matches!(stopped, Err(Error::Interrupted)), "{format:?} {stopped:?}");
            assert!(method.2.into_inner() <= 5000, "{format:?}");
        }
    }

    #[test]
    fn each_word_given_comes_back_as_one() {
        let marks = [Mark::Period].into_iter().collect::<MarkSet>();
        let restorer = restorer(RestoreOptions::default().marks(marks));
        let words = ["left/right", "", "a\nb", "--", "<i>it</i>", "a<b", "c>d", "Ⱥbc", " end"];
        let restored = restorer.restore_words(&words).unwrap();
        let texts: Vec<&str> = restored.iter().map(|word| &*word.text).collect();
        assert_eq!(texts, ["Left/Right", "", "A\nB", "--", "<i>It</i>", "a<b", "c>d", "Ⱥbc", " End"]);
        assert!(restored.iter().enumerate().all(|(at, word)| word.span == (at..at + 1)));
        assert_eq!((restored[0].mark, restored[1].mark), (Mark::Period, Mark::None));
        assert_eq!((restored[0].confidence, restored[3].confidence), (Some(0.5), None));
        assert!(restorer.restore_words::<&str>(&[]).unwrap().is_empty());
    }

    /// A value that can be kept in a struct without a lifetime and sent to another thread.
    fn is_owned<T: Send + 'static>(_: T) {}

    #[test]
    fn models_restorers_and_streams_are_owned_and_can_be_sent() {
        let restorer = restorer(RestoreOptions::default());
        is_owned::<Stream>(restorer.stream().unwrap());
        is_owned::<WordStream>(restorer.word_stream().unwrap());
        is_owned::<Box<dyn Streaming>>(Box::new(restorer.stream().unwrap()));
        fn is_shared<T: Send + Sync + 'static>(_: T) {}
        is_shared(restorer.model.clone());
        is_shared(restorer);
    }
}
