//! Any text, in any format, in any chunks: no panic, every byte in exactly one piece, the same result as
//! in one chunk, and no more held back than is said.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolcall::text::{FORMATS, Format, Message, Options, Parser, Piece, Tool};

/// Nothing is held beyond this: the limit on a call's envelope, and a chunk's join.
const MOST_HELD: usize = (64 << 10) + 1024;

fuzz_target!(|data: &[u8]| {
    let [format, flags, seed, text @ ..] = data else { return };
    let format = FORMATS[usize::from(*format) % FORMATS.len()];
    let text = String::from_utf8_lossy(text);
    let mut options = Options::default()
        .starts_in_reasoning(flags & 1 != 0)
        .calls_in_reasoning(flags & 2 != 0);
    if flags & 4 != 0 {
        options = options.tools([Tool::new("ping")]);
    }
    let whole = read(format, &options, [&*text]);
    let mut random = u64::from(*seed) << 32 | 0x9E37_79B9;
    let cut = read(format, &options, Chunks { rest: &text, random: &mut random });
    assert_eq!(whole, cut);
    for call in &whole.0.calls {
        let _ = call.arguments(format, &options);
    }
});

/// The message, and what each byte is.
type Reading = (Message, Vec<(u8, String)>);

fn read<'t>(
    format: &'static Format,
    options: &Options,
    chunks: impl IntoIterator<Item = &'t str>,
) -> Reading {
    let mut reading = (Message::default(), Vec::new());
    let mut input = String::new();
    let mut parser = Parser::with_options(format, options.clone());
    for chunk in chunks {
        input.push_str(chunk);
        let mut pieces = parser.push(chunk);
        while let Some(piece) = pieces.next() {
            take(&mut reading, piece);
        }
        drop(pieces);
        assert!(parser.held() <= MOST_HELD + chunk.len());
    }
    let mut rest = parser.finish();
    while let Some(piece) = rest.next() {
        take(&mut reading, piece);
    }
    assert_eq!(reading.1.iter().map(|(_, text)| text.as_str()).collect::<String>(), input);
    reading
}

fn take((message, spans): &mut Reading, piece: Piece<'_>) {
    message.push(piece);
    let kind = match piece {
        Piece::Text(_) => 0,
        Piece::Reasoning(_) => 1,
        Piece::Markup(_) => 2,
        Piece::Arguments(_) => 3,
        Piece::CallStart { .. } => 4,
        _ => 5,
    };
    match spans.last_mut() {
        Some((last, text)) if *last == kind => text.push_str(piece.span()),
        _ => spans.push((kind, piece.span().into())),
    }
}

/// Cuts a text at pseudo-random borders of characters.
struct Chunks<'t, 'r> {
    rest: &'t str,
    random: &'r mut u64,
}

impl<'t> Iterator for Chunks<'t, '_> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        *self.random ^= *self.random << 13;
        *self.random ^= *self.random >> 7;
        *self.random ^= *self.random << 17;
        let mut length = (1 + *self.random as usize % 16).min(self.rest.len());
        while !self.rest.is_char_boundary(length) {
            length += 1;
        }
        let (chunk, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(chunk)
    }
}
