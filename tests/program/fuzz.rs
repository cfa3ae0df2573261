//! The fuzz targets, run on random and mutated input for a bounded number of cases.

use majuscule_format::Format;
#[path = "../../fuzz/laws.rs"]
pub mod laws;
use laws as fuzz;
use majuscule_lm::NgramModel;
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const TEXTS: [&str; 9] = [
    "the ministers met in new york city, as the BBC said. who? WHO! o'neill and l'europe\r\n",
    "WHO BBC who bbc New York IPHONE u.s. U.S. at&t ebay",
    "\u{feff}first line\n\nSECOND LINE\nthird Line. fourth\u{a0}line\n",
    "<b class=\"x\">bbc</b> see http://a.b/C, a@b.example @Home #Tag notes.txt &amp; 1. 3rd\n2. eggs",
    "ΟΔΟΣ οδός Σ ς İstanbul ıi IJmuiden ijmuiden şanlıurfa ȺȾ ǅ ß ŉ K",
    "i\u{301}sland I\u{301}SLAND is\u{ad}land e\u{301}\u{301} \u{301}\u{301} \u{200d}who\u{200c}bbc\0\0",
    "one two three four five six. seven eight nine? ten! 'tis 's avonds 't is -- (a) \"b\"",
    "e.g. the ph.d. dr. mcdonald... and ?! 3.5m 1,000 10:30 rock-'n'-roll x-ray's jean-paul's",
    "pero t2¿qué00e ¿qué es ana? y ¿ cómo...\n...otra vez, dónde vive ¿quién trabaja ¡qué! dime qué hora es",
];

const LEXICON: &str = "# majuscule lexicon\t1\n# language\ten\n# source\t1\tnews\t9\n# update\t2026-11-20\t0.5\tnews\n\
                       word\tform\tcount\tinitial\tsources\nmcdonald\tMcDonald\t3\t0.5\t1\nrose\tRose\t2\t0\t1\n";

/// Returns an example of each format but plain text, with words that the model knows.
fn files() -> Vec<(Format, &'static str)> {
    let examples = fuzz::restored().map(|kind| (kind, kind.info().example));
    examples.filter(|(_, example)| !example.is_empty()).collect()
}

/// A random number generator with the same numbers in every run.
struct Random(ChaCha8Rng);

impl Random {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Returns a number below `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        self.0.next_u64() as usize % end
    }

    fn bytes(&mut self, longest: usize) -> Vec<u8> {
        let mut bytes = vec![0; self.below(longest + 1)];
        self.0.fill_bytes(&mut bytes);
        bytes
    }

    /// Returns `data` with up to four changes: cuts, dropped, doubled or altered bytes, numbers at
    /// their limits, and pieces of `others`.
    fn mutated(&mut self, data: &[u8], others: &[&[u8]]) -> Vec<u8> {
        let mut data = data.to_vec();
        for _ in 0..=self.below(4) {
            let start = self.below(data.len() + 1);
            let end = (start + self.below(12)).min(data.len());
            match self.below(8) {
                0 => data.truncate(start),
                1 => drop(data.drain(start..end)),
                2 => drop(data.splice(start..start, data[start..end].to_vec())),
                3 => drop(data.splice(start..end, self.bytes(4))),
                4 if start < data.len() => data[start] ^= 1 << self.below(8),
                5 => {
                    let limit = [0, 1, 0x7f, 0x80, 0xff][self.below(5)];
                    data[start..end].fill(limit);
                }
                _ => {
                    let other = others[self.below(others.len())];
                    let from = self.below(other.len());
                    let to = (from + 1 + self.below(24)).min(other.len());
                    drop(data.splice(start..end, other[from..to].iter().copied()));
                }
            }
        }
        data
    }
}

#[test]
fn random_bytes_break_nothing() {
    let mut random = Random::new(1);
    for _ in 0..2000 {
        let data = random.bytes(300);
        fuzz::tokenize(&data);
        fuzz::stream(&data);
        fuzz::any_format(&data);
        fuzz::any_marks(&data);
        fuzz::any_stripped(&data);
        fuzz::convert(&data);
        fuzz::model(&data);
        fuzz::lexicon(&data);
        fuzz::arpa(&data);
        fuzz::binary(&data);
        fuzz::counts(&data);
        fuzz::align(&data);
    }
}

#[test]
fn every_text_obeys_the_laws_in_every_mode() {
    for mode in 0..54 {
        for text in TEXTS {
            fuzz::tokenize(&[&[mode], text.as_bytes()].concat());
        }
    }
}

#[test]
fn altered_texts_obey_the_laws() {
    let mut random = Random::new(2);
    let texts = TEXTS.map(str::as_bytes);
    for _ in 0..6000 {
        let text = texts[random.below(texts.len())];
        let text = random.mutated(text, &texts);
        fuzz::tokenize(&[&[random.below(256) as u8], &*text].concat());
    }
}

#[test]
fn texts_cut_anywhere_obey_the_laws_of_streams() {
    let mut random = Random::new(7);
    let texts = TEXTS.map(str::as_bytes);
    for _ in 0..3000 {
        let text = texts[random.below(texts.len())];
        let mut text = random.mutated(text, &texts);
        for _ in 0..random.below(8) {
            let at = random.below(text.len() + 1);
            text.insert(at, [0xfe, 0xff, 0xff][random.below(3)]);
        }
        fuzz::stream(&[&[random.below(256) as u8, random.below(256) as u8], &*text].concat());
    }
}

#[test]
fn altered_models_are_read_or_refused() {
    let mut random = Random::new(3);
    let (packed, words) = (fuzz::packed(), fuzz::words());
    for _ in 0..3000 {
        fuzz::model(&random.mutated(&packed, &[&packed, &words]));
        fuzz::model(&random.mutated(&words, &[&packed, &words]));
    }
}

#[test]
fn a_model_cut_off_anywhere_is_read_or_refused() {
    for whole in [fuzz::packed(), fuzz::words()] {
        for len in 0..whole.len() {
            fuzz::model(&whole[..len]);
        }
    }
}

#[test]
fn models_with_an_altered_section_are_used_or_refused() {
    let mut random = Random::new(14);
    let whole = fuzz::whole_sections();
    assert!(whole.iter().all(|section| fuzz::sections(section)), "a model that is not altered is refused");
    let others: Vec<&[u8]> = whole.iter().map(Vec::as_slice).chain(NUMBERS.map(str::as_bytes)).collect();
    for section in &whole {
        let (numbers, bytes) = section.split_at(2);
        for _ in 0..200 {
            let altered = random.mutated(bytes, &others);
            fuzz::sections(&[numbers, &*altered].concat());
        }
    }
}

#[test]
fn a_file_that_begins_as_sound_is_refused_without_a_line() {
    fuzz::format(Format::Ctm, b"\x05fLaC\0.0\0\x051\n0");
}

/// Numbers that files of text rarely have.
const NUMBERS: [&str; 6] = ["0", "-1", "1e39", "16777216", "18446744073709551615", "null"];

#[test]
fn altered_lexicons_are_read_or_refused() {
    let mut random = Random::new(4);
    let others = [LEXICON, "the (12/15) The (3)\n", "rose rose 0.75 Rose 0.25\n", "São Paulo\niPhone\n"]
        .map(str::as_bytes);
    for _ in 0..3000 {
        let lexicon = others[random.below(others.len())];
        fuzz::lexicon(&random.mutated(lexicon, &others));
    }
}

proptest! {
    #[test]
    fn any_text_is_a_lexicon_or_refused(data in r"([\PC\t\n]|[aA1.0 ()/#]){0,60}") {
        fuzz::lexicon(data.as_bytes());
    }
}

#[test]
fn altered_language_models_are_read_or_refused() {
    let mut random = Random::new(5);
    let arpa = include_bytes!("../../lm/tiny.arpa");
    let mut binary = Vec::new();
    let model = NgramModel::read("tiny.arpa", arpa.to_vec()).unwrap();
    majuscule_lm::binary::write(&model, &mut binary).unwrap();
    let pieces: [&[u8]; 4] =
        [arpa, &binary, b"\\2-grams:\n-0.5\tthe\x0c US\t1e38\n", b"ngram 4=0\n<UNK> -inf -0 \r\n"];
    for _ in 0..3000 {
        fuzz::arpa(&random.mutated(arpa, &pieces));
        let mut altered = random.mutated(&binary, &pieces);
        altered.resize(binary.len(), 0);
        fuzz::binary(&altered);
        // A correct checksum of the head lets altered sizes through.
        if let Some((head, end)) = altered[..128].split_last_chunk_mut::<4>() {
            *end = crc32fast::hash(head).to_le_bytes();
        }
        fuzz::binary(&altered);
    }
}

#[test]
fn altered_counts_are_read_or_refused() {
    let mut random = Random::new(6);
    let counts = fuzz::counted();
    fuzz::counts(&counts);
    for len in 0..counts.len() {
        fuzz::counts(&counts[..len]);
    }
    for _ in 0..3000 {
        let altered = random.mutated(&counts, &[&counts]);
        fuzz::counts(&altered);
        // Correct checksums let altered numbers through.
        fuzz::counts(&summed(&altered));
    }
}

#[test]
fn altered_files_change_nothing_but_case() {
    let mut random = Random::new(11);
    let others: Vec<&[u8]> = files().iter().map(|(_, text)| text.as_bytes()).collect();
    for (kind, text) in files() {
        let with_mode = |mode: usize, text: &[u8]| [&[mode as u8], text].concat();
        for len in 0..=text.len() {
            fuzz::format(kind, &with_mode(len, &text.as_bytes()[..len]));
        }
        for _ in 0..400 {
            let altered = random.mutated(text.as_bytes(), &others);
            fuzz::format(kind, &with_mode(random.below(54), &altered));
        }
    }
}

#[test]
fn marks_keep_their_laws_in_altered_files() {
    let mut random = Random::new(13);
    let others: Vec<&[u8]> = files().iter().map(|(_, text)| text.as_bytes()).collect();
    for (kind, text) in files() {
        let with_mode = |mode: usize, text: &[u8]| [&[mode as u8], text].concat();
        for len in (0..=text.len()).step_by(7) {
            fuzz::marks(kind, &with_mode(len, &text.as_bytes()[..len]));
        }
        for _ in 0..100 {
            let altered = random.mutated(text.as_bytes(), &others);
            fuzz::marks(kind, &with_mode(random.below(256), &altered));
        }
    }
    for _ in 0..600 {
        let text = TEXTS[random.below(TEXTS.len())].as_bytes();
        let text = random.mutated(text, &TEXTS.map(str::as_bytes));
        fuzz::marks(Format::Text, &[&[random.below(256) as u8], &*text].concat());
    }
}

#[test]
fn texts_between_others_keep_their_letters() {
    let mut random = Random::new(13);
    let others: Vec<&[u8]> = TEXTS.iter().map(|text| text.as_bytes()).collect();
    for _ in 0..1500 {
        let parts: Vec<Vec<u8>> = (0..3)
            .map(|_| {
                let text = others[random.below(others.len())];
                let start = random.below(text.len());
                let end = (start + random.below(40)).min(text.len());
                random.mutated(&text[start..end], &others)
            })
            .collect();
        let number = random.below(6) as u8;
        fuzz::between(&[&[number], &*parts.join(&b'|')].concat());
    }
}

#[test]
fn altered_files_are_stripped_once() {
    let mut random = Random::new(15);
    let others: Vec<&[u8]> =
        files().iter().map(|(_, text)| text.as_bytes()).chain(TEXTS.map(str::as_bytes)).collect();
    let texts = TEXTS.map(|text| (Format::Text, text));
    for (kind, text) in files().into_iter().chain(texts) {
        for _ in 0..200 {
            let altered = random.mutated(text.as_bytes(), &others);
            fuzz::stripped(kind, &[&[random.below(54) as u8], &*altered].concat());
        }
    }
}

#[test]
fn captions_that_roll_up_say_the_same_in_other_formats() {
    let cue = |at: u32, text: &str| format!("{at}\n00:00:0{at},000 --> 00:00:0{},000\n{text}\n\n", at + 1);
    let srt = cue(1, "the bbc met") + &cue(2, "the bbc met\nin new york") + &cue(3, "in new york\nand left");
    fuzz::conversions(Format::Srt, srt.as_bytes());
}

#[test]
fn altered_files_say_the_same_in_other_formats() {
    let mut random = Random::new(12);
    let others: Vec<&[u8]> = files().iter().map(|(_, text)| text.as_bytes()).collect();
    for (kind, text) in files() {
        for len in 0..=text.len() {
            fuzz::conversions(kind, &text.as_bytes()[..len]);
        }
        for _ in 0..400 {
            fuzz::conversions(kind, &random.mutated(text.as_bytes(), &others));
        }
    }
}
#[test]
fn altered_recipes_are_planned_or_refused() {
    let mut random = Random::new(10);
    let recipes: Vec<&str> = majuscule_experiment::library::RECIPES.iter().map(|(_, text)| *text).collect();
    let others: Vec<&[u8]> = recipes.iter().map(|text| text.as_bytes()).collect();
    for recipe in &others {
        for _ in 0..60 {
            fuzz::recipe(&random.mutated(recipe, &others));
        }
    }
}

#[test]
fn sequences_that_are_alike_are_aligned() {
    let mut random = Random::new(9);
    for _ in 0..500 {
        // With few different words, many alignments have the same cost.
        let words = 1 + random.below(20);
        let one: Vec<u8> = (0..random.below(400)).map(|_| random.below(words) as u8).collect();
        let other = random.mutated(&one, &[b"\x01\x02\x03"]);
        fuzz::align(&[&*one, &[0xff], &*other].concat());
    }
}

/// Returns a file of counts with correct checksums, as far as the lengths in it lead to them.
fn summed(counts: &[u8]) -> Vec<u8> {
    const FIXED: usize = 32;
    let mut summed = counts.to_vec();
    let number = |at: usize| counts.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize);
    let mut sum = |start: usize, end: usize| {
        let checksum = crc32fast::hash(summed.get(start..end)?).to_le_bytes();
        *summed.get_mut(end..)?.first_chunk_mut()? = checksum;
        Some(end + checksum.len())
    };
    let mut next = number(20).and_then(|len| sum(0, FIXED + len));
    while let Some(at) = next {
        next = number(at).filter(|&len| len > 0).and_then(|len| sum(at + 4, at + 4 + len));
    }
    summed
}

const CUE: &str = "([a-bé]{0,2}[ .<>&{}-]|<i>|</b>|<v Ana>|</v>|<v.x a  b>|\\{\\\\an8\\}|<font a>|\n[a-c ]|&(amp|lt|gt|nbsp);|-->|\n|\r){0,8}";
const EVENT: &str =
    r"([a-bé]{0,2}[ .,<>&}-]|,{4}|\{|\{\\(i1|i0|b0|p1|p0|an8)\}|\{x\}|\\[Nnhx]|\\|\u{a0}){0,8}";
const TIME: &str = "(0?0:)?00:0[0-9][.,][0-9]{1,4}";

proptest! {
    #[test]
    fn any_cues_are_read_back_alike(
        cues in prop::collection::vec(("(1|x|[0-9]{0,3}|NOTE a)", TIME, "( align:start| X1:4| a)?", CUE), 0..4),
        head in "(WEBVTT( a)?\n(b\n)?\n)?(STYLE\nx\n\n)?",
    ) {
        let cue = |(name, time, settings, text): &(String, String, String, String)| {
            format!("{name}\n{time} --> {time}{settings}\n{text}\n\n")
        };
        let body: String = cues.iter().map(cue).collect();
        fuzz::conversions(Format::Srt, body.as_bytes());
        fuzz::conversions(Format::Vtt, format!("{head}{body}").as_bytes());
        fuzz::conversions(Format::Vtt, format!("WEBVTT\n\n{}", body.replace(',', ".")).as_bytes());
        let paragraph = |(name, time, _, text): &(String, String, String, String)| {
            format!("<p xml:id='{name}' begin='00:{time}' dur=\"1s\">{text}</p>")
        };
        let body: String = cues.iter().map(paragraph).collect();
        fuzz::conversions(Format::Ttml, format!("<tt>{body}</tt>").replace(",", ".").as_bytes());
    }

    #[test]
    fn any_events_are_read_back_alike(
        script in "(\\[Script Info\\]\n(; a\n)?)?\\[Events\\]\n(Format: (Layer, )?Start, (End, )?(Name, )?(Style, )?(Text, )?Text\n)?",
        events in prop::collection::vec(("(0|1)?", "0?0:00:0[0-9][.][0-9]{1,3}", "(ana|,|0|Default| ){0,4}", EVENT), 0..4),
    ) {
        let event = |(layer, time, fields, text): &(String, String, String, String)| {
            format!("Dialogue: {layer},{time},{time},{fields}{text}\nComment: {text}\n")
        };
        let body: String = events.iter().map(event).collect();
        fuzz::conversions(Format::Ass, format!("{script}{body}").as_bytes());
    }

    #[test]
    fn any_rows_are_read_back_alike(
        rows in prop::collection::vec("(r|-) [A-] [0-9]{1,2}(\\.[0-9]{1,4})? 0?[.]5 (so|é|<l>|NA|a-|[{]|;;)( (0[.]9|NA|na)( (lex|NA|misc)( ana)?)?)?|;; ?a|c [*] [*] [*] <ALT(_BEGIN|_END)?>", 0..5),
        turns in prop::collection::vec("(r|-) 1 (ana|-) [0-9](\\.[0-9])? 9 ?(<o>)?( (so|[{]|/|[}]|@|<l>)){0,5}|;;|  ", 0..4),
    ) {
        fuzz::conversions(Format::Ctm, rows.join("\n").as_bytes());
        fuzz::conversions(Format::Stm, turns.join("\r\n").as_bytes());
    }

    #[test]
    fn any_columns_and_lines_are_read_back_alike(lines in prop::collection::vec("(#|-DOCSTART-)?[abé\t ]{0,5}|1(-2)?(\t[a ]{1,2}){9}|1\\.1(\ta){9}", 0..6)) {
        fuzz::conversions(Format::Conll, lines.join("\n").as_bytes());
        fuzz::conversions(Format::Text, lines.join("\n").as_bytes());
    }

    #[test]
    fn any_objects_are_read_back_alike(
        fields in prop::collection::vec(prop::sample::select(FIELDS), 0..5),
        texts in prop::collection::vec("([ab<>&]|<i>|\\\\n|\\\\r| |-->|\u{feff}){0,5}", 1..3),
    ) {
        let object = |text: &String| {
            let fields: String = fields.iter().map(|field| format!(",{field}")).collect();
            format!("{{\"text\":\"{text}\"{fields}}}")
        };
        let objects: Vec<String> = texts.iter().map(object).collect();
        fuzz::conversions(Format::Jsonl, objects.join("\n").as_bytes());
        fuzz::conversions(Format::WhisperJson, format!("{{\"segments\":[{}],\"language\":\"en\"}}", objects.join(",")).as_bytes());
    }
}

const FIELDS: &[&str] = &[
    "\"begin\":1.5,\"end\":2",
    "\"start\":0.0001,\"end\":1e1",
    "\"id\":7",
    "\"id\":\"a\\n\"",
    "\"tags\":[[0,\"<i>\"],[0,\"</i>\"]]",
    "\"tags\":[[9,\"\"]]",
    "\"recording\":\"r\",\"channel\":\"A\"",
    "\"recording\":\"-\"",
    "\"speaker\":\"ana reis\"",
    "\"confidence\":0.50",
    "\"confidence\":\"NA\"",
    "\"settings\":\"align:start\"",
    "\"coordinates\":\"X1:4\"",
    "\"words\":[{\"word\":\" a\",\"start\":1,\"end\":1.5,\"probability\":0.9,\"x\": [1]}]",
    "\"words\":5",
    "\"rows\":[[null,\"X\"]]",
    "\"avg_logprob\": -0.5",
    "\"label\":\"<o>\"",
    "\"type\":\"lex\"",
    "\"timestamp\":[0.0,null]",
];
