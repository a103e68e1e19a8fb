//! What holds for any bytes in any chunking.

mod sse_support;

use proptest::prelude::*;
use std::time::Duration;

use sse_support::{Owned, cases, differential, run};
use toolcall::sse::{Decoder, Encoder, EndOfStream, Limits, Options, Outgoing, RawBytes, Record};

/// Pieces that meet each other in every way that matters, and any bytes between.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![
            "data:", "data: ", "data", "event:", "event: ", "id:", "id: ", "retry:", "retry: 10",
            ":", ": ", "\n", "\n", "\n", "\r", "\r", "\r\n", "\r\n", "\n\n", "\r\n\r\n",
            "\u{feff}", "\0", " ", "x", "xyz", "12", "dat", "ev", "i", "re", "error: {}",
            "{\"a\":1}", "é", "\u{2028}", "data: [DONE]\n\n", "0123456789",
        ]).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn options() -> impl Strategy<Value = Options> {
    let limits = prop_oneof![
        3 => Just(Limits::default()),
        3 => (0usize..20, 0usize..20, 0usize..6, 0usize..6, 0usize..6, 0usize..6).prop_map(
            |(line, data, event, id, comment, stray)| {
                Limits::default()
                    .with_line(line)
                    .with_data(data)
                    .with_event(event)
                    .with_id(id)
                    .with_comment(comment)
                    .with_stray(stray)
            }
        ),
        1 => (0u64..60).prop_map(|bytes| Limits::default().with_stream(bytes)),
    ];
    (limits, any::<[bool; 5]>()).prop_map(|(limits, on)| {
        let end = if on[0] { EndOfStream::Lenient } else { EndOfStream::Strict };
        Options::default()
            .with_limits(limits)
            .with_end(end)
            .with_comments(on[1])
            .with_retries(on[2])
            .with_id_commits(on[3])
            .with_strays(on[4])
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_chunking_makes_no_difference(
        stream in stream(),
        options in options(),
        cuts in prop::collection::vec(0usize..9, 1..20),
    ) {
        let whole = run(&options, [&stream[..]]);
        let mut chunks = Vec::new();
        let mut rest = &stream[..];
        for &cut in cuts.iter().cycle().take(stream.len() * 20 + 1) {
            let (chunk, tail) = rest.split_at(cut.min(rest.len()));
            chunks.push(chunk);
            rest = tail;
        }
        chunks.push(rest);
        let cut = run(&options, chunks);
        prop_assert_eq!(&cut.records, &whole.records);
        prop_assert_eq!(cut.retry, whole.retry);
        prop_assert_eq!(&cut.last_event_id, &whole.last_event_id);
        prop_assert_eq!(cut.before_eof, whole.before_eof);
    }

    #[test]
    fn what_is_switched_off_changes_nothing_else(stream in stream(), options in options()) {
        let all = options
            .clone()
            .with_comments(true)
            .with_retries(true)
            .with_id_commits(true)
            .with_strays(true);
        let wanted: Vec<Owned> = run(&all, [&stream[..]])
            .records
            .into_iter()
            .filter(|record| match record {
                Owned::Comment(..) => options.comments,
                Owned::Retry(..) => options.retries,
                Owned::IdCommit(..) => options.id_commits,
                Owned::Stray(..) => options.strays,
                Owned::Unterminated(..) => false,
                _ => true,
            })
            .collect();
        let mut got = run(&options, [&stream[..]]).records;
        got.retain(|record| !matches!(record, Owned::Unterminated(..)));
        prop_assert_eq!(got, wanted);
    }

    #[test]
    fn the_bytes_of_the_segments_are_the_data(stream in stream(), lenient in any::<bool>()) {
        let end = if lenient { EndOfStream::Lenient } else { EndOfStream::Strict };
        for record in run(&Options::default().with_end(end), [&stream[..]]).records {
            let event = match record {
                Owned::Unterminated(Some(event), ..) => *event,
                other => other,
            };
            let Owned::Event { data, segments, span, .. } = event else { continue };
            let lines: Vec<&[u8]> =
                segments.iter().map(|s| &stream[s.start as usize..s.end as usize]).collect();
            prop_assert_eq!(lines.join(&b'\n'), data);
            prop_assert!(segments.iter().all(|s| s.start >= span.start && s.end <= span.end));
        }
    }

    #[test]
    fn another_reader_reads_the_same(stream in stream(), size in 1usize..20) {
        differential::check(&stream[..stream.len().min(512)], size);
    }

    #[test]
    fn what_is_encoded_is_decoded(
        sent in prop::collection::vec(outgoing(), 1..8),
        size in 1usize..40,
    ) {
        let mut bytes = Vec::new();
        let mut id = Vec::new();
        let mut expected = Vec::new();
        for (event, new_id, retry, data) in &sent {
            let mut outgoing = match data {
                Some(data) => Outgoing::data(data),
                None => Outgoing::without_data(),
            };
            outgoing = event.iter().fold(outgoing, |outgoing, event| outgoing.with_event(event));
            outgoing = new_id.iter().fold(outgoing, |outgoing, id| outgoing.with_id(id));
            outgoing = retry.iter().fold(outgoing, |outgoing, &retry| outgoing.with_retry(retry));
            Encoder::new().encode(&outgoing, &mut bytes).expect("nothing to refuse");
            id = new_id.clone().unwrap_or(id);
            if let Some(data) = data {
                let name = event.clone().filter(|event| !event.is_empty());
                expected.push((name.unwrap_or(b"message".to_vec()), lines_joined(data), id.clone()));
            }
        }
        let run = run(&Options::default(), bytes.chunks(size));
        let mut got = Vec::new();
        for record in &run.records {
            match record {
                Owned::Event { event, data, id, .. } => {
                    got.push((event.clone(), data.clone(), id.clone()));
                }
                Owned::Retry(..) | Owned::IdCommit(..) => {}
                Owned::End(state, ..) => prop_assert_eq!(*state, toolcall::sse::EndState::Clean),
                other => prop_assert!(false, "it injects {:?}", other),
            }
        }
        prop_assert_eq!(got, expected);
        prop_assert_eq!(&run.last_event_id, &id);
        let retry = sent.iter().rev().find_map(|(_, _, retry, _)| *retry);
        prop_assert_eq!(run.retry, retry.map(|retry| retry.as_millis()));
    }

    #[test]
    fn what_is_refused_would_have_broken_out(value in bytes_of(b"a:\n\r\0 d"), in_id in any::<bool>()) {
        let outgoing = Outgoing::data(b"x");
        let outgoing =
            if in_id { outgoing.with_id(&value) } else { outgoing.with_event(&value) };
        let mut bytes = Vec::new();
        let bad = value.iter().position(|byte| b"\n\r\0".contains(byte));
        match Encoder::new().encode(&outgoing, &mut bytes) {
            Ok(()) => prop_assert_eq!(bad, None),
            Err(error) => {
                prop_assert_eq!(Some(error.position()), bad);
                prop_assert!(bytes.is_empty());
            }
        }
    }

    #[test]
    fn raw_bytes_pass_through(stream in stream(), size in 1usize..20) {
        let (mut decoder, mut raw, mut sent) = (Decoder::new(), RawBytes::new(), Vec::new());
        for chunk in stream.chunks(size) {
            raw.push(chunk);
            let mut input = chunk;
            while let Some(record) = decoder.decode(&mut input) {
                let Record::Event(event) = record else { continue };
                sent.extend_from_slice(raw.take_to(event.span().end));
            }
        }
        sent.extend_from_slice(raw.take_to(u64::MAX));
        prop_assert_eq!(sent, stream);
    }
}

fn bytes_of(alphabet: &'static [u8]) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(alphabet), 0..12)
}

type Sent = (Option<Vec<u8>>, Option<Vec<u8>>, Option<Duration>, Option<Vec<u8>>);

fn outgoing() -> impl Strategy<Value = Sent> {
    (
        prop::option::of(bytes_of(b"ab: \xff")),
        prop::option::of(bytes_of(b"7: \xff")),
        prop::option::of(any::<u64>().prop_map(Duration::from_millis)),
        prop::option::of(bytes_of(b"a: \n\r\0d\xf0")),
    )
}

/// CR LF, CR and LF as LF.
fn lines_joined(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, &byte) in data.iter().enumerate() {
        match byte {
            b'\n' if at > 0 && data[at - 1] == b'\r' => {}
            b'\r' => out.push(b'\n'),
            _ => out.push(byte),
        }
    }
    out
}

#[test]
fn another_reader_reads_the_cases_the_same() {
    for case in cases() {
        for size in [1, 2, 5, 64] {
            differential::check(&case.input[..case.input.len().min(512)], size);
        }
    }
}
