//! Every case of corpora/, in every chunking: the right answer, and the same events.
//!
//! A new case is picked up by adding its two files; a new folder needs a line here.

use crate::support::{Case, cases, chunkings, differences, events, message};
use toolcall::{EmitAt, Options};

/// All cases of a folder; a failing one is named with the field, what was expected and what came.
fn check(folder: &str) {
    let mut failures = Vec::new();
    let options = Options::default();
    for case in cases(folder) {
        let whole = events(case.protocol, &options, [case.body.as_slice()]);
        for difference in differences(&case.expect, &message(&whole)) {
            failures.push(format!("{}: {difference}", case.name));
        }
        for (number, chunks) in chunkings(&case.body).into_iter().enumerate() {
            if events(case.protocol, &options, chunks) != whole {
                failures.push(format!("{}: other events in chunking {number}", case.name));
                break;
            }
        }
        failures.extend(emitted_early(&case));
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// A call given out at its own stop is the call that the message's end would have given; late
/// fragments may at most add nameless calls, which nobody can run.
fn emitted_early(case: &Case) -> Option<String> {
    let early = Options::default().emit_at(EmitAt::CallStop);
    let late = message(&events(case.protocol, &Options::default(), [case.body.as_slice()]));
    let early = message(&events(case.protocol, &early, [case.body.as_slice()]));
    let runnable = |message: &toolcall::Message| -> Vec<_> {
        let calls = message.calls().filter(|call| !call.name().is_empty());
        calls.map(|call| (call.key(), call.arguments().raw().to_owned())).collect()
    };
    (runnable(&early) != runnable(&late)).then(|| {
        format!(
            "{}: at the call's stop {:?}, at the message's {:?}",
            case.name,
            runnable(&early),
            runnable(&late)
        )
    })
}

#[test]
fn openai_chat() {
    check("openai-chat");
}

#[test]
fn anthropic() {
    check("anthropic");
}

#[test]
fn openai_responses() {
    check("openai-responses");
}

#[test]
fn gemini() {
    check("gemini");
}

#[test]
fn bedrock() {
    check("bedrock");
}

#[test]
fn cohere() {
    check("cohere");
}

#[test]
fn ollama() {
    check("ollama");
}
