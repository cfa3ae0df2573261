//! `majuscule strip`: takes capitals and punctuation out of text.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;

use super::targets::{Destination, NamedTexts};
use super::{host, messages};
use majuscule_arguments::{by_name, default_name};
use majuscule_base::bytes::Bytes;
use majuscule_base::error::Error;
use majuscule_base::files::{self, Encoding, Limits, Publish};
use majuscule_format::{Format, Stripping, decoded_text, strip};
use majuscule_restore::pool::detected_format;
use majuscule_text::{Locale, RestoreOptions};

/// Takes capitals and punctuation out of text, as a recogniser would have written it
///
/// For tests and training texts, in every format that restore reads: the words, their order and
/// everything that is not text stay. Without --case and --marks, both are taken out. A word stays
/// as it is if restore does not change it (code, tags, URLs, placeholders), and no mark is taken out
/// of a word (it's, x-ray, 3.5, 10:30, a@b.example).
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct StripArgs {
    /// The limits on the memory that a text may take.
    #[arg(from_global, id = "input_limit")]
    limits: Limits,
    #[command(flatten)]
    texts: NamedTexts,
    /// Write the words in small letters, and leave the marks
    #[arg(long)]
    case: bool,
    /// Take out the marks around words, and leave the capitals: . , ? ! : ; … ¿ ¡, dashes between
    /// words, quotation marks and round brackets
    #[arg(long)]
    marks: bool,
    /// Format of the files; everything in them except the text stays unchanged
    #[arg(long, value_parser = by_name::<Format>(), default_value = default_name::<Format>())]
    format: Format,
    /// Field of jsonl, or column of tsv, csv or conll, that holds the text, as for restore
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
    /// Encoding of texts without a byte-order mark (one of UTF-8 or UTF-16 takes precedence), as for
    /// restore; UTF-8 by default. Texts are written in their own encoding
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    /// Language of the texts, such as nl, whose case mappings and speaker labels are used
    #[arg(long, value_name = "TAG", value_parser = super::page::language)]
    lang: Option<String>,
    /// Language whose case mappings are used, such as tr or nl; by default the one in --lang
    #[arg(long, value_name = "LANG")]
    locale: Option<Locale>,
    /// Copy parts that cannot be read unchanged, instead of stopping at them
    #[arg(long)]
    lossy: bool,
}

const EXAMPLES: &str = "\
Examples:
  majuscule strip talk.txt -o talk.bare.txt
  majuscule strip --marks talk.srt | majuscule restore --format srt --marks - | diff talk.srt -
  majuscule strip --case --lang tr haberler/ -o bare/";

/// Takes capitals and punctuation out of all texts.
pub fn run(args: &StripArgs) -> Result<ExitCode> {
    let options = args.options()?;
    let outputs = match args.texts.way(args.format, None, &[], "")? {
        Destination::Joined(paths, target) => vec![(paths, Some(target))],
        Destination::Apart(pairs) => pairs.into_iter().map(|(path, to)| (vec![path], Some(to))).collect(),
        others => vec![(others.paths().into_iter().map(Path::to_owned).collect(), None)],
    };
    let is_several = outputs.len() > 1;
    let mut code = ExitCode::SUCCESS;
    for (texts, target) in outputs {
        match args.write(&texts, target.as_deref(), &options) {
            Err(error) if is_several => code = crate::report(&error.into()),
            written => written?,
        }
    }
    Ok(code)
}

impl StripArgs {
    /// Returns the parts that are taken out: both, unless one is named.
    fn stripping(&self) -> Stripping {
        let both = self.case == self.marks;
        Stripping { case: self.case || both, marks: self.marks || both }
    }

    fn options(&self) -> Result<RestoreOptions, Error> {
        let of = |tag: &String| tag.parse().map_err(|error| Error::usage(format!("--lang {error}")));
        let locale = match self.locale {
            None => self.lang.as_ref().map(of).transpose()?,
            named => named,
        };
        Ok(RestoreOptions::default()
            .in_language(self.lang.clone())
            .in_locale(locale)
            .field(self.field.clone())
            .lossy(self.lossy)
            .limits(self.limits)
            .interrupt(host::interrupt()))
    }

    /// Writes texts one after another to a file, or to standard output.
    fn write(&self, texts: &[PathBuf], target: Option<&Path>, options: &RestoreOptions) -> Result<(), Error> {
        if let Some(folder) = target.and_then(Path::parent) {
            std::fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
        }
        let (mut file, mut stdout) = (target.map(Publish::new).transpose()?, host::stdout());
        let target = target.unwrap_or(Path::new("standard output"));
        let mut read_as = Vec::new();
        for path in texts {
            let out: &mut dyn Write = file.as_mut().map_or(&mut stdout, |file| file);
            let input = host::open(path)?.within(self.limits);
            let (mut input, mut encoder) = decoded_text(input, self.encoding.as_ref(), self.lossy)?;
            let kind = match self.format {
                Format::Auto => detected_format(&mut input)?.0,
                named => named,
            };
            let name = input.name().to_owned();
            strip(kind.read_as(), input, options, self.stripping(), &mut |bytes| {
                encoder.write(bytes, out).map_err(|error| files::unwritten(&name, target, error))
            })?;
            let written = encoder.finish(out).and_then(|()| out.flush());
            written.map_err(|error| files::unwritten(&name, target, error))?;
            read_as.push((path.clone(), encoder.encoding().clone()));
        }
        Bytes::check_unchanged()?;
        file.map_or(Ok(()), Publish::commit)?;
        messages::tell_encodings(&read_as, self.encoding.as_ref());
        Ok(())
    }
}
