//! N-gram language models: a state and a word in, log10 of the word's probability and the next state out.

pub mod arpa;
pub mod binary;
pub mod forms;
pub mod scorer;
pub mod table;
pub mod vocab;

use std::path::Path;
use std::sync::OnceLock;

pub use scorer::{NgramScorer, NgramState, ScoredSentence, ScoredWord, SentenceBatch};
pub use table::{AutomatonState, Successors};
pub use vocab::{Vocabulary, WordId};

use crate::bytes::Bytes;
use crate::error::{Error, Result};
use crate::files::{self, Encoding, Input};
use scorer::LookUp;
use table::NgramTable;

/// The longest n-grams that a model may hold.
pub const MAX_ORDER: usize = 7;

/// A back-off model of cased words. Values are log10, as in an ARPA file.
///
/// ```
/// use majuscule::lm::NgramModel;
///
/// let arpa = "\\data\\\nngram 1=4\n\\1-grams:\n-1 <unk>\n-99 <s>\n-0.5 </s>\n-0.3 Porto\n\\end\\\n";
/// let model = NgramModel::read("tiny", arpa.as_bytes().to_vec())?;
/// let sentence = model.scorer().sentence(["Porto", "Braga"]);
/// assert!((sentence.log10 - (-0.3 - 1.0 - 0.5)).abs() < 1e-6);
/// assert_eq!(sentence.unknown, 1);
/// # Ok::<(), majuscule::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NgramModel {
    /// The words.
    pub vocabulary: Vocabulary,
    /// Its n-grams in order, and as they are looked up; at least one is there, the other is made when it is needed.
    table: OnceLock<NgramTable>,
    look_up: OnceLock<LookUp>,
    /// The name and the bytes of the binary that it lies in.
    binary: Option<(String, Bytes)>,
    notes: Vec<String>,
}

impl PartialEq for NgramModel {
    fn eq(&self, other: &Self) -> bool {
        self.vocabulary == other.vocabulary && self.look_up() == other.look_up()
    }
}

impl NgramModel {
    /// A model of these n-grams.
    pub fn new(vocabulary: Vocabulary, table: NgramTable) -> Self {
        Self { vocabulary, table: table.into(), look_up: OnceLock::new(), binary: None, notes: Vec::new() }
    }

    fn looked_up(vocabulary: Vocabulary, look_up: LookUp) -> Self {
        Self { vocabulary, table: OnceLock::new(), look_up: look_up.into(), binary: None, notes: Vec::new() }
    }

    /// Opens a file, ARPA or binary, compressed or not; `-` is standard input. A binary of more than 64 MiB that is not compressed
    /// is mapped and used where it lies, so this takes no time and what is not used takes no memory; [`NgramModel::check`] compares
    /// it with its checksum.
    ///
    /// # Errors
    /// Where it cannot be read or is not what its beginning says.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_as(path, None)
    }

    /// Like [`NgramModel::open`], of an ARPA file in another encoding than UTF-8, if one is named.
    ///
    /// # Errors
    /// Like [`NgramModel::open`], and where the file holds bytes that are no characters in that encoding.
    pub fn open_as(path: impl AsRef<Path>, encoding: Option<&Encoding>) -> Result<Self> {
        let path = path.as_ref();
        let mut input = files::open(path)?;
        if !binary::begins(&input.peek(64)?) {
            return arpa::read(match encoding {
                Some(encoding) => input.decoded(Some(encoding.clone()), None)?.0,
                None => input,
            });
        }
        let name = input.name().to_owned();
        let can_be_mapped = files::len(path).is_some();
        Self::of_bytes(&name, if can_be_mapped { Bytes::open(path)? } else { input.bytes()?.into() })
    }

    /// Like [`NgramModel::open`], and compares a binary with its checksum: for what reads all of it.
    ///
    /// # Errors
    /// Like [`NgramModel::open`] and [`NgramModel::check`].
    pub fn open_checked(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_checked_as(path, None)
    }

    /// [`NgramModel::open_as`] and [`NgramModel::open_checked`] together.
    ///
    /// # Errors
    /// Like both of these.
    pub fn open_checked_as(path: impl AsRef<Path>, encoding: Option<&Encoding>) -> Result<Self> {
        let model = Self::open_as(path, encoding)?;
        model.check()?;
        Ok(model)
    }

    /// Reads a file that is in memory; `name` is what errors call it.
    ///
    /// # Errors
    /// Like [`NgramModel::open`].
    pub fn read(name: &str, bytes: Vec<u8>) -> Result<Self> {
        Self::of_bytes(name, bytes.into())
    }

    /// A model in bytes that lie anywhere; a binary is used where it lies, fastest at an address that is a multiple of
    /// [`ALIGN`](crate::bytes::ALIGN). `name` is what errors call it.
    ///
    /// # Errors
    /// Like [`NgramModel::open`].
    pub fn of_bytes(name: &str, bytes: Bytes) -> Result<Self> {
        if !binary::begins(&bytes) {
            return arpa::read(Input::new(name, std::io::Cursor::new(bytes))?);
        }
        let mut model = binary::read(&bytes).map_err(|problem| Error::file(name, problem))?;
        model.binary = Some((name.to_owned(), bytes));
        Ok(model)
    }

    /// Compares a model that lies in a binary with its checksum. Opening does not: altered numbers score wrongly, and no
    /// worse.
    ///
    /// # Errors
    /// Where it was altered.
    pub fn check(&self) -> Result<()> {
        let Some((name, bytes)) = &self.binary else { return Ok(()) };
        binary::check(bytes).map_err(|problem| Error::file(name, problem))
    }

    /// What its file lacks and how that was read nevertheless, a sentence each: back-offs and histories that other
    /// toolkits leave out.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The length of its longest n-grams.
    pub fn order(&self) -> usize {
        self.counts().len()
    }

    /// How many n-grams it has of each order, from 1.
    pub fn counts(&self) -> Vec<usize> {
        match self.look_up.get() {
            Some(look_up) => look_up.size().counts.iter().map(|&count| count as usize).collect(),
            None => self.table().counts(),
        }
    }

    /// Its words.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// What scores words under it: free to copy. The first call makes the look-up of a model that comes from no binary, in
    /// about 50 ns an n-gram.
    pub fn scorer(&self) -> NgramScorer<'_> {
        NgramScorer::new(self.look_up(), &self.vocabulary)
    }

    /// Gives every state to `visit`, the empty one first and each after the one that it backs off to: the model as an
    /// automaton. The words that follow come in the order of their numbers. Takes as long as [`NgramModel::for_each`].
    pub fn for_each_state(&self, visit: &mut dyn FnMut(AutomatonState, &mut Successors<'_>)) {
        self.table().for_each_state(visit);
    }

    /// Gives every n-gram of one order to `visit`, sorted by the numbers of its words, with its probability and its
    /// back-off (0 where it has none). The first call puts the n-grams of a binary in order, in about 100 ns each; of one
    /// that was altered it may give the 1-grams alone, or wrong ones.
    pub fn for_each(&self, order: usize, visit: &mut dyn FnMut(&[WordId], f32, f32)) {
        self.table().for_each(order, visit);
    }

    /// The n-grams, by their words' numbers.
    pub fn table(&self) -> &NgramTable {
        self.table.get_or_init(|| self.look_up().table())
    }

    fn look_up(&self) -> &LookUp {
        self.look_up.get_or_init(|| LookUp::of(self.table()))
    }
}
