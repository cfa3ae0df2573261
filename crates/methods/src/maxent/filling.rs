//! Feature templates filled with the values at a word.

use super::boundary::bucket;
use super::gazetteers;
use super::hash::{finish, hash, start};
use super::letters::{affix, ngrams, shape};
use super::marks::MarkHistory;
use super::observe::{GazetteerMatch, Window, WordFeatures};
use super::profile::is_rare;
use super::templates::FeatureSlot::{
    Affix, Before, Cluster, Distance, FarPair, FarPlace, FarWord, First, Form, FormClass, Last, Letters,
    List, Lists, LookAhead, Marks, Opening, Openings, Pair, PhraseLists, PhrasePlace, PhraseWords, Profile,
    Shape, SinceMark, Tag, Word,
};
use super::templates::{
    FAR_TEMPLATES, FARTHEST, FeatureSlot, GAP_CORE, GAP_TEMPLATES, Group, PAIR_TEMPLATE, PLACES, REACH,
    TAG_TEMPLATES, TEMPLATES, Template, TemplateStage,
};

/// The largest number of slots in a template.
const MOST_SLOTS: usize = 5;

impl FeatureSlot {
    /// Returns the index of the slot's value among the values of a word.
    const fn index(self) -> usize {
        const fn around(kind: usize, position: isize) -> usize {
            kind * PLACES + REACH.wrapping_add_signed(position)
        }
        match self {
            Word(position) => around(WORDS, position),
            Profile(position) => around(PROFILES, position),
            Marks(position) => around(MARKS, position),
            Lists(position) => around(LISTS, position),
            Form(position) => around(FORMS, position),
            Cluster(position) => around(CLUSTERS, position),
            Tag(position) => around(TAGS, position),
            First(letters) => KINDS * PLACES + letters - 1,
            Last(letters) => KINDS * PLACES + 4 + letters - 1,
            Affix => KINDS * PLACES + 8,
            Letters => KINDS * PLACES + 9,
            Shape => KINDS * PLACES + 10,
            List => KINDS * PLACES + 11,
            FormClass => KINDS * PLACES + 12,
            LookAhead => KINDS * PLACES + 13,
            PhraseLists => KINDS * PLACES + 14,
            PhraseWords => KINDS * PLACES + 15,
            PhrasePlace => KINDS * PLACES + 16,
            Distance => KINDS * PLACES + 17,
            Before => KINDS * PLACES + 18,
            SinceMark => KINDS * PLACES + 19,
            Opening => KINDS * PLACES + 20,
            Openings => KINDS * PLACES + 21,
            Pair => KINDS * PLACES + 22,
            FarWord => KINDS * PLACES + 23,
            FarPlace => KINDS * PLACES + 24,
            FarPair => KINDS * PLACES + 25,
        }
    }
}

/// The number of kinds of values that each word of a window has.
const KINDS: usize = 7;
const WORDS: usize = 0;
const PROFILES: usize = 1;
const MARKS: usize = 2;
const LISTS: usize = 3;
const FORMS: usize = 4;
const CLUSTERS: usize = 5;
const TAGS: usize = 6;

/// The values at a word, indexed by slot.
#[derive(Debug, Clone)]
pub struct Values([u64; SLOTS]);

/// The number of slots, a power of two so that no index has to be checked.
const SLOTS: usize = 128;

impl Default for Values {
    fn default() -> Self {
        Self([0; SLOTS])
    }
}

impl Values {
    /// Returns the value of a slot.
    #[inline]
    pub fn get(&self, slot: FeatureSlot) -> u64 {
        self.0[slot.index()]
    }

    #[inline]
    fn set(&mut self, slot: FeatureSlot, value: u64) {
        self.0[slot.index()] = value;
    }

    #[inline]
    fn set_window(&mut self, kind: usize, window: &Window, value: impl Fn(&WordFeatures) -> u64) {
        let values = self.0[kind * PLACES..(kind + 1) * PLACES].iter_mut();
        values.zip(window).for_each(|(slot, seen)| *slot = value(seen));
    }
}

/// A template that is switched on, ready to be filled.
#[derive(Debug, Clone, Copy)]
pub struct Filler {
    /// The initial state of the hashes of the template.
    start: u64,
    /// The indices of the values of its slots.
    slots: [u8; MOST_SLOTS],
    count: u8,
    reach: u8,
    /// True if the template is skipped when all its values are 0, since gazetteers contain few
    /// words.
    skips_zeros: bool,
    /// The template.
    pub template: &'static Template,
}

impl Filler {
    fn new(template: &'static Template) -> Self {
        let mut slots = [0; MOST_SLOTS];
        slots.iter_mut().zip(template.slots).for_each(|(at, slot)| *at = slot.index() as u8);
        Self {
            start: start(template.number),
            slots,
            count: template.slots.len() as u8,
            reach: template.reach() as u8,
            skips_zeros: template.group == Some(Group::ListsAround),
            template,
        }
    }

    /// Returns the feature of the template with these values.
    #[inline(always)]
    pub fn feature(&self, values: &Values) -> u64 {
        // Most templates have one to three slots: a loop over them costs more than the hash.
        let value = |at: usize| values.0[usize::from(self.slots[at]) % SLOTS];
        match self.count {
            1 => finish(self.start, [value(0)]),
            2 => finish(self.start, [value(0), value(1)]),
            3 => finish(self.start, [value(0), value(1), value(2)]),
            _ => finish(self.start, self.values(values)),
        }
    }

    #[inline]
    fn values(&self, values: &Values) -> impl Iterator<Item = u64> {
        let slots = &self.slots[..usize::from(self.count).min(MOST_SLOTS)];
        slots.iter().map(|&slot| values.0[usize::from(slot) % SLOTS])
    }
}

/// The templates of some groups, ready to be filled.
#[derive(Debug, Clone)]
pub struct FeatureSet {
    own: Vec<Filler>,
    context: Vec<Filler>,
    phrase: Vec<Filler>,
    previous: Vec<Filler>,
    history: Vec<Filler>,
    /// The kinds of values that the context uses.
    kinds: [bool; KINDS],
}

impl FeatureSet {
    /// Creates the set of the templates of these groups and of the templates that are always on.
    pub fn new(groups: &[Group]) -> Self {
        let groups = [None].into_iter().chain(groups.iter().copied().map(Some));
        let of = |group| TEMPLATES.iter().filter(move |template| template.group == group);
        Self::of(&Vec::from_iter(groups.flat_map(of)))
    }

    /// Makes the set of the templates of parts of speech.
    pub fn of_tags() -> Self {
        Self::of(&Vec::from_iter(TAG_TEMPLATES))
    }

    fn of(templates: &[&'static Template]) -> Self {
        let of = |stage: TemplateStage| -> Vec<Filler> {
            let templates = templates.iter().copied();
            templates.filter(|template| template.stage() == stage).map(Filler::new).collect()
        };
        let context = of(TemplateStage::Context);
        let positions = |kind: usize| kind * PLACES..(kind + 1) * PLACES;
        let slots = |filler: &Filler| filler.template.slots.iter().copied().map(FeatureSlot::index);
        let kinds = std::array::from_fn(|kind| {
            context.iter().flat_map(slots).any(|slot| positions(kind).contains(&slot))
        });
        let (own, phrase) = (of(TemplateStage::Own), of(TemplateStage::Phrase));
        Self {
            own,
            context,
            phrase,
            previous: of(TemplateStage::Previous),
            history: of(TemplateStage::History),
            kinds,
        }
    }

    /// Returns true if the case of the previous word is used.
    pub fn looks_before(&self) -> bool {
        !self.previous.is_empty()
    }

    /// Returns the number of templates that use the distance to the last sentence start;
    /// [`Self::all`] fills them last.
    pub fn histories(&self) -> usize {
        self.history.len()
    }

    /// Returns true if gazetteer phrases are used.
    pub fn looks_at_phrases(&self) -> bool {
        !self.phrase.is_empty()
    }

    /// Fills the templates of a word that do not depend on its context, and passes each with its
    /// values and letters to `emit`.
    pub fn own(&self, lower: &str, seen: WordFeatures, mut emit: impl FnMut(&Filler, &Values, &str)) {
        let mut values = Values::default();
        values.set(Word(0), seen.hash);
        values.set(Profile(0), seen.profile.into());
        values.set(Form(0), seen.form.into());
        values.set(FormClass, gazetteers::class(seen.form));
        values.set(Cluster(0), seen.cluster.into());
        for filler in &self.own {
            match *filler.template.slots {
                [slot @ (First(_) | Last(_))] => {
                    let Some(letters) = affix(lower, slot) else { continue };
                    values.set(slot, hash(letters.as_bytes()));
                    emit(filler, &values, letters);
                }
                [Affix, Letters] => {
                    if !is_rare(seen.profile) {
                        continue;
                    }
                    ngrams(lower, &mut |kind, letters| {
                        values.set(Affix, kind);
                        values.set(Letters, hash(letters.as_bytes()));
                        emit(filler, &values, letters);
                    });
                }
                [List] => each_list(seen.lists, |lists| {
                    values.set(List, lists.into());
                    emit(filler, &values, "");
                }),
                [Shape] => {
                    values.set(Shape, shape(lower));
                    emit(filler, &values, "");
                }
                _ => emit(filler, &values, ""),
            }
        }
    }

    /// Fills the templates of the word in the middle of a window that depend on its context. Words
    /// more than `look_ahead` positions to the right are ignored.
    #[inline]
    pub fn context(
        &self,
        window: &Window,
        look_ahead: usize,
        values: &mut Values,
        mut emit: impl FnMut(&Filler, &Values),
    ) {
        self.set_window(WORDS, window, values, |seen| seen.hash);
        self.set_window(PROFILES, window, values, |seen| seen.profile.into());
        self.set_window(MARKS, window, values, |seen| seen.marks);
        self.set_window(LISTS, window, values, |seen| seen.lists.into());
        self.set_window(FORMS, window, values, |seen| seen.form.into());
        self.set_window(CLUSTERS, window, values, |seen| seen.cluster.into());
        self.set_window(TAGS, window, values, |seen| seen.tag.into());
        values.set(LookAhead, look_ahead as u64);
        for filler in self.context.iter().filter(|filler| usize::from(filler.reach) <= look_ahead) {
            if !filler.skips_zeros || filler.values(values).any(|value| value != 0) {
                emit(filler, values);
            }
        }
    }

    #[inline]
    fn set_window(
        &self,
        kind: usize,
        window: &Window,
        values: &mut Values,
        value: impl Fn(&WordFeatures) -> u64,
    ) {
        if self.kinds[kind] {
            values.set_window(kind, window, value);
        }
    }

    /// Fills all templates.
    pub fn all(&self, observation: &Observation<'_>, mut emit: impl FnMut(&Filler, &Values, &str)) {
        let Observation { lower, window, look_ahead, phrase, before, distance } = *observation;
        let (mut values, word) = (Values::default(), window[REACH]);
        self.own(lower, word, &mut emit);
        let mut emit = |filler: &Filler, values: &Values| emit(filler, values, "");
        self.context(&window, look_ahead, &mut values, &mut emit);
        if let Some(phrase) = phrase {
            self.phrase(phrase, &mut values, &mut emit);
        }
        if let Some(before) = before {
            self.previous(before, word, &mut values, &mut emit);
        }
        if let Some(distance) = distance {
            self.history(distance, word, &mut emit);
        }
    }

    /// Fills the templates of the phrase that contains a word.
    pub fn phrase(&self, phrase: GazetteerMatch, values: &mut Values, emit: impl FnMut(&Filler, &Values)) {
        values.set(PhraseLists, phrase.lists.into());
        values.set(PhraseWords, phrase.words as u64);
        values.set(PhrasePlace, phrase.position as u64);
        fill(&self.phrase, values, emit);
    }

    /// Fills the templates of the choice for the previous word: `before` is the number of a class,
    /// `BEGUN` or `NO_WORD`.
    #[inline]
    pub fn previous(
        &self,
        before: usize,
        word: WordFeatures,
        values: &mut Values,
        emit: impl FnMut(&Filler, &Values),
    ) {
        values.set(Before, before as u64);
        values.set(Profile(0), word.profile.into());
        values.set(Word(0), word.hash);
        fill(&self.previous, values, emit);
    }

    /// Fills the templates of the distance to the last sentence start, which help to predict whether
    /// a sentence begins at the word.
    #[inline]
    pub fn history(&self, distance: usize, word: WordFeatures, emit: impl FnMut(&Filler, &Values)) {
        let mut values = Values::default();
        values.set(Distance, bucket(distance) as u64);
        values.set(Profile(0), word.profile.into());
        fill(&self.history, &values, emit);
    }
}

/// The templates of the gap after a word, ready to be filled.
#[derive(Debug, Clone)]
pub struct GapSet {
    core: Vec<Filler>,
    rest: Vec<Filler>,
    pair: Filler,
    far: [Filler; FAR_TEMPLATES.len()],
}

/// The words after a gap, beginning with the last word of its window, as hashes; 0 where there is no
/// word.
pub type FarWords = [u64; FARTHEST - REACH + 1];

impl GapSet {
    /// Creates the set of the gap templates; without `has_clusters`, only of those that do not use
    /// word classes.
    pub fn new(has_clusters: bool) -> Self {
        let of = |templates: &'static [Template]| {
            let usable = templates.iter().filter(|template| has_clusters || !template.uses_clusters());
            usable.map(Filler::new).collect()
        };
        let (core, rest) = GAP_TEMPLATES.split_at(GAP_CORE);
        Self {
            core: of(core),
            rest: of(rest),
            pair: Filler::new(&PAIR_TEMPLATE),
            far: FAR_TEMPLATES.each_ref().map(Filler::new),
        }
    }

    /// Fills the core templates, which every gap needs, for the gap after the word in the middle of
    /// a window. Words more than `look_ahead` positions to the right are ignored.
    #[inline]
    pub fn core(
        &self,
        window: &Window,
        look_ahead: usize,
        history: &MarkHistory,
        values: &mut Values,
        emit: impl FnMut(&Filler, &Values),
    ) {
        values.set_window(WORDS, window, |seen| seen.hash);
        values.set_window(PROFILES, window, |seen| seen.profile.into());
        values.set_window(CLUSTERS, window, |seen| seen.cluster.into());
        values.set(LookAhead, look_ahead as u64);
        let [since_end, since_mark] = history.since();
        values.set(Distance, since_end);
        values.set(SinceMark, since_mark);
        values.set(Before, history.last as u64);
        let [first, second] = history.opening;
        values.set(Opening, first);
        values.set(Openings, first.rotate_left(1) ^ second);
        fill_within(&self.core, look_ahead, values, emit);
    }

    /// Fills the templates that are not core templates with the values that [`Self::core`] set for
    /// the gap.
    #[inline]
    pub fn rest(&self, look_ahead: usize, values: &Values, emit: impl FnMut(&Filler, &Values)) {
        fill_within(&self.rest, look_ahead, values, emit);
    }

    /// Fills the templates of the words after the window of the gap. At most `look_ahead` words to
    /// the right are used, including the words in the window.
    #[inline]
    pub fn far(
        &self,
        words: &FarWords,
        look_ahead: usize,
        values: &mut Values,
        mut emit: impl FnMut(&Filler, &Values),
    ) {
        for (position, pair) in (REACH + 1..=look_ahead).zip(words.windows(2)) {
            values.set(FarPlace, position as u64);
            values.set(FarWord, pair[1]);
            values.set(FarPair, pair[0].rotate_left(1) ^ pair[1]);
            fill(&self.far, values, &mut emit);
        }
    }

    /// Fills the template of the pairs of words before the gap.
    #[inline]
    pub fn pairs(&self, history: &MarkHistory, values: &mut Values, mut emit: impl FnMut(&Filler, &Values)) {
        history.pairs().for_each(|pair| self.pair(pair, values, &mut emit));
    }

    /// Fills the template of one pair of words.
    #[inline]
    pub fn pair(&self, pair: u64, values: &mut Values, emit: impl FnOnce(&Filler, &Values)) {
        values.set(Pair, pair);
        emit(&self.pair, values);
    }
}

/// Fills the templates that reach at most `look_ahead` words to the right.
#[inline]
fn fill_within(
    fillers: &[Filler],
    look_ahead: usize,
    values: &Values,
    mut emit: impl FnMut(&Filler, &Values),
) {
    let visible = fillers.iter().filter(|filler| usize::from(filler.reach) <= look_ahead);
    visible.for_each(|filler| emit(filler, values));
}

/// The inputs of all features of a word.
#[derive(Debug, Clone, Copy)]
pub struct Observation<'a> {
    /// The lower case of the word; empty at the position after the last word.
    pub lower: &'a str,
    /// The features of the word and of the words around it.
    pub window: Window,
    /// The number of words to the right that features may use.
    pub look_ahead: usize,
    /// The gazetteer phrase that contains the word.
    pub phrase: Option<GazetteerMatch>,
    /// The choice for the previous word.
    pub before: Option<usize>,
    /// The number of words since the last sentence start.
    pub distance: Option<usize>,
}

#[inline]
fn fill(fillers: &[Filler], values: &Values, mut emit: impl FnMut(&Filler, &Values)) {
    fillers.iter().for_each(|filler| emit(filler, values));
}

/// Visits all gazetteers of a word together and, if there are several, each alone.
fn each_list(lists: u16, mut visit: impl FnMut(u16)) {
    visit(lists);
    if lists.count_ones() > 1 {
        (0..u16::BITS).map(|list| 1 << list).filter(|bit| lists & bit != 0).for_each(visit);
    }
}
