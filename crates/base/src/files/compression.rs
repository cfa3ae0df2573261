//! Compressed files: their magic bytes, and readers that decompress them.

use std::io::{self, Read};

use super::input::BUFFER;
use crate::error::Result;

/// The compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstandard,
    Xz,
}

/// Reads the first bytes, enough to detect compression. The first line of a slow pipe may be short,
/// and it must not wait for the next line.
pub(super) fn head(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut head = vec![0; BUFFER];
    let mut len = 0;
    while Compression::may_begin(&head[..len]) {
        match source.read(&mut head[len..]) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(len);
    Ok(head)
}

impl Compression {
    /// The magic bytes. Some tools begin with a skippable frame of Zstandard, whose first byte is from 0x50 to 0x5f
    /// (pzstd, seekable files).
    const MAGIC: [(Self, &'static [u8]); 4] = [
        (Self::Gzip, &[0x1f, 0x8b]),
        (Self::Zstandard, &[0x28, 0xb5, 0x2f, 0xfd]),
        (Self::Zstandard, &[0x50, 0x2a, 0x4d, 0x18]),
        (Self::Xz, &[0xfd, b'7', b'z', b'X', b'Z', 0]),
    ];

    pub(super) fn of(head: &[u8]) -> Option<Self> {
        Self::find(head, |head, magic| head.starts_with(magic))
    }

    /// Returns true if the bytes are a proper prefix of magic bytes, so that more bytes are needed.
    fn may_begin(head: &[u8]) -> bool {
        Self::find(head, |head, magic| head.len() < magic.len() && magic.starts_with(head)).is_some()
    }

    /// Returns the first compression whose magic bytes `is_found` in the first bytes of a file.
    fn find(head: &[u8], is_found: impl Fn(&[u8], &[u8]) -> bool) -> Option<Self> {
        let mut head = head[..head.len().min(8)].to_vec();
        if matches!(head.first(), Some(0x50..=0x5f)) {
            head[0] = 0x50;
        }
        Self::MAGIC.into_iter().find(|(_, magic)| is_found(&head, magic)).map(|(compression, _)| compression)
    }

    /// Returns the name of the program that unpacks it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstandard => "zstd",
            Self::Xz => "xz",
        }
    }

    #[cfg(feature = "compression")]
    pub(super) fn reader<'a>(
        self,
        _: &str,
        source: impl Read + Send + 'a,
    ) -> Result<Box<dyn Read + Send + 'a>> {
        let source = io::BufReader::with_capacity(BUFFER, source);
        Ok(match self {
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(source)),
            Self::Zstandard => Box::new(zstandard::Frames::new(source)),
            Self::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(source)),
        })
    }

    #[cfg(not(feature = "compression"))]
    pub(super) fn reader<'a>(
        self,
        file: &str,
        _: impl Read + Send + 'a,
    ) -> Result<Box<dyn Read + Send + 'a>> {
        Err(crate::error::Error::file(
            file,
            format!(
                "is compressed with {}, which this build does not read: decompress it, or build with --features \
                 compression",
                self.name()
            ),
        ))
    }
}

/// Zstandard files: a sequence of frames; skippable frames are ignored.
#[cfg(feature = "compression")]
mod zstandard {
    use std::error::Error;
    use std::io::{self, BufRead, ErrorKind, Read};

    use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
    use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

    pub struct Frames<R> {
        source: R,
        decoder: FrameDecoder,
        /// True inside a frame.
        inside: bool,
    }

    impl<R: BufRead> Frames<R> {
        pub fn new(source: R) -> Self {
            Self { source, decoder: FrameDecoder::new(), inside: false }
        }

        /// Advances to the next frame with data; returns false at the end of the file.
        fn begin(&mut self) -> io::Result<bool> {
            while !self.source.fill_buf()?.is_empty() {
                match self.decoder.reset(&mut self.source) {
                    Ok(()) => {
                        self.inside = true;
                        return Ok(true);
                    }
                    Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                        length,
                        ..
                    })) => skip(&mut self.source, u64::from(length))?,
                    Err(error) => return Err(explain(error)),
                }
            }
            Ok(false)
        }

        fn end(&mut self) -> io::Result<()> {
            self.inside = false;
            match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
                (Some(stored), Some(found)) if stored != found => {
                    Err(io::Error::new(ErrorKind::InvalidData, "the checksum does not match"))
                }
                _ => Ok(()),
            }
        }
    }

    impl<R: BufRead> Read for Frames<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if buffer.is_empty() {
                return Ok(0);
            }
            loop {
                if !self.inside && !self.begin()? {
                    return Ok(0);
                }
                while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                    let one = BlockDecodingStrategy::UptoBlocks(1);
                    self.decoder.decode_blocks(&mut self.source, one).map_err(explain)?;
                }
                match self.decoder.read(buffer)? {
                    0 => self.end()?,
                    n => return Ok(n),
                }
            }
        }
    }

    fn skip(source: &mut impl BufRead, length: u64) -> io::Result<()> {
        let skipped = io::copy(&mut source.take(length), &mut io::sink())?;
        if skipped < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// Returns the underlying error of the system, if there is one, which distinguishes a truncated
    /// file from a damaged one.
    fn explain(error: FrameDecoderError) -> io::Error {
        let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
        while let Some(error) = cause {
            if let Some(error) = error.downcast_ref::<io::Error>() {
                return error.kind().into();
            }
            cause = error.source();
        }
        io::Error::new(ErrorKind::InvalidData, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Input;

    fn read(bytes: &[u8]) -> Result<Vec<u8>> {
        Input::new("given", io::Cursor::new(bytes.to_vec()))?.bytes()
    }

    #[cfg(feature = "compression")]
    mod compressed {
        use std::io::Write;

        use proptest::prelude::*;

        use super::*;

        fn gz(bytes: &[u8]) -> Vec<u8> {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }

        fn zst(bytes: &[u8]) -> Vec<u8> {
            ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
        }

        fn xz(bytes: &[u8]) -> Vec<u8> {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }

        type Compress = fn(&[u8]) -> Vec<u8>;
        const ALL: [(&str, Compress); 3] = [("gzip", gz), ("zstd", zst), ("xz", xz)];

        proptest! {
            #![proptest_config(ProptestConfig::with_cases(32))]

            #[test]
            fn compressed_data_one_after_another_read_as_one(parts: Vec<Vec<u8>>) {
                for (name, compress) in ALL {
                    let file: Vec<u8> = parts.iter().flat_map(|part| compress(part)).collect();
                    prop_assert_eq!(read(&file).unwrap(), parts.concat(), "{}", name);
                }
            }

            #[test]
            fn damaged_data_are_an_error_or_the_same_and_never_a_panic(
                at in 8usize..400, byte: u8, text in "[a-m ]{300,900}",
            ) {
                for (_, compress) in ALL {
                    let mut file = compress(text.as_bytes());
                    let at = at % file.len();
                    file[at] = byte;
                    // After the magic bytes, alterations are noticed, except in some bytes of a
                    // header that mean nothing.
                    if let (Ok(found), true) = (read(&file), at >= 8) {
                        prop_assert_eq!(found, text.as_bytes());
                    }
                }
            }
        }

        #[test]
        fn data_that_are_cut_off_anywhere_are_an_error_that_says_so() {
            let text = "The plenary of Strasbourg sits for twelve weeks a year.\n".repeat(40);
            for (name, compress) in ALL {
                let file = compress(text.as_bytes());
                for cut in 6..file.len() {
                    let error = read(&file[..cut]).unwrap_err().to_string();
                    assert!(
                        error.starts_with(&format!("given: the {name} data are cut off")),
                        "{cut}: {error}"
                    );
                }
                // The same holds in a second compressed stream.
                let mut two = file.clone();
                two.extend(&file[..file.len() - 3]);
                assert!(read(&two).unwrap_err().to_string().contains("cut off"));
            }
        }

        #[test]
        fn frames_to_skip_are_skipped() {
            let skip = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'a', b'b', b'c'];
            let file = [&skip[..], &zst(b"Douro"), &skip, &zst(b" and Tejo")].concat();
            assert_eq!(read(&file).unwrap(), b"Douro and Tejo");
            assert!(read(&skip[..9]).unwrap_err().to_string().contains("cut off"));
        }
    }

    #[test]
    #[cfg(not(feature = "compression"))]
    fn a_build_without_compression_says_how_to_build() {
        let error = read(&[0x1f, 0x8b, 8, 0]).unwrap_err().to_string();
        assert!(error.contains("--features compression"), "{error}");
    }

    #[test]
    fn an_empty_input_and_a_lone_byte_are_read() {
        assert_eq!(read(b"").unwrap(), b"");
        assert_eq!(read(b"\x1f").unwrap(), b"\x1f");
    }
}
