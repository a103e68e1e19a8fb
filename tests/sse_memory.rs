//! What the decoder allocates: the recipes of `corpora/sse/stress.json`, on a counting allocator.

mod counting;

use serde_json::Value;
use toolcall::sse::{Decoder, Limit, Limits, Options, Record};

use counting::{COUNT, Counting, LIVE, PEAK};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a stream gave, and what it took.
#[derive(Debug, Default)]
struct Outcome {
    events: u64,
    comments: u64,
    data_len: u64,
    last_data: Vec<u8>,
    limits: Vec<Limit>,
    /// Events after the first passed limit.
    events_behind: u64,
    /// The most that was live beyond the input.
    peak: i64,
}

fn decode(input: &[u8], chunk: usize, options: &Options) -> Outcome {
    let mut outcome = Outcome { last_data: Vec::with_capacity(16), ..Outcome::default() };
    outcome.limits.reserve(16);
    let before = LIVE.get();
    PEAK.set(before);
    let mut decoder = Decoder::with_options(options.clone());
    let mut take = |record: Record<'_>| match record {
        Record::Event(event) => {
            outcome.events += 1;
            outcome.events_behind += u64::from(!outcome.limits.is_empty());
            outcome.data_len += event.data().len() as u64;
            if event.data().len() <= 16 {
                outcome.last_data.clear();
                outcome.last_data.extend_from_slice(event.data());
            }
        }
        Record::Comment(_) => outcome.comments += 1,
        Record::LimitExceeded(exceeded) => outcome.limits.push(exceeded.which()),
        _ => {}
    };
    for chunk in input.chunks(chunk) {
        let mut input = chunk;
        while let Some(record) = decoder.decode(&mut input) {
            take(record);
        }
    }
    while let Some(record) = decoder.decode_eof() {
        take(record);
    }
    drop(decoder);
    assert_eq!(LIVE.get(), before, "all is given back");
    outcome.peak = PEAK.get() - before;
    outcome
}

/// Builds a recipe's input.
fn build(case: &Value) -> Vec<u8> {
    let mut input = Vec::new();
    for part in case["parts"].as_array().expect("parts") {
        let text = part["text"].as_str().expect("a text").as_bytes();
        input.extend(text.repeat(part["n"].as_u64().unwrap_or(1) as usize));
    }
    input.repeat(case["repeat_whole"].as_u64().unwrap_or(1) as usize)
}

fn recipes() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/corpora/sse/stress.json");
    let text = std::fs::read_to_string(path).expect("the recipes are there");
    let json: Value = serde_json::from_str(&text).expect("the recipes are JSON");
    let cases = json["cases"].as_array().expect("cases");
    cases.iter().filter(|case| case["parts"].is_array()).cloned().collect()
}

#[test]
fn every_recipe_is_read_within_its_bounds() {
    let recipes = recipes();
    assert!(recipes.len() >= 14, "only {} recipes", recipes.len());
    for case in &recipes {
        let name = case["name"].as_str().expect("a name");
        let input = build(case);
        let expect = &case["expect"];
        // Ten million empty lines are less than the default limit.
        let limits = match name {
            "empty-data-lines-only" => Limits::gateway(),
            _ => Limits::default(),
        };
        let limit = match expect["error"].as_str() {
            Some("line limit") => Some(Limit::Line),
            Some("event limit") => Some(Limit::Data),
            Some("id limit") => Some(Limit::Id),
            Some(other) => panic!("{name}: no limit of the name {other}"),
            None => None,
        };
        // What a recipe's input cannot make the decoder hold: only data lines are held.
        let held = match name {
            _ if name.starts_with("endless") || name.starts_with("100k") => 0,
            "cr-storm" | "retention-by-slices" => 0,
            "huge-id" => limits.id,
            "never-a-blank-line" | "empty-data-lines-only" => limits.data,
            _ => limits.line,
        };
        let options = Options::default().with_limits(limits.clone());
        for size in case["chunk_sizes"].as_array().expect("chunk sizes") {
            let size = match size.as_u64().expect("a size") as usize {
                0 => input.len(),
                size => size,
            };
            let outcome = decode(&input, size, &options);
            let context = format!("{name} in chunks of {size}: {outcome:?}");
            for (key, value) in [
                ("events", outcome.events),
                ("comments", outcome.comments),
                ("data_len", outcome.data_len),
                ("then_events", outcome.events_behind),
            ] {
                let wanted = expect[key].as_u64();
                assert!(wanted.is_none_or(|wanted| wanted == value), "{key}: {context}");
            }
            for key in ["data", "then_data"] {
                let wanted = expect[key].as_str();
                let same = |wanted: &str| wanted.as_bytes() == outcome.last_data;
                assert!(wanted.is_none_or(same), "{key}: {context}");
            }
            assert_eq!(outcome.limits.first().copied(), limit, "{context}");
            let bound = held + 8 * 1024 + if held > 0 { size } else { 0 };
            assert!(outcome.peak <= bound as i64, "more than {bound}: {context}");
        }
    }
}

#[test]
fn kept_events_hold_no_more_than_their_bytes() {
    for case in recipes().iter().filter(|case| case["keep"].is_string()) {
        let input = build(case);
        let chunk = case["chunk_sizes"][0].as_u64().expect("a size") as usize;
        let before = LIVE.get();
        let mut kept = Vec::new();
        let mut decoder = Decoder::with_options(Options::events_only());
        for chunk in input.chunks(chunk) {
            let mut input = chunk;
            while let Some(record) = decoder.decode(&mut input) {
                match record {
                    Record::Event(event) if event.data().len() < 100 => {
                        kept.push(event.into_owned())
                    }
                    _ => {}
                }
            }
        }
        let live = LIVE.get() - before;
        assert_eq!(kept.len(), 1000, "{}", case["name"]);
        assert!(live < 1 << 20, "{}: {live} bytes for {} events", case["name"], kept.len());
    }
}

/// Chat completion chunks of 220 to 350 bytes.
fn chat() -> Vec<u8> {
    (0..2000)
        .flat_map(|n| {
            let pad = "x".repeat(n * 7 % 130);
            format!(
                "data: {{\"id\":\"chatcmpl-0123456789\",\"object\":\"chat.completion.chunk\",\
                 \"created\":1700000000,\"model\":\"a-model\",\"choices\":[{{\"index\":0,\"delta\":\
                 {{\"content\":\"word\"}},\"finish_reason\":null}}],\"obfuscation\":\"{pad}\"}}\n\n"
            )
            .into_bytes()
        })
        .collect()
}

#[test]
fn no_event_allocates_after_the_first_ones() {
    let input = chat();
    let named = b"event: delta\nid: 17\ndata: {\"a\":1}\ndata: {\"b\":2}\n: note\n\n".repeat(5000);
    for input in [&input, &named] {
        for size in [1, 7, 64, 1460, 16384, input.len()] {
            let mut decoder = Decoder::new();
            let (mut events, mut warm) = (0u64, 0);
            for (at, chunk) in input.chunks(size).enumerate() {
                if at * size <= input.len() / 2 {
                    warm = COUNT.get();
                }
                let mut bytes = chunk;
                while let Some(record) = decoder.decode(&mut bytes) {
                    events += u64::from(matches!(record, Record::Event(_)));
                    std::hint::black_box(&record);
                }
            }
            let allocated = if size < input.len() { COUNT.get() - warm } else { 0 };
            assert!(events >= 500);
            assert_eq!(allocated, 0, "{events} events in chunks of {size}");
        }
    }
}

#[test]
fn a_decoder_that_waits_holds_little() {
    let before = LIVE.get();
    let mut decoder = Decoder::new();
    assert_eq!(LIVE.get() - before, 0, "a new one holds nothing");
    for chunk in chat().chunks(1460) {
        let mut bytes = chunk;
        while decoder.decode(&mut bytes).is_some() {}
    }
    let live = LIVE.get() - before;
    assert!(live <= 1024, "{live} bytes between two events");
}
