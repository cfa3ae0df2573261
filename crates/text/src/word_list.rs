//! The lines of the lists in `lexicons/`, and the rows of the files of languages there.

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

/// The largest number of rows of a file.
const MOST_ROWS: usize = 64;

/// The rows of a file, each with a name, a tab and a value, while the compiler reads them. A line that begins with a
/// tab continues the value of its row; a line that begins with `#` is a comment.
pub(super) struct Rows {
    rows: [(&'static str, &'static str); MOST_ROWS],
    count: usize,
}

impl Rows {
    pub(super) const fn of(file: &'static str) -> Self {
        let mut rows = Self { rows: [("", ""); MOST_ROWS], count: 0 };
        let mut rest = file;
        while !rest.is_empty() {
            let bytes = rest.as_bytes();
            let (mut tab, mut end) = (0, 0);
            while bytes[tab] != b'\t' && bytes[tab] != b'\n' {
                tab += 1;
            }
            while bytes[end] != b'\n' || end + 1 < bytes.len() && bytes[end + 1] == b'\t' {
                end += 1;
            }
            let (row, after) = rest.split_at(end);
            if bytes[0] != b'#' {
                let (name, value) = row.split_at(tab);
                rows.rows[rows.count] = (name, value.split_at(1).1);
                rows.count += 1;
            }
            rest = after.split_at(1).1;
        }
        rows
    }

    /// Returns the index of a row, or the number of rows if there is no such row.
    const fn find(&self, name: &str) -> usize {
        let mut at = 0;
        while at < self.count && !is_same(self.rows[at].0.as_bytes(), name.as_bytes()) {
            at += 1;
        }
        at
    }

    pub(super) const fn has(&self, name: &str) -> bool {
        self.find(name) < self.count
    }

    /// Removes a row and returns its value, which is empty without the row.
    pub(super) const fn take(&mut self, name: &str) -> &'static str {
        let at = self.find(name);
        if at == self.count {
            return "";
        }
        let (_, value) = self.rows[at];
        self.count -= 1;
        self.rows[at] = self.rows[self.count];
        value
    }

    /// Removes a row and returns its value; `None` without the row.
    pub(super) const fn optional(&mut self, name: &str) -> Option<&'static str> {
        let value = self.take(name);
        if value.is_empty() { None } else { Some(value) }
    }

    /// Removes a row that states a property, and returns true if there was one.
    pub(super) const fn flag(&mut self, name: &str) -> bool {
        !self.take(name).is_empty()
    }

    /// Fails to compile if a row was not removed.
    pub(super) const fn finish(self) {
        assert!(self.count == 0, "a row has an unknown name, or the name of another row");
    }
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// Iterates over the lines of a row's value, each with its columns.
pub(super) fn lines(value: &'static str) -> impl Iterator<Item = std::str::Split<'static, char>> {
    value.split_terminator("\n\t").map(|line| line.split('\t'))
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
