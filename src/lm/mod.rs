//! N-gram language models: a state and a word in, log10 of the word's probability and the next state out.

pub mod arpa;
pub mod binary;
#[cfg(feature = "train")]
pub mod count;
pub mod forms;
#[cfg(feature = "train")]
pub mod kneser_ney;
#[cfg(feature = "train")]
pub mod prune;
pub mod table;
pub mod vocab;
#[cfg(feature = "train")]
pub mod words;

use std::path::Path;
use std::sync::OnceLock;

pub use table::{Follow, Scorer, State, Step};
pub use vocab::{Vocabulary, WordId};

use crate::error::{Error, Result};
use crate::files;
use table::{Index, Table};

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
    vocabulary: Vocabulary,
    table: Table,
    /// Made when it is first asked for.
    index: OnceLock<Index>,
}

impl PartialEq for NgramModel {
    fn eq(&self, other: &Self) -> bool {
        self.vocabulary == other.vocabulary && self.table == other.table
    }
}

impl NgramModel {
    fn new(vocabulary: Vocabulary, table: Table) -> Self {
        Self { vocabulary, table, index: OnceLock::new() }
    }

    /// Opens a file, ARPA or binary, compressed or not; `-` is standard input.
    ///
    /// # Errors
    /// Where it cannot be read or is not what its beginning says.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let mut input = files::open(path)?;
        if binary::begins(&input.peek(64)?) {
            let name = input.name().to_owned();
            return binary::read(&input.bytes()?).map_err(|problem| Error::file(name, problem));
        }
        arpa::read(input)
    }

    /// Reads a file that is in memory; `name` is what errors call it.
    ///
    /// # Errors
    /// Like [`NgramModel::open`].
    pub fn read(name: &str, bytes: Vec<u8>) -> Result<Self> {
        if binary::begins(&bytes) {
            return binary::read(&bytes).map_err(|problem| Error::file(name, problem));
        }
        arpa::read(files::Input::new(name, std::io::Cursor::new(bytes))?)
    }

    /// The length of its longest n-grams.
    pub fn order(&self) -> usize {
        self.table.order()
    }

    /// How many n-grams it has of each order, from 1.
    pub fn counts(&self) -> Vec<usize> {
        self.table.counts()
    }

    /// Its words.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Its words alone: the rest is forgotten.
    pub fn into_vocabulary(self) -> Vocabulary {
        self.vocabulary
    }

    /// What scores words under it: free to copy. The first call makes an index, in about 50 ns an n-gram.
    pub fn scorer(&self) -> Scorer<'_> {
        let index = self.index.get_or_init(|| Index::new(&self.table));
        Scorer::new(&self.table, index, &self.vocabulary)
    }

    /// Gives every state to `visit`, the empty one first and each after the one that it backs off to: the model as an
    /// automaton. The words that follow come in the order of their numbers.
    pub fn for_each_state(&self, visit: &mut dyn FnMut(Follow, &mut dyn Iterator<Item = (WordId, Step)>)) {
        self.table.for_each_state(visit);
    }

    /// Gives every n-gram of one order to `visit`, sorted by the numbers of its words, with its probability and its
    /// back-off (0 where it has none).
    pub fn for_each(&self, order: usize, visit: &mut dyn FnMut(&[WordId], f32, f32)) {
        self.table.for_each(order, visit);
    }
}
