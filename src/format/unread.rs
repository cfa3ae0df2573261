//! Formats of subtitles, transcripts, documents and data that are not read, by their names and first
//! bytes, with what to do instead: taken for text, their times, keys and codes would be words.

use std::path::Path;

use crate::error::{Error, Result, option};
use crate::files;

/// A format that is not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unread {
    /// The file extensions.
    extensions: &'static [&'static str],
    /// The name of the format, as what a file is.
    what: &'static str,
    /// The way to a format that is read.
    remedy: &'static str,
    /// True if its files are text, which can be read as such nevertheless.
    is_text: bool,
}

/// The way from subtitles that are not read.
const SUBTITLES: &str = "convert them to SubRip or WebVTT first (Subtitle Edit does)";

/// The way from captions of YouTube in JSON or XML.
const YOUTUBE: &str =
    "download them as WebVTT (yt-dlp --sub-format vtt), or convert them to SubRip or WebVTT first";

/// The way from a document with text.
const DOCUMENT: &str = "save its text as plain text (.txt) first";

/// The way from an annotation.
const ANNOTATION: &str =
    "export its text as SubRip, as a table with tabs (.tsv) or as plain text, and name that file";

/// The way from a file whose texts have keys.
const TEXTS_WITH_KEYS: &str =
    "write its texts as CSV or JSON lines first, and name the column or field of the text";

/// The way from a document with markup.
const MARKUP: &str = "convert it to Markdown (.md) or HTML first (pandoc and Asciidoctor do)";

/// The way from a song.
const SONG: &str = "save its words as plain text (.txt) or lyrics (.lrc) first";

const TEXT_GRID: Unread = Unread {
    extensions: &["textgrid"],
    what: "a TextGrid of Praat",
    remedy: "write its text as a table with tabs (in Praat: Tabulate, Down to table), and name that as .tsv with the column of the text",
    is_text: true,
};
const SCENARIST: Unread = Unread {
    extensions: &["scc"],
    what: "subtitles in an unsupported format (Scenarist)",
    remedy: SUBTITLES,
    is_text: true,
};
const SUB_VIEWER: Unread = Unread {
    extensions: &["sbv"],
    what: "subtitles in an unsupported format (SubViewer)",
    remedy: SUBTITLES,
    is_text: true,
};
const SAMI: Unread = Unread {
    extensions: &["smi", "sami"],
    what: "subtitles in an unsupported format (SAMI)",
    remedy: SUBTITLES,
    is_text: true,
};
const MICRO_DVD: Unread = Unread {
    extensions: &["sub"],
    what: "subtitles in an unsupported format (MicroDVD, SubViewer or VobSub)",
    remedy: SUBTITLES,
    is_text: true,
};
const YOUTUBE_JSON: Unread = Unread {
    extensions: &["json3"],
    what: "captions of YouTube in JSON (json3)",
    remedy: YOUTUBE,
    is_text: true,
};
const YOUTUBE_XML: Unread = Unread {
    extensions: &["srv1", "srv2", "srv3", "ytt"],
    what: "captions of YouTube in XML (srv)",
    remedy: YOUTUBE,
    is_text: true,
};
const ELAN: Unread =
    Unread { extensions: &["eaf"], what: "an annotation of ELAN", remedy: ANNOTATION, is_text: true };
const TRANSCRIBER: Unread =
    Unread { extensions: &["trs"], what: "a transcript of Transcriber", remedy: ANNOTATION, is_text: true };
const CHAT: Unread = Unread {
    extensions: &["cha"],
    what: "a transcript in CHAT, the format of CLAN",
    remedy: ANNOTATION,
    is_text: true,
};
const USF: Unread = Unread {
    extensions: &["usf"],
    what: "subtitles in an unsupported format (Universal Subtitle Format)",
    remedy: SUBTITLES,
    is_text: true,
};
const GETTEXT: Unread = Unread {
    extensions: &["po", "pot"],
    what: "translations of gettext",
    remedy: "write its texts as CSV first (po2csv does), and name the column of the text",
    is_text: true,
};
const YAML: Unread =
    Unread { extensions: &["yml", "yaml"], what: "data in YAML", remedy: TEXTS_WITH_KEYS, is_text: true };
const ORG: Unread = Unread { extensions: &["org"], what: "a document of Org", remedy: MARKUP, is_text: true };
const BIBLIOGRAPHY: Unread = Unread {
    extensions: &["bib", "ris", "enw", "nbib"],
    what: "a bibliography (such as BibTeX)",
    remedy: TEXTS_WITH_KEYS,
    is_text: true,
};
const CARD: Unread = Unread {
    extensions: &["vcf", "ics"],
    what: "contacts or a calendar (vCard, iCalendar)",
    remedy: TEXTS_WITH_KEYS,
    is_text: true,
};
const ULTRA_STAR: Unread =
    Unread { extensions: &[], what: "a song of UltraStar", remedy: SONG, is_text: true };

/// The formats that are not read. Those without extensions show in their first bytes alone.
static UNREAD: [Unread; 38] = [
    TEXT_GRID,
    SCENARIST,
    SUB_VIEWER,
    SAMI,
    MICRO_DVD,
    YOUTUBE_JSON,
    YOUTUBE_XML,
    ELAN,
    TRANSCRIBER,
    CHAT,
    USF,
    GETTEXT,
    YAML,
    ORG,
    BIBLIOGRAPHY,
    CARD,
    ULTRA_STAR,
    Unread {
        extensions: &[
            "properties",
            "ini",
            "toml",
            "strings",
            "stringsdict",
            "arb",
            "resx",
            "xliff",
            "xlf",
            "tmx",
        ],
        what: "a file of settings or translations",
        remedy: TEXTS_WITH_KEYS,
        is_text: true,
    },
    Unread {
        extensions: &[
            "rst",
            "adoc",
            "asciidoc",
            "mw",
            "mediawiki",
            "textile",
            "creole",
            "texi",
            "texinfo",
            "typ",
        ],
        what: "a document with markup that is not read",
        remedy: MARKUP,
        is_text: true,
    },
    Unread {
        extensions: &["fountain", "fdx"],
        what: "a screenplay (Fountain or Final Draft)",
        remedy: DOCUMENT,
        is_text: true,
    },
    Unread {
        extensions: &["cho", "chordpro", "crd"],
        what: "a song with chords (ChordPro)",
        remedy: SONG,
        is_text: true,
    },
    Unread {
        extensions: &["dfxp"],
        what: "subtitles in an unsupported format (DFXP, which the format ttml may read)",
        remedy: SUBTITLES,
        is_text: true,
    },
    Unread {
        extensions: &["stl"],
        what: "subtitles in an unsupported format (EBU or Spruce STL)",
        remedy: SUBTITLES,
        is_text: true,
    },
    Unread {
        extensions: &["idx", "sup"],
        what: "subtitles as images (VobSub or PGS)",
        remedy: "read their text by OCR first (Subtitle Edit does), and name the SubRip file that it writes",
        is_text: false,
    },
    Unread {
        extensions: &["mpl", "mpl2", "pjs", "jss", "aqt", "psb", "rt", "ttxt", "pac", "mcc"],
        what: "subtitles in an unsupported format",
        remedy: SUBTITLES,
        is_text: true,
    },
    Unread {
        extensions: &["exb", "exs", "flextext", "antx"],
        what: "an annotation in XML",
        remedy: ANNOTATION,
        is_text: true,
    },
    Unread {
        extensions: &["parquet", "arrow", "feather", "orc", "avro"],
        what: "a table in binary form (such as Parquet)",
        remedy: TABLE_REMEDY,
        is_text: false,
    },
    Unread {
        extensions: &["xlsx", "xls", "xlsm", "xlsb", "ods"],
        what: "a spreadsheet",
        remedy: "save the sheet as CSV, and name the column of the text",
        is_text: false,
    },
    Unread {
        extensions: &["docx", "doc", "docm", "odt", "wpd"],
        what: "a document of a word processor",
        remedy: DOCUMENT,
        is_text: false,
    },
    Unread { extensions: &["pptx", "ppt", "odp"], what: "a presentation", remedy: DOCUMENT, is_text: false },
    Unread {
        extensions: &["pdf"],
        what: "a PDF document",
        remedy: "extract its text first (pdftotext does)",
        is_text: false,
    },
    Unread { extensions: &["rtf"], what: "a document in RTF", remedy: DOCUMENT, is_text: false },
    Unread {
        extensions: &["epub", "mobi", "azw3", "djvu"],
        what: "an electronic book",
        remedy: "convert it to plain text first (Calibre does)",
        is_text: false,
    },
    Unread {
        extensions: &["wav", "mp3", "m4a", "flac", "ogg", "opus", "aac", "wma", "aif", "aiff", "amr", "sph"],
        what: "sound",
        remedy: "transcribe it with a recogniser first, and name the transcript",
        is_text: false,
    },
    Unread {
        extensions: &["mp4", "mkv", "webm", "avi", "mov", "wmv", "flv", "m4v", "mpg", "mpeg"],
        what: "a video",
        remedy: "extract its subtitles (ffmpeg does) or transcribe it with a recogniser first",
        is_text: false,
    },
    Unread {
        extensions: &["png", "jpg", "jpeg", "gif", "bmp", "tif", "tiff", "webp", "heic"],
        what: "an image",
        remedy: "read its text by OCR first",
        is_text: false,
    },
    Unread {
        extensions: &["zip", "7z", "rar", "tar", "tgz", "bz2"],
        what: "an archive",
        remedy: "unpack it, and name the texts in it (.gz, .zst and .xz of one text are read)",
        is_text: false,
    },
    Unread {
        extensions: &["db", "sqlite", "sqlite3", "npz", "npy", "pkl", "pickle", "h5", "safetensors"],
        what: "data in binary form",
        remedy: "write its text as JSON lines or CSV first",
        is_text: false,
    },
];

/// The way from a table in binary form.
pub(super) const TABLE_REMEDY: &str = "write its text as JSON lines or CSV first, for example in Python with pandas: \
                                       pandas.read_parquet(\"x.parquet\").to_json(\"x.jsonl\", orient=\"records\", lines=True, \
                                       force_ascii=False)";

/// The bytes with which files of a format begin, and texts never. Those in small letters may be in
/// capitals.
static OPENINGS: [(&[u8], &Unread); 25] = [
    (b"File type = \"ooTextFile\"", &TEXT_GRID),
    (b"Scenarist_SCC V", &SCENARIST),
    (b"[INFORMATION]", &SUB_VIEWER),
    (b"<sami>", &SAMI),
    (b"@UTF8\n@", &CHAT),
    (b"@Begin\n", &CHAT),
    (b"msgid \"", &GETTEXT),
    (b"msgctxt \"", &GETTEXT),
    (b"%YAML ", &YAML),
    (b"#+title:", &ORG),
    (b"#+author:", &ORG),
    (b"#+startup:", &ORG),
    (b"#+options:", &ORG),
    (b"@article{", &BIBLIOGRAPHY),
    (b"@book{", &BIBLIOGRAPHY),
    (b"@incollection{", &BIBLIOGRAPHY),
    (b"@inproceedings{", &BIBLIOGRAPHY),
    (b"@misc{", &BIBLIOGRAPHY),
    (b"@phdthesis{", &BIBLIOGRAPHY),
    (b"@string{", &BIBLIOGRAPHY),
    (b"@techreport{", &BIBLIOGRAPHY),
    (b"begin:vcard", &CARD),
    (b"begin:vcalendar", &CARD),
    (b"#TITLE:", &ULTRA_STAR),
    (b"#ARTIST:", &ULTRA_STAR),
];

impl Unread {
    /// Returns the format that the extension of a file means, if it is one that is not read.
    pub(super) fn named(path: &Path) -> Option<&'static Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let (_, end) = files::uncompressed_name(&name).rsplit_once('.')?;
        UNREAD.iter().find(|unread| unread.extensions.contains(&end))
    }

    /// Returns the format that begins with these bytes, behind a byte-order mark and white space;
    /// `None` if more bytes are needed. `ended` is true if there are no more.
    pub(super) fn begun(head: &[u8], ended: bool) -> Option<Option<&'static Self>> {
        if head.is_empty() {
            return ended.then_some(None);
        }
        for (opening, unread) in OPENINGS {
            let len = head.len().min(opening.len());
            if head[..len] == opening[..len] || head[..len].to_ascii_lowercase() == opening[..len] {
                match len == opening.len() {
                    true => return Some(Some(unread)),
                    false if !ended && len > 0 => return None,
                    false => {}
                }
            }
        }
        match head.first() {
            Some(b'{') => micro_dvd(head, ended),
            Some(b'0'..=b'9') => sub_viewer(head, ended),
            _ => Some(None),
        }
    }

    /// Returns the format of an XML document with this root element.
    pub(super) fn of_root(name: &str) -> Option<&'static Self> {
        Some(match name {
            "timedtext" | "transcript" => &YOUTUBE_XML,
            "ANNOTATION_DOCUMENT" => &ELAN,
            "Trans" => &TRANSCRIBER,
            "USFSubtitles" => &USF,
            _ => return None,
        })
    }

    /// Returns the error for a file of the format.
    pub(super) fn error(&self, file: impl Into<String>) -> Error {
        let Self { what, remedy, is_text, .. } = self;
        let problem = match is_text {
            true => {
                format!("found {what}: {remedy}, or read it as text anyway with {} text", option("format"))
            }
            false => format!("found {what}: {remedy}"),
        };
        Error::file(file, problem)
    }
}

/// Detects the frames of a cue of MicroDVD, `{0}{25}`, and the captions of YouTube in JSON.
fn micro_dvd(head: &[u8], ended: bool) -> Option<Option<&'static Unread>> {
    let key = b"\"wireMagic\"";
    let rest = head[1..].trim_ascii_start();
    if rest.starts_with(key) {
        return Some(Some(&YOUTUBE_JSON));
    }
    if key.starts_with(rest) && !ended {
        return None;
    }
    matched(head, &["{", "0", "}", "{", "0", "}"], ended).map(|is_it| is_it.then_some(&MICRO_DVD))
}

/// Detects the times of a cue of SubViewer: `00:00:01.00,00:00:02.00`.
fn sub_viewer(head: &[u8], ended: bool) -> Option<Option<&'static Unread>> {
    let times = ["0", ":", "0", ":", "0", ".", "0", ",", "0", ":", "0", ":", "0", ".", "0"];
    matched(head, &times, ended).map(|is_it| is_it.then_some(&SUB_VIEWER))
}

/// Returns true if the bytes begin with these signs, of which `0` is a number of at most 12 digits;
/// `None` if more bytes are needed.
pub(super) fn matched(head: &[u8], signs: &[&str], ended: bool) -> Option<bool> {
    let mut at = 0;
    for sign in signs {
        let rest = &head[at..];
        let len = match *sign {
            "0" => rest.iter().take(12).take_while(|b| b.is_ascii_digit()).count(),
            sign => usize::from(rest.starts_with(sign.as_bytes())),
        };
        if rest.is_empty() {
            return ended.then_some(false);
        }
        if len == 0 {
            return Some(false);
        }
        at += len;
    }
    Some(true)
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
            ("talk.en.json3", "YouTube", "--sub-format vtt"),
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
        let mut all: Vec<&str> = UNREAD.iter().flat_map(|unread| unread.extensions).copied().collect();
        all.sort_unstable();
        assert!(all.windows(2).all(|two| two[0] != two[1]), "{all:?}");
        for extension in all {
            assert_eq!(crate::format::Format::named(format!("x.{extension}").as_ref()), None, "{extension}");
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
            ("File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n", Some(&TEXT_GRID)),
            ("Scenarist_SCC V1.0\n\n00:00:01:00\t9420\n", Some(&SCENARIST)),
            ("[INFORMATION]\n[TITLE]so\n", Some(&SUB_VIEWER)),
            ("00:00:01.00,00:00:02.00\nso it is\n", Some(&SUB_VIEWER)),
            ("0:00:01.000,0:00:02.000\nso it is\n", Some(&SUB_VIEWER)),
            ("<SAMI>\n<HEAD>", Some(&SAMI)),
            ("{0}{25}so it is\n", Some(&MICRO_DVD)),
            ("{\n  \"wireMagic\": \"pb3\",\n", Some(&YOUTUBE_JSON)),
            ("@UTF8\n@PID:\t1\n@Begin\n", Some(&CHAT)),
            ("msgid \"\"\nmsgstr \"\"\n", Some(&GETTEXT)),
            ("%YAML 1.2\n---\nso: it\n", Some(&YAML)),
            ("#+TITLE: so it is\n", Some(&ORG)),
            ("@Article{ana2010,\n", Some(&BIBLIOGRAPHY)),
            ("BEGIN:VCARD\r\nVERSION:3.0\r\n", Some(&CARD)),
            ("begin:vcalendar\n", Some(&CARD)),
            ("#TITLE:so it is\n#ARTIST:ana\n", Some(&ULTRA_STAR)),
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
            assert_eq!(begun(text), expected, "{text:?}");
        }
    }
}
