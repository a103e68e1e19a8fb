//! Which brackets are open, to the depth where it still matters.

/// Nesting depth up to which the kind of each open bracket is known. Deeper text is no valid
/// argument (the JSON depth limit is 128); there brackets are only counted.
const KNOWN: u32 = 128;

/// The open brackets of one value.
///
/// A closing bracket closes the nearest open one of its kind and all that stand unclosed above it,
/// so that one bracket forgotten inside does not shift the end of the whole.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Brackets {
    /// One bit of the kind for each open bracket, the innermost lowest.
    low: u128,
    high: u128,
    pub depth: u32,
}

/// A kind of bracket: `{}` 0, `[]` 1, `()` 2.
fn kind(byte: u8) -> u8 {
    match byte {
        b'{' | b'}' => 0,
        b'[' | b']' => 1,
        _ => 2,
    }
}

impl Brackets {
    pub(crate) fn open(&mut self, byte: u8) {
        let kind = kind(byte);
        self.low = self.low << 1 | u128::from(kind & 1);
        self.high = self.high << 1 | u128::from(kind >> 1);
        self.depth = self.depth.saturating_add(1);
    }

    /// Whether an open bracket of the kind was there to be closed.
    pub(crate) fn close(&mut self, byte: u8) -> bool {
        if self.depth > KNOWN {
            self.depth -= 1;
            return true;
        }
        let kind = kind(byte);
        let (low, high) = (u128::from(kind & 1), u128::from(kind >> 1));
        for above in 0..self.depth {
            if (self.low >> above) & 1 == low && (self.high >> above) & 1 == high {
                self.depth -= above + 1;
                self.low = self.low.checked_shr(above + 1).unwrap_or(0);
                self.high = self.high.checked_shr(above + 1).unwrap_or(0);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forgotten_bracket_closes_with_the_one_around_it() {
        let mut brackets = Brackets::default();
        for byte in *b"{[(" {
            brackets.open(byte);
        }
        assert!(brackets.close(b']'));
        assert_eq!(brackets.depth, 1);
        assert!(!brackets.close(b')'));
        assert!(brackets.close(b'}'));
        assert_eq!(brackets.depth, 0);
    }

    #[test]
    fn deep_nesting_is_counted() {
        let mut brackets = Brackets::default();
        for _ in 0..1000 {
            brackets.open(b'[');
        }
        for left in (0..1000).rev() {
            assert!(brackets.close(b']'));
            assert_eq!(brackets.depth, left);
        }
    }
}
