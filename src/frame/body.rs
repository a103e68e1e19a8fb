//! The framing of a body whose kind its first byte tells.

use super::eventstream::EventStream;
use super::json_array::JsonArray;
use super::ndjson::NdJson;
use super::{Body, Framing, Place, Unit};
use crate::limits::Limits;
use crate::sse;

/// Any of the framings.
///
/// ```text
///              first byte that is not blank
///   Undecided ──────────────────────────────▶ one of the others, for good
/// ```
///
/// Blank bytes before that are given to the event stream framing, to which they may mean something;
/// any other one only has to count them.
#[derive(Debug)]
pub(crate) enum Framer {
    Undecided { blank: sse::Decoder, count: u64, bodies: &'static [Body] },
    EventStream(sse::Decoder),
    NdJson(NdJson),
    JsonArray(JsonArray),
    Binary(EventStream),
}

impl Framer {
    /// The framing of a body that is one of `bodies`; the first of them where the first byte tells
    /// nothing.
    pub fn new(bodies: &'static [Body], limits: &Limits) -> Self {
        match bodies {
            [only] => Framer::of(*only, limits, 0),
            _ => Framer::Undecided { blank: sse::Decoder::for_framing(limits), count: 0, bodies },
        }
    }

    /// What the body is taken for.
    pub fn body(&self) -> Body {
        match self {
            Framer::Undecided { .. } => Body::Unknown,
            Framer::EventStream(_) => Body::EventStream,
            Framer::NdJson(_) => Body::NdJson,
            Framer::JsonArray(_) => Body::JsonArray,
            Framer::Binary(_) => Body::BinaryEventStream,
        }
    }

    fn of(body: Body, limits: &Limits, skipped: u64) -> Self {
        match body {
            Body::NdJson => Framer::NdJson(after_blank(NdJson::new(limits), skipped)),
            Body::JsonArray => Framer::JsonArray(after_blank(JsonArray::new(limits), skipped)),
            Body::BinaryEventStream => Framer::Binary(EventStream::new(limits)),
            _ => Framer::EventStream(sse::Decoder::for_framing(limits)),
        }
    }

    /// Decides by the first byte that is not blank.
    fn decide(&mut self, first: u8) {
        let Framer::Undecided { blank, count, bodies } = self else { return };
        let limits = &blank.framing_limits();
        let meant = match first {
            0 => Body::BinaryEventStream,
            b'{' if bodies.contains(&Body::NdJson) => Body::NdJson,
            // An error in the place of the array.
            b'[' | b'{' => Body::JsonArray,
            _ => bodies[0],
        };
        let body = if bodies.contains(&meant) { meant } else { bodies[0] };
        *self = match body {
            Body::EventStream => {
                let fresh = sse::Decoder::for_framing(limits);
                Framer::EventStream(core::mem::replace(blank, fresh))
            }
            body => Framer::of(body, limits, *count),
        };
    }
}

/// A framing that has seen so many blank bytes.
fn after_blank<F: Framing>(mut framing: F, mut skipped: u64) -> F {
    const BLANK: &[u8] = &[b'\n'; 64];
    while skipped > 0 {
        let step = skipped.min(BLANK.len() as u64);
        let unit = framing.advance(&mut &BLANK[..step as usize]);
        debug_assert!(unit.is_none(), "blank lines are nothing");
        skipped -= step;
    }
    framing
}

/// A unit whose places are counted from so many bytes earlier.
fn shifted(unit: Unit, by: usize) -> Unit {
    let shift = |place| match place {
        Place::Chunk(range) => Place::Chunk(range.start + by..range.end + by),
        place => place,
    };
    Unit { name: shift(unit.name), data: shift(unit.data), ..unit }
}

/// Blank to every framing but the event stream's, where some of it is part of a line.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0xef | 0xbb | 0xbf)
}

impl Framing for Framer {
    #[inline]
    fn advance(&mut self, input: &mut &[u8]) -> Option<Unit> {
        match self {
            Framer::EventStream(framing) => framing.advance(input),
            Framer::NdJson(framing) => framing.advance(input),
            Framer::JsonArray(framing) => framing.advance(input),
            Framer::Binary(framing) => framing.advance(input),
            Framer::Undecided { blank, count, .. } => {
                let end = input.iter().position(|byte| !is_blank(*byte)).unwrap_or(input.len());
                let (mut lead, rest) = input.split_at(end);
                let found = blank.advance(&mut lead);
                let taken = end - lead.len();
                *count += taken as u64;
                *input = &input[taken..];
                match (found, rest.first()) {
                    (Some(unit), _) => Some(unit),
                    (None, None) => None,
                    (None, Some(first)) => {
                        self.decide(*first);
                        self.advance(input).map(|unit| shifted(unit, taken))
                    }
                }
            }
        }
    }

    fn advance_eof(&mut self) -> Option<Unit> {
        match self {
            Framer::Undecided { blank, .. } => blank.advance_eof(),
            Framer::EventStream(framing) => framing.advance_eof(),
            Framer::NdJson(framing) => framing.advance_eof(),
            Framer::JsonArray(framing) => framing.advance_eof(),
            Framer::Binary(framing) => framing.advance_eof(),
        }
    }

    #[inline]
    fn bytes<'a>(&'a self, place: &Place, chunk: &'a [u8]) -> &'a [u8] {
        match self {
            Framer::Undecided { blank, .. } => blank.bytes(place, chunk),
            Framer::EventStream(framing) => framing.bytes(place, chunk),
            Framer::NdJson(framing) => framing.bytes(place, chunk),
            Framer::JsonArray(framing) => framing.bytes(place, chunk),
            Framer::Binary(framing) => framing.bytes(place, chunk),
        }
    }
}
