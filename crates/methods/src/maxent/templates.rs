//! The templates of features. One table defines the number, group, name and slots of each template; the
//! extraction of features, their names and their exchange with other programs use this table.
//!
//! A feature is a 64-bit hash of the number of its template and of the values in its slots. Hashes
//! are written to files, so neither hashes nor numbers ever change: a new template takes the next
//! number.

use serde::{Deserialize, Serialize};

use majuscule_base::named::NamedValue;

/// The version of the whole table: a model trained with another version is refused.
pub const VERSION: u32 = 2;

/// The maximum number of words to either side that a template uses.
pub const REACH: usize = 3;

/// The maximum number of words of right context of a mark: words beyond [`REACH`] have separate
/// templates.
pub const FARTHEST: usize = 8;

/// The number of positions in a window: the word in the middle and its neighbours on both sides.
pub const PLACES: usize = 2 * REACH + 1;

/// A group of templates, switched on and off by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// The word: w(i)
    Word,
    /// The word with a neighbour: (w(i-1), w(i)) and (w(i), w(i+1))
    Bigrams,
    /// The word with two neighbours: (w(i-2), w(i-1), w(i)) and (w(i-1), w(i), w(i+1))
    Trigrams,
    /// Neighbours without the word, up to two words on either side
    Neighbours,
    /// Wider context: (w(i), w(i+1), w(i+2)), and words three positions away
    Wide,
    /// The first and last one to four letters of the word
    Affixes,
    /// The length of the word, its vowels and consonants, digits, hyphens and apostrophes
    Shape,
    /// The case of the word and its neighbours in the training text: the most frequent one, and its fraction
    Profile,
    /// The marks next to the word, and whether a sentence begins there, if the text shows them
    Marks,
    /// Longer stretches around the word: three to five words and their profiles, for sentence
    /// starts
    Spans,
    /// The sequences of two to four letters of a rare or unseen word, with its ends marked
    Ngrams,
    /// The lists (--list) that contain the word, by itself or within a phrase
    Lists,
    /// The word and its neighbours in lists
    ListsAround,
    /// The word in another lexicon (--forms): its most frequent form, the fraction of that form, and
    /// the count of the word
    Forms,
    /// The word and its neighbours in that lexicon
    FormsAround,
    /// The part of speech of the word (--tagger)
    Tags,
    /// The parts of speech of the word and its neighbours
    TagsAround,
    /// The classes of the word and its neighbours, of 255 learned from the corpus: words that occur
    /// among the same words
    Clusters,
    /// The case chosen for the previous word, or that a sentence began there
    Previous,
}

impl NamedValue for Group {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Word, "word", "The word: w(i)"),
        (Self::Bigrams, "bigrams", "The word with a neighbour: (w(i-1), w(i)) and (w(i), w(i+1))"),
        (
            Self::Trigrams,
            "trigrams",
            "The word with two neighbours: (w(i-2), w(i-1), w(i)) and (w(i-1), w(i), w(i+1))",
        ),
        (Self::Neighbours, "neighbours", "Neighbours without the word, up to two words on either side"),
        (Self::Wide, "wide", "Wider context: (w(i), w(i+1), w(i+2)), and words three places away"),
        (Self::Affixes, "affixes", "The first and last one to four letters of the word"),
        (
            Self::Shape,
            "shape",
            "The length of the word, its vowels and consonants, digits, hyphens and apostrophes",
        ),
        (
            Self::Profile,
            "profile",
            "The case of the word and its neighbours in the training text: the most frequent one, and its fraction",
        ),
        (
            Self::Marks,
            "marks",
            "The punctuation next to the word, and whether a sentence begins there, if the text shows it",
        ),
        (
            Self::Spans,
            "spans",
            "Longer stretches around the word: three to five words and their profiles, for sentence starts",
        ),
        (
            Self::Ngrams,
            "ngrams",
            "The sequences of two to four letters of a rare or unseen word, with its ends marked",
        ),
        (Self::Lists, "lists", "The lists (--list) that contain the word, by itself or within a phrase"),
        (Self::ListsAround, "lists-around", "The word and its neighbours in lists"),
        (
            Self::Forms,
            "forms",
            "The word in another lexicon (--forms): its most frequent form, the fraction of that form, and the count of the word",
        ),
        (Self::FormsAround, "forms-around", "The word and its neighbours in that lexicon"),
        (Self::Tags, "tags", "The part of speech of the word (--tagger)"),
        (Self::TagsAround, "tags-around", "The parts of speech of the word and its neighbours"),
        (
            Self::Clusters,
            "clusters",
            "The classes of the word and its neighbours, of 255 learned from the corpus: words that occur among the same words",
        ),
        (
            Self::Previous,
            "previous",
            "The case chosen for the previous word, or the beginning of a sentence there",
        ),
    ];
}

impl Group {
    /// The groups that need nothing but a corpus, and improve results.
    pub const DEFAULT: [Self; 10] = [
        Self::Word,
        Self::Bigrams,
        Self::Trigrams,
        Self::Neighbours,
        Self::Wide,
        Self::Affixes,
        Self::Shape,
        Self::Profile,
        Self::Marks,
        Self::Ngrams,
    ];

    /// The groups that use lists.
    pub const LISTS: [Self; 2] = [Self::Lists, Self::ListsAround];

    /// The groups that use another lexicon.
    pub const FORMS: [Self; 2] = [Self::Forms, Self::FormsAround];

    /// The groups that use a tagger.
    pub const TAGS: [Self; 2] = [Self::Tags, Self::TagsAround];

    /// Returns the name of the group in settings and on the command line.
    pub fn name(self) -> &'static str {
        self.name_of()
    }
}

/// A value that a template uses. Positions are relative to the word; positions to its left are
/// negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureSlot {
    /// The word at a position.
    Word(isize),
    /// The profile of the word at a position.
    Profile(isize),
    /// The marks around the word at a position, and whether a sentence begins there.
    Marks(isize),
    /// The lists that contain the word at a position.
    Lists(isize),
    /// The form in another lexicon of the word at a position.
    Form(isize),
    /// The class of the word at a position.
    Cluster(isize),
    /// The part of speech of the word at a position: the [number](majuscule_text::Upos::number), or 0.
    Tag(isize),
    /// The first letters of the word, as many as this number; a shorter word has no value.
    First(usize),
    /// The last letters of the word, as many as this number; a shorter word has no value.
    Last(usize),
    /// The position of a letter sequence: it begins (1), ends (2) or is (3) the word, or none of
    /// these (0). The template is filled once for each sequence.
    Affix,
    /// The letters of the sequence.
    Letters,
    /// The shape of the word.
    Shape,
    /// The lists that contain the word. The template is filled once with the set of all of them and, if there are
    /// several, once with each.
    List,
    /// The most frequent case of the word in another lexicon.
    FormClass,
    /// The number of visible words to the right.
    LookAhead,
    /// The lists of the phrase that contains the word.
    PhraseLists,
    /// The number of words of the phrase.
    PhraseWords,
    /// The position of the word in the phrase.
    PhrasePlace,
    /// The number of words since the last sentence start, in [buckets](super::boundary::bucket).
    Distance,
    /// The class chosen for the previous word, [`BEGUN`] or [`NO_WORD`].
    Before,
    /// The number of words since the last mark, in buckets.
    SinceMark,
    /// The first word of the sentence.
    Opening,
    /// The first two words of the sentence.
    Openings,
    /// Two neighbouring words of the sentence so far. The template is filled once for each pair.
    Pair,
    /// A word more than [`REACH`] positions to the right. The template is filled once for each of them.
    FarWord,
    /// The number of positions to the word of `FarWord`.
    FarPlace,
    /// The word of `FarWord` and the word before it.
    FarPair,
}

/// The value of [`FeatureSlot::Before`] for a previous word that began a sentence, so that its case is no
/// evidence. It follows the values of the classes.
pub const BEGUN: usize = 4;

/// The value of [`FeatureSlot::Before`] if there is no previous word.
pub const NO_WORD: usize = 5;

/// The number of values of [`FeatureSlot::Before`].
pub const PREVIOUS: usize = 6;

/// A template of features.
#[derive(Debug, Clone, Copy)]
pub struct Template {
    /// The number of the template, which is part of every hash.
    pub number: u64,
    /// The group that switches the template on; `None` if it is always on.
    pub group: Option<Group>,
    /// The prefix of the names of the template's features.
    pub name: &'static str,
    /// The values that fill the template.
    pub slots: &'static [FeatureSlot],
}

const fn of(group: Group, number: u64, name: &'static str, slots: &'static [FeatureSlot]) -> Template {
    Template { number, group: Some(group), name, slots }
}

const fn always(number: u64, name: &'static str, slots: &'static [FeatureSlot]) -> Template {
    Template { number, group: None, name, slots }
}

use FeatureSlot::{
    Affix, Before, Cluster, Distance, FarPair, FarPlace, FarWord, First, Form, FormClass, Last, Letters,
    List, Lists, LookAhead, Marks, Opening, Openings, Pair, PhraseLists, PhrasePlace, PhraseWords, Profile,
    Shape, SinceMark, Tag, Word,
};
use Group::{
    Affixes, Bigrams, Clusters, Forms, FormsAround, Lists as InLists, ListsAround, Marks as ShownMarks,
    Neighbours, Ngrams, Previous, Profile as Profiles, Shape as Shapes, Spans, Tags, TagsAround, Trigrams,
    Wide, Word as Words,
};

/// All templates. Features of a group are in this order: features of the word itself precede features
/// of its context.
#[rustfmt::skip]
pub const TEMPLATES: &[Template] = &[
    always(0, "bias", &[]),
    of(Words, 1, "w", &[Word(0)]),
    of(Bigrams, 2, "b-", &[Word(-1), Word(0)]),
    of(Bigrams, 3, "b+", &[Word(0), Word(1)]),
    of(Trigrams, 4, "t-", &[Word(-2), Word(-1), Word(0)]),
    of(Trigrams, 5, "t", &[Word(-1), Word(0), Word(1)]),
    of(Neighbours, 6, "n-1", &[Word(-1)]),
    of(Neighbours, 7, "n-2-1", &[Word(-2), Word(-1)]),
    of(Neighbours, 8, "n+1", &[Word(1)]),
    of(Neighbours, 9, "n-1+1", &[Word(-1), Word(1)]),
    of(Neighbours, 10, "n+1+2", &[Word(1), Word(2)]),
    // The meaning of a word depends on the amount of context that is visible.
    of(Wide, 110, "seen", &[LookAhead]),
    of(Wide, 11, "q-", &[Word(-3), Word(-2), Word(-1), Word(0)]),
    of(Wide, 12, "s-", &[Word(-2), Word(0)]),
    of(Wide, 13, "n-3", &[Word(-3)]),
    of(Wide, 14, "n-2", &[Word(-2)]),
    of(Wide, 15, "t+", &[Word(0), Word(1), Word(2)]),
    of(Wide, 16, "s+", &[Word(0), Word(2)]),
    of(Wide, 17, "n+2", &[Word(2)]),
    of(Wide, 18, "n+3", &[Word(3)]),
    of(Affixes, 20, "first1", &[First(1)]),
    of(Affixes, 21, "first2", &[First(2)]),
    of(Affixes, 22, "first3", &[First(3)]),
    of(Affixes, 23, "first4", &[First(4)]),
    of(Affixes, 24, "last1", &[Last(1)]),
    of(Affixes, 25, "last2", &[Last(2)]),
    of(Affixes, 26, "last3", &[Last(3)]),
    of(Affixes, 27, "last4", &[Last(4)]),
    of(Ngrams, 29, "letters", &[Affix, Letters]),
    of(Shapes, 30, "shape", &[Shape]),
    of(Profiles, 40, "p", &[Profile(0)]),
    of(Profiles, 41, "p-1", &[Profile(-1), Profile(0)]),
    of(Profiles, 42, "p+1", &[Profile(0), Profile(1)]),
    of(Profiles, 43, "p-1+1", &[Profile(-1), Profile(0), Profile(1)]),
    of(Profiles, 44, "p+1+2", &[Profile(0), Profile(1), Profile(2)]),
    of(ShownMarks, 50, "m", &[Marks(0)]),
    of(ShownMarks, 51, "m-1", &[Marks(-1)]),
    of(ShownMarks, 52, "m+1", &[Marks(1)]),
    of(InLists, 60, "list", &[List]),
    of(ListsAround, 61, "list-1", &[Lists(-1), Lists(0)]),
    of(ListsAround, 62, "list+1", &[Lists(0), Lists(1)]),
    of(InLists, 63, "phrase", &[PhraseLists]),
    of(InLists, 64, "phrase-at", &[PhraseLists, PhraseWords, PhrasePlace]),
    // Number 65 is the hash of a phrase: see `gazetteers::phrase`.
    of(Forms, 66, "form-class", &[FormClass]),
    of(Forms, 67, "form", &[Form(0)]),
    of(FormsAround, 68, "form-1", &[Form(-1), Form(0)]),
    of(FormsAround, 69, "form+1", &[Form(0), Form(1)]),
    of(FormsAround, 70, "form-1+1", &[Form(-1), Form(0), Form(1)]),
    of(Clusters, 80, "c", &[Cluster(0)]),
    of(Clusters, 81, "cn-1", &[Cluster(-1)]),
    of(Clusters, 82, "cn-2-1", &[Cluster(-2), Cluster(-1)]),
    of(Clusters, 83, "c-1", &[Cluster(-1), Cluster(0)]),
    of(Clusters, 84, "c-1w", &[Cluster(-1), Word(0)]),
    of(Clusters, 91, "c-3-2-1", &[Cluster(-3), Cluster(-2), Cluster(-1), Cluster(0)]),
    of(Clusters, 85, "cn+1", &[Cluster(1)]),
    of(Clusters, 86, "c-1+1", &[Cluster(-1), Cluster(0), Cluster(1)]),
    of(Clusters, 87, "wc+1", &[Word(0), Cluster(1)]),
    of(Clusters, 88, "c-1wc+1", &[Cluster(-1), Word(0), Cluster(1)]),
    of(Clusters, 92, "c-2-1+1", &[Cluster(-2), Cluster(-1), Cluster(0), Cluster(1)]),
    of(Clusters, 89, "cn+1+2", &[Cluster(1), Cluster(2)]),
    of(Clusters, 90, "wc+1+2", &[Word(0), Cluster(1), Cluster(2)]),
    of(Clusters, 93, "c-1+1+2", &[Cluster(-1), Cluster(0), Cluster(1), Cluster(2)]),
    of(Clusters, 94, "c-2-1+1+2", &[Cluster(-2), Cluster(-1), Cluster(0), Cluster(1), Cluster(2)]),
    of(Clusters, 95, "c+1+2+3", &[Cluster(0), Cluster(1), Cluster(2), Cluster(3)]),
    of(Tags, 270, "tag", &[Tag(0)]),
    of(Tags, 271, "tag-w", &[Tag(0), Word(0)]),
    of(TagsAround, 272, "tag-1", &[Tag(-1), Tag(0)]),
    of(TagsAround, 273, "tag+1", &[Tag(0), Tag(1)]),
    of(TagsAround, 274, "tag-1+1", &[Tag(-1), Tag(0), Tag(1)]),
    of(TagsAround, 275, "tag-2-1", &[Tag(-2), Tag(-1), Tag(0)]),
    of(TagsAround, 276, "tag-1w", &[Tag(-1), Word(0)]),
    of(TagsAround, 277, "tagw+1", &[Word(0), Tag(1)]),
    of(Spans, 100, "n-3-2-1", &[Word(-3), Word(-2), Word(-1)]),
    of(Spans, 101, "q-+", &[Word(-2), Word(-1), Word(0), Word(1)]),
    of(Spans, 102, "q+", &[Word(-1), Word(0), Word(1), Word(2)]),
    of(Spans, 103, "f", &[Word(-2), Word(-1), Word(0), Word(1), Word(2)]),
    of(Spans, 104, "q++", &[Word(0), Word(1), Word(2), Word(3)]),
    of(Spans, 105, "n+1+2+3", &[Word(1), Word(2), Word(3)]),
    of(Spans, 106, "p-3-2-1", &[Profile(-3), Profile(-2), Profile(-1), Profile(0)]),
    of(Spans, 107, "p-2-1+1", &[Profile(-2), Profile(-1), Profile(0), Profile(1)]),
    of(Spans, 108, "p-1+1+2", &[Profile(-1), Profile(0), Profile(1), Profile(2)]),
    of(Spans, 109, "p-2-1+1+2", &[Profile(-2), Profile(-1), Profile(0), Profile(1), Profile(2)]),
    always(111, "since", &[Distance]),
    always(112, "since-p", &[Distance, Profile(0)]),
    of(Previous, 113, "before", &[Before]),
    of(Previous, 114, "before-p", &[Before, Profile(0)]),
    of(Previous, 115, "before-w", &[Before, Word(0)]),
];

/// The templates of marks, for the gap after the word in the middle of a window. The first [`GAP_CORE`] of them
/// identify most of the gaps that have no mark.
#[rustfmt::skip]
pub const GAP_TEMPLATES: &[Template] = &[
    always(200, "g", &[LookAhead]),
    always(201, "g:w", &[Word(0)]),
    always(202, "g:w+1", &[Word(1), LookAhead]),
    always(203, "g:b", &[Word(0), Word(1)]),
    always(205, "g:b+", &[Word(1), Word(2)]),
    always(206, "g:t-", &[Word(-1), Word(0), Word(1)]),
    always(220, "g:c-1", &[Cluster(-1), Cluster(0), Cluster(1)]),
    always(221, "g:c+1", &[Cluster(0), Cluster(1), Cluster(2)]),
    always(227, "g:wc", &[Word(0), Cluster(1)]),
    always(228, "g:cw", &[Cluster(0), Word(1)]),
    always(240, "g:p", &[Profile(0), Profile(1)]),
    always(241, "g:pw", &[Profile(0), Word(1)]),
    always(250, "g:end", &[Distance, LookAhead]),
    always(254, "g:mark-w", &[SinceMark, Word(1)]),
    always(204, "g:b-", &[Word(-1), Word(0)]),
    always(207, "g:t+", &[Word(0), Word(1), Word(2)]),
    always(208, "g:q", &[Word(-1), Word(0), Word(1), Word(2)]),
    always(209, "g:t--", &[Word(-2), Word(-1), Word(0)]),
    always(210, "g:t++", &[Word(1), Word(2), Word(3)]),
    always(211, "g:w+2", &[Word(2)]),
    always(212, "g:w-1", &[Word(-1)]),
    always(213, "g:s", &[Word(-1), Word(1)]),
    always(214, "g:w+3", &[Word(3)]),
    always(215, "g:b++", &[Word(2), Word(3)]),
    always(216, "g:w-2", &[Word(-2)]),
    always(217, "g:w-3", &[Word(-3)]),
    always(218, "g:s+2", &[Word(0), Word(2)]),
    always(219, "g:s-1+2", &[Word(-1), Word(2)]),
    always(234, "g:s-2+1", &[Word(-2), Word(1)]),
    always(235, "g:s+3", &[Word(0), Word(3)]),
    always(222, "g:c-1+2", &[Cluster(-1), Cluster(0), Cluster(1), Cluster(2)]),
    always(223, "g:c-2+1", &[Cluster(-2), Cluster(-1), Cluster(0), Cluster(1)]),
    always(224, "g:c+3", &[Cluster(0), Cluster(1), Cluster(2), Cluster(3)]),
    always(225, "g:c-2+2", &[Cluster(-2), Cluster(-1), Cluster(0), Cluster(1), Cluster(2)]),
    always(226, "g:c-1+3", &[Cluster(-1), Cluster(0), Cluster(1), Cluster(2), Cluster(3)]),
    always(229, "g:cwc", &[Cluster(0), Word(1), Cluster(2)]),
    always(230, "g:cwcc", &[Cluster(0), Word(1), Cluster(2), Cluster(3)]),
    always(231, "g:ccw", &[Cluster(-1), Cluster(0), Word(1)]),
    always(232, "g:cww", &[Cluster(0), Word(1), Word(2)]),
    always(233, "g:wcc", &[Word(0), Cluster(1), Cluster(2)]),
    always(242, "g:pwc", &[Profile(0), Word(1), Cluster(2)]),
    always(251, "g:end-w", &[Distance, Word(1)]),
    always(252, "g:end-c", &[Distance, Cluster(0), Cluster(1)]),
    always(253, "g:mark", &[SinceMark, Distance]),
    always(255, "g:mark-c", &[SinceMark, Cluster(0), Cluster(1)]),
    always(256, "g:last", &[Before, SinceMark]),
    always(257, "g:last-w", &[Before, Word(1)]),
    always(258, "g:open", &[Opening, Distance]),
    always(259, "g:open-w", &[Opening, Word(1)]),
    always(260, "g:open-c", &[Opening, Cluster(0), Cluster(1)]),
    always(261, "g:open2", &[Openings, Distance]),
    always(262, "g:open2-c", &[Openings, Cluster(1)]),
];

/// The number of templates that are filled for every gap.
pub const GAP_CORE: usize = 14;

/// The template of the pairs of words before a gap, which distinguish a question from a statement.
pub const PAIR_TEMPLATE: Template = always(263, "g:pair", &[Pair]);

/// The templates of the words more than [`REACH`] positions after a gap.
pub const FAR_TEMPLATES: [Template; 2] =
    [always(264, "g:far", &[FarPlace, FarWord]), always(265, "g:far2", &[FarPair])];

/// The templates of parts of speech, for the word in the middle of a window. The tags of this word and of the
/// words after it are not known.
#[rustfmt::skip]
pub const TAG_TEMPLATES: &[Template] = &[
    always(300, "u", &[]),
    always(301, "u:w", &[Word(0)]),
    always(302, "u:first1", &[First(1)]),
    always(303, "u:first2", &[First(2)]),
    always(304, "u:first3", &[First(3)]),
    always(305, "u:first4", &[First(4)]),
    always(306, "u:last1", &[Last(1)]),
    always(307, "u:last2", &[Last(2)]),
    always(308, "u:last3", &[Last(3)]),
    always(309, "u:last4", &[Last(4)]),
    always(310, "u:shape", &[Shape]),
    always(320, "u:seen", &[LookAhead]),
    always(321, "u:b-", &[Word(-1), Word(0)]),
    always(322, "u:b+", &[Word(0), Word(1)]),
    always(323, "u:n-1", &[Word(-1)]),
    always(324, "u:n-2", &[Word(-2)]),
    always(325, "u:n+1", &[Word(1)]),
    always(326, "u:n-1+1", &[Word(-1), Word(1)]),
    always(330, "u:t-1", &[Tag(-1)]),
    always(331, "u:t-2-1", &[Tag(-2), Tag(-1)]),
    always(332, "u:t-1w", &[Tag(-1), Word(0)]),
    always(333, "u:t-1w+1", &[Tag(-1), Word(1)]),
    always(334, "u:t-2-1w", &[Tag(-2), Tag(-1), Word(0)]),
    // Number 350 is the hash of a second decision: see `tagger::second`.
];

/// The knowledge that is needed before a template can be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateStage {
    /// The word alone.
    Own,
    /// The words around it.
    Context,
    /// The phrase that contains the word.
    Phrase,
    /// The choice for the previous word.
    Previous,
    /// The last sentence start.
    History,
}

impl Template {
    /// Returns the number of words to the right that the template uses.
    pub const fn reach(&self) -> usize {
        let (mut at, mut most) = (0, 0);
        while at < self.slots.len() {
            if let Word(position) | Profile(position) | Marks(position) | Lists(position) | Form(position)
            | Cluster(position) | Tag(position) = self.slots[at]
                && position > most
            {
                most = position;
            }
            at += 1;
        }
        most.unsigned_abs()
    }

    /// Returns true if the template uses the classes of words.
    pub fn uses_clusters(&self) -> bool {
        self.slots.iter().any(|slot| matches!(slot, Cluster(_)))
    }

    /// Returns the knowledge that is needed before the template can be filled.
    pub fn stage(&self) -> TemplateStage {
        let any = |slots: &[FeatureSlot]| self.slots.iter().any(|slot| slots.contains(slot));
        let is_own = |slot: &FeatureSlot| match slot {
            Word(position) | Profile(position) | Form(position) | Cluster(position) => *position == 0,
            // The marks around a word are not part of the word itself.
            Marks(_) | Lists(_) | LookAhead => false,
            // A part of speech depends on the words around the word.
            Tag(_) => false,
            _ => true,
        };
        match () {
            () if any(&[Distance]) => TemplateStage::History,
            () if any(&[Before]) => TemplateStage::Previous,
            () if any(&[PhraseLists]) => TemplateStage::Phrase,
            () if self.slots.iter().all(is_own) => TemplateStage::Own,
            () => TemplateStage::Context,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_settings() {
        for group in Group::DEFAULT
            .into_iter()
            .chain([Clusters])
            .chain(Group::LISTS)
            .chain(Group::FORMS)
            .chain(Group::TAGS)
        {
            assert_eq!(serde_json::to_value(group).unwrap(), group.name());
        }
    }

    #[test]
    fn numbers_and_names_of_templates_are_their_own() {
        let templates: Vec<&Template> = TEMPLATES
            .iter()
            .chain(GAP_TEMPLATES)
            .chain([&PAIR_TEMPLATE])
            .chain(&FAR_TEMPLATES)
            .chain(TAG_TEMPLATES)
            .collect();
        for (at, template) in templates.iter().enumerate() {
            let others = || templates[at + 1..].iter();
            assert!(others().all(|other| other.number != template.number), "{template:?}");
            assert!(others().all(|other| other.name != template.name), "{template:?}");
        }
    }
}
