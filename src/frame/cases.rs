//! The cases of `corpora/frame`, and what holds for any bytes.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use proptest::prelude::*;
use serde_json::Value;

use super::fuzzing::{Owned, frames, run};
use crate::limits::Limits;

/// A case's input: text, or hexadecimal.
fn input(case: &Value) -> Vec<u8> {
    if let Some(text) = case["input"].as_str() {
        return text.as_bytes().to_vec();
    }
    let digits: Vec<u8> = case["input_hex"]
        .as_str()
        .expect("an input")
        .chars()
        .map(|digit| digit.to_digit(16).expect("a hexadecimal digit") as u8)
        .collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn show(unit: &Owned) -> String {
    format!(
        "{:?} {:?} {}|{} #{} {}..{}",
        unit.kind,
        unit.message,
        unit.name.escape_ascii(),
        unit.data.escape_ascii(),
        unit.ordinal,
        unit.span.start,
        unit.span.end
    )
}

#[test]
fn every_case_in_every_chunking() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/corpora/frame");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("a readable entry").path();
        let text = std::fs::read_to_string(&path).expect("a readable case");
        let case: Value = serde_json::from_str(&text).expect("a case is JSON");
        let body = input(&case);
        let limit = |name: &str| case[name].as_u64().map(|limit| limit as usize);
        let mut limits = Limits::default();
        limits.line = limit("line_limit").unwrap_or(limits.line);
        limits.event = limit("event_limit").unwrap_or(limits.event);
        let framing = case["framing"].as_str().expect("a framing");
        let expected: Vec<String> = case["units"]
            .as_array()
            .expect("units")
            .iter()
            .map(|unit| unit.as_str().expect("a unit is a string").to_string())
            .collect();
        let mut chunkings: Vec<Vec<&[u8]>> = [1, 2, 3, 7, body.len().max(1)]
            .iter()
            .map(|&size| body.chunks(size).collect())
            .collect();
        chunkings.extend((0..=body.len()).map(|at| Vec::from([&body[..at], &body[at..]])));
        for chunks in chunkings {
            let sizes: Vec<usize> = chunks.iter().map(|chunk| chunk.len()).collect();
            let found: Vec<String> = run(framing, &limits, chunks).iter().map(show).collect();
            assert_eq!(found, expected, "{} in chunks of {sizes:?}", path.display());
        }
        count += 1;
    }
    assert!(count >= 20, "only {count} cases");
}

fn pieces(pieces: &'static [&'static [u8]]) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => prop::sample::select(pieces).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..5),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// A message with the given header block, both sums right.
pub(super) fn message(headers: &[u8], payload: &[u8]) -> Vec<u8> {
    let total = (16 + headers.len() + payload.len()) as u32;
    let mut out = total.to_be_bytes().to_vec();
    out.extend((headers.len() as u32).to_be_bytes());
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out.extend(headers);
    out.extend(payload);
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out
}

fn with_cuts(cuts: &[u8], body: Vec<u8>) -> Vec<u8> {
    [&[cuts.len() as u8], cuts, &body].concat()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn json_in_any_chunking(
        cuts in prop::collection::vec(0u8..6, 0..8),
        body in pieces(&[
            b"{", b"}", b"[", b"]", b"\"", b"\\", b"\\\"", b",", b":", b" ", b"\n", b"\r\n", b"\r",
            b"{\"a\":\"]},{\"}", b"[{\"a\":1},\n{\"b\":2}]", b"\"x\"", b"null", b"\xef\xbb\xbf",
        ]),
    ) {
        frames(&with_cuts(&cuts, body));
    }

    #[test]
    fn messages_in_any_chunking(
        cuts in prop::collection::vec(0u8..6, 0..8),
        sent in prop::collection::vec((pieces(&[
            b"\x0b:event-type\x07\x00\x01x", b"\x0d:message-type\x07\x00\x05error", b"\x01b\x00",
            b"\x01i\x04\x00\x00\x00\x01", b"\x01u\x09",
        ]), prop::collection::vec(any::<u8>(), 0..9)), 0..4),
        edit in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        let mut body: Vec<u8> =
            sent.iter().flat_map(|(headers, payload)| message(headers, payload)).collect();
        if let (Some((at, byte)), false) = (edit, body.is_empty()) {
            let at = at.index(body.len());
            body[at] = byte;
        }
        frames(&with_cuts(&cuts, body));
    }

    #[test]
    fn what_was_sent_comes_back(
        payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..6),
        size in 1usize..50,
    ) {
        let body: Vec<u8> = payloads
            .iter()
            .flat_map(|payload| message(b"\x0b:event-type\x07\x00\x05chunk", payload))
            .collect();
        let found = run("eventstream", &Limits::default(), body.chunks(size));
        let data: Vec<&Vec<u8>> = found.iter().map(|unit| &unit.data).collect();
        prop_assert_eq!(data, payloads.iter().collect::<Vec<_>>());
        prop_assert!(found.iter().all(|unit| unit.name == b"chunk"));
    }
}

#[test]
fn a_changed_bit_is_told() {
    let good = message(b"\x0b:event-type\x07\x00\x01a", b"{\"x\":1}");
    let body = [good.clone(), good.clone(), good.clone()].concat();
    for bit in 0..good.len() * 8 {
        let mut broken = body.clone();
        broken[good.len() + bit / 8] ^= 1 << (bit % 8);
        let kinds: Vec<String> =
            run("eventstream", &Limits::default(), [&broken[..]]).iter().map(show).collect();
        assert!(kinds[0].starts_with("Event"), "bit {bit}: {kinds:?}");
        assert!(kinds[1].starts_with("Corrupt"), "bit {bit}: {kinds:?}");
        let behind = if bit < 96 { 2 } else { 3 };
        assert_eq!(kinds.len(), behind, "bit {bit}: {kinds:?}");
    }
}
