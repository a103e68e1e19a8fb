//! Calls that the model wrote into its text: the pieces of the text parser become the deltas of
//! slots, as those of the wire do.

use alloc::borrow::Cow;
use alloc::boxed::Box;

use super::Demux;
use super::queue::Queued;
use super::slot::State;
use crate::call::CallKind;
use crate::decoder::EmitAt;
use crate::diagnostic::{Ending, TextReading};
use crate::text::{Ending as TextEnding, Format, Formats, Options, Parser, Piece};
use crate::wire::delta::Channel;
use crate::wire::json::Text;

/// Reads the text of one choice.
#[derive(Debug)]
pub(super) struct TextReader {
    parser: Parser,
    /// The call that is open in the text.
    open: Option<usize>,
}

/// What is known of a call that stood in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextCall {
    format: Option<&'static Format>,
    ending: TextEnding,
}

/// How the calls in the text are read.
#[derive(Debug)]
pub(super) struct TextCalls {
    pub formats: Formats,
    pub options: Options,
}

impl TextReader {
    /// None, where the text is to be taken as it is.
    pub fn of(calls: Option<&TextCalls>) -> Option<Box<Self>> {
        let calls = calls?;
        let parser = Parser::with_options(calls.formats, calls.options.clone());
        Some(Box::new(TextReader { parser, open: None }))
    }
}

impl TextCall {
    /// Reads the arguments out of the call's own text.
    pub fn read(&self, name: &str, raw: &str, options: &Options) -> TextReading {
        let Some(format) = self.format else { return TextReading::Cut };
        match self.ending {
            TextEnding::Truncated => return TextReading::Cut,
            TextEnding::Malformed if format.writes_json() => return TextReading::BrokenJson,
            TextEnding::Malformed => {
                let expected = "expected the format's own end of the call";
                return TextReading::Malformed { offset: raw.len(), expected: expected.into() };
            }
            TextEnding::Complete => {}
        }
        match format.arguments(raw, options.known().schema(name)) {
            Ok(Cow::Borrowed(json)) if json == raw => TextReading::Raw,
            Ok(json) => TextReading::Json(json.into_owned()),
            Err(_) if format.writes_json() => TextReading::BrokenJson,
            Err(fault) => TextReading::Malformed { offset: fault.offset, expected: fault.expected },
        }
    }
}

impl Demux {
    /// Reads a piece of the choice's text.
    pub(super) fn read_text(&mut self, choice: usize, text: Text<'_>) {
        let Some(mut reader) = self.choices[choice].text.take() else { return };
        let mut chunk = core::mem::take(&mut self.chunk);
        chunk.clear();
        text.append_to(&mut chunk, &mut self.text_half);
        let TextReader { parser, open } = &mut *reader;
        let mut pieces = parser.push(&chunk);
        loop {
            // By the time of a call's end its format is settled.
            let format = pieces.format();
            let Some(piece) = pieces.next() else { break };
            self.take_piece(choice, open, format, piece);
        }
        drop(pieces);
        self.chunk = chunk;
        self.choices[choice].text = Some(reader);
    }

    /// The choice's text is over: what was held is decided.
    pub(super) fn finish_text(&mut self, choice: usize) {
        let known = self.choices.get_mut(choice);
        let Some(reader) = known.and_then(|known| known.text.take()) else { return };
        let mut open = reader.open;
        let mut rest = reader.parser.finish();
        loop {
            let format = rest.format();
            let Some(piece) = rest.next() else { break };
            self.take_piece(choice, &mut open, format, piece);
        }
    }

    fn take_piece(
        &mut self,
        choice: usize,
        open: &mut Option<usize>,
        format: Option<&'static Format>,
        piece: Piece<'_>,
    ) {
        match piece {
            Piece::Text(text) => self.keep_text(choice, Channel::Content, text),
            Piece::Reasoning(text) => self.keep_text(choice, Channel::Reasoning, text),
            Piece::Markup(_) => {}
            Piece::CallStart { name, id, .. } => {
                *open = self.new_slot(choice, CallKind::Function, true);
                let Some(slot) = *open else { return };
                self.slots[slot].text = Some(TextCall { format, ending: TextEnding::Truncated });
                self.name_call(slot, name);
                if let Some(id) = id {
                    self.adopt_id(choice, slot, Cow::Borrowed(id));
                }
                self.announce(slot);
            }
            Piece::CallName(name) => {
                if let Some(slot) = *open {
                    self.name_call(slot, name);
                }
            }
            Piece::CallId(id) => {
                if let Some(slot) = *open {
                    self.adopt_id(choice, slot, Cow::Borrowed(id));
                }
            }
            Piece::Arguments(fragment) => {
                if let Some(slot) = *open {
                    self.append(slot, Text::plain(fragment));
                }
            }
            Piece::CallEnd { ending, .. } => {
                self.text_format = format;
                if let Some(slot) = open.take() {
                    self.slots[slot].text = Some(TextCall { format, ending });
                    self.slots[slot].state = State::Stopped;
                    self.slots[slot].closed = true;
                    if self.rules.emit_at == EmitAt::CallStop {
                        self.settle(slot, Ending::Stopped);
                    }
                }
            }
        }
    }

    fn keep_text(&mut self, choice: usize, channel: Channel, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        let choice = self.choices[choice].index;
        self.queue.push_back(Queued::Text { choice, channel, text: start..self.text.len() });
    }

    fn name_call(&mut self, slot: usize, name: &str) {
        if !name.is_empty() {
            self.slots[slot].name = Some(name.into());
        }
    }

    pub(super) fn finish_texts(&mut self) {
        for choice in 0..self.choices.len() {
            self.finish_text(choice);
        }
    }
}
