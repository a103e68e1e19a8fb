//! How things look on a terminal: colours, widths, and characters that must not reach it.

use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub const HEADER: Style = Style::new().bold();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const CALL: Style = AnsiColor::Cyan.on_default();

/// Where the width of the terminal is not known.
const WIDTH: usize = 100;

/// The columns that a line on standard output may take.
pub fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || {
        let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
        Some(usize::from(width.0))
    };
    let is_terminal = std::io::stdout().is_terminal();
    told.or_else(|| is_terminal.then(terminal).flatten())
        .filter(|width| *width > 0)
        .unwrap_or(WIDTH)
}

/// A text that a stream chose, on one line and without the power to move the cursor.
pub fn printable(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut line, c| {
        match is_printable(c) {
            true => line.push(c),
            false => line.extend(c.escape_debug()),
        }
        line
    })
}

/// As [`printable`], but lines stay lines.
pub fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// What `escape_debug` would write as it is, quotes and backslashes apart.
fn is_printable(c: char) -> bool {
    matches!(c, '"' | '\'' | '\\') || c.escape_debug().len() == 1
}

/// Cuts a text to some columns; `…` stands for what is gone.
pub fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let fits = |c: &char| {
        let width = c.width().unwrap_or(0);
        let is_room = width <= left;
        left = left.saturating_sub(width);
        is_room
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// Fills a text up to some columns.
pub fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(text.width());
    format!("{text}{:missing$}", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_by_columns() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("東京都", 6), "東京都");
        assert_eq!(cut("東京都", 5), "東京…");
        assert_eq!(cut("東京都", 4), "東…");
        assert_eq!(cut("ab", 1), "…");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
    }

    #[test]
    fn padded_by_columns() {
        assert_eq!(padded("東京", 6), "東京  ");
        assert_eq!(padded("abc", 2), "abc");
    }

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(printable("a\u{1b}[2J\r\nb\u{9b}\"\\é東"), "a\\u{1b}[2J\\r\\nb\\u{9b}\"\\é東");
        assert_eq!(printable_lines("a\nb\r\n"), "a\nb\\r\n");
    }
}
