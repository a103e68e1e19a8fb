//! Foreign text on a terminal: nothing that moves the cursor, hides, or turns the line around.

use core::fmt::{self, Write};

/// A character as it is shown, and how many columns it takes.
pub(super) enum Shown {
    /// As it is.
    Plain(char, usize),
    /// By another character, one column wide.
    Picture(char),
    /// By its number, `<U+202E>`.
    Number(char),
}

impl Shown {
    pub(super) fn of(c: char) -> Self {
        match c {
            '\0'..='\x1f' => Shown::Picture(picture(0x2400 + u32::from(c))),
            '\x7f' => Shown::Picture('\u{2421}'),
            c if c.is_control() || is_invisible(c) => Shown::Number(c),
            c => Shown::Plain(c, columns(c)),
        }
    }

    pub(super) fn columns(&self) -> usize {
        match *self {
            Shown::Plain(_, columns) => columns,
            Shown::Picture(_) => 1,
            Shown::Number(c) => {
                if u32::from(c) > 0xffff {
                    4 + 5
                } else {
                    4 + 4
                }
            }
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Shown::Plain(c, _) | Shown::Picture(c) => f.write_char(c),
            Shown::Number(c) => write!(f, "<U+{:04X}>", u32::from(c)),
        }
    }
}

fn picture(code: u32) -> char {
    char::from_u32(code).unwrap_or('\u{fffd}')
}

/// A text with nothing in it that a terminal obeys.
pub(super) struct Harmless<'a>(pub &'a str);

impl fmt::Display for Harmless<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| Shown::of(c).fmt(f))
    }
}

/// Characters that leave no mark or change how others are shown: format characters, separators of
/// lines, variation selectors, tags.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The columns of a visible character, by the wide and combining blocks.
fn columns(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}'
        | '\u{483}'..='\u{489}'
        | '\u{591}'..='\u{5bd}'
        | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}'
        | '\u{93c}'
        | '\u{94d}'
        | '\u{e31}'
        | '\u{e34}'..='\u{e3a}'
        | '\u{e47}'..='\u{e4e}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2329}'
        | '\u{232a}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{a4cf}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// At most so many characters of a text.
pub(super) fn clip(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(at, _)| &text[..at])
}
