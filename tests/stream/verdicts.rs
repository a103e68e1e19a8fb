//! Whose fault each failing call of corpora/ is: corpora/verdicts.txt has the answers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use toolcall::{InvalidToolCall, Options, Protocol, Verdict};

use crate::support::{cases, chunkings, events, message};

/// The table's rows: case and call (`choice.position`), verdict.
fn table() -> BTreeMap<(String, String), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/verdicts.txt");
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut table = BTreeMap::new();
    for row in rows {
        let mut words = row.split_whitespace();
        let (case, call) = (words.next().unwrap().to_owned(), words.next().unwrap().to_owned());
        let verdict = words.take_while(|word| *word != "--").collect::<Vec<_>>().join(" ");
        assert!(table.insert((case, call), verdict).is_none(), "twice: {row}");
    }
    table
}

/// A verdict as the table writes it.
fn row(verdict: Verdict) -> String {
    let name = verdict.as_str();
    match verdict {
        Verdict::ModelOutput { fault } => format!("{name} {}", fault.as_str()),
        Verdict::Truncated { by } => format!("{name} {}", by.as_str()),
        Verdict::GluedCalls { at } | Verdict::AfterStop { at } => format!("{name} {at}"),
        Verdict::RepeatedFragment { fragment, reading } => match reading {
            Some(reading) => format!("{name} {}", reading.as_str()),
            None => format!("{name} {fragment}"),
        },
        Verdict::TrailingToken { at, length } => format!("{name} {at} {length}"),
        Verdict::Undecided { clue } => format!("{name} {}", clue.as_str()),
        _ => name.to_owned(),
    }
}

fn folders() -> impl Iterator<Item = &'static str> {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora");
    Protocol::ALL
        .iter()
        .map(|protocol| protocol.as_str())
        .filter(move |folder| corpora.join(folder).is_dir())
}

#[test]
fn every_failing_call_has_the_verdict_of_the_table() {
    let mut table = table();
    let mut wrong = Vec::new();
    for folder in folders() {
        for case in cases(folder) {
            let message = message(&events(case.protocol, &Options::default(), [&case.body[..]]));
            for invalid in message.invalid_calls() {
                let key = invalid.key();
                let call = format!("{}.{}", key.choice, key.position);
                let expected = table.remove(&(case.name.clone(), call.clone()));
                let found = row(invalid.verdict());
                if expected.as_ref() != Some(&found) {
                    let report = invalid.report();
                    wrong.push(format!("{} {call} {found}, not {expected:?}\n{report}", case.name));
                }
            }
        }
        table.retain(|(case, call), verdict| {
            let stale = case.split('/').next() == Some(folder);
            if stale {
                wrong.push(format!("{case} {call} {verdict}: no such call fails"));
            }
            !stale
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn reports_are_the_same_for_every_chunking() {
    for folder in folders() {
        for case in cases(folder) {
            let reports = |chunks: Vec<&[u8]>| {
                let message = message(&events(case.protocol, &Options::default(), chunks));
                let text = |invalid: &InvalidToolCall| {
                    format!("{}\n{}", invalid.report(), invalid.to_model_text())
                };
                message.invalid_calls().map(text).collect::<Vec<_>>()
            };
            let whole = reports(vec![&case.body]);
            if whole.is_empty() {
                continue;
            }
            for chunks in chunkings(&case.body).into_iter().step_by(17) {
                assert_eq!(reports(chunks), whole, "{}", case.name);
            }
        }
    }
}
