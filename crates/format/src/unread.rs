//! Detects formats of subtitles, transcripts, documents and data that are not supported, by their names and first
//! bytes, with the remedy for each. If they were read as text, their times, keys and codes would be words.

use std::path::Path;

use super::head::FileHead;
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files;

/// A format that is not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unread {
    /// The file extensions, separated by spaces.
    extensions: &'static str,
    /// The first bytes of its files, which no text has: patterns of [`FileHead::begins_like`], or `<` with the name of
    /// the root element of its XML.
    openings: &'static [&'static str],
    /// The name of the format, worded as the kind of a file.
    what: &'static str,
    /// The way to convert a file to a supported format.
    remedy: &'static str,
    /// True if files of the format are text, so that they can still be read as plain text (`--format text`).
    is_text: bool,
}

/// Returns an unsupported format of text.
const fn text(
    extensions: &'static str,
    openings: &'static [&'static str],
    what: &'static str,
    remedy: &'static str,
) -> Unread {
    Unread { extensions, openings, what, remedy, is_text: true }
}

/// Returns an unsupported format that is not text, whose first bytes `sniff.rs` knows.
const fn binary(extensions: &'static str, what: &'static str, remedy: &'static str) -> Unread {
    Unread { extensions, openings: &[], what, remedy, is_text: false }
}

const SUBTITLES: &str = "convert them to SubRip or WebVTT first (Subtitle Edit does)";
const YOUTUBE: &str =
    "download them as WebVTT (yt-dlp --sub-format vtt), or convert them to SubRip or WebVTT first";
const DOCUMENT: &str = "save its text as plain text (.txt) first";
const ANNOTATION: &str =
    "export its text as SubRip, as a table with tabs (.tsv) or as plain text, and name that file";
const TEXT_GRID: &str = "write its text as a table with tabs (in Praat: Tabulate, Down to table), and name that as .tsv with the column of the text";
const KEYS: &str = "write its texts as CSV or JSON lines first, and name the column or field of the text";
const GETTEXT: &str = "write its texts as CSV first (po2csv does), and name the column of the text";
const MARKUP: &str = "convert it to Markdown (.md) or HTML first (pandoc and Asciidoctor do)";
const SONG: &str = "save its words as plain text (.txt) or lyrics (.lrc) first";
pub(super) const TABLE_REMEDY: &str = "write its text as JSON lines or CSV first, for example in Python with pandas: \
                                       pandas.read_parquet(\"x.parquet\").to_json(\"x.jsonl\", orient=\"records\", lines=True, \
                                       force_ascii=False)";
const SHEET: &str = "save the sheet as CSV, and name the column of the text";
const PICTURES: &str =
    "read their text by OCR first (Subtitle Edit does), and name the SubRip file that it writes";
const BOOK: &str = "convert it to plain text first (Calibre does)";
const SOUND: &str = "transcribe it with a recogniser first, and name the transcript";
const VIDEO: &str = "extract its subtitles (ffmpeg does) or transcribe it with a recogniser first";
const ARCHIVE: &str = "unpack it, and name the texts in it (.gz, .zst and .xz of one text are read)";

/// The formats that are not read.
static UNREAD: [Unread; 37] = [
    text("textgrid", &["File type = \"ooTextFile\""], "a TextGrid of Praat", TEXT_GRID),
    text("scc", &["Scenarist_SCC V"], "subtitles in an unsupported format (Scenarist)", SUBTITLES),
    text(
        "sbv",
        &["[INFORMATION]", "0:0:0.0,0:0:0.0"],
        "subtitles in an unsupported format (SubViewer)",
        SUBTITLES,
    ),
    text("smi sami", &["<sami>"], "subtitles in an unsupported format (SAMI)", SUBTITLES),
    text("sub", &["{0}{0}"], "subtitles in an unsupported format (MicroDVD, SubViewer or VobSub)", SUBTITLES),
    text(
        "usf",
        &["<USFSubtitles"],
        "subtitles in an unsupported format (Universal Subtitle Format)",
        SUBTITLES,
    ),
    text("dfxp", &[], "subtitles in an unsupported format (DFXP, which the format ttml may read)", SUBTITLES),
    text("stl", &[], "subtitles in an unsupported format (EBU or Spruce STL)", SUBTITLES),
    text("mpl mpl2 pjs jss aqt psb rt ttxt pac mcc", &[], "subtitles in an unsupported format", SUBTITLES),
    text("srv1 srv2 srv3 ytt", &["<timedtext", "<transcript"], "captions of YouTube in XML (srv)", YOUTUBE),
    text("eaf", &["<ANNOTATION_DOCUMENT"], "an annotation of ELAN", ANNOTATION),
    text("exb exs flextext antx", &[], "an annotation in XML", ANNOTATION),
    text("trs", &["<Trans"], "a transcript of Transcriber", ANNOTATION),
    text("cha", &["@UTF8\n@", "@Begin\n"], "a transcript in CHAT, the format of CLAN", ANNOTATION),
    text("po pot", &["msgid \"", "msgctxt \""], "translations of gettext", GETTEXT),
    text("yml yaml", &["%YAML "], "data in YAML", KEYS),
    text(
        "properties ini toml strings stringsdict arb resx xliff xlf tmx",
        &[],
        "a file of settings or translations",
        KEYS,
    ),
    text(
        "bib ris enw nbib",
        &[
            "@article{",
            "@book{",
            "@incollection{",
            "@inproceedings{",
            "@misc{",
            "@phdthesis{",
            "@string{",
            "@techreport{",
        ],
        "a bibliography (such as BibTeX)",
        KEYS,
    ),
    text("vcf ics", &["begin:vcard", "begin:vcalendar"], "contacts or a calendar (vCard, iCalendar)", KEYS),
    text("org", &["#+title:", "#+author:", "#+startup:", "#+options:"], "a document of Org", MARKUP),
    text(
        "rst adoc asciidoc mw mediawiki textile creole texi texinfo typ",
        &[],
        "a document with markup that is not read",
        MARKUP,
    ),
    text("fountain fdx", &[], "a screenplay (Fountain or Final Draft)", DOCUMENT),
    text("cho chordpro crd", &[], "a song with chords (ChordPro)", SONG),
    text("", &["#TITLE:", "#ARTIST:"], "a song of UltraStar", SONG),
    binary("idx sup", "subtitles as images (VobSub or PGS)", PICTURES),
    binary("parquet arrow feather orc avro", "a table in binary form (such as Parquet)", TABLE_REMEDY),
    binary("xlsx xls xlsm xlsb ods", "a spreadsheet", SHEET),
    binary("docx doc docm odt wpd", "a document of a word processor", DOCUMENT),
    binary("pptx ppt odp", "a presentation", DOCUMENT),
    binary("pdf", "a PDF document", "extract its text first (pdftotext does)"),
    binary("rtf", "a document in RTF", DOCUMENT),
    binary("epub mobi azw3 djvu", "an electronic book", BOOK),
    binary("wav mp3 m4a flac ogg opus aac wma aif aiff amr sph", "sound", SOUND),
    binary("mp4 mkv webm avi mov wmv flv m4v mpg mpeg", "a video", VIDEO),
    binary("png jpg jpeg gif bmp tif tiff webp heic", "an image", "read its text by OCR first"),
    binary("zip 7z rar tar tgz bz2", "an archive", ARCHIVE),
    binary(
        "db sqlite sqlite3 npz npy pkl pickle h5 safetensors",
        "data in binary form",
        "write its text as JSON lines or CSV first",
    ),
];

impl Unread {
    /// Returns the format that the extension of a file means, if it is one that is not read.
    pub(super) fn named(path: &Path) -> Option<&'static Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let (_, end) = files::uncompressed_name(&name).rsplit_once('.')?;
        UNREAD.iter().find(|unread| unread.extensions.split_whitespace().any(|known| known == end))
    }

    /// Returns the format that begins with these bytes, if it is one that is not read; `None` if more
    /// bytes are needed. `ended` is true if there are no more.
    pub(super) fn begun(head: &[u8], ended: bool) -> Option<Option<&'static Self>> {
        let head = FileHead::new(head, ended, "")?;
        for unread in &UNREAD {
            for opening in unread.openings {
                let is_begun = match opening.strip_prefix('<').filter(|root| !root.ends_with('>')) {
                    Some(root) => head.root()?.as_deref() == Some(root),
                    None => head.begins_like(opening)?,
                };
                if is_begun {
                    return Some(Some(unread));
                }
            }
        }
        Some(None)
    }

    /// Returns the error for a file of the format.
    pub(super) fn error(&self, file: impl Into<String>) -> Error {
        let mut problem = format!("found {}: {}", self.what, self.remedy);
        if self.is_text {
            problem += &format!(", or read it as text anyway with {} text", option("format"));
        }
        Error::file(file, problem)
    }
}

/// Refuses a file whose extension means a format that is not read.
///
/// # Errors
/// Fails for such a file.
pub(super) fn refuse_named(path: &Path) -> Result<()> {
    Unread::named(path).map_or(Ok(()), |unread| Err(unread.error(path.display().to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_is_not_read_is_named_with_what_to_do() {
        for (name, what, remedy) in [
            ("talk.dfxp", "DFXP", "SubRip"),
            ("a/talk.SCC", "Scenarist", "SubRip"),
            ("talk.sbv.gz", "SubViewer", "WebVTT"),
            ("talk.stl", "STL", "SubRip"),
            ("talk.smi", "SAMI", "SubRip"),
            ("talk.sub", "MicroDVD", "SubRip"),
            ("talk.srv3", "YouTube", "--sub-format vtt"),
            ("talk.TextGrid", "Praat", "Down to table"),
            ("talk.eaf", "ELAN", "export"),
            ("talk.parquet", "Parquet", "to_json"),
            ("talk.xlsx", "spreadsheet", "CSV"),
            ("talk.docx", "word processor", "plain text"),
            ("talk.pdf", "PDF", "pdftotext"),
            ("talk.rtf", "RTF", "plain text"),
            ("de.po", "gettext", "po2csv"),
            ("messages.pot", "gettext", "po2csv"),
            ("config.yml", "YAML", "JSON lines"),
            ("config.yaml", "YAML", "JSON lines"),
            ("app.properties", "settings", "JSON lines"),
            ("guide.rst", "markup", "Markdown"),
            ("guide.adoc", "markup", "Markdown"),
            ("guide.asciidoc", "markup", "Markdown"),
            ("page.mw", "markup", "Markdown"),
            ("notes.org", "Org", "Markdown"),
            ("refs.bib", "BibTeX", "JSON lines"),
            ("ana.vcf", "vCard", "CSV"),
            ("june.ics", "iCalendar", "CSV"),
            ("film.fountain", "screenplay", "plain text"),
            ("song.cho", "ChordPro", "lyrics"),
        ] {
            let error = refuse_named(name.as_ref()).unwrap_err().to_string();
            assert!(error.starts_with(name) && error.contains(what) && error.contains(remedy), "{error}");
            let is_binary = ["parquet", "xlsx", "docx", "pdf", "rtf"].iter().any(|end| name.ends_with(end));
            assert_eq!(error.contains("read it as text anyway"), !is_binary, "{error}");
        }
        for name in [
            "talk.srt",
            "talk.ttml",
            // The tag of a language.
            "talk.pt",
            "talk",
            "stl",
            "talk.stl.txt",
            "talk.html",
            "talk.xml",
            "talk.csv",
            "talk.lrc",
        ] {
            assert!(refuse_named(name.as_ref()).is_ok(), "{name}");
        }
    }

    #[test]
    fn an_extension_means_one_format() {
        let mut all: Vec<&str> =
            UNREAD.iter().flat_map(|unread| unread.extensions.split_whitespace()).collect();
        all.sort_unstable();
        assert!(all.windows(2).all(|two| two[0] != two[1]), "{all:?}");
        for extension in all {
            assert_eq!(crate::Format::named(format!("x.{extension}").as_ref()), None, "{extension}");
        }
    }

    /// Returns the format that begins with bytes that come one by one.
    fn begun(text: &str) -> Option<&'static Unread> {
        let bytes = text.as_bytes();
        let shown = (0..bytes.len()).find_map(|len| Unread::begun(&bytes[..len], false));
        let whole = Unread::begun(bytes, true).unwrap();
        assert_eq!(shown.unwrap_or(whole), whole, "{text:?}");
        whole
    }

    #[test]
    fn a_format_that_is_not_read_shows_in_the_first_bytes_however_they_arrive() {
        for (text, expected) in [
            ("File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n", Some("Praat")),
            ("Scenarist_SCC V1.0\n\n00:00:01:00\t9420\n", Some("Scenarist")),
            ("[INFORMATION]\n[TITLE]so\n", Some("(SubViewer)")),
            ("00:00:01.00,00:00:02.00\nso it is\n", Some("(SubViewer)")),
            ("0:00:01.000,0:00:02.000\nso it is\n", Some("(SubViewer)")),
            ("<SAMI>\n<HEAD>", Some("SAMI")),
            ("{0}{25}so it is\n", Some("MicroDVD")),
            ("@UTF8\n@PID:\t1\n@Begin\n", Some("CHAT")),
            ("msgid \"\"\nmsgstr \"\"\n", Some("gettext")),
            ("%YAML 1.2\n---\nso: it\n", Some("YAML")),
            ("#+TITLE: so it is\n", Some("Org")),
            ("@Article{ana2010,\n", Some("BibTeX")),
            ("BEGIN:VCARD\r\nVERSION:3.0\r\n", Some("vCard")),
            ("begin:vcalendar\n", Some("vCard")),
            ("#TITLE:so it is\n#ARTIST:ana\n", Some("UltraStar")),
            ("#title: so it is\n", None),
            ("a = b\nso = it\n", None),
            ("ana: so we met\n", None),
            ("begin: so it is\n", None),
            ("@book club\n", None),
            ("#+1 from me\n", None),
            ("msgid is a word\n", None),
            ("File type is what matters\n", None),
            ("[information] so it is\n", None),
            ("{0} and {25} are sets\n", None),
            ("{\"text\":\"so\"}\n", None),
            ("00:00:01.00, said the man\n", None),
            ("@ana so it is\n", None),
            ("<sample>\n", None),
            ("", None),
        ] {
            let found = begun(text).map(|unread| unread.what);
            assert_eq!(found.is_some(), expected.is_some(), "{text:?}");
            assert!(found.unwrap_or("").contains(expected.unwrap_or("")), "{text:?}: {found:?}");
        }
    }
}
