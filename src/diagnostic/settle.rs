//! The one place where a finished text becomes a call or a failure.

use alloc::boxed::Box;
use alloc::string::String;

use super::fault;
use super::fragments::FragmentMap;
use super::recovery;
use super::validate::{Facts, Rejected, validate};
use super::{Inner, InvalidKind, InvalidToolCall};
use crate::call::{Arguments, CallKey, CallKind, ToolCall};
use crate::extras::Extras;
use crate::warning::{Warning, Warnings};

/// What ended a call's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The protocol's stop, its own or its message's.
    Stopped,
    /// The message stopped because the tokens ran out, or the context window.
    Length,
    /// The message stopped because a filter stepped in.
    ContentFilter,
    /// The message stopped because the model refused.
    Refusal,
    /// The stream ended without a stop.
    StreamEnded,
    /// The provider reported an error.
    ErrorEvent,
    /// A new message began in its place.
    Restarted,
}

impl Ending {
    /// Whether nothing says that the call was meant to end here, whatever its text looks like.
    pub(super) fn is_cut(self) -> bool {
        matches!(self, Ending::StreamEnded | Ending::ErrorEvent | Ending::Restarted)
    }

    /// Whether the message was stopped before the model had ended it.
    pub(crate) fn is_limited(self) -> bool {
        matches!(self, Ending::Length | Ending::ContentFilter | Ending::Refusal)
    }
}

/// A call whose text will not grow any more.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unfinished {
    pub key: CallKey,
    pub kind: CallKind,
    pub id: Option<String>,
    pub name: String,
    /// All fragments, joined.
    pub raw: String,
    pub fragments: FragmentMap,
    pub warnings: Warnings,
    pub ending: Ending,
    /// It is the last call of its choice: the one a limit may have cut.
    pub last: bool,
    /// Nothing shows that the text is whole, though it looks so: it was put together here.
    pub unproved: bool,
    /// Where in `raw` the fragments begin that came after the call's own stop.
    pub after_stop: Option<usize>,
    /// What must go back with the call.
    pub extras: Extras,
    /// The call stood in the model's text, whose format was read already.
    pub text: Option<TextReading>,
    /// The raw text was found valid before.
    pub facts: Option<Facts>,
}

/// What the format of a call in text makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TextReading {
    /// The raw text is the arguments.
    Raw,
    /// The raw text stands for these arguments.
    Json(String),
    /// The text ended inside the call.
    Cut,
    /// The format writes JSON, and this is none, or the JSON around it is none.
    BrokenJson,
    /// The format's own way of writing was broken.
    Malformed { offset: usize, expected: String },
}

/// What the caller allows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SettleOptions {
    /// A proved reading becomes the call, with a warning.
    pub accept_recovery: bool,
}

/// Decides whether a finished text is a call.
///
/// - A cut text is `truncated`, even where it looks whole.
/// - Free text is never parsed.
/// - Nothing but white space stands for `{}`, unless a limit may have held the text back.
/// - All else is parsed once, strictly.
pub(crate) fn settle(
    mut call: Unfinished,
    options: SettleOptions,
) -> Result<ToolCall, InvalidToolCall> {
    let end = call.raw.len();
    match &mut call.text {
        None => {}
        Some(TextReading::Json(json)) => {
            let json = core::mem::take(json);
            return Ok(whole(call, Some(json)));
        }
        Some(TextReading::Cut) => return Err(invalid(call, InvalidKind::Truncated, end, None)),
        Some(TextReading::Malformed { offset, expected }) => {
            let (offset, error) = (*offset, serde::de::Error::custom(expected));
            return Err(invalid(call, InvalidKind::Malformed, offset, Some(error)));
        }
        Some(TextReading::Raw | TextReading::BrokenJson) => return settle_json(call, options),
    }
    if call.ending.is_cut() || call.unproved {
        return Err(invalid(call, InvalidKind::Truncated, end, None));
    }
    // Neither an empty text nor a free one shows by itself that it was cut.
    let maybe_cut = call.last && call.ending.is_limited();
    if call.kind == CallKind::Custom || is_blank(&call.raw) {
        if maybe_cut {
            return Err(invalid(call, InvalidKind::Truncated, end, None));
        }
        return Ok(whole(call, None));
    }
    settle_json(call, options)
}

/// Decides about a text that is whole as far as anybody knows.
fn settle_json(mut call: Unfinished, options: SettleOptions) -> Result<ToolCall, InvalidToolCall> {
    let end = call.raw.len();
    match call.facts.map_or_else(|| validate(&call.raw), Ok) {
        Ok(_) if call.text == Some(TextReading::BrokenJson) => {
            return Err(invalid(call, InvalidKind::Malformed, end, None));
        }
        Ok(Facts { duplicate_key }) => {
            if duplicate_key {
                call.warnings.insert(Warning::DuplicateKey);
            }
            return Ok(whole(call, None));
        }
        Err(Rejected::TooDeep) => call.warnings.insert(Warning::DepthLimit),
        Err(Rejected::Syntax) => {}
    }
    let Some(fault) = fault::find(&call.raw) else {
        debug_assert!(false, "serde_json takes what the validation rejects: {:?}", call.raw);
        return Ok(whole(call, None));
    };
    let reading = match fault.kind {
        InvalidKind::Malformed | InvalidKind::Concatenated => {
            recovery::prove(&call.raw, &call.fragments)
        }
        _ => None,
    };
    match reading {
        Some((kind, range)) if options.accept_recovery => {
            let text = String::from(&call.raw[range]);
            call.warnings.insert(kind.warning());
            if validate(&text).is_ok_and(|facts| facts.duplicate_key) {
                call.warnings.insert(Warning::DuplicateKey);
            }
            Ok(whole(call, Some(text)))
        }
        reading => {
            let mut failure = invalid(call, fault.kind, fault.offset, fault.error);
            failure.0.reading = reading;
            Err(failure)
        }
    }
}

fn whole(call: Unfinished, recovered: Option<String>) -> ToolCall {
    ToolCall {
        key: call.key,
        kind: call.kind,
        id: call.id,
        name: call.name,
        arguments: Arguments { raw: call.raw, recovered, free_text: call.kind == CallKind::Custom },
        warnings: call.warnings,
        extras: call.extras,
    }
}

#[cold]
fn invalid(
    call: Unfinished,
    kind: InvalidKind,
    offset: usize,
    error: Option<serde_json::Error>,
) -> InvalidToolCall {
    InvalidToolCall(Box::new(Inner {
        call,
        kind,
        offset,
        error: error.map(Into::into),
        reading: None,
    }))
}

/// Whether the text has nothing but JSON's white space.
pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::super::RecoveryKind;
    use super::super::tests::call;
    use super::*;

    fn failed(fragments: &[&str], ending: Ending) -> InvalidToolCall {
        settle(call(fragments, ending), SettleOptions::default()).expect_err("no call")
    }

    const ENDINGS: [Ending; 7] = [
        Ending::Stopped,
        Ending::Length,
        Ending::ContentFilter,
        Ending::Refusal,
        Ending::StreamEnded,
        Ending::ErrorEvent,
        Ending::Restarted,
    ];

    #[test]
    fn a_text_is_named_by_what_it_is() {
        use InvalidKind::{Concatenated, DoubleEncoded, Malformed, NotObject, Truncated};
        let cases = [
            (r#"{"a":"#, Truncated, 5),
            (r#"{"a":1"#, Truncated, 6),
            ("{\"a\":\"\n", Malformed, 6),
            ("{\n\"a\": tru", Truncated, 10),
            ("\"{", Truncated, 2),
            ("[1,", Truncated, 3),
            (r#"{"a":1}{"b":2}"#, Concatenated, 7),
            ("{} \n {}", Concatenated, 5),
            ("{} 1", Concatenated, 3),
            ("1 2", Concatenated, 2),
            (r#"{"a":1}{"b":"#, Malformed, 7),
            (r#"{"a":1}}"#, Malformed, 7),
            (r#"{"a":1} and"#, Malformed, 8),
            ("{'a':1}", Malformed, 1),
            ("null", NotObject, 0),
            (" 12 ", NotObject, 1),
            ("[{}]", NotObject, 0),
            (r#""text""#, NotObject, 0),
            (r#""\"{}\"""#, NotObject, 0),
            (r#""{}""#, DoubleEncoded, 0),
            (r#" " {\"a\": 1} " "#, DoubleEncoded, 1),
        ];
        for (text, kind, offset) in cases {
            let failure = failed(&[text], Ending::Stopped);
            assert_eq!((failure.kind(), failure.offset()), (kind, offset), "{text:?}");
            assert_eq!(failure.raw(), text);
        }
    }

    #[test]
    fn line_and_column_count_from_one() {
        let failure = failed(&["{\n  \"é\": é\n}"], Ending::Stopped);
        assert_eq!((failure.offset(), failure.line(), failure.column()), (10, 2, 9));
        let failure = failed(&["{\"a\": \"x\ny\"}"], Ending::Stopped);
        assert_eq!((failure.offset(), failure.line(), failure.column()), (8, 1, 9));
    }

    #[test]
    fn nothing_that_was_cut_is_a_call() {
        for ending in ENDINGS {
            let whole = settle(call(&[r#"{"a":"#, "1}"], ending), SettleOptions::default());
            assert_eq!(whole.is_ok(), !ending.is_cut(), "{ending:?}");
            for text in ["", " \n"] {
                let empty = settle(call(&[text], ending), SettleOptions::default());
                assert_eq!(empty.is_ok(), ending == Ending::Stopped, "{ending:?}");
                let mut earlier = call(&[text], ending);
                earlier.last = false;
                let earlier = settle(earlier, SettleOptions::default());
                assert_eq!(earlier.is_ok(), !ending.is_cut(), "{ending:?}");
                if let Ok(call) = earlier {
                    assert_eq!(call.arguments().value(), serde_json::json!({}));
                    assert_eq!(call.arguments().raw(), text);
                }
            }
            let failure = failed(&[r#"{"a":"#], ending);
            assert_eq!((failure.kind(), failure.offset()), (InvalidKind::Truncated, 5));
        }
    }

    #[test]
    fn free_text_is_never_parsed() {
        for ending in ENDINGS {
            for last in [true, false] {
                let mut custom = call(&["*** Begin", " Patch {"], ending);
                (custom.kind, custom.last) = (CallKind::Custom, last);
                let cut = ending.is_cut() || last && ending.is_limited();
                match settle(custom, SettleOptions::default()) {
                    Ok(call) => {
                        assert!(!cut, "{ending:?}");
                        assert_eq!(call.arguments().value(), "*** Begin Patch {");
                    }
                    Err(failure) => {
                        assert!(cut, "{ending:?}");
                        assert_eq!(failure.kind(), InvalidKind::Truncated);
                    }
                }
            }
        }
    }

    /// The wire's own fragments of the cases that have a second reading, and of some that do not.
    #[test]
    fn a_proved_reading_is_offered_and_taken_only_on_request() {
        let whole = r#"{"key":"lang","value":"de"}"#;
        let cases: &[(&[&str], InvalidKind, Option<(RecoveryKind, Warning, usize)>)] = &[
            (
                &[r#"{"text":"buy "#, r#"groceries"}"#, r#"{"text":"buy groceries"}"#],
                InvalidKind::Concatenated,
                Some((RecoveryKind::Recap, Warning::ArgumentsRepeated, 2)),
            ),
            (
                &[
                    r#"{"pattern""#,
                    r#"{"pattern":"fn main","#,
                    r#"{"pattern":"fn main","path":"src"}"#,
                ],
                InvalidKind::Malformed,
                Some((RecoveryKind::Cumulative, Warning::ArgumentsCumulative, 2)),
            ),
            (
                &[whole, whole, whole],
                InvalidKind::Concatenated,
                Some((RecoveryKind::Cumulative, Warning::ArgumentsCumulative, 2)),
            ),
            (
                &["{", r#"{"city": "Orlando", "unit": "celsius"}"#],
                InvalidKind::Malformed,
                Some((RecoveryKind::Cumulative, Warning::ArgumentsCumulative, 1)),
            ),
            (
                &["{}", r#"{"city":"#, r#""Oslo"}"#],
                InvalidKind::Concatenated,
                Some((RecoveryKind::Placeholder, Warning::EmptyObjectPrefix, 1)),
            ),
            (&[r#"{"id":17}{"id":17}"#], InvalidKind::Concatenated, None),
            (&[r#"{"c":1}"#, r#"{"c":2}"#, r#"{"c":3}"#], InvalidKind::Concatenated, None),
            (&[r#"{"a":["#, r#"{"a":[1]}"#], InvalidKind::Truncated, None),
        ];
        for &(fragments, kind, expected) in cases {
            let failure = failed(fragments, Ending::Stopped);
            assert_eq!(failure.kind(), kind, "{fragments:?}");
            let text = expected.map(|(_, _, first)| fragments[first..].concat());
            assert_eq!(failure.recovery().map(|r| r.kind), expected.map(|(kind, ..)| kind));
            assert_eq!(failure.recovery().map(|r| r.text), text.as_deref());

            let accept = SettleOptions { accept_recovery: true };
            match settle(call(fragments, Ending::Stopped), accept) {
                Ok(call) => {
                    let (_, warning, _) = expected.expect("a call out of nothing");
                    assert!(call.warnings().eq([warning]));
                    assert_eq!(call.arguments().raw(), fragments.concat());
                    let value: serde_json::Value = serde_json::from_str(&text.unwrap()).unwrap();
                    assert_eq!(call.arguments().value(), value);
                }
                Err(again) => {
                    assert_eq!(expected, None);
                    assert_eq!(again, failure);
                }
            }
        }
    }

    #[test]
    fn what_the_validation_finds_becomes_a_warning() {
        let call_of = |text: &str| settle(call(&[text], Ending::Stopped), SettleOptions::default());
        let repeated = call_of(r#"{"a":1,"a":2}"#).expect("a call");
        assert!(repeated.warnings().eq([Warning::DuplicateKey]));
        assert_eq!(repeated.arguments().value(), serde_json::json!({ "a": 2 }));
        let deep = call_of(&format!("{{\"v\":{}{}}}", "[".repeat(200), "]".repeat(200)));
        let deep = deep.expect_err("no call");
        assert_eq!((deep.kind(), deep.offset()), (InvalidKind::Malformed, 131));
        assert!(deep.warnings().eq([Warning::DepthLimit]));
    }
}
