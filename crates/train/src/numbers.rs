//! Numbers with an encoding of fixed size in files.

use majuscule_base::error::Result;
use majuscule_base::files::Input;

/// A number with an encoding of fixed size, little-endian.
pub(crate) trait Number: Copy {
    const SIZE: usize;
    fn put(self, out: &mut Vec<u8>);
    /// Reads the number at the beginning of at least [`Number::SIZE`] bytes.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(
            impl Number for $number {
                const SIZE: usize = size_of::<Self>();

                #[inline]
                fn put(self, out: &mut Vec<u8>) {
                    out.extend_from_slice(&self.to_le_bytes());
                }

                #[inline]
                fn get(bytes: &[u8]) -> Self {
                    Self::from_le_bytes(*bytes.first_chunk().expect("the reader gives as many as the writer put"))
                }
            }
        )*
    };
}

numbers!(u8, u32, u64, f32, f64);

impl<A: Number, B: Number> Number for (A, B) {
    const SIZE: usize = A::SIZE + B::SIZE;

    #[inline]
    fn put(self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    #[inline]
    fn get(bytes: &[u8]) -> Self {
        (A::get(bytes), B::get(&bytes[A::SIZE..]))
    }
}

impl<T: Number, const N: usize> Number for [T; N] {
    const SIZE: usize = N * T::SIZE;

    #[inline]
    fn put(self, out: &mut Vec<u8>) {
        self.into_iter().for_each(|number| number.put(out));
    }

    #[inline]
    fn get(bytes: &[u8]) -> Self {
        std::array::from_fn(|at| T::get(&bytes[at * T::SIZE..]))
    }
}

/// The number of bytes that are read at once.
const PART: usize = 1 << 16;

/// Reads exactly `len` bytes, or returns `None` if there are fewer. Memory grows only with the bytes
/// that arrive, whatever length is claimed.
pub(crate) fn exact(input: &mut Input<'_>, len: usize) -> Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    while bytes.len() < len {
        let start = bytes.len();
        bytes.resize(len.min(start + PART), 0);
        let read = input.read(&mut bytes[start..])?;
        bytes.truncate(start + read);
        if read == 0 {
            return Ok(None);
        }
    }
    Ok(Some(bytes))
}
