//! A conversion of a file: its settings, its run, and its notes for the user.

use std::io::Write;
use std::path::Path;

use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::Input;
use majuscule_base::interrupt::Interrupt;
use majuscule_base::printable::shortened;
use majuscule_format::segments::{Item, LossKind, Losses, ReadBack, SegmentInfo};
use majuscule_format::{Format, FormatFamily};

use crate::cutter::CueCutter;
use crate::limits::{CueCut, CueLimits};
use crate::rolled::RolledUp;
use crate::source::ConvertSource;
use crate::speaker_names::SpeakerNames;
use crate::transcript::{TranscriptForm, TranscriptWriter};

/// The settings of a conversion.
#[derive(Debug, Clone, Default)]
pub struct Conversion {
    /// The input format; [`Format::Auto`] detects it by the name of the input.
    pub from: Format,
    /// The output format.
    pub to: Format,
    /// The field of jsonl that contains the text.
    pub field: Option<String>,
    /// True to refuse parts that the output format cannot express, which are otherwise left out and counted.
    /// Words are never left out.
    pub strict: bool,
    /// True to begin the text of a cue with the name of its speaker, `ANA: so`, where the speaker changes, if the
    /// output format has no field for it; false to name no speakers, not even in plain text. By default, plain text
    /// is a transcript with the names of speakers if the input has any.
    pub speakers: Option<bool>,
    /// The names of speakers.
    pub names: SpeakerNames,
    /// The form of a transcript in plain text.
    pub transcript: TranscriptForm,
    /// The language of the text, which a transcript needs.
    pub language: Option<String>,
    /// The way to cut speech into new cues, if it is cut. Parts of the input that new cues cannot have are dropped.
    pub cut: Option<CueCut>,
    /// The limits of new cues.
    pub limits: CueLimits,
    /// The flag at which the conversion stops.
    pub interrupt: Interrupt,
}

/// The notes of a conversion for its user.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConversionNotes {
    /// A summary of the dropped parts: `settings of 12 cues, 1 style`.
    pub left_out: Option<String>,
    /// Notes on limits of cues that could not be kept, on times that were made, and on repeated lines that were read
    /// once.
    pub cues: Vec<String>,
}

impl Conversion {
    /// Reads a file and writes it in the other format, with memory independent of the length of the
    /// file, except for Whisper's JSON and new cues.
    ///
    /// Law: reading the output returns the same segments as reading the input, except for the dropped parts and the
    /// numbers that .srt requires. New cues have the same words in the same order. In plain text, each line of
    /// roll-up captions occurs once.
    ///
    /// # Errors
    /// Fails if the input does not match its format or something would be lost; returns
    /// [`Error::Usage`] if there is no such conversion, and [`Error::Interrupted`] once the flag is set.
    pub fn run(&self, input: Input<'_>, out: &mut dyn Write, target: &Path) -> Result<ConversionNotes> {
        let from = match self.from {
            Format::Auto => {
                Format::refuse_unread(Path::new(input.name()))?;
                Format::of_name(Path::new(input.name()))
            }
            from => from,
        };
        let to = output_segments(self.to)?;
        let mut writer = to.writer()?;
        self.interrupt.check()?;
        let mut source = ConvertSource::open(from, input, self.field.as_deref(), self.interrupt.clone())?;
        let from = source.items.segments;
        let mut losses = Losses::new(from, to, self.strict);
        source.rolled = (to.format == Format::Text && from.rolls_up).then(RolledUp::default);
        let is_text = to.format == Format::Text;
        self.check(is_text)?;
        source.named =
            (self.speakers == Some(true) && !to.has(LossKind::Speaker) && !is_text).then(String::new);
        let may_be_transcript = is_text && self.cut.is_none();
        if may_be_transcript
            && (self.transcript.is_requested() || self.speakers != Some(false) && source.has_speakers()?)
        {
            return self.transcribe(source, losses, out, target);
        }
        source.names = self.names.clone();
        if let Some(CueCut::Sentence) = self.cut {
            source.cutter = Some(CueCutter::new(&self.limits, losses, self.interrupt.clone())?);
            check_cues(to)?;
            losses = Losses::new(from, to, self.strict);
            losses.unit = "cue";
        }
        let mut check = ReadBack::new(to)?;
        let mut text = String::new();
        let mut write =
            |text: &str| out.write_all(text.as_bytes()).map_err(|error| Error::io("write", target, error));
        while let Some((item, found)) = source.next()? {
            let fits = match &item {
                Item::Segment(segment) if !losses.keeps_all() && (from.is_unsaid)(segment) => {
                    let tag = segment.tags.first().map_or("", |tag| &tag.tag);
                    let what = format!("the alternative \"{}\"", shortened(tag));
                    losses.drop_part(LossKind::Tags, what).map(|()| Vec::new())
                }
                _ => writer.conform_item(item, &mut losses),
            };
            for mut item in fits.map_err(|lost| found.error(&source.items.name, lost))? {
                if let Item::Segment(segment) = &mut item {
                    segment.order_times(&mut losses).map_err(|lost| found.error(&source.items.name, lost))?;
                }
                text.clear();
                writer.write(&item, &mut text);
                write(check.mark(&text))?;
                check.take(item, &found, &text).map_err(|refused| source.error(refused))?;
                write(&text)?;
            }
        }
        text.clear();
        writer.end(&mut text);
        check.end(&text).map_err(|refused| source.error(refused))?;
        write(&text)?;
        let cut = source.cutter.as_ref();
        let left_out: Vec<String> =
            [cut.and_then(|cut| cut.losses.summary()), losses.summary()].into_iter().flatten().collect();
        let mut notes = match cut {
            Some(cut) => cut.notes(),
            None => source.rolled.as_ref().and_then(RolledUp::tell).into_iter().collect(),
        };
        notes.extend(source.names.note());
        Ok(ConversionNotes {
            left_out: Some(left_out.join(", ")).filter(|left| !left.is_empty()),
            cues: notes,
        })
    }

    /// Refuses settings that have no meaning for the output.
    fn check(&self, is_text: bool) -> Result<()> {
        if self.transcript.is_requested() && !is_text {
            let [times, to] = ["times", "to"].map(option);
            let problem = format!("{times} and paragraphs are for a transcript: write it with {to} text");
            return Err(Error::usage(problem));
        }
        if self.cut.is_none() && self.limits.is_set() {
            let problem = format!("limits of cues are for new cues: give {} too", option("cues"));
            return Err(Error::usage(problem));
        }
        Ok(())
    }

    /// Writes a transcript.
    fn transcribe(
        &self,
        mut source: ConvertSource<'_>,
        mut losses: Losses,
        out: &mut dyn Write,
        target: &Path,
    ) -> Result<ConversionNotes> {
        let mut writer = Format::Text.segments()?.writer()?;
        let names = Some(self.names.clone()).filter(|_| self.speakers != Some(false));
        let has_labels = names.is_some();
        let mut transcript = TranscriptWriter::new(self.transcript, names, self.language.as_deref());
        let mut text = String::new();
        let mut write = |text: &mut String| {
            let written = out.write_all(text.as_bytes());
            text.clear();
            written.map_err(|error| Error::io("write", target, error))
        };
        while let Some((mut item, found)) = source.next()? {
            if let Item::Segment(segment) = &mut item {
                segment.name_voice();
                transcript.push(segment, &mut text);
                // All other parts of the segment are left out.
                segment.speaker.take_if(|_| has_labels);
            }
            writer.conform_item(item, &mut losses).map_err(|lost| found.error(&source.items.name, lost))?;
            write(&mut text)?;
        }
        let names = transcript.finish(&mut text);
        write(&mut text)?;
        let notes = source.rolled.as_ref().and_then(RolledUp::tell).into_iter().chain(names);
        Ok(ConversionNotes { left_out: losses.summary(), cues: notes.collect() })
    }

    /// Returns the conversion of a restored text of format `from`; `None` if the text keeps its format (as with
    /// [`Format::Auto`]) and neither new cues, names nor a transcript are requested. A recogniser's words become new
    /// cues of subtitles. The field of the text applies only to JSON lines.
    pub fn after_restoring(self, from: Format) -> Option<Self> {
        let to = if self.to == Format::Auto { from } else { self.to };
        if to == from && !self.asks_for_cues() && self.names.is_empty() && !self.transcript.is_requested() {
            return None;
        }
        let cut = self.cut.or_else(|| is_cut_anew(from, to).then_some(CueCut::Sentence));
        Some(Self { from, to, field: self.field.filter(|_| from.info().has_objects), cut, ..self })
    }

    /// Returns true if a person asks for new cues, or sets a limit of them.
    pub fn asks_for_cues(&self) -> bool {
        self.cut.is_some() || self.limits.is_set()
    }

    /// Sets the language of a transcript and of new cues to the named language, or else to the found language. New
    /// cues use the found language only if the file does not declare its own.
    pub fn set_language(&mut self, named: Option<&str>, found: &str) {
        self.language = named.or(Some(found).filter(|tag| !tag.is_empty())).map(str::to_owned);
        let found = Some(found).filter(|tag| !self.from.info().declares_language && !tag.is_empty());
        self.limits.language = named.or(found).map(str::to_owned);
    }
}

/// Returns true if a restored text is cut into new cues by default: the words of a recogniser, written as subtitles.
pub fn is_cut_anew(from: Format, to: Format) -> bool {
    from.info().is_heard && to.info().family == FormatFamily::Subtitles
}

/// Returns the description of the segments of the output format.
fn output_segments(format: Format) -> Result<&'static SegmentInfo> {
    if format == Format::Auto {
        let problem = format!("the output format is unknown: name it with {}", option("to"));
        return Err(Error::usage(problem));
    }
    format.segments()
}

/// Refuses an output format without cues.
fn check_cues(to: &SegmentInfo) -> Result<()> {
    if has_cues(to) {
        return Ok(());
    }
    let known = Format::all().iter().filter_map(|info| info.segments).filter(|segments| has_cues(segments));
    let known: Vec<&str> = known.map(SegmentInfo::shown).collect();
    let (last, others) = known.split_last().unwrap_or((&"", &[]));
    let (option, shown, others) = (option("cues"), to.shown(), others.join(", "));
    Err(Error::usage(format!("{option}: {shown} has no cues: write {others} or {last}")))
}

/// Returns true if new cues can be written in a format.
fn has_cues(segments: &SegmentInfo) -> bool {
    is_written_with_times(segments) && !segments.is_word
}

/// Returns true if a format is written with times.
fn is_written_with_times(segments: &SegmentInfo) -> bool {
    segments.has_times && segments.writer().is_ok()
}

/// Returns true if a text can be converted from subtitles or a transcript to plain text or to a format with times.
pub fn is_converted(from: Format, to: Format) -> bool {
    from.info().segments.is_some_and(|from| from.has_times)
        && (to == Format::Text || to.info().segments.is_some_and(is_written_with_times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::dropped;

    #[test]
    fn a_tag_that_is_left_out_leaves_no_empty_line() {
        let cue =
            "1\n00:00:01,000 --> 00:00:02,000\n<font a>\nso <i>it</i>\n</font>\nis\n<font b></font>\n\n";
        let header = "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\n";
        assert_eq!(dropped(Format::Srt, Format::Vtt, cue), format!("{header}so <i>it</i>\nis\n\n"));
        let vtt = format!("{header}<c.x> </c>\n<b>\nso</b>\n\n");
        assert_eq!(
            dropped(Format::Vtt, Format::Srt, &vtt),
            "1\n00:00:01,000 --> 00:00:02,000\n<b>\nso</b>\n\n"
        );
    }

    #[test]
    fn limits_are_for_new_cues_which_a_recognisers_words_become() {
        let limits = CueLimits { max_chars: 30, ..CueLimits::default() };
        let wanted = |to| Conversion { to, limits: limits.clone(), ..Conversion::default() };
        let cut = |from, to| wanted(to).after_restoring(from).map(|conversion| conversion.cut);
        assert_eq!(cut(Format::WhisperJson, Format::Srt), Some(Some(CueCut::Sentence)));
        assert_eq!([cut(Format::Srt, Format::Auto), cut(Format::Srt, Format::Vtt)], [Some(None), Some(None)]);
        let input = Input::of_text("talk.srt", b"1\n00:00:01,000 --> 00:00:02,000\nwe met\n\n");
        let error = wanted(Format::Vtt).run(input, &mut Vec::new(), Path::new("out")).unwrap_err();
        assert_eq!(error.to_string(), "limits of cues are for new cues: give `cues` too");
    }

    /// A file whose reading sets a flag.
    struct StoppedFile<'a>(&'a [u8], Interrupt);

    impl std::io::Read for StoppedFile<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1.set();
            self.0.read(buffer)
        }
    }

    #[test]
    fn an_interrupted_conversion_says_so() {
        let cue = "1\n00:00:01,000 --> 00:00:02,000\nwe met\n\n".repeat(10);
        for cut in [None, Some(CueCut::Sentence)] {
            let interrupt = Interrupt::new();
            let input = Input::uncompressed("talk.srt", StoppedFile(cue.as_bytes(), interrupt.clone()));
            let conversion = Conversion { to: Format::Vtt, cut, interrupt, ..Conversion::default() };
            let stopped = conversion.run(input, &mut Vec::new(), Path::new("out"));
            assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
        }
    }
}
