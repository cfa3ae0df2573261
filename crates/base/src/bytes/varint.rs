//! Numbers in as few bytes as they need, seven bits per byte, the lowest bits first (LEB128).

/// Appends a number.
#[inline]
pub fn put(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads the number at byte `at`, and moves `at` past it; `None` if the bytes end before, or the
/// number has more than five bytes.
#[inline]
pub fn take(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let (mut number, mut shift) = (0u32, 0);
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_put() {
        let numbers = [0, 1, 127, 128, 300, u32::MAX >> 1, u32::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| put(number, &mut bytes));
        // 7 bits a byte: 1 + 1 + 1 + 2 + 2 + 5 + 5.
        assert_eq!(bytes.len(), 17);
        let mut at = 0;
        assert!(numbers.iter().all(|&number| take(&bytes, &mut at) == Some(number)));
        assert_eq!((at, take(&bytes, &mut at)), (17, None));
        assert_eq!(take(&[0x80; 6], &mut 0), None);
    }
}
