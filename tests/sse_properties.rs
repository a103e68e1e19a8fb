//! What holds for any bytes in any chunking.

mod sse_support;

use proptest::prelude::*;
use sse_support::{Owned, run};
use toolcall::sse::{EndOfStream, Limits, Options};

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
}
