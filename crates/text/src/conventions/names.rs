//! Names after titles of address, particles of names, and names that a model took for an acronym.

use super::tables::is_name;
use super::{Word, Words};
use crate::language::{Elision, has_word};
use crate::{Break, Case};

/// The largest number of particles before a name: `van de der`.
pub(super) const PARTICLES: usize = 3;

/// The fewest letters of a word that may be a name instead of an acronym.
const SHORTEST: usize = 4;

/// The fewest letters of an office that is also recognised at the end of a longer word.
const SHORTEST_OFFICE: usize = 7;

impl Elision {
    /// Returns true if a word after the particle may be a name.
    fn may_precede(&self, word: &str) -> bool {
        word.chars().count() >= SHORTEST
            && !has_word(self.words, word)
            && !self.ends.split_ascii_whitespace().any(|end| word.ends_with(end))
    }
}

/// The kind of the word before a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Address {
    /// A title that occurs only before a name: `dhr.`
    Title,
    /// A word that also occurs without a name: `mevrouw`.
    Word,
    /// An office, after which its domain may follow instead of a name: `minister`.
    Office,
}

impl Words<'_> {
    /// Returns the case of a name or of a particle of a name.
    pub(super) fn name(&self, at: usize, word: Word<'_>) -> Option<Case> {
        let is_addressed = self.conventions.trail.since_title > 0;
        if is_addressed && self.is_particle(word) {
            return self.particle(at, word);
        }
        if let Some(case) = self.elided(at, word) {
            return Some(case);
        }
        match word.case {
            Case::Lower => (is_addressed && self.follows_title(at, word)).then_some(Case::Title),
            // Few names of people and places are also acronyms.
            Case::Upper if word.lower.chars().nth(SHORTEST - 1).is_some() && is_name(word.lower) => {
                Some(Case::Title)
            }
            _ => None,
        }
    }

    fn is_particle(&self, word: Word<'_>) -> bool {
        self.tables.particles.contains(word.lower)
    }

    fn is_no_name(&self, word: Word<'_>) -> bool {
        // `raadsvoorzitter` is an office like `voorzitter`.
        let is_no_name = |no_name: &str| match no_name.len() >= SHORTEST_OFFICE {
            true => word.lower.ends_with(no_name),
            false => word.lower == no_name,
        };
        self.tables.facts.no_names.split_ascii_whitespace().any(is_no_name)
            || word.is_number()
            || word.is_letter()
    }

    /// Returns the kind of a word before a name.
    fn address(&self, word: Word<'_>) -> Option<Address> {
        let is_title = self
            .tables
            .abbreviation(word.lower)
            .is_some_and(|entry| entry.is_title && (word.is_stopped() && !entry.ends || entry.is_bare));
        match () {
            () if is_title => Some(Address::Title),
            () if self.tables.titles.contains(word.lower) => Some(Address::Word),
            () if self.tables.offices.contains(word.lower) => Some(Address::Office),
            () => None,
        }
    }

    /// Returns the title or office before the particles before word `at`, and the number of particles.
    fn addressed(&self, at: usize) -> Option<(Address, usize)> {
        for particles in 0..=PARTICLES {
            let next = if particles == 0 { self.here(at) } else { self.left(at, particles)? };
            if next.token.before != Break::Space || !self.is_apart(next) {
                return None;
            }
            let word = self.left(at, particles + 1)?;
            if let Some(address) = self.address(word) {
                return Some((address, particles));
            }
            if !self.is_particle(word) {
                return None;
            }
        }
        None
    }

    /// Returns the case of a particle: after a title, the first particle of a name has a capital.
    fn particle(&self, at: usize, word: Word<'_>) -> Option<Case> {
        let (address, particles) = self.addressed(at)?;
        let mut on = 1;
        while on <= PARTICLES && self.right(at, on).is_some_and(|next| self.is_particle(next)) {
            on += 1;
        }
        let name = self.right(at, on)?;

        let fits = match address {
            Address::Title => true,
            Address::Word => name.case.is_slot() || is_name(name.lower),
            Address::Office => {
                // `minister de Jonge`, but not `de premier de Europese Raad`.
                let goes_on = || self.right(at, on + 1).is_some_and(|next| next.case.is_slot());
                name.case == Case::Title
                    && word.lower == self.tables.facts.office_particle
                    && on == 1
                    && particles == 0
                    && !goes_on()
            }
        };
        if !self.is_apart(name) || !fits {
            return None;
        }
        if self.is_no_name(name) {
            // `mevrouw de voorzitter`.
            return (word.case == Case::Title && particles == 0).then_some(Case::Lower);
        }
        Some(if particles == 0 { Case::Title } else { Case::Lower })
    }

    /// Returns true if word `at` must be the name of a person, because of the title before it.
    fn follows_title(&self, at: usize, word: Word<'_>) -> bool {
        let Some((Address::Title, particles)) = self.addressed(at) else { return false };
        // A title without a full stop is certain only if a particle is after it.
        let is_shown = particles > 0 || self.left(at, 1).is_some_and(|title| title.is_stopped());
        let is_open = !self.is_no_name(word) && self.tables.abbreviation(word.lower).is_none();
        is_shown && is_open && (is_name(word.lower) || !self.tables.particles.is_empty())
    }

    /// Returns the case of a name with an elided particle after a first name: `Jean d'Ormesson`.
    fn elided(&self, at: usize, word: Word<'_>) -> Option<Case> {
        let elision = self.tables.language.elision.as_ref()?;
        let name = word.lower.strip_prefix(elision.particle)?;
        let first = self.left(at, 1).filter(|first| first.case.is_slot())?;
        let Case::Mixed(capitals) = word.case else {
            let is_wrong = match word.case {
                Case::Lower => is_name(first.lower) && elision.may_precede(name),
                _ => true,
            };
            return is_wrong.then(|| self.after_elision(elision, name));
        };
        let is_both = capitals.contains(0) && capitals.contains(1);
        is_both.then(|| self.after_elision(elision, name))
    }

    fn after_elision(&self, elision: &Elision, name: &str) -> Case {
        let locale = self.conventions.locale;
        Case::of(&format!("{}{}", elision.particle, Case::Title.applied(name, locale)), locale)
    }

    /// Returns the number of words after word `last` that are needed to decide its case if it is a particle;
    /// otherwise 0.
    pub(super) fn needed_by_name(&self, last: usize) -> usize {
        let word = self.here(last);
        match self.is_particle(word) && self.addressed(last).is_some() {
            true => PARTICLES + 2,
            false => 0,
        }
    }
}
