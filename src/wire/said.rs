//! What an envelope says that is like one before in all but the text that it carries.
//!
//! Nearly every event of a stream carries a fragment of something and says nothing else. A format's
//! reader works out once what that is; for the next envelope of that [shape](super::envelope) it is
//! known, and the fragment is taken from its hole.
//!
//! **The invariant.** A reader goes by the event's name, by its tokens, and by what it has seen of the
//! stream. A saying is kept of an envelope that gave one delta, with a text that fills a hole. It
//! holds for another envelope if the event has that name, the shape is the same, every hole that
//! some token is about holds the same but for the text, and neither text is empty: a reader asks no
//! more of a text than that. All of them are forgotten at the first envelope that is not of this
//! kind, so a reader has seen nothing since but what it had seen before. It follows that a format
//! may use this only if such an envelope, read again, changes nothing in its reader.

use alloc::vec::Vec;

use super::delta::{Block, Channel, Delta, Piece, Sink};
use super::envelope::{Match, Shape};
use super::json::Text;
use crate::call::CallKind;

/// How many are kept: one for each call that is written in turn, and for its texts.
const SAYINGS: usize = 16;

/// Of an event with a longer name, or another value that is longer, nothing is kept.
const LONGEST: usize = 64;

/// What was said since the last envelope that said anything else.
#[derive(Debug, Default)]
pub(super) struct Sayings {
    /// The first `known` ones hold; the others keep their room.
    all: Vec<Saying>,
    known: usize,
    /// Which is replaced next, once there are [`SAYINGS`].
    oldest: usize,
}

#[derive(Debug, Default)]
struct Saying {
    /// The number of the shape.
    shape: u32,
    /// The hole that holds the text.
    hole: u8,
    carrier: Carrier,
    /// The event's name and the values of the other holes, each behind its length.
    fixed: Vec<u8>,
}

/// A delta without its text.
#[derive(Debug, Clone, Copy, Default)]
enum Carrier {
    #[default]
    None,
    Text {
        choice: u32,
        channel: Channel,
    },
    Piece {
        choice: u32,
        index: Option<i64>,
    },
    /// `id`: the token that is the block's id.
    Fragment {
        choice: u32,
        index: Option<i64>,
        id: Option<u8>,
    },
}

impl Sayings {
    /// What a document says that has the shape; `None` if that has to be worked out.
    #[inline]
    pub fn of<'a, F: Copy + PartialEq>(
        &self,
        name: &[u8],
        document: &'a [u8],
        shape: &Shape<F>,
        found: &Match,
    ) -> Option<Delta<'a>> {
        let holds = |saying: &&Saying| {
            let mut fixed = &saying.fixed[..];
            saying.shape == shape.number
                && same(&mut fixed, name)
                && shape
                    .asked(usize::from(saying.hole))
                    .all(|hole| same(&mut fixed, &document[shape.place(hole, found)]))
        };
        let saying = self.all[..self.known].iter().find(holds)?;
        let hole = usize::from(saying.hole);
        let text =
            Text { bytes: &document[shape.place(hole, found)], escaped: found.escaped(hole) };
        if text.is_empty() {
            return None;
        }
        Some(match saying.carrier {
            Carrier::None => return None,
            Carrier::Text { choice, channel } => Delta::Text { choice, channel, text },
            Carrier::Piece { choice, index } => {
                Delta::Piece(Piece { choice, index, arguments: Some(text), ..Piece::default() })
            }
            Carrier::Fragment { choice, index, id } => {
                let id = id.map(|token| Text {
                    bytes: &document[shape.token_place(usize::from(token), found)],
                    escaped: false,
                });
                Delta::Fragment { block: Block { choice, index, id }, text: Some(text) }
            }
        })
    }

    pub fn forget(&mut self) {
        self.known = 0;
        self.oldest = 0;
    }

    /// Keeps what a document said that has the shape; forgets all if it is not of the kind.
    pub fn keep<F: Copy + PartialEq>(
        &mut self,
        name: &[u8],
        heard: Heard<'_>,
        shape: &Shape<F>,
        found: &Match,
    ) {
        let document = heard.document;
        let fits = |bytes: &[u8]| bytes.len() <= LONGEST;
        let hole = heard.text.filter(|text| text.start < text.end && fits(name)).and_then(|text| {
            let is_it = |hole: &usize| shape.place(*hole, found) == text;
            (0..shape.holes()).find(is_it)
        });
        let others_fit = |hole: &usize| {
            shape.asked(*hole).all(|other| fits(&document[shape.place(other, found)]))
        };
        let Some(hole) = hole.filter(others_fit) else { return self.forget() };
        let carrier = match (heard.carrier, heard.id) {
            (Carrier::Fragment { choice, index, .. }, Some(place)) => {
                let is_it = |token: &usize| shape.token_place(*token, found) == place;
                let Some(token) = (0..shape.tokens()).find(is_it) else { return self.forget() };
                Carrier::Fragment { choice, index, id: Some(token as u8) }
            }
            (carrier, _) => carrier,
        };
        let at = if self.known < SAYINGS { self.known } else { self.oldest };
        self.oldest = (at + 1) % SAYINGS;
        if at == self.all.len() {
            self.all.push(Saying::default());
        }
        self.known = self.known.max(at + 1);
        let saying = &mut self.all[at];
        (saying.shape, saying.hole, saying.carrier) = (shape.number, hole as u8, carrier);
        saying.fixed.clear();
        push(&mut saying.fixed, name);
        for other in shape.asked(hole) {
            push(&mut saying.fixed, &document[shape.place(other, found)]);
        }
    }
}

fn push(fixed: &mut Vec<u8>, value: &[u8]) {
    fixed.push(value.len() as u8);
    fixed.extend_from_slice(value);
}

/// Whether the next value of `fixed` is this one.
#[inline]
fn same(fixed: &mut &[u8], value: &[u8]) -> bool {
    let Some((&len, rest)) = fixed.split_first() else { return false };
    let (next, rest) = rest.split_at(rest.len().min(len.into()));
    *fixed = rest;
    next == value
}

/// Passes deltas on, and remembers what was said if that was one delta with a text.
pub(super) struct Listener<'a, 's, S> {
    document: &'a [u8],
    sink: &'s mut S,
    deltas: usize,
    heard: Heard<'a>,
}

/// What a document gave; the places are in it.
#[derive(Debug, Clone)]
pub(super) struct Heard<'a> {
    document: &'a [u8],
    carrier: Carrier,
    text: Option<core::ops::Range<usize>>,
    id: Option<core::ops::Range<usize>>,
}

impl<'a, 's, S: Sink> Listener<'a, 's, S> {
    pub fn new(document: &'a [u8], sink: &'s mut S) -> Self {
        let heard = Heard { document, carrier: Carrier::None, text: None, id: None };
        Listener { document, sink, deltas: 0, heard }
    }

    /// What was said, if it was only one thing.
    pub fn heard(self) -> Option<Heard<'a>> {
        (self.deltas == 1 && self.heard.text.is_some()).then_some(self.heard)
    }

    /// Where in the document a text lies.
    fn place(&self, text: Text<'_>) -> Option<core::ops::Range<usize>> {
        let start = text.bytes.as_ptr().addr().checked_sub(self.document.as_ptr().addr())?;
        let end = start + text.bytes.len();
        (end <= self.document.len()).then_some(start..end)
    }
}

impl<S: Sink> Sink for Listener<'_, '_, S> {
    #[inline]
    fn delta(&mut self, delta: Delta<'_>) {
        self.deltas += 1;
        if self.deltas == 1 {
            (self.heard.carrier, self.heard.text) = match delta {
                Delta::Text { choice, channel, text } => {
                    (Carrier::Text { choice, channel }, self.place(text))
                }
                Delta::Piece(Piece {
                    choice,
                    index,
                    id: None,
                    name: None,
                    arguments: Some(text),
                    kind: CallKind::Function,
                    warning: None,
                }) => (Carrier::Piece { choice, index }, self.place(text)),
                Delta::Fragment { block: Block { choice, index, id }, text: Some(text) } => {
                    self.heard.id = id.filter(|id| !id.escaped).and_then(|id| self.place(id));
                    let text = self.place(text).filter(|_| id.is_some() == self.heard.id.is_some());
                    (Carrier::Fragment { choice, index, id: None }, text)
                }
                _ => (Carrier::None, None),
            };
        }
        self.sink.delta(delta);
    }
}
