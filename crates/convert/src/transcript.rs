//! A transcript that reads well: the name of each speaker where it changes, and paragraphs.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use majuscule_format::segments::{Segment, Time, dash_len};
use majuscule_text::paragraphs::{ParagraphDivider, SentenceGap};
use majuscule_text::speaker_label::{name_in, name_len};

use crate::cut::Juncture;
use crate::juncture::CueLanguage;
use crate::speaker_names::SpeakerNames;

/// A pause, in milliseconds, that ends a sentence without a mark.
const LONG_PAUSE: u64 = 2000;

/// The largest number of bytes of a sentence that waits for its end.
const LONGEST: usize = 1 << 16;

/// The form of a transcript as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TranscriptForm {
    /// True to write paragraphs even if no speaker is known; otherwise a text without speakers has a line for each
    /// segment.
    pub paragraphs: bool,
    /// True to begin each paragraph with its time: `[00:12:07]`.
    pub times: bool,
    /// True to write the names of speakers in bold type, as Markdown does.
    pub markdown: bool,
}

impl TranscriptForm {
    /// Returns true if paragraphs are requested.
    pub(crate) fn is_requested(self) -> bool {
        self.paragraphs || self.times || self.markdown
    }
}

/// Writes segments as paragraphs. Its memory does not depend on the length of the transcript.
pub(crate) struct TranscriptWriter {
    form: TranscriptForm,
    has_labels: bool,
    names: SpeakerNames,
    language: CueLanguage,
    divider: ParagraphDivider,
    /// The sentences that are not written, of which the last one may go on.
    sentences: VecDeque<TranscriptSentence>,
    /// The speaker of the last word, the word, and its end.
    speaker: Option<String>,
    last: String,
    end: Option<u64>,
    /// The speaker named last, and true once anything is written.
    named: Option<String>,
    is_begun: bool,
}

/// A sentence.
#[derive(Debug, Default)]
struct TranscriptSentence {
    text: String,
    speaker: Option<String>,
    begin: Option<u64>,
    /// `None` until it is known.
    begins_paragraph: Option<bool>,
    /// True if a part of it is written.
    is_begun: bool,
}

/// A word with the punctuation marks next to it, and its times in milliseconds.
struct SpokenWord<'a> {
    text: &'a str,
    begin: Option<u64>,
    end: Option<u64>,
}

impl TranscriptWriter {
    /// Starts a transcript, of a language if it is known; `names` is `None` to name no speaker.
    pub(crate) fn new(form: TranscriptForm, names: Option<SpeakerNames>, language: Option<&str>) -> Self {
        Self {
            form,
            has_labels: names.is_some(),
            names: names.unwrap_or_default(),
            language: CueLanguage::of(language),
            divider: ParagraphDivider::new(language.unwrap_or_default()),
            sentences: VecDeque::new(),
            speaker: None,
            last: String::new(),
            end: None,
            named: None,
            is_begun: false,
        }
    }

    /// Adds a segment, and appends to `out` the sentences for which it is known whether they begin a paragraph.
    pub(crate) fn push(&mut self, segment: &Segment, out: &mut String) {
        let times = word_times(segment);
        let [begin, end] = [segment.begin, segment.end].map(|time| time.map(Time::milliseconds));
        let (mut own, mut begin) = (segment.speaker.clone(), begin);
        let is_dialogue = segment.text.contains('\n');
        let mut next = 0;
        for line in segment.text.split('\n') {
            let at = next;
            next += line.len() + 1;
            let label = name_len(line).filter(|_| segment.speaker.is_none() && self.has_labels);
            let mut speaker = own.take().or_else(|| label.map(|len| name_in(&line[..len]).to_owned()));
            if let Some(speaker) = &mut speaker {
                self.names.rename(speaker);
                *speaker = speaker.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            let mut turns = is_dialogue && dash_len(line).is_some() || line.starts_with(">>");
            if let Some(speaker) = speaker.filter(|speaker| self.speaker.as_ref() != Some(speaker)) {
                (self.speaker, turns) = (Some(speaker), true);
            }
            for word in words(&segment.text, at + label.unwrap_or(0)..at + line.len(), &times) {
                let word = SpokenWord { begin: word.begin.or(begin.take()), ..word };
                self.word(&word, std::mem::take(&mut turns));
            }
        }
        self.end = end.or(self.end);
        self.write(false, out);
    }

    /// Adds a word; `turns` is true if another speaker begins with it.
    fn word(&mut self, word: &SpokenWord<'_>, turns: bool) {
        let pause = word.begin.zip(self.end).map(|(begin, end)| begin.saturating_sub(end));
        let gap = match self.last.as_str() {
            _ if turns || self.last.is_empty() => Some(SentenceGap::Paragraph),
            last => {
                let ends = self.language.juncture(last, word.text) == Juncture::Sentence
                    || last.ends_with(char::is_alphanumeric) && pause >= Some(LONG_PAUSE);
                let asked = last.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?').ends_with('?');
                ends.then(|| SentenceGap::Sentence { asked, pause: pause.map(Duration::from_millis) })
            }
        };
        if let Some(gap) = gap {
            self.divider.begin(gap);
            let (speaker, begin) = (self.speaker.clone(), word.begin.or(self.end));
            self.sentences.push_back(TranscriptSentence { speaker, begin, ..TranscriptSentence::default() });
        }
        if let Some(sentence) = self.sentences.back_mut() {
            if !sentence.text.is_empty() || sentence.is_begun {
                sentence.text.push(' ');
            }
            sentence.text.push_str(word.text);
        }
        let bare = word.text.trim_matches(|c: char| !c.is_alphanumeric());
        if !bare.is_empty() {
            self.divider.push(&bare.to_lowercase());
        }
        word.text.clone_into(&mut self.last);
        self.end = word.end.or(self.end);
    }

    /// Appends the rest of the transcript, and returns a note about speakers in `--names` that do not occur, if there
    /// are any.
    pub(crate) fn finish(&mut self, out: &mut String) -> Option<String> {
        self.divider.finish();
        self.write(true, out);
        if self.is_begun {
            out.push('\n');
        }
        self.names.note()
    }

    /// Appends the sentences for which it is known whether they begin a paragraph; the last one may go on unless the
    /// transcript `ends`.
    fn write(&mut self, ends: bool, out: &mut String) {
        while let Some(begins) = self.divider.decide() {
            if let Some(next) = self.sentences.iter_mut().find(|next| next.begins_paragraph.is_none()) {
                next.begins_paragraph = Some(begins);
            }
        }
        loop {
            let goes_on = self.sentences.len() == 1 && !ends;
            let is_written = |next: &mut TranscriptSentence| {
                next.begins_paragraph.is_some() && (!goes_on || next.text.len() > LONGEST)
            };
            let Some(mut sentence) = self.sentences.pop_front_if(is_written) else { return };
            self.sentence(&sentence, out);
            if goes_on {
                sentence.text.clear();
                sentence.is_begun = true;
                return self.sentences.push_front(sentence);
            }
        }
    }

    /// Appends a sentence.
    fn sentence(&mut self, sentence: &TranscriptSentence, out: &mut String) {
        if sentence.begins_paragraph == Some(true) && !sentence.is_begun {
            out.push_str(if self.is_begun { "\n\n" } else { "" });
            if let Some(begin) = sentence.begin.filter(|_| self.form.times) {
                let seconds = begin / 1000;
                let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
                out.push_str(&format!("[{hours:02}:{minutes:02}:{:02}] ", seconds % 60));
            }
            if let Some(name) = sentence.speaker.as_ref().filter(|_| self.has_labels)
                && self.named.as_ref() != Some(name)
            {
                let bold = if self.form.markdown { "**" } else { "" };
                out.push_str(&format!("{bold}{name}:{bold} "));
                self.named = Some(name.clone());
            }
        } else if !sentence.is_begun {
            out.push(' ');
        }
        out.push_str(&sentence.text);
        self.is_begun = true;
    }
}

/// The position of a word in its text, and its times in milliseconds.
type WordTime = (usize, Option<u64>, Option<u64>);

/// Returns the times of words, in order.
fn word_times(segment: &Segment) -> Vec<WordTime> {
    let mut from = 0;
    let times = segment.words.iter().filter_map(|word| {
        let text = word.text.trim();
        let at = from + segment.text.get(from..)?.find(text)?;
        from = at + text.len();
        let [begin, end] = [word.begin, word.end].map(|time| time.map(Time::milliseconds));
        Some((at, begin, end))
    });
    times.collect()
}

/// Returns the words in a part of a text, each with the punctuation marks next to it, even across a space.
fn words<'a>(text: &'a str, part: Range<usize>, times: &[WordTime]) -> Vec<SpokenWord<'a>> {
    let (mut spans, mut opening): (Vec<Range<usize>>, Option<usize>) = (Vec::new(), None);
    let mut at = part.start;
    for run in text[part.clone()].split(char::is_whitespace) {
        let span = at..at + run.len();
        at = span.end + text[span.end..].chars().next().map_or(0, char::len_utf8);
        let opens = run.ends_with(['«', '“', '„', '(', '[', '¿', '¡', '–', '—', '-']);
        match spans.last_mut() {
            _ if run.is_empty() => {}
            _ if run.contains(char::is_alphanumeric) => {
                spans.push(opening.take().unwrap_or(span.start)..span.end)
            }
            Some(last) if !opens && opening.is_none() => last.end = span.end,
            _ => opening = opening.or(Some(span.start)),
        }
    }
    match (spans.last_mut(), opening) {
        (Some(last), Some(_)) => last.end = part.end,
        (None, Some(start)) => spans.push(start..part.end),
        _ => {}
    }
    let words = spans.into_iter().map(|span| {
        let first = times.partition_point(|(at, ..)| *at < span.start);
        let own = || times[first..].iter().take_while(|(at, ..)| *at < span.end);
        let begin = own().find_map(|(_, begin, _)| *begin);
        SpokenWord {
            text: text[span.clone()].trim_end(),
            begin,
            end: own().filter_map(|(.., end)| *end).last(),
        }
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Conversion;
    use majuscule_base::error::Result;
    use majuscule_base::files::Input;
    use majuscule_format::Format;

    const EPISODE: &str = r#"{"segments":[
        {"start":0,"end":2,"speaker":"S0","text":"Welcome, everyone."},
        {"start":2,"end":4.5,"speaker":"S0","text":"Our guest is Ana Costa.","words":[{"word":"Our","start":2.5,"end":3}]},
        {"start":4.5,"end":6,"speaker":"S1","text":"Thank you. It's late"},
        {"start":6,"end":7,"text":"in Lisbon."},
        {"start":3727.4,"end":3728,"speaker":"S0","text":"« Yes »  – it is ?"}]}"#;

    /// Converts a file to plain text, and returns the text with the notes.
    fn transcribed(from: Format, text: &str, conversion: Conversion) -> Result<(String, Vec<String>)> {
        let mut out = Vec::new();
        let conversion = Conversion { from, to: Format::Text, ..conversion };
        let notes = conversion.run(Input::of_text("data", text.as_bytes()), &mut out, Path::new("out"))?;
        Ok((String::from_utf8(out).unwrap(), notes.cues))
    }

    #[test]
    fn a_document_with_speakers_becomes_a_transcript() {
        let written = transcribed(Format::WhisperJson, EPISODE, Conversion::default()).unwrap().0;
        let turns = [
            "S0: Welcome, everyone. Our guest is Ana Costa.",
            "S1: Thank you. It's late in Lisbon.",
            "S0: « Yes » – it is ?",
        ];
        assert_eq!(written, turns.join("\n\n") + "\n");
        let plain = Conversion { speakers: Some(false), ..Conversion::default() };
        let written = transcribed(Format::WhisperJson, EPISODE, plain).unwrap().0;
        assert_eq!(written.lines().nth(1), Some("Our guest is Ana Costa."), "{written}");
    }

    #[test]
    fn names_and_times_are_written_and_absent_speakers_noted() {
        let conversion = Conversion {
            names: "S0=Laura Reis,S1=Ana, S9 = Tom".parse().unwrap(),
            transcript: TranscriptForm { times: true, markdown: true, ..TranscriptForm::default() },
            ..Conversion::default()
        };
        let (written, notes) = transcribed(Format::WhisperJson, EPISODE, conversion.clone()).unwrap();
        let turns = [
            "[00:00:00] **Laura Reis:** Welcome, everyone. Our guest is Ana Costa.",
            "[00:00:04] **Ana:** Thank you. It's late in Lisbon.",
            "[01:02:07] **Laura Reis:** « Yes » – it is ?",
        ];
        assert_eq!(written, turns.join("\n\n") + "\n");
        assert_eq!(notes, ["\u{2}names\u{3}: S9 does not occur as a speaker"]);
        let labelled = "S0: So we met.\nIt was late.\n\nS1: Yes.\nS1: No.\n";
        let written = transcribed(Format::Text, labelled, conversion).unwrap().0;
        assert_eq!(written, "**Laura Reis:** So we met. It was late.\n\n**Ana:** Yes. No.\n");
    }

    #[test]
    fn a_dash_begins_a_turn_and_a_long_pause_a_sentence() {
        let form = TranscriptForm { paragraphs: true, ..TranscriptForm::default() };
        let paragraphs = || Conversion { transcript: form, ..Conversion::default() };
        let srt = "1\n00:00:01,000 --> 00:00:02,000\n- So <i>we</i> met.\n- Yes.\n\n";
        assert_eq!(transcribed(Format::Srt, srt, paragraphs()).unwrap().0, "- So we met.\n\n- Yes.\n");
        let mut writer = TranscriptWriter::new(form, None, Some("en"));
        let word = |text, begin, end| SpokenWord { text, begin: Some(begin), end: Some(end) };
        let mut out = String::new();
        writer.word(&word("we", 0, 500), false);
        writer.word(&word("met", 500, 900), false);
        writer.word(&word("then", 2899, 2950), false);
        assert_eq!(writer.sentences.len(), 1);
        writer.word(&word("it", 4950, 5000), false);
        assert_eq!(writer.sentences.len(), 2);
        writer.finish(&mut out);
        assert_eq!(out, "we met then it\n");
    }

    #[test]
    fn a_sentence_without_an_end_waits_for_no_more_than_its_limit() {
        let form = TranscriptForm { paragraphs: true, ..TranscriptForm::default() };
        let (mut writer, mut out) = (TranscriptWriter::new(form, None, None), String::new());
        let segment = Segment { text: "and so on ".repeat(1000), ..Segment::default() };
        for _ in 0..100 {
            writer.push(&segment, &mut out);
            assert!(writer.sentences.iter().map(|sentence| sentence.text.len()).sum::<usize>() < 2 * LONGEST);
        }
        writer.finish(&mut out);
        assert_eq!(out, ["and so on"; 100_000].join(" ") + "\n");
    }

    #[test]
    fn ten_thousand_speakers_and_times_out_of_order_are_written() {
        let segment =
            |at: usize| format!(r#"{{"start":{},"end":1,"speaker":"S{at}","text":"We met."}}"#, 10_000 - at);
        let segments: Vec<String> = (0..10_000).map(segment).collect();
        let names: Vec<String> = (0..10_000).map(|at| format!("S{at}=N{at}")).collect();
        let conversion = Conversion { names: names.join(",").parse().unwrap(), ..Conversion::default() };
        let json = format!(r#"{{"segments":[{}]}}"#, segments.join(","));
        let (written, notes) = transcribed(Format::WhisperJson, &json, conversion).unwrap();
        assert_eq!(
            (written.matches("We met.").count(), written.ends_with("N9999: We met.\n")),
            (10_000, true)
        );
        assert_eq!(notes, Vec::<String>::new());
    }

    #[test]
    fn names_that_are_none_are_refused() {
        for (text, expected) in [
            ("S0", "found \"S0\" in `names`"),
            ("S0=", "expected speakers with their names"),
            ("S0=Ana,S0=Bob", "S0 has two names"),
            ("S0=A\nB", "expected speakers"),
        ] {
            let error = text.parse::<SpeakerNames>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
