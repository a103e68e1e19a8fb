//! A JSON object that stands bare among the fields of an event stream.
//!
//! Google's servers end a stream that fails with the error's JSON as it is, over several lines. Each
//! of these is a stray line to the framing; together they are an object.

use alloc::vec::Vec;

/// An object longer than this is not put together.
const LIMIT: usize = 64 << 10;

/// Puts stray lines together.
#[derive(Debug, Default)]
pub(crate) struct StrayJson {
    text: Vec<u8>,
    /// Open brackets.
    depth: u32,
    in_string: bool,
    escaped: bool,
    is_whole: bool,
}

impl StrayJson {
    /// Takes a line; gives the object that it ends.
    pub fn push(&mut self, line: &[u8]) -> Option<&[u8]> {
        if self.is_whole {
            self.clear();
        }
        let begins = line.trim_ascii_start().starts_with(b"{");
        if (self.text.is_empty() && !begins) || self.text.len() + line.len() > LIMIT {
            self.clear();
            return None;
        }
        for byte in line {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => self.depth += 1,
                b'}' | b']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
        self.is_whole = self.depth == 0 && !self.in_string;
        self.is_whole.then_some(&self.text)
    }

    /// Something else came.
    #[inline]
    pub fn clear(&mut self) {
        if !self.text.is_empty() {
            *self = StrayJson::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_make_an_object() {
        let mut stray = StrayJson::default();
        assert_eq!(stray.push(b"}"), None);
        assert_eq!(stray.push(b"{"), None);
        assert_eq!(stray.push(b"  \"a\": \"}\\\"\""), None);
        assert_eq!(stray.push(b"}"), Some(&b"{\n  \"a\": \"}\\\"\"\n}\n"[..]));
        assert_eq!(stray.push(b"{}"), Some(&b"{}\n"[..]));
        assert_eq!(stray.push(&[b'{'; LIMIT + 1]), None);
        assert_eq!(stray.push(b"{}"), Some(&b"{}\n"[..]));
    }
}
