//! The lines of the lists in `lexicons/` that the library reads itself.

/// An entry of a list: words in their spelling, followed by the list's flags for them, in capitals.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListEntry<'a> {
    /// The word or the words, with single spaces.
    pub(super) words: &'a str,
    flags: &'a str,
}

impl ListEntry<'_> {
    /// Returns true if the entry has this flag.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.flags.split(' ').any(|one| one == flag)
    }
}

/// Iterates over the entries of a list; a line that begins with `#` is a comment. `flags` are the
/// words that may follow an entry: `no NUMBER`.
pub(super) fn entries<'a>(list: &'a str, flags: &'a [&str]) -> impl Iterator<Item = ListEntry<'a>> {
    let lines = list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let mut words = line;
        while let Some((rest, last)) = words.rsplit_once(' ')
            && flags.contains(&last)
        {
            words = rest;
        }
        ListEntry { words, flags: line[words.len()..].trim() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_stand_behind_the_words_of_an_entry() {
        let list = "# a comment\nNo NUMBER ANY\n\net al LAST\nNUMBER\n";
        let read: Vec<_> = entries(list, &["NUMBER", "ANY", "LAST"]).collect();
        assert_eq!(read.iter().map(|entry| entry.words).collect::<Vec<_>>(), ["No", "et al", "NUMBER"]);
        assert!(read[0].has("NUMBER") && read[0].has("ANY") && !read[0].has("LAST"));
        assert!(read[1].has("LAST") && !read[2].has("NUMBER"));
    }
}
