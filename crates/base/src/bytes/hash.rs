//! wyhash, final version 4.2: the hash of lookup tables in files, the same on every machine.

/// The default secret of this version.
const SECRET: [u64; 4] =
    [0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9, 0x4b33_a62e_d433_d4a3, 0x4d5a_2da5_1de1_aa47];

/// Returns the wyhash (Wang Yi 2023) of bytes with a seed. The value is part of file formats and
/// never changes.
#[inline]
pub fn wyhash(bytes: &[u8], seed: u64) -> u64 {
    let len = bytes.len();
    let seed = seed ^ mix(seed ^ SECRET[0], SECRET[1]);
    let (seed, a, b) = match len {
        0 => (seed, 0, 0),
        1..=3 => {
            let [first, middle, last] = [0, len / 2, len - 1].map(|at| u64::from(bytes[at]));
            (seed, first << 16 | middle << 8 | last, 0)
        }
        4..=16 => {
            let step = len / 8 * 4;
            let pair = |at, then| four(bytes, at) << 32 | four(bytes, then);
            (seed, pair(0, step), pair(len - 4, len - 4 - step))
        }
        _ => (long(bytes, seed), eight(bytes, len - 16), eight(bytes, len - 8)),
    };
    let (low, high) = product(a ^ SECRET[1], b ^ seed);
    mix(low ^ SECRET[0] ^ len as u64, high ^ SECRET[1])
}

/// Returns the seed after an input of more than 16 bytes, except its last 1 to 16 bytes.
fn long(bytes: &[u8], mut seed: u64) -> u64 {
    let step = |seed: u64, secret: u64, at: usize, rest: &[u8]| {
        mix(eight(rest, at) ^ secret, eight(rest, at + 8) ^ seed)
    };
    let mut rest = bytes;
    if rest.len() >= 48 {
        let (mut second, mut third) = (seed, seed);
        while rest.len() >= 48 {
            seed = step(seed, SECRET[1], 0, rest);
            second = step(second, SECRET[2], 16, rest);
            third = step(third, SECRET[3], 32, rest);
            rest = &rest[48..];
        }
        seed ^= second ^ third;
    }
    while rest.len() > 16 {
        seed = step(seed, SECRET[1], 0, rest);
        rest = &rest[16..];
    }
    seed
}

#[inline]
fn four(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |part| u64::from(u32::from_le_bytes(*part)))
}

#[inline]
fn eight(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |part| u64::from_le_bytes(*part))
}

/// Returns the lower and the upper half of a product.
#[inline]
pub fn product(a: u64, b: u64) -> (u64, u64) {
    // On WebAssembly, a product of 128 bits is a function call.
    #[cfg(target_family = "wasm")]
    return product_in_parts(a, b);
    #[cfg(not(target_family = "wasm"))]
    {
        let product = u128::from(a) * u128::from(b);
        (product as u64, (product >> 64) as u64)
    }
}

/// Computes the same as [`product`] with products of 64 bits.
#[cfg(any(test, target_family = "wasm"))]
#[inline]
fn product_in_parts(a: u64, b: u64) -> (u64, u64) {
    const LOW: u64 = u32::MAX as u64;
    let ([a_low, a_high], [b_low, b_high]) = ([a & LOW, a >> 32], [b & LOW, b >> 32]);
    // No sum overflows: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.
    let middle = a_high * b_low + ((a_low * b_low) >> 32);
    let other = a_low * b_high + (middle & LOW);
    (a.wrapping_mul(b), a_high * b_high + (middle >> 32) + (other >> 32))
}

#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let (low, high) = product(a, b);
    low ^ high
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_product_in_parts_is_the_product(a: u64, b: u64) {
            for (a, b) in [(a, b), (a, u64::MAX), (u64::MAX, u64::MAX), (a & 0xffff_ffff, b), (a, b << 32)] {
                let product = u128::from(a) * u128::from(b);
                assert_eq!(product_in_parts(a, b), (product as u64, (product >> 64) as u64));
            }
        }
    }

    #[test]
    fn the_published_values_come_out() {
        // The vectors are from wyhash's `test_vector.cpp`: the index of a message is its seed.
        let expected: [(&str, u64); 7] = [
            ("", 0x9322_8a4d_e0ee_c5a2),
            ("a", 0xc5ba_c3db_1787_13c4),
            ("abc", 0xa97f_2f7b_1d9b_3314),
            ("message digest", 0x786d_1f1d_f380_1df4),
            ("abcdefghijklmnopqrstuvwxyz", 0xdca5_a813_8ad3_7c87),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 0xb9e7_34f1_17cf_af70),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                0x6cc5_eab4_9a92_d617,
            ),
        ];
        for (seed, (message, hash)) in (0..).zip(expected) {
            assert_eq!(wyhash(message.as_bytes(), seed), hash, "{message}");
        }
    }
}
