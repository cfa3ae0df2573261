//! From one format of subtitles and transcripts to another, with nothing lost.

use std::collections::VecDeque;
use std::io::Write;
use std::path::Path;

use super::segment::{Block, BlockKind, Found, Item, Items, Losses, Lost, Parser, Part, Writer};
use super::transcript::Fault;
use super::{Kind, cue, jsonl, plain, srt, vtt};
use crate::error::{Error, Result};
use crate::files::{BOM, Input};

/// What is converted to what.
#[derive(Debug, Clone, Default)]
pub struct Conversion {
    /// The format that is read; by the name of the input where it is [`Kind::Auto`].
    pub from: Kind,
    /// The format that is written.
    pub to: Kind,
    /// Which field of jsonl is the text, or the number of the column of conll that has the words.
    pub field: Option<String>,
    /// Whether what has no place in the other format is left out. Words never are.
    pub drop: bool,
}

impl Conversion {
    /// Reads a file and writes it in the other format, in as much memory for a file of any length, but for Whisper's JSON. What is
    /// left out is what comes back: `settings of 12 cues, 1 style`.
    ///
    /// Law: reading the output gives the same segments as reading the input, but for what was left out, and for the numbers of
    /// cues that .srt must have.
    ///
    /// # Errors
    /// Where the input is not in its format, or something would be lost; [`Error::Usage`] where there is no such conversion.
    pub fn run(&self, input: Input, out: &mut dyn Write, target: &Path) -> Result<Option<String>> {
        let from = match self.from {
            Kind::Auto => Kind::of_name(Path::new(input.name())),
            from => from,
        };
        let mut source = Source::open(from, input, self.field.as_deref())?;
        let mut losses = Losses::new(from, self.to, self.drop);
        let mut writer = writer(self.to)?;
        let mut check = Check::new(self.to)?;
        let (mut fitted, mut text) = (Vec::new(), String::new());
        let mut write =
            |text: &str| out.write_all(text.as_bytes()).map_err(|error| Error::io("write", target, error));
        while let Some(mut found) = source.next()? {
            let none = Item::Block(Block { kind: BlockKind::Note, text: String::new() });
            let item = std::mem::replace(&mut found.item, none);
            let lost = |lost: Lost, found: &Found| found.error(source.name(), lost);
            writer.fit(item, &mut losses, &mut fitted).map_err(|error| lost(error, &found))?;
            for item in fitted.drain(..) {
                text.clear();
                writer.write(&item, &mut text);
                write(check.begin(&text))?;
                check.take(item, &found, &text).map_err(|(found, error)| lost(error, &found))?;
                write(&text)?;
            }
        }
        text.clear();
        writer.end(&mut text);
        check.end(&text).map_err(|(found, error)| found.error(source.name(), error))?;
        write(&text)?;
        Ok(losses.told())
    }
}

/// What is read.
enum Source {
    Lines(Items),
}

impl Source {
    fn open(kind: Kind, input: Input, field: Option<&str>) -> Result<Self> {
        if field.is_some() && !matches!(kind, Kind::Jsonl | Kind::Conll) {
            let problem = "--field names the text of jsonl and conll: leave it out";
            return Err(Error::Usage(problem.to_owned()));
        }
        Ok(Self::Lines(Items::new(input, parser(kind, field)?)))
    }

    fn name(&self) -> &str {
        match self {
            Self::Lines(items) => items.name(),
        }
    }

    fn next(&mut self) -> Result<Option<Found>> {
        match self {
            Self::Lines(items) => items.next(),
        }
    }
}

fn parser(kind: Kind, field: Option<&str>) -> Result<Box<dyn Parser>> {
    Ok(match kind {
        Kind::Srt => Box::new(cue::CueItems::new(srt::Lines::default())),
        Kind::Vtt => Box::new(cue::CueItems::new(vtt::Lines::default())),
        Kind::Jsonl => Box::new(jsonl::Objects::new(field)?),
        _ => Box::new(plain::TextLines),
    })
}

fn writer(kind: Kind) -> Result<Box<dyn Writer>> {
    Ok(match kind {
        Kind::Auto => {
            return Err(Error::Usage("the format to write is not said: name it with --to".to_owned()));
        }
        Kind::Srt => Box::new(srt::Writer::default()),
        Kind::Vtt => Box::new(vtt::Writer::default()),
        Kind::Jsonl => Box::new(jsonl::Writer),
        _ => Box::new(plain::Writer),
    })
}

/// Reads what is written, so that whatever could not be read back is an error before the output is there.
struct Check {
    kind: Kind,
    parser: Box<dyn Parser>,
    number: u64,
    /// What was written and not read yet, with where it comes from.
    expected: VecDeque<(Item, Found)>,
    read: VecDeque<Found>,
}

/// A source, and why it cannot be written.
type Refused = (Box<Found>, Lost);

impl Check {
    fn new(kind: Kind) -> Result<Self> {
        let parser = parser(kind, None)?;
        Ok(Self { kind, parser, number: 0, expected: VecDeque::new(), read: VecDeque::new() })
    }

    /// What is written before the text, which is the first: a byte-order mark is taken for one where it is a character.
    fn begin(&self, text: &str) -> &'static str {
        match self.number == 0 && text.as_bytes().starts_with(BOM) {
            true => "\u{feff}",
            false => "",
        }
    }

    /// Takes the next item and how it is written.
    fn take(&mut self, item: Item, found: &Found, text: &str) -> Result<(), Refused> {
        self.expected.push_back((item, found.clone()));
        if text.contains('\r') {
            return Err(self.refused("found a carriage return, which would end a line"));
        }
        for line in text.split_terminator('\n') {
            self.number += 1;
            if line.chars().count() > self.parser.longest() {
                return Err(self.refused("found a line that is too long"));
            }
            if let Err(Fault { problem, .. }) = self.parser.line(line, self.number, &mut self.read) {
                return Err(self.refused(&problem));
            }
        }
        self.compare()
    }

    fn end(&mut self, text: &str) -> Result<(), Refused> {
        let _ = text;
        if let Err(problem) = self.parser.end(&mut self.read)
            && !self.expected.is_empty()
        {
            return Err(self.refused(&problem));
        }
        self.compare()?;
        match self.expected.is_empty() {
            true => Ok(()),
            false => Err(self.refused("found what says nothing")),
        }
    }

    fn compare(&mut self) -> Result<(), Refused> {
        while let Some(read) = self.read.pop_front() {
            match self.expected.front() {
                Some((item, _)) if *item == read.item => self.expected.pop_front(),
                _ => return Err(self.refused("found what would be read otherwise")),
            };
        }
        Ok(())
    }

    /// Refuses the first item that was not read back.
    fn refused(&mut self, problem: &str) -> Refused {
        let none = || Item::Block(Block { kind: BlockKind::Note, text: String::new() });
        let empty = Found { item: none(), source: String::new(), line: 1, parts: Vec::new() };
        let (_, found) = self.expected.pop_front().unwrap_or_else(|| (none(), empty));
        let problem =
            format!("{problem} in {}: convert to another format, or mend the file", self.kind.shown());
        (Box::new(found), Lost { part: Part::Text, nth: 0, problem })
    }
}
