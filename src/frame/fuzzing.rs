//! What the fuzz targets call: any bytes, any chunking, the same units.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::eventstream::EventStream;
use super::json_array::JsonArray;
use super::ndjson::NdJson;
use super::{Framing, MessageType, Unit, UnitKind};
use crate::limits::Limits;
use crate::sse;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owned {
    pub(crate) kind: UnitKind,
    pub(crate) message: MessageType,
    pub(crate) name: Vec<u8>,
    pub(crate) data: Vec<u8>,
    pub(crate) ordinal: u64,
    pub(crate) span: Range<u64>,
}

/// All units of a body.
pub(crate) fn units<'a>(
    framing: &mut impl Framing,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Owned> {
    fn own(framing: &impl Framing, unit: Unit, chunk: &[u8]) -> Owned {
        Owned {
            kind: unit.kind,
            message: unit.message,
            name: framing.bytes(&unit.name, chunk).to_vec(),
            data: framing.bytes(&unit.data, chunk).to_vec(),
            ordinal: unit.ordinal,
            span: unit.span,
        }
    }
    let mut found = Vec::new();
    for chunk in chunks {
        let mut input = chunk;
        loop {
            let passed = input;
            let Some(unit) = framing.advance(&mut input) else { break };
            found.push(own(framing, unit, passed));
        }
        assert!(input.is_empty(), "no unit means that all was taken");
    }
    while let Some(unit) = framing.advance_eof() {
        found.push(own(framing, unit, b""));
    }
    found
}

/// The framings by name.
pub(crate) fn run<'a>(
    framing: &str,
    limits: &Limits,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Owned> {
    match framing {
        "sse" => units(&mut sse::Decoder::for_framing(limits), chunks),
        "ndjson" => units(&mut NdJson::new(limits), chunks),
        "json-array" => units(&mut JsonArray::new(limits), chunks),
        "eventstream" => units(&mut EventStream::new(limits), chunks),
        other => panic!("no framing of the name {other}"),
    }
}

/// Cuts `body` into chunks as `cuts` says, again and again from its start.
fn cut<'a>(mut body: &'a [u8], cuts: &[u8]) -> Vec<&'a [u8]> {
    let mut chunks = vec![];
    let mut sizes = cuts.iter().cycle();
    let mut empty = 0;
    while !body.is_empty() {
        let size = match sizes.next() {
            Some(&size) if empty < 3 || size > 0 => usize::from(size),
            _ => 1,
        };
        empty = if size == 0 { empty + 1 } else { 0 };
        let (chunk, rest) = body.split_at(size.min(body.len()));
        chunks.push(chunk);
        body = rest;
    }
    chunks
}

/// Reads bytes with every framing, whole and cut, with wide and with narrow limits, and checks what
/// must hold. The first byte says how many of the next ones are chunk sizes.
pub fn frames(input: &[u8]) {
    let (cuts, body) = match input.split_first() {
        Some((&count, rest)) => rest.split_at(usize::from(count % 8).min(rest.len())),
        None => (input, input),
    };
    for limits in [Limits::default(), Limits::default().with_line(9).with_event(24)] {
        for framing in ["sse", "ndjson", "json-array", "eventstream"] {
            let whole = run(framing, &limits, [body]);
            assert_eq!(whole, run(framing, &limits, cut(body, cuts)), "{framing}");
            check(body, &whole);
        }
    }
}

fn check(body: &[u8], units: &[Owned]) {
    let mut ordinal = 0;
    for unit in units {
        assert!(unit.span.start <= unit.span.end && unit.span.end <= body.len() as u64);
        assert_eq!(unit.ordinal, ordinal, "{unit:?}");
        ordinal += u64::from(matches!(unit.kind, UnitKind::Event | UnitKind::UnterminatedEvent));
    }
}
