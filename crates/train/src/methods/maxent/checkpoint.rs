//! Checkpoints: files that hold the state of a training, written periodically, from which an
//! interrupted training resumes.
//!
//! Layout, little-endian: `MJTRAINS` and the format version (u32); the length of the settings
//! (u32), and the settings with the corpus as JSON; the CRC-32 of everything so far. Then come
//! digests of the words and of the gazetteers (u64 each); the number of epochs done and of batches
//! done in the next epoch (u64 each); the number of epochs in a row that were worse on the held-out
//! examples (u64); a flag for best weights (a byte), followed by their loss (f64) and the weights
//! if it is set; the current weights; and the CRC-32 of everything before it. Weights consist of a
//! flag that is set if their features are chosen (a byte); the number of cells (u64); the cells
//! (f32 each); the feature of each cell (u64), with its lead (u32) unless features are chosen; and
//! the kind of deferred updates (a byte: 0 for none, 1, or 2 with sums). Deferred updates have the
//! rate (f32), the number of words so far and the number of words of each cell (u64 each), and the
//! sums of each cell (f64 each).

use std::io::{self, Write};
use std::path::Path;

use crc32fast::Hasher;

use super::cells::{Index, TrainingWeights};
use super::dataset::DataSet;
use super::lazy::{Lazy, Penalty};
use super::state::TrainingState;
use super::{MaxentConfig, ModelSize};
use crate::corpus::Corpus;
use crate::methods::checkpoint;
use crate::numbers::{self, Number};
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, Input, Publish};
use majuscule_methods::maxent::gazetteers::Gazetteers;
use majuscule_methods::maxent::hash::hash;
use majuscule_methods::maxent::templates::VERSION;

const MAGIC: &[u8; 8] = b"MJTRAINS";
const FORMAT: u32 = 1;

/// A file that holds a state, or will hold one.
pub(super) struct Checkpoint<'a> {
    file: &'a Path,
    config: &'a MaxentConfig,
    settings: String,
    /// The existing file, positioned after its settings, if there is one.
    old: Option<CheckpointReader>,
}

impl<'a> Checkpoint<'a> {
    /// Opens the checkpoint that the settings name.
    ///
    /// # Errors
    /// If the file is not a checkpoint, is of another training or another version, or cannot be
    /// written.
    pub(super) fn new(config: &'a MaxentConfig, corpus: &Corpus) -> Result<Option<Self>> {
        let Some(file) = &config.checkpoint else { return Ok(None) };
        let settings = settings(config, corpus);
        let old = match file.metadata() {
            Ok(metadata) if !metadata.is_file() => return Err(no_checkpoint(&file.to_string_lossy())),
            Ok(_) => Some(CheckpointReader::open(file, &settings)?),
            Err(_) => None,
        };
        // An unwritable path should be found before the long work.
        drop(Publish::new(file)?);
        Ok(Some(Self { file, config, settings, old }))
    }

    /// Returns the keeper that writes states to the file, and the state found there.
    ///
    /// # Errors
    /// If the state is of another corpus, cut off, or altered.
    pub(super) fn open(
        self,
        data: &DataSet<'_>,
        words: u64,
        penalty: Penalty,
    ) -> Result<(Keeper<'a>, Option<TrainingState>)> {
        let Self { file, config, settings, old } = self;
        let digests = [words, digest(data.gazetteers)];
        let state = old.map(|old| old.state(config, digests, penalty)).transpose()?;
        Ok((Keeper { file, config, settings, digests, words: 0 }, state))
    }
}

/// Returns the settings that a state depends on, apart from the contents of files. A state depends
/// neither on the number of threads nor on the name of the checkpoint.
fn settings(config: &MaxentConfig, corpus: &Corpus) -> String {
    let version = format!("{} with features {}", env!("CARGO_PKG_VERSION"), VERSION);
    checkpoint::settings(config, version, corpus)
}

fn digest(gazetteers: &Gazetteers) -> u64 {
    let bytes: Vec<u8> = gazetteers.sections().into_iter().flat_map(|(_, bytes)| bytes).collect();
    hash(&bytes)
}

/// A writer of states to the file.
pub(super) struct Keeper<'a> {
    file: &'a Path,
    config: &'a MaxentConfig,
    settings: String,
    digests: [u64; 2],
    /// The number of words since the last state was written.
    words: u64,
}

impl Keeper<'_> {
    /// Implements [`StateKeeper`](super::state::StateKeeper): writes a state after each epoch, and
    /// whenever enough words have passed.
    pub(super) fn keep(&mut self, state: &TrainingState, words: u64) -> Result<()> {
        self.words += words;
        if state.batches > 0 && self.words < self.config.checkpoint_every {
            return Ok(());
        }
        // Training continues with a few of these features, and its first state is far smaller than
        // this one.
        if let Index::Hashed(_) = state.weights.index
            && state.is_over(self.config)
        {
            return Ok(());
        }
        self.words = 0;
        let write = |out: &mut Publish| write(out, &self.settings, self.digests, state);
        files::unpublished(self.file, write)?.commit()
    }
}

fn write(out: &mut dyn Write, settings: &str, digests: [u64; 2], state: &TrainingState) -> io::Result<()> {
    let mut sink = CheckpointWriter { out, hasher: Hasher::new() };
    sink.put(MAGIC)?;
    sink.all(&[FORMAT, settings.len() as u32])?;
    sink.put(settings.as_bytes())?;
    sink.checksum()?;
    let TrainingState { epoch, batches, best, worse, weights } = state;
    sink.all(&digests)?;
    sink.all(&[*epoch as u64, *batches, *worse as u64])?;
    sink.put(&[u8::from(best.is_some())])?;
    if let Some((loss, weights)) = best {
        sink.all(&[*loss])?;
        sink.weights(weights)?;
    }
    sink.weights(weights)?;
    sink.checksum()
}

/// A writer that computes the checksum.
struct CheckpointWriter<'a> {
    out: &'a mut dyn Write,
    hasher: Hasher,
}

/// The number of values that are converted to or from bytes at once.
const PART: usize = 4096;

impl CheckpointWriter<'_> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.out.write_all(bytes)
    }

    fn all<T: Number>(&mut self, values: &[T]) -> io::Result<()> {
        let mut part = Vec::new();
        for values in values.chunks(PART) {
            part.clear();
            values.iter().for_each(|value| value.put(&mut part));
            self.put(&part)?;
        }
        Ok(())
    }

    fn weights(&mut self, weights: &TrainingWeights) -> io::Result<()> {
        let TrainingWeights { cells, index, leaders, lazy, .. } = weights;
        self.put(&[u8::from(matches!(index, Index::Chosen(_)))])?;
        self.all(&[cells.len() as u64])?;
        self.all(cells)?;
        match index {
            Index::Hashed(_) => self.all(leaders)?,
            Index::Chosen(_) => self.all(&weights.features())?,
        }
        let Some(Lazy { rate, now, touched, sums, .. }) = lazy else { return self.put(&[0]) };
        self.put(&[1 + u8::from(!sums.is_empty())])?;
        self.all(&[(*rate, *now)])?;
        self.all(touched)?;
        self.all(sums)
    }

    fn checksum(&mut self) -> io::Result<()> {
        self.all(&[self.hasher.clone().finalize()])
    }
}

/// A checkpoint being read.
struct CheckpointReader {
    input: Input<'static>,
    hasher: Hasher,
    /// The number of unread bytes, or 0 if it is unknown.
    left: usize,
}

impl CheckpointReader {
    /// Reads the settings, and refuses the settings of another training.
    fn open(file: &Path, settings: &str) -> Result<Self> {
        let left = files::len(file).unwrap_or_default() as usize;
        Self::new(files::open(file)?, left, settings)
    }

    fn new(input: Input<'static>, left: usize, settings: &str) -> Result<Self> {
        let mut source = Self { input, hasher: Hasher::new(), left };
        if source.input.peek(MAGIC.len())? != MAGIC {
            return Err(no_checkpoint(source.input.name()));
        }
        source.bytes(MAGIC.len())?;
        let format = source.next::<u32>()?;
        if format != FORMAT {
            let problem = format!("format of checkpoints {format}, but this build reads {FORMAT}");
            let cure = "continue with the version of majuscule that wrote it, or remove it to start again";
            return Err(Error::file(source.input.name(), format!("{problem}: {cure}")));
        }
        let len = source.next::<u32>()?;
        let found = source.bytes(len as usize)?;
        source.check()?;
        if found != settings.as_bytes() {
            return Err(checkpoint::other_settings(source.input.name(), &found, settings));
        }
        Ok(source)
    }

    /// Reads the state after the settings.
    fn state(mut self, config: &MaxentConfig, digests: [u64; 2], penalty: Penalty) -> Result<TrainingState> {
        for (digest, what) in digests.into_iter().zip(["a text", "a list or a lexicon"]) {
            if self.next::<u64>()? != digest {
                return Err(checkpoint::altered_input(self.input.name(), what));
            }
        }
        let [epoch, batches, worse]: [u64; 3] = self.next()?;
        let best = match self.next::<u8>()? {
            0 => None,
            _ => Some((self.next()?, self.weights(config, penalty)?)),
        };
        let weights = self.weights(config, penalty)?;
        self.check()?;
        if self.input.read(&mut [0])? > 0 {
            return Err(self.altered());
        }
        Ok(TrainingState { epoch: epoch as usize, batches, best, worse: worse as usize, weights })
    }

    fn weights(&mut self, config: &MaxentConfig, penalty: Penalty) -> Result<TrainingWeights> {
        let is_chosen = self.next::<u8>()? > 0;
        let count = self.next::<u64>()? as usize;
        let fits = match config.size {
            _ if !is_chosen => count == 1 << config.bits,
            // The number of features that fit is known only once the words are counted.
            ModelSize::Features(most) | ModelSize::Bytes(most) => count <= most,
        };
        if !fits {
            return Err(self.altered());
        }
        let cells = self.all(count)?;
        let mut weights = if is_chosen {
            TrainingWeights { cells, ..TrainingWeights::of(self.all(count)?) }
        } else {
            let (index, leaders) = (Index::Hashed(config.bits), self.all(count)?);
            TrainingWeights { cells, index, leaders, ..TrainingWeights::of(Vec::new()) }
        };
        let caught_up = self.next::<u8>()?;
        if caught_up > 0 {
            let (rate, now): (f32, u64) = self.next()?;
            let touched: Vec<u64> = self.all(count)?;
            let sums = self.all(if caught_up > 1 { count } else { 0 })?;
            if touched.iter().any(|&words| words > now) {
                return Err(self.altered());
            }
            weights.lazy = Some(Lazy { penalty, rate, now, touched, sums });
        }
        Ok(weights)
    }

    fn next<T: Number>(&mut self) -> Result<T> {
        Ok(T::get(&self.bytes(T::SIZE)?))
    }

    fn all<T: Number>(&mut self, count: usize) -> Result<Vec<T>> {
        // An altered count must not exhaust the memory.
        let mut values = Vec::with_capacity(count.min(self.left / T::SIZE));
        while values.len() < count {
            let bytes = self.bytes(T::SIZE * PART.min(count - values.len()))?;
            values.extend(bytes.chunks_exact(T::SIZE).map(T::get));
        }
        Ok(values)
    }

    fn bytes(&mut self, len: usize) -> Result<Vec<u8>> {
        let Some(bytes) = numbers::exact(&mut self.input, len)? else {
            return Err(Error::file(self.input.name(), format!("is cut off: {AGAIN}")));
        };
        self.hasher.update(&bytes);
        self.left = self.left.saturating_sub(len);
        Ok(bytes)
    }

    fn check(&mut self) -> Result<()> {
        let checksum = self.hasher.clone().finalize();
        if self.next::<u32>()? == checksum { Ok(()) } else { Err(self.altered()) }
    }

    fn altered(&self) -> Error {
        Error::file(self.input.name(), format!("was altered since it was written: {AGAIN}"))
    }
}

const AGAIN: &str = "copy the checkpoint again, or remove it to start again";

fn no_checkpoint(file: &str) -> Error {
    let problem = "is not a checkpoint: expected one written by train maxent, or the name of a new file";
    Error::file(file, problem)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use proptest::prelude::*;

    use super::super::trainer::Trainer;
    use super::super::{Prepared, Solving, learn};
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use majuscule_methods::maxent::weights::Width;
    use majuscule_text::Locale;

    /// Returns a corpus of about 900 words: some five batches.
    fn corpus() -> Corpus {
        let text = "They told us here.\nThey saw the US army in Lisbon.\nNobody was in Porto.\n".repeat(60);
        Corpus::of_text(&text, Reading::default(), Protocol::Text, Locale::Root)
    }

    fn config(solving: Solving) -> MaxentConfig {
        MaxentConfig { bits: 8, size: ModelSize::Features(60), epochs: 3, solving, ..MaxentConfig::default() }
    }

    fn bytes(config: &MaxentConfig, state: &TrainingState) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, &settings(config, &corpus()), [1, 2], state).unwrap();
        bytes
    }

    fn read(config: &MaxentConfig, bytes: &[u8], penalty: Penalty) -> Result<TrainingState> {
        let (input, left) = (Input::uncompressed("file", io::Cursor::new(bytes.to_vec())), bytes.len());
        CheckpointReader::new(input, left, &settings(config, &corpus()))?.state(config, [1, 2], penalty)
    }

    /// Trains until `stop` states were kept, or to the end.
    fn until(
        stop: usize,
        trainer: &Trainer<'_>,
        penalty: Penalty,
        old: Option<TrainingState>,
    ) -> std::result::Result<TrainingWeights, Vec<u8>> {
        let (mut kept, mut last) = (0, Vec::new());
        let stopped = || Error::usage("stopped");
        let found = learn(trainer, 60, penalty, old, &mut |state, _| {
            kept += 1;
            if kept < stop {
                return Ok(());
            }
            last = bytes(trainer.data.config, state);
            Err(stopped())
        });
        found.map_err(|error| {
            assert_eq!(error.to_string(), stopped().to_string());
            last
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn training_that_is_stopped_and_goes_on_finds_the_same(
            stops in prop::collection::vec(1usize..30, 1..4),
            threads in 1usize..3,
            other_threads in 1usize..3,
            which in 0usize..4,
        ) {
            let solving = [
                Solving::default(),
                Solving { l1: 0.1, held_out: 0.2, ..Solving::default() },
                Solving { l2: 0.1, average: true, ..Solving::default() },
                Solving { average: true, held_out: 0.3, patience: 2, ..Solving::default() },
            ];
            let (config, corpus, gazetteers) = (config(solving[which].clone()), corpus(), Gazetteers::default());
            let threads = NonZeroUsize::new(threads).unwrap();
            let prepared = Prepared::new(&config, &corpus, threads).unwrap();
            let data = prepared.data(&config, &corpus, &gazetteers);
            let mut trainer = Trainer { data, threads };
            let penalty = config.solving.penalty(&data).unwrap();
            let whole = learn(&trainer, 60, penalty, None, &mut |_, _| Ok(())).unwrap().quantised(Width::Narrow, 60);
            let mut found = until(stops[0], &trainer, penalty, None);
            trainer.threads = NonZeroUsize::new(other_threads).unwrap();
            for stop in stops[1..].iter().copied().chain([usize::MAX]) {
                if let Err(bytes) = &found {
                    found = until(stop, &trainer, penalty, Some(read(&config, bytes, penalty).unwrap()));
                }
            }
            prop_assert_eq!(found.ok().map(|weights| weights.quantised(Width::Narrow, 60)), Some(whole));
        }

        #[test]
        fn what_was_cut_off_or_altered_is_refused(which in 0..2usize, at: prop::sample::Index, change in 1u8..) {
            let (config, states) = (some_config(), some_states());
            let whole = bytes(&config, &states[which]);
            prop_assert!(read(&config, &whole, Penalty::None).is_ok());
            prop_assert!(read(&config, &whole[..at.index(whole.len())], Penalty::None).is_err());
            prop_assert!(read(&config, &[&whole[..], &[change]].concat(), Penalty::None).is_err());
            let (position, mut altered) = (at.index(whole.len()), whole);
            altered[position] ^= change;
            prop_assert!(read(&config, &altered, Penalty::None).is_err());
        }

        #[test]
        fn an_altered_state_with_its_checksum_put_right_never_panics(which in 0..2usize, at: prop::sample::Index, to: [u8; 3]) {
            let (config, states) = (some_config(), some_states());
            let mut altered = bytes(&config, &states[which]);
            let (begin, end) = (16 + settings(&config, &corpus()).len() + 4, altered.len() - 4);
            // Most of the fields that decide how the rest is read come first.
            let start = begin + at.index(end - begin) / [1, 40][usize::from(to[0] & 1)];
            altered[start..(start + 3).min(end)].iter_mut().zip(to).for_each(|(byte, to)| *byte = to);
            let checksum = crc32fast::hash(&altered[..end]).to_le_bytes();
            altered[end..].copy_from_slice(&checksum);
            let _ = read(&config, &altered, Penalty::None);
        }
    }

    fn some_config() -> MaxentConfig {
        config(Solving { average: true, ..Solving::default() })
    }

    /// Returns a state for each kind of weights, the second with all optional parts.
    fn some_states() -> [TrainingState; 2] {
        let chosen = |average| TrainingWeights::of(vec![7, 8, 9]).lazily(Penalty::None, average);
        let mut second = TrainingState::new(chosen(true));
        second.add(0.5, chosen(false));
        [TrainingState::new(TrainingWeights::hashed(8)), second]
    }

    #[test]
    fn another_training_is_told_by_what_differs() {
        let state = &some_states()[0];
        let of = |config: &MaxentConfig| read(config, &bytes(&some_config(), state), Penalty::None).map(drop);
        assert!(of(&some_config()).is_ok());
        let problem = of(&MaxentConfig { look_ahead: 1, ..some_config() }).unwrap_err();
        assert!(matches!(problem, Error::Usage(_)));
        assert_eq!(
            problem.to_string(),
            "file is of a training with look-ahead 3, but this one has 1: continue with the same settings, or \
             remove the file to start again"
        );
        let mut other = bytes(&some_config(), state);
        other[8] = 9;
        let problem = read(&some_config(), &other, Penalty::None).err().unwrap().to_string();
        assert!(problem.starts_with("file: format of checkpoints 9, but this build reads 1: "), "{problem}");
        let input = Input::uncompressed("file", io::Cursor::new(bytes(&some_config(), state)));
        let source = CheckpointReader::new(input, 0, &settings(&some_config(), &corpus())).unwrap();
        let problem = source.state(&some_config(), [3, 2], Penalty::None).err().unwrap().to_string();
        assert!(problem.starts_with("file: a text has been changed since the training began"), "{problem}");
    }
}
