//! Turns cased text into examples: words without their capitals, and the labels they should get.

mod layout;
pub mod marks;
pub mod overlap;
pub mod protocol;
pub mod read;
pub mod shuffle;
pub mod split;
pub mod stats;
pub mod treebank;

use std::cell::Cell;
use std::fmt;
use std::fs::Metadata;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, Input};
use majuscule_base::interrupt::Interrupt;
use majuscule_format::Record;
use majuscule_format::{Utterance, UtterancePart};
use majuscule_text::{Label, Locale, Mark, Spellings, Tokens, Upos, sentence};

pub use protocol::Protocol;
pub use read::{CorpusSentence, DEFAULT_LANGUAGE, Reading, SpeechPart, SpeechPartKind};

use protocol::{ExampleBuilder, SingleLetters};
use read::{CorpusBlock, CorpusBlocks};

/// A text with its right labels: a sentence, a line or a window, depending on the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Example {
    /// The words, as a method sees them.
    pub tokens: Tokens,
    /// The correct answer for each word.
    pub gold: Vec<Gold>,
}

/// The correct answer for a word, and its use in training and scoring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Gold {
    /// The correct label of the word.
    pub label: Label,
    /// True if the word is trained on and scored; otherwise it is context only.
    pub scored: bool,
    /// True if the word is the first of its sentence.
    pub initial: bool,
    /// True if the word is the last of its sentence, as determined by the reader of the corpus.
    pub ends: bool,
    /// The mark whose opening form is before the word: [`Mark::Question`] for `¿`. It is known only
    /// if marks are known.
    pub opening: Mark,
    /// The part of speech of the word, known in a [treebank](treebank::Treebank).
    pub tag: Option<Upos>,
}

/// Cased files, and the settings that turn them into examples. Files are streamed: memory does not grow with their
/// size.
///
/// ```
/// use majuscule_train::corpus::{Corpus, Protocol, Reading};
/// use majuscule_text::Locale;
///
/// let corpus = Corpus::of_text("The train to Porto was late.", Reading::default(), Protocol::Batista, Locale::Root);
/// let examples = corpus.examples()?;
/// assert_eq!(examples[0].tokens.lower(2), "porto");
/// assert!(examples[0].gold[2].label.case.is_slot());
/// # Ok::<(), majuscule_base::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Corpus {
    sources: Vec<FileSource>,
    reading: Reading,
    protocol: Protocol,
    locale: Locale,
    /// The counts that `rei` and `mix` need before they make an example.
    letters: OnceLock<SingleLetters>,
    notes: Mutex<Vec<String>>,
    /// The user's own spellings, which are passed on with the words of examples.
    spellings: Arc<Spellings>,
    /// The text of the files in another order.
    shuffled: Option<Arc<[CorpusBlock]>>,
    /// The flag that stops the reading.
    interrupt: Interrupt,
    watch: ReadingWatch,
}

/// The progress of reading a corpus; training reads it several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadingProgress {
    /// The number of this reading, counted from 1.
    pub pass: u64,
    /// The number of bytes of text read in this pass so far.
    pub bytes: u64,
}

/// A callback that receives the progress of reading a corpus, on the thread that reads.
pub type ReadingCallback = Arc<dyn Fn(ReadingProgress) + Send + Sync>;

/// The callback of a corpus, if it has one, and the number of readings.
#[derive(Clone, Default)]
struct ReadingWatch {
    callback: Option<ReadingCallback>,
    passes: Arc<AtomicU64>,
}

impl fmt::Debug for ReadingWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadingWatch").field("passes", &self.passes).finish_non_exhaustive()
    }
}

impl ReadingWatch {
    /// Begins a reading, and returns its number.
    fn begin(&self) -> u64 {
        self.passes.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn show(&self, pass: u64, bytes: u64) {
        if let Some(callback) = &self.callback {
            callback(ReadingProgress { pass, bytes });
        }
    }
}

/// The source of a file of a corpus.
#[derive(Debug)]
enum FileSource {
    File(PathBuf),
    /// Standard input or a pipe, with a flag that is set once the stream has been read.
    Stream(PathBuf, AtomicBool),
    Held(String, Arc<[u8]>),
}

impl FileSource {
    /// The name of the file as it was given.
    fn name(&self) -> String {
        match self {
            Self::File(path) | Self::Stream(path, _) => path.to_string_lossy().into_owned(),
            Self::Held(name, _) => name.clone(),
        }
    }

    /// Returns the same file, to be read again.
    ///
    /// # Errors
    /// If the file can be read only once: [`Corpus::hold`] keeps it in memory.
    fn again(&self) -> Result<Self> {
        match self {
            Self::File(path) => Ok(Self::File(path.clone())),
            Self::Held(name, bytes) => Ok(Self::Held(name.clone(), bytes.clone())),
            Self::Stream(path, _) => Err(Error::usage(format!(
                "{} can be read only once, but it is needed again: give a file",
                path.to_string_lossy()
            ))),
        }
    }

    fn open(&self) -> Result<Input<'static>> {
        match self {
            Self::File(path) => files::open(path),
            Self::Stream(path, read) if read.swap(true, Ordering::Relaxed) => Err(Error::usage(format!(
                "{} can be read only once, but it is needed again: give a file",
                if path == Path::new("-") { "standard input".into() } else { path.to_string_lossy() }
            ))),
            Self::Stream(path, _) => files::open(path),
            Self::Held(name, bytes) => Input::new(name.as_str(), std::io::Cursor::new(bytes.clone())),
        }
    }
}

impl Corpus {
    /// Creates the corpus of these files, in this order; `-` is standard input. If the protocol
    /// reads them twice (`rei` and `mix`), standard input and pipes are kept in memory.
    ///
    /// # Errors
    /// If there are no files, or if standard input or a pipe, which must be kept in memory, cannot be read.
    pub fn new(
        files: &[impl AsRef<Path>],
        reading: Reading,
        protocol: Protocol,
        locale: Locale,
    ) -> Result<Self> {
        let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
        if files.is_empty() {
            return Err(Error::usage("no files are named: expected at least one, or - for standard input"));
        }
        if files.iter().filter(|&&file| file == Path::new("-")).count() > 1 {
            return Err(Error::usage("- is named twice, but standard input can be read only once"));
        }
        let source = |path: &Path| match path.metadata() {
            Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
                FileSource::Stream(path.to_owned(), AtomicBool::new(false))
            }
            _ if path == Path::new("-") => FileSource::Stream(path.to_owned(), AtomicBool::new(false)),
            _ => FileSource::File(path.to_owned()),
        };
        let sources = files.into_iter().map(source).collect();
        let mut corpus = Self::of(sources, reading, protocol, locale);
        if protocol.counts_letters() {
            corpus.hold()?;
        }
        Ok(corpus)
    }

    /// Creates the corpus of one text in memory, read like a file.
    pub fn of_text(text: &str, reading: Reading, protocol: Protocol, locale: Locale) -> Self {
        Self::of_bytes(text.as_bytes(), reading, protocol, locale)
    }

    /// Creates the corpus of bytes in memory, which need not be valid text.
    pub fn of_bytes(bytes: &[u8], reading: Reading, protocol: Protocol, locale: Locale) -> Self {
        Self::of(vec![FileSource::Held("text".to_owned(), bytes.into())], reading, protocol, locale)
    }

    fn of(sources: Vec<FileSource>, reading: Reading, protocol: Protocol, locale: Locale) -> Self {
        Self {
            sources,
            reading,
            protocol,
            locale,
            letters: OnceLock::new(),
            notes: Mutex::default(),
            spellings: Arc::default(),
            shuffled: None,
            interrupt: Interrupt::default(),
            watch: ReadingWatch::default(),
        }
    }

    /// Records notes on a file used in training, such as a lexicon, whose content was not used exactly as it is.
    pub fn note(&self, notes: &[String]) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(notes);
    }

    /// The notes that were recorded.
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads standard input and pipes into memory, so that the corpus can be read more than once.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn hold(&mut self) -> Result<()> {
        for source in &mut self.sources {
            if let FileSource::Stream(path, _) = source {
                let name = path.to_string_lossy().into_owned();
                let bytes = source.open()?.within(self.reading.limits).bytes()?;
                *source = FileSource::Held(name, bytes.into());
            }
        }
        Ok(())
    }

    /// The name of the corpus in errors: its first file, and the number of other files.
    pub fn name(&self) -> String {
        let names: Vec<_> = self.sources.iter().map(FileSource::name).collect();
        match names.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        }
    }

    /// Returns the names of the files without their folders, each with the file size in bytes if it
    /// is known before reading.
    pub(crate) fn files(&self) -> Vec<(String, Option<u64>)> {
        let sources = self.sources.iter().map(|source| match source {
            FileSource::File(path) | FileSource::Stream(path, _) => (
                files::name(path),
                path.metadata().ok().filter(Metadata::is_file).map(|metadata| metadata.len()),
            ),
            // The names of pipes may differ between runs.
            FileSource::Held(_, bytes) => ("-".to_owned(), Some(bytes.len() as u64)),
        });
        sources.collect()
    }

    /// Returns the same files under another protocol. From here on, standard input and pipes are
    /// kept in memory.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn under(&mut self, protocol: Protocol) -> Result<Self> {
        self.hold()?;
        self.again(self.reading.clone(), protocol)
    }

    /// Returns the same files, to be read in another way.
    fn again(&self, reading: Reading, protocol: Protocol) -> Result<Self> {
        let sources = self.sources.iter().map(FileSource::again).collect::<Result<_>>()?;
        Ok(Self {
            spellings: self.spellings.clone(),
            shuffled: self.shuffled.clone(),
            interrupt: self.interrupt.clone(),
            watch: self.watch.clone(),
            ..Self::of(sources, reading, protocol, self.locale)
        })
    }

    /// Returns the same files, read in windows of running text as recogniser output is.
    ///
    /// # Errors
    /// If a file can be read only once: [`Corpus::hold`] keeps it in memory.
    pub fn in_windows(&self) -> Result<Self> {
        let reading = Reading { split: true, ..self.reading.clone() };
        self.again(reading, Protocol::Asr { window: Protocol::WINDOW })
    }

    /// Returns a corpus for each file, with the facts that the protocol has learned from all files (the single
    /// letters of `rei`), so that counts of the parts add up to the counts of the whole. From here on, standard input
    /// and pipes are kept in memory.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn parts(&mut self) -> Result<Vec<Self>> {
        let whole = self.under(self.protocol)?;
        whole.sources.into_iter().map(|source| self.part(vec![source], None)).collect()
    }

    /// Like [`parts`](Self::parts), but returns a name and a corpus for each speaker or category in transcripts. A
    /// category may span several files. Speakers of different files are different parts; if there are several files,
    /// the name of a speaker includes the file.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn speech_parts(&mut self, kind: SpeechPartKind) -> Result<Vec<(String, Self)>> {
        let mut found: Vec<(String, Self)> = Vec::new();
        for file in self.parts()? {
            for source in file.sources {
                let input = self.reading.decoded(source.open()?)?;
                for part in SpeechPart::all_of(kind, input, &self.reading)? {
                    let name = match kind {
                        SpeechPartKind::Speaker if self.sources.len() > 1 => {
                            format!("{} {}", files::name(Path::new(&source.name())), part.name)
                        }
                        _ => part.name.clone(),
                    };
                    match found.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, known)) => known.sources.push(source.again()?),
                        None => found.push((name, self.part(vec![source.again()?], Some(part))?)),
                    }
                }
            }
        }
        Ok(found)
    }

    /// Returns a part of the corpus, with the facts that the protocol has learned from all of it.
    fn part(&self, sources: Vec<FileSource>, only: Option<SpeechPart>) -> Result<Self> {
        Ok(Self {
            sources,
            shuffled: None,
            letters: self.letters()?.clone().into(),
            ..self.again(Reading { only, ..self.reading.clone() }, self.protocol)?
        })
    }

    /// Adds words and phrases that the user spells: a method receives them, and they take
    /// precedence when its choices are scored.
    #[must_use]
    pub fn with_spellings(self, spellings: Spellings) -> Self {
        Self { spellings: Arc::new(spellings), ..self }
    }

    /// Stops all reading of the corpus, and all work that reads it, once the flag is set.
    #[must_use]
    pub fn interrupted_by(self, interrupt: &Interrupt) -> Self {
        Self { interrupt: interrupt.clone(), ..self }
    }

    /// Reports each reading to a callback.
    #[must_use]
    pub fn watched_by(self, watch: Option<ReadingCallback>) -> Self {
        Self { watch: ReadingWatch { callback: watch, passes: Arc::default() }, ..self }
    }

    /// Returns the flag that stops the reading, so that work on the data that was read can check it too.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Returns the mean number of sentences per line in the first lines of the first file, if these
    /// lines are clearly paragraphs (two or more sentences on average) although each line is read
    /// as one sentence. `None` otherwise, and also if the protocol runs sentences together or the
    /// file can be read only once.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn sentences_a_line(&self) -> Result<Option<f64>> {
        /// The number of lines that are examined.
        const LINES: usize = 200;
        let Some(source @ (FileSource::File(_) | FileSource::Held(..))) = self.sources.first() else {
            return Ok(None);
        };
        if self.reading.split || self.protocol.runs_on() {
            return Ok(None);
        }
        let mut blocks = CorpusBlocks::new(self.reading.decoded(source.open()?)?, &self.reading, false)?;
        if !blocks.has_own_lines() {
            return Ok(None);
        }
        let Some(block) = blocks.next()? else { return Ok(None) };
        let (mut lines, mut sentences) = (0, 0);
        block.sentences(&mut |line| {
            if lines < LINES {
                lines += 1;
                sentences += sentence::split(line.text, self.reading.language()).count();
            }
            Ok(())
        })?;
        Ok((sentences >= 2 * lines && lines > 0).then(|| sentences as f64 / lines as f64))
    }

    /// The protocol of the corpus.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The way the files are read.
    pub(crate) fn reading(&self) -> &Reading {
        &self.reading
    }

    /// The language tag of the corpus.
    pub fn language(&self) -> &str {
        self.reading.language()
    }

    /// The locale of the corpus.
    pub fn locale(&self) -> Locale {
        self.locale
    }

    /// Calls `visit` with every example, in order. An example has at least one word; its memory is
    /// reused for the next example.
    ///
    /// # Errors
    /// If a file cannot be read or violates its format, or if `visit` fails.
    pub fn for_each(&self, visit: &mut dyn FnMut(&Example) -> Result<()>) -> Result<()> {
        let mut blocks = self.example_blocks()?;
        while blocks.next(&mut |example, _| visit(example))? {}
        Ok(())
    }

    /// Reads the examples block by block, for a reader that goes through several corpora at once.
    ///
    /// # Errors
    /// The errors of [`Corpus::for_each`].
    pub(crate) fn example_blocks(&self) -> Result<ExampleBlocks<'_>> {
        Ok(ExampleBlocks { examples: self.maker(self.letters()?), blocks: self.blocks(), has_ended: false })
    }

    /// Calls `visit` with every sentence as it is in the files, in order.
    ///
    /// # Errors
    /// The errors of [`Corpus::for_each`].
    pub fn for_each_sentence(&self, visit: &mut dyn FnMut(CorpusSentence<'_>) -> Result<()>) -> Result<()> {
        let mut blocks = self.blocks();
        while let Some(block) = blocks.next()? {
            block.sentences(&mut |sentence| {
                self.interrupt.check()?;
                visit(sentence)
            })?;
        }
        Ok(())
    }

    /// Calls `visit` with every utterance as it is in the files, in order. Utterances of transcripts include all
    /// alternatives.
    ///
    /// # Errors
    /// The errors of [`Corpus::for_each`].
    pub fn for_each_utterance(&self, visit: &mut dyn FnMut(Utterance<'_>) -> Result<()>) -> Result<()> {
        for source in &self.sources {
            let mut input = self.reading.decoded(source.open()?)?;
            let kind = self.reading.format.of_input(&mut input)?;
            if kind.info().has_utterances {
                let mut records = kind.records(input, self.reading.field.as_deref())?;
                let mut record = Record::default();
                while records.next(&mut record)? {
                    records.utterance()?.map_or(Ok(()), &mut *visit)?;
                }
                continue;
            }
            self.blocks_of(input, &mut |block| {
                block.sentences(&mut |sentence| {
                    visit(Utterance {
                        parts: vec![UtterancePart::Text(sentence.text)],
                        ..Utterance::default()
                    })
                })
            })?;
        }
        Ok(())
    }

    /// All examples, in order.
    ///
    /// # Errors
    /// The errors of [`Corpus::for_each`].
    pub fn examples(&self) -> Result<Vec<Example>> {
        let mut examples = Vec::new();
        self.for_each(&mut |example| {
            examples.push(example.clone());
            Ok(())
        })?;
        Ok(examples)
    }

    /// Returns the file, as it was named, and the line with word number `word`, counted from 0 over the words of all
    /// examples; `None` if there are fewer words. This reads the corpus once more, so it is meant for error messages.
    /// The line of a word of a transcript is the one in which its sentence ends.
    ///
    /// # Errors
    /// The errors of [`Corpus::for_each`].
    pub fn place_of_word(&self, word: u64) -> Result<Option<(String, u64)>> {
        let mut examples = self.maker(self.letters()?);
        let given = Cell::new(0);
        let mut found = None;
        let mut count = |example: &Example, _: &[u32]| {
            given.set(given.get() + example.tokens.len() as u64);
            Ok(())
        };
        for source in &self.sources {
            self.blocks_of(self.reading.decoded(source.open()?)?, &mut |block| {
                if block.begins {
                    examples.end_document(&mut count)?;
                }
                block.sentences(&mut |sentence| {
                    examples.sentence(sentence, &mut count)?;
                    if found.is_none() && given.get() + examples.waiting() > word {
                        found = Some((source.name(), sentence.line));
                    }
                    Ok(())
                })
            })?;
        }
        Ok(found)
    }

    /// Distributes the examples among `threads` threads, each with its own value created by `make`,
    /// and returns these values. The assignment of examples to threads is arbitrary, so the result
    /// must not depend on it: sums do not. Under protocols whose examples run across sentences
    /// ([`Protocol::runs_on`]), one thread does all the work.
    ///
    /// # Errors
    /// The errors of [`Corpus::for_each`]; of several errors, the first one in the corpus.
    pub fn map_reduce<A: Send>(
        &self,
        threads: NonZeroUsize,
        make: impl Fn() -> A + Sync,
        visit: impl Fn(&mut A, &Example) -> Result<()> + Sync,
    ) -> Result<Vec<A>> {
        if threads.get() == 1 || self.protocol.runs_on() {
            let mut value = make();
            self.for_each(&mut |example| visit(&mut value, example))?;
            return Ok(vec![value]);
        }
        let letters = self.letters()?;
        let make = || (make(), self.maker(letters));
        let made = self.map_sentences(threads, make, |(value, examples), sentence| {
            examples.sentence(sentence, &mut |example, _| visit(value, example))
        })?;
        Ok(made.into_iter().map(|(value, _)| value).collect())
    }

    /// Like [`Corpus::map_reduce`], with the sentences as they are in the files.
    ///
    /// # Errors
    /// The errors of [`Corpus::for_each`]; of several errors, the first one in the corpus.
    pub fn map_sentences<A: Send>(
        &self,
        threads: NonZeroUsize,
        make: impl Fn() -> A + Sync,
        visit: impl Fn(&mut A, CorpusSentence<'_>) -> Result<()> + Sync,
    ) -> Result<Vec<A>> {
        // A queue of a few blocks keeps all threads busy.
        let (sender, receiver) = sync_channel::<(usize, CorpusBlock)>(2 * threads.get());
        let receiver = Mutex::new(receiver);
        let failed = AtomicBool::new(false);
        let work = || {
            let mut value = make();
            loop {
                let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok((index, block)) = next else { return Ok(value) };
                let mut visit = |sentence: CorpusSentence<'_>| {
                    self.interrupt.check()?;
                    visit(&mut value, sentence)
                };
                if let Err(error) = block.sentences(&mut visit) {
                    failed.store(true, Ordering::Relaxed);
                    // The reader must not wait for ever. Blocks come in order: those dropped here
                    // come after the error.
                    while receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().is_ok() {}
                    return Err((index, error));
                }
            }
        };
        let (read, done) = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.get()).map(|_| scope.spawn(work)).collect();
            let read = (|| {
                let mut blocks = self.blocks();
                for index in 0.. {
                    let Some(block) = blocks.next()? else { break };
                    // If a worker has failed, its error is reported, so reading ends.
                    if failed.load(Ordering::Relaxed) || sender.send((index, block)).is_err() {
                        break;
                    }
                }
                Ok(())
            })();
            drop(sender);
            let done: Vec<_> = workers.into_iter().map(thread::ScopedJoinHandle::join).collect();
            (read, done)
        });
        let mut values = Vec::with_capacity(done.len());
        let mut first: Option<(usize, Error)> = None;
        for result in done {
            match result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)) {
                Ok(value) => values.push(value),
                Err((index, error)) if first.as_ref().is_none_or(|&(earlier, _)| index < earlier) => {
                    first = Some((index, error));
                }
                Err(_) => {}
            }
        }
        match (first, read) {
            (Some((_, error)), _) | (None, Err(error)) => Err(error),
            (None, Ok(())) => Ok(values),
        }
    }

    fn maker<'a>(&'a self, letters: &'a SingleLetters) -> ExampleBuilder<'a> {
        ExampleBuilder::new(self.protocol, self.locale, self.reading.language(), letters, &self.spellings)
    }

    /// Reads all blocks of all files, in order.
    fn blocks(&self) -> BlockReader<'_> {
        BlockReader {
            corpus: self,
            sources: self.sources.iter(),
            shuffled: self.shuffled.as_deref().map(<[_]>::iter),
            file: None,
            pass: self.watch.begin(),
            bytes: 0,
        }
    }

    /// Calls `visit` with all blocks of a file, in order.
    fn blocks_of(
        &self,
        input: Input<'static>,
        visit: &mut dyn FnMut(CorpusBlock) -> Result<()>,
    ) -> Result<()> {
        let mut blocks = CorpusBlocks::new(input, &self.reading, self.protocol == Protocol::Susanto)?;
        while let Some(block) = blocks.next()? {
            visit(block)?;
        }
        Ok(())
    }

    /// The counts of single letters in the corpus, computed on first use if the protocol needs
    /// them.
    fn letters(&self) -> Result<&SingleLetters> {
        if let Some(letters) = self.letters.get() {
            return Ok(letters);
        }
        let mut letters = SingleLetters::default();
        if self.protocol.counts_letters() {
            let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
            let make = || (SingleLetters::default(), String::new());
            let parts = self.map_sentences(threads, make, |(letters, scratch), sentence| {
                letters.add(sentence, self.locale, scratch);
                Ok(())
            })?;
            parts.iter().for_each(|(part, _)| letters.merge(part));
        }
        Ok(self.letters.get_or_init(|| letters))
    }
}

/// A reader of the blocks of a corpus.
struct BlockReader<'a> {
    corpus: &'a Corpus,
    /// The files that have not been opened yet, and the file that is being read.
    sources: slice::Iter<'a, FileSource>,
    shuffled: Option<slice::Iter<'a, CorpusBlock>>,
    file: Option<CorpusBlocks>,
    pass: u64,
    bytes: u64,
}

impl BlockReader<'_> {
    /// Reads the next block; `None` at the end.
    fn next(&mut self) -> Result<Option<CorpusBlock>> {
        let Corpus { reading, protocol, interrupt, watch, .. } = self.corpus;
        if let Some(blocks) = &mut self.shuffled {
            let Some(block) = blocks.next() else { return Ok(None) };
            interrupt.check()?;
            self.bytes += block.len() as u64;
            watch.show(self.pass, self.bytes);
            return Ok(Some(if reading.split { block.split(reading.language()) } else { block.clone() }));
        }
        loop {
            if let Some(file) = &mut self.file
                && let Some(block) = file.next()?
            {
                interrupt.check()?;
                self.bytes += block.len() as u64;
                watch.show(self.pass, self.bytes);
                return Ok(Some(block));
            }
            let Some(source) = self.sources.next() else { return Ok(None) };
            let input = reading.decoded(source.open()?)?;
            self.file = Some(CorpusBlocks::new(input, reading, *protocol == Protocol::Susanto)?);
        }
    }
}

/// A reader of the examples of a corpus, block by block.
pub(crate) struct ExampleBlocks<'a> {
    examples: ExampleBuilder<'a>,
    blocks: BlockReader<'a>,
    has_ended: bool,
}

impl ExampleBlocks<'_> {
    /// Calls `visit` with the examples that the next block completes, in order; returns false at the end. `visit`
    /// also receives, for each word of an example, the number of words before it that the protocol omitted because of
    /// their kind, such as events under `rei`. The list is empty if the protocol never omits words. The words of
    /// examples and the omitted words are together all words of the files, except for words omitted at the very end.
    ///
    /// # Errors
    /// The errors of [`Corpus::for_each`].
    pub(crate) fn next(&mut self, visit: &mut dyn FnMut(&Example, &[u32]) -> Result<()>) -> Result<bool> {
        if self.has_ended {
            return Ok(false);
        }
        let Some(block) = self.blocks.next()? else {
            self.has_ended = true;
            self.examples.end_document(visit)?;
            return Ok(true);
        };
        if block.begins {
            self.examples.end_document(visit)?;
        }
        block.sentences(&mut |sentence| {
            self.blocks.corpus.interrupt.check()?;
            self.examples.sentence(sentence, visit)
        })?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn corpus(files: &[PathBuf], protocol: Protocol) -> Corpus {
        Corpus::new(files, Reading::default(), protocol, Locale::Root).unwrap()
    }

    #[test]
    fn files_are_documents_one_after_another() {
        let folder = tempfile::tempdir().unwrap();
        let files = [folder.path().join("a"), folder.path().join("none"), folder.path().join("b")];
        for (file, text) in files.iter().zip(["Olá, Rui.\nBom dia.", "\n\n", "Adeus, Ana."]) {
            fs::write(file, text).unwrap();
        }
        let asr = corpus(&files, Protocol::Asr { window: Protocol::WINDOW }).examples().unwrap();
        assert_eq!(asr.iter().map(|window| window.gold.len()).collect::<Vec<_>>(), [4, 2]);
        let text = corpus(&files, Protocol::Text).examples().unwrap();
        use majuscule_text::Break::{Document, Line};
        let before: Vec<_> = text.iter().map(|example| example.tokens.as_slice()[0].before).collect();
        assert_eq!(before, [Document, Line, Document]);
    }

    #[test]
    fn the_files_of_a_corpus_add_up_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let files = [folder.path().join("a"), folder.path().join("b")];
        // Only the second file shows that A may be an article.
        for (file, text) in files.iter().zip(["A dog ran.", "We saw a cat.\nWe left."]) {
            fs::write(file, text).unwrap();
        }
        let words = |examples: &[Example]| {
            let of = |example: &Example| {
                let lower = example.tokens.iter().map(|(lower, _)| lower.to_owned());
                lower.zip(example.gold.clone()).collect::<Vec<_>>()
            };
            examples.iter().flat_map(of).collect::<Vec<_>>()
        };
        for protocol in Protocol::ALL {
            let mut whole = corpus(&files, protocol);
            let parts = whole.parts().unwrap();
            assert_eq!(
                parts.iter().map(Corpus::name).collect::<Vec<_>>(),
                [files[0].to_str().unwrap(), files[1].to_str().unwrap()]
            );
            let parts: Vec<_> = parts.iter().flat_map(|part| part.examples().unwrap()).collect();
            let whole = whole.examples().unwrap();
            assert_eq!(words(&parts), words(&whole), "{protocol}");
            // The turns of `windows`, and their ends, continue from one file to the next.
            if !matches!(protocol, Protocol::Windows | Protocol::Layouts) {
                assert_eq!(parts, whole, "{protocol}");
            }
        }
    }

    #[test]
    fn threads_share_a_file_of_many_blocks_and_tell_its_first_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("many");
        let mut bytes = "Rui saw Ana and Rio in May.\n".repeat(200_000).into_bytes();
        fs::write(&file, &bytes).unwrap();
        let count = |threads: usize| {
            let corpus = corpus(slice::from_ref(&file), Protocol::Batista);
            let threads = NonZeroUsize::new(threads).unwrap();
            let visit = |sum: &mut usize, example: &Example| {
                *sum += example.gold.iter().filter(|gold| gold.label.case.is_slot()).count();
                Ok(())
            };
            corpus.map_reduce(threads, || 0, visit).map(|sums| sums.iter().sum::<usize>())
        };
        assert_eq!(count(1).unwrap(), 600_000);
        assert_eq!(count(3).unwrap(), 600_000);

        // Line 1001 and two later ones are not UTF-8.
        for line in [1000, 100_000, 199_000] {
            bytes[line * 28 + 4] = 0xff;
        }
        fs::write(&file, &bytes).unwrap();
        for threads in [1, 2, 3] {
            let error = count(threads).unwrap_err().to_string();
            assert!(error.contains("many, line 1001, column 5: byte 0xff"), "{error}");
        }
    }

    #[test]
    fn inputs_that_cannot_be_read_are_errors() {
        let none: [&str; 0] = [];
        let new = |files: &[&str]| Corpus::new(files, Reading::default(), Protocol::Text, Locale::Root);
        assert!(matches!(new(&none), Err(Error::Usage(_))));
        assert!(matches!(new(&["-", "-"]), Err(Error::Usage(_))));
        let folder = tempfile::tempdir().unwrap();
        let error = corpus(&[folder.path().to_owned()], Protocol::Text).examples().unwrap_err();
        assert!(error.to_string().contains("is a folder"));
        let error = corpus(&[folder.path().join("none")], Protocol::Rei).examples().unwrap_err();
        assert!(error.to_string().starts_with("cannot open"));
    }

    #[test]
    #[cfg(unix)]
    fn a_stream_is_read_once_unless_it_is_held() {
        let mut corpus = corpus(&[PathBuf::from("/dev/null")], Protocol::Text);
        assert!(corpus.examples().unwrap().is_empty());
        assert!(corpus.examples().unwrap_err().to_string().contains("only once"));
        corpus = Corpus::new(&["/dev/null"], Reading::default(), Protocol::Text, Locale::Root).unwrap();
        corpus.hold().unwrap();
        assert!(corpus.examples().unwrap().is_empty());
        assert!(corpus.examples().unwrap().is_empty());
    }
}
