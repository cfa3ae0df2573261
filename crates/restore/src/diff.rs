//! The changes of restoring, as a unified diff. Only the case of letters changes, so lines pair one
//! to one.

use std::collections::VecDeque;

/// The number of unchanged lines shown before and after changed ones.
const CONTEXT: usize = 3;

/// The largest number of lines in a hunk: a hunk is held back until it ends, since its length is
/// written before it.
const LONGEST: usize = 1 << 12;

/// The diff of a text that comes in parts.
#[derive(Debug, Default)]
pub(super) struct Diff {
    /// The last line, still incomplete, as it was and as it is now.
    old: Vec<u8>,
    new: Vec<u8>,
    /// The number of lines that have ended.
    lines: u64,
    /// The last lines before a hunk begins.
    before: VecDeque<Vec<u8>>,
    hunk: Option<Hunk>,
}

/// Changed lines, and the lines around them.
#[derive(Debug)]
struct Hunk {
    /// The number of its first line, counted from 1, and the number of its lines, where a changed
    /// line counts once.
    first: u64,
    len: usize,
    /// The number of unchanged lines since the last changed one.
    same: usize,
    /// The lines, each with its sign in the diff.
    lines: Vec<(u8, Vec<u8>)>,
}

impl Diff {
    /// Adds the next part of the text, before and after the change, with line ends at the same
    /// positions in both, and appends the finished hunks to `out`.
    pub(super) fn push(&mut self, old: &[u8], new: &[u8], out: &mut Vec<u8>) {
        let (mut olds, mut news) =
            (old.split_inclusive(|&b| b == b'\n'), new.split_inclusive(|&b| b == b'\n'));
        while let (Some(old), Some(new)) = (olds.next(), news.next()) {
            self.old.extend_from_slice(old);
            self.new.extend_from_slice(new);
            if old.ends_with(b"\n") {
                self.line(out);
            }
        }
    }

    /// Appends the remaining changes at the end of the text.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        if !self.old.is_empty() {
            self.line(out);
        }
        self.end_hunk(out);
    }

    /// Adds a complete line.
    fn line(&mut self, out: &mut Vec<u8>) {
        self.lines += 1;
        let is_same = self.old == self.new;
        if self.hunk.as_ref().is_some_and(|hunk| hunk.len >= LONGEST || is_same && hunk.same == 2 * CONTEXT) {
            self.end_hunk(out);
        }
        if self.hunk.is_none() && !is_same {
            let lines: Vec<_> = self.before.drain(..).map(|line| (b' ', line)).collect();
            self.hunk =
                Some(Hunk { first: self.lines - lines.len() as u64, len: lines.len(), same: 0, lines });
        }
        match &mut self.hunk {
            Some(hunk) => {
                hunk.len += 1;
                hunk.same = if is_same { hunk.same + 1 } else { 0 };
                if is_same {
                    hunk.lines.push((b' ', self.old.clone()));
                } else {
                    hunk.lines.extend([(b'-', self.old.clone()), (b'+', self.new.clone())]);
                }
            }
            None => self.remember(),
        }
        self.old.clear();
        self.new.clear();
    }

    fn remember(&mut self) {
        if self.before.len() == CONTEXT {
            self.before.pop_front();
        }
        self.before.push_back(self.old.clone());
    }

    fn end_hunk(&mut self, out: &mut Vec<u8>) {
        let Some(hunk) = self.hunk.take() else { return };
        // Unchanged lines at the end that are too far away become context for the next hunk.
        let extra = hunk.same.saturating_sub(CONTEXT);
        let mut lines = hunk.lines;
        let kept = lines.split_off(lines.len() - extra);
        let len = hunk.len - extra;
        out.extend(format!("@@ -{0},{len} +{0},{len} @@\n", hunk.first).bytes());
        for (mark, line) in lines {
            out.push(mark);
            out.extend_from_slice(&line);
            if !line.ends_with(b"\n") {
                out.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
        self.before.extend(kept.into_iter().map(|(_, line)| line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn diff(old: &[u8], new: &[u8], step: usize) -> String {
        let (mut diff, mut out) = (Diff::default(), Vec::new());
        old.chunks(step).zip(new.chunks(step)).for_each(|(old, new)| diff.push(old, new, &mut out));
        diff.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    /// Applies the diff to the old text, which must match it.
    fn patched(old: &str, diff: &str) -> String {
        let mut lines = old.split_inclusive('\n');
        let (mut at, mut new) = (1, String::new());
        let mut diff = diff.split_inclusive('\n').peekable();
        while let Some(header) = diff.next() {
            let numbers: Vec<usize> = header
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|number| number.parse().ok())
                .collect();
            let [first, len, ..] = numbers[..] else { panic!("{header}") };
            assert_eq!(header, format!("@@ -{first},{len} +{first},{len} @@\n"));
            new.extend(lines.by_ref().take(first - at));
            at = first;
            while let Some(line) = diff.next_if(|line| !line.starts_with('@')) {
                let is_cut = diff.next_if(|next| next.starts_with('\\')).is_some();
                let text = if is_cut { line[1..].strip_suffix('\n').unwrap() } else { &line[1..] };
                if !line.starts_with('+') {
                    assert_eq!(lines.next(), Some(text));
                    at += 1;
                }
                if !line.starts_with('-') {
                    new.push_str(text);
                }
            }
            assert_eq!(at, first + len);
        }
        new.extend(lines);
        new
    }

    proptest! {
        #[test]
        fn a_diff_makes_the_new_text_of_the_old(lines in prop::collection::vec(("[ab]{0,2}", prop::bool::weighted(0.2)), 0..60), ends: bool, step in 1..9usize) {
            let text = |change: bool| {
                let line = |(line, changes): &(String, bool)| if change && *changes { line.to_uppercase() } else { line.clone() };
                lines.iter().map(line).collect::<Vec<_>>().join("\n") + if ends { "\n" } else { "" }
            };
            let (old, new) = (text(false), text(true));
            let diff = diff(old.as_bytes(), new.as_bytes(), step);
            prop_assert_eq!(patched(&old, &diff), new);
            prop_assert_eq!(diff.is_empty(), old == patched(&old, &diff));
        }
    }

    #[test]
    fn lines_that_change_stand_between_three_that_stay() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm";
        let new = old.replace('e', "E").replace('m', "M");
        let expected = "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n\
                        @@ -10,4 +10,4 @@\n j\n k\n l\n-m\n\\ No newline at end of file\n+M\n\\ No newline at end of file\n";
        assert_eq!(diff(old.as_bytes(), new.as_bytes(), 100), expected);
        let near = new.replace('i', "I");
        assert_eq!(diff(old.as_bytes(), near.as_bytes(), 5).matches("@@").count(), 2);
    }

    #[test]
    fn a_long_diff_comes_in_parts() {
        let old = "a\n".repeat(3 * LONGEST);
        let new = old.to_uppercase();
        let diff = diff(old.as_bytes(), new.as_bytes(), 10);
        assert!(diff.matches("@@ -").count() >= 3);
        assert_eq!(patched(&old, &diff), new);
    }
}
