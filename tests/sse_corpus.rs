//! Every case of `corpora/sse`, in every chunking, strict and lenient.

mod sse_support;

use serde_json::Value;
use sse_support::{Case, Owned, Run, cases, chunkings, run};
use toolcall::sse::{EndOfStream, Options, StrayKind};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// (type, data, id) of each event.
fn events(records: &[Owned]) -> Vec<(String, String, String)> {
    records
        .iter()
        .filter_map(|record| match record {
            Owned::Event { event, data, id, .. } => Some((text(event), text(data), text(id))),
            _ => None,
        })
        .collect()
}

fn expected_events(list: &Value) -> Vec<(String, String, String)> {
    let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    list.as_array()
        .into_iter()
        .flatten()
        .map(|event| (string(&event["type"]), string(&event["data"]), string(&event["id"])))
        .collect()
}

fn expected_lines(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().map(|l| l.as_str().unwrap().to_owned()).collect()
}

fn check_strict(case: &Case, run: &Run) -> Result<(), String> {
    let expect = &case.json["expect"];
    let same = |what: &str, expected: String, got: String| {
        if expected == got {
            Ok(())
        } else {
            Err(format!("{}: {what}: expected {expected} got {got}", case.name))
        }
    };
    let wanted = expected_events(&expect["events"]);
    same("events", format!("{wanted:?}"), format!("{:?}", events(&run.records)))?;
    let prompt = events(&run.records[..run.before_eof]);
    same("events before the end", format!("{wanted:?}"), format!("{prompt:?}"))?;
    if expect["retry_any"] != true && case.json["retry_any"] != true {
        let retry = expect["retry"].as_u64().map(u128::from);
        same("retry", format!("{retry:?}"), format!("{:?}", run.retry))?;
    }
    let id = expect["last_event_id"].as_str().unwrap_or_default();
    same("last event id", id.to_owned(), text(&run.last_event_id))?;
    let comments: Vec<String> = run
        .records
        .iter()
        .filter_map(|record| match record {
            Owned::Comment(comment, ..) => Some(text(comment)),
            _ => None,
        })
        .collect();
    let wanted = expected_lines(&case.json["comments"]);
    same("comments", format!("{wanted:?}"), format!("{comments:?}"))?;
    let ignored: Vec<String> = run
        .records
        .iter()
        .filter_map(|record| match record {
            Owned::Stray(_, StrayKind::InvalidRetry | StrayKind::IdWithNul, ..) => None,
            Owned::Stray(line, ..) => Some(text(line)),
            _ => None,
        })
        .collect();
    let wanted = expected_lines(&case.json["ignored_lines"]);
    same("ignored lines", format!("{wanted:?}"), format!("{ignored:?}"))
}

fn check_lenient(case: &Case, run: &Run) -> Result<(), String> {
    let mut wanted = expected_events(&case.json["expect"]["events"]);
    let terminated = wanted.len();
    if let Some(lenient) = case.json.get("lenient_eof") {
        wanted.extend(expected_events(&lenient["events"]));
        let id = lenient["last_event_id"].as_str().unwrap_or_default();
        if id != text(&run.last_event_id) {
            return Err(format!("{}: the lenient end commits an id", case.name));
        }
    }
    let got = events(&run.records);
    if case.json.get("lenient_eof").is_some() && wanted != got {
        return Err(format!("{}: lenient: expected {wanted:?} got {got:?}", case.name));
    }
    let marked = run.records.iter().filter_map(|record| match record {
        Owned::Event { unterminated, .. } => Some(unterminated.is_some()),
        _ => None,
    });
    for (ordinal, marked) in marked.enumerate() {
        if marked != (ordinal >= terminated) {
            return Err(format!("{}: event {ordinal} marked unterminated: {marked}", case.name));
        }
    }
    Ok(())
}

/// The events' segments, joined by LF, are the events' data; spans do not overlap or go back.
fn check_places(case: &Case, run: &Run) -> Result<(), String> {
    let mut behind = 0;
    for record in &run.records {
        let Owned::Event { data, segments, span, .. } = record else { continue };
        let lines: Vec<&[u8]> =
            segments.iter().map(|s| &case.input[s.start as usize..s.end as usize]).collect();
        if lines.join(&b'\n') != *data {
            return Err(format!("{}: segments {segments:?} are not the data", case.name));
        }
        if span.start < behind || segments.iter().any(|s| s.start < span.start || s.end > span.end)
        {
            return Err(format!("{}: span {span:?} overlaps", case.name));
        }
        behind = span.end;
    }
    Ok(())
}

#[test]
fn every_case_in_every_chunking() {
    let cases = cases();
    assert!(cases.len() >= 150, "only {} cases", cases.len());
    let strict = Options::default();
    let lenient = Options::default().with_end(EndOfStream::Lenient);
    let mut faults = Vec::new();
    for case in &cases {
        for (options, check) in [
            (&strict, check_strict as fn(&Case, &Run) -> Result<(), String>),
            (&lenient, check_lenient),
        ] {
            let whole = run(options, [&case.input[..]]);
            faults.extend(check(case, &whole).err());
            faults.extend(check_places(case, &whole).err());
            for chunks in chunkings(&case.input, &case.chunks) {
                let cut = run(options, chunks.iter().copied());
                if cut.records != whole.records
                    || cut.retry != whole.retry
                    || cut.last_event_id != whole.last_event_id
                    || (cut.before_eof != whole.before_eof)
                {
                    let sizes: Vec<usize> = chunks.iter().map(|chunk| chunk.len()).collect();
                    faults.push(format!(
                        "{}: chunks of {sizes:?} give {:?}, whole gives {:?}",
                        case.name, cut.records, whole.records
                    ));
                    break;
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
