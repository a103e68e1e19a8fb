//! Eight bytes of a text at once: as one number, the first byte lowest.
//!
//! What is looked for is flagged in the highest bit of its byte. Borrows may flag bytes behind the
//! first one by mistake, so only the lowest flag of a `first` counts; an `every` is exact.

const EACH: u64 = 0x0101_0101_0101_0101;
const HIGHEST: u64 = EACH << 7;

/// The eight bytes at an offset; `None` where there are fewer.
#[inline(always)]
pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// How many bytes come before the first flag; 8 where there is none.
#[inline(always)]
pub(crate) fn before(flags: u64) -> usize {
    flags.trailing_zeros() as usize / 8
}

/// Flags the first byte that is `byte`.
#[inline(always)]
pub(crate) fn first(word: u64, byte: u8) -> u64 {
    let other = word ^ (EACH * u64::from(byte));
    other.wrapping_sub(EACH) & !other & HIGHEST
}

/// Flags every byte that is `byte`.
#[inline(always)]
pub(crate) fn every(word: u64, byte: u8) -> u64 {
    const LOW: u64 = !HIGHEST;
    let other = word ^ (EACH * u64::from(byte));
    !(((other & LOW) + LOW) | other | LOW)
}

/// Flags the first byte that may not stand in a JSON string as it is: a quote, a backslash, a control
/// character.
#[inline(always)]
pub(crate) fn first_special(word: u64) -> u64 {
    // With bit 1 flipped, the quote (0x22) lies right above the control characters, and nothing else
    // comes below it.
    let quote_or_control = (word ^ (EACH * 0x02)).wrapping_sub(EACH * 0x21);
    let backslash = (word ^ (EACH * b'\\' as u64)).wrapping_sub(EACH);
    (quote_or_control | backslash) & !word & HIGHEST
}

/// Flags every such byte.
#[inline(always)]
pub(crate) fn every_special(word: u64) -> u64 {
    const LOW: u64 = !HIGHEST;
    // Whether the low seven bits are not those, or not below 0x20. No sum carries into the next byte.
    let not_quote = ((word ^ (EACH * b'"' as u64)) & LOW) + LOW;
    let not_backslash = ((word ^ (EACH * b'\\' as u64)) & LOW) + LOW;
    let not_control = (word & LOW) + EACH * 0x60;
    !(not_quote & not_backslash & not_control | word) & HIGHEST
}

/// Where the first such byte is from `at` on; the end where there is none.
#[inline(always)]
pub(crate) fn next_special(bytes: &[u8], mut at: usize) -> usize {
    // Most strings end in their first words.
    for _ in 0..4 {
        let Some(word) = word(bytes, at) else { break };
        let flags = first_special(word);
        if flags != 0 {
            return at + before(flags);
        }
        at += 8;
    }
    next_special_behind(bytes, at)
}

#[inline(never)]
fn next_special_behind(bytes: &[u8], mut at: usize) -> usize {
    let block = |at: usize| bytes.get(at..)?.first_chunk::<32>();
    while let Some(block) = block(at) {
        let words = block.chunks_exact(8).filter_map(|bytes| word(bytes, 0));
        if words.fold(0, |flags, word| flags | first_special(word)) != 0 {
            break;
        }
        at += 32;
    }
    while let Some(word) = word(bytes, at) {
        let flags = first_special(word);
        if flags != 0 {
            return at + before(flags);
        }
        at += 8;
    }
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(is_special).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn specials_are_found_where_they_are(
            plain in 0usize..80,
            bytes in prop::collection::vec(any::<u8>(), 0..70),
        ) {
            let bytes: Vec<u8> = core::iter::repeat_n(b'x', plain).chain(bytes).collect();
            let expected = bytes.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20);
            prop_assert_eq!(next_special(&bytes, 0), expected.unwrap_or(bytes.len()));
        }

        #[test]
        fn bytes_are_flagged_where_they_stand(bytes: [u8; 8], wanted: u8) {
            let word = u64::from_le_bytes(bytes);
            let expected = bytes.iter().position(|byte| *byte == wanted).unwrap_or(8);
            prop_assert_eq!(before(first(word, wanted)), expected);
            let flags = every(word, wanted).to_le_bytes();
            prop_assert_eq!(flags, bytes.map(|byte| if byte == wanted { 0x80 } else { 0 }));
            let is_special = |byte: u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
            let flags = every_special(word).to_le_bytes();
            prop_assert_eq!(flags, bytes.map(|byte| if is_special(byte) { 0x80 } else { 0 }));
        }
    }
}
