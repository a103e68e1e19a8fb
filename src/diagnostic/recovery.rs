//! The one other reading that a call's fragment borders can prove.

use core::ops::Range;

use serde_json::Value;

use super::fragments::FragmentMap;
use super::validate::validate;
use crate::warning::Warning;

/// A reading of a failed call's text that its fragment borders prove: the server sent the arguments
/// more than once, or a placeholder before them.
///
/// Offered beside the failure, and only taken for the call's arguments where the caller asked for it
/// ([`Options::accept_recovery`](crate::Options)). Never offered when the joined text parses, nor
/// when it ends too soon.
///
/// ```
/// use toolcall::{Message, Protocol, RecoveryKind};
///
/// let piece = |arguments: &str| {
///     let arguments = serde_json::json!(arguments);
///     format!(
///         "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":0,\"function\":\
///          {{\"name\":\"f\",\"arguments\":{arguments}}}}}]}}}}]}}\n\n"
///     )
/// };
/// let end = "data: {\"choices\":[{\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
/// let stream = [piece("{\"a\""), piece("{\"a\":1"), piece("{\"a\":1}"), end.into()];
/// let message = Message::from_chunks(Protocol::OpenAiChat, stream)?;
/// let invalid = message.invalid_calls().next().unwrap();
/// let recovery = invalid.recovery().unwrap();
/// assert_eq!(recovery.kind, RecoveryKind::Cumulative);
/// assert_eq!(recovery.value(), serde_json::json!({"a": 1}));
/// # Ok::<(), toolcall::Interrupted<toolcall::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovery<'a> {
    /// Which reading.
    pub kind: RecoveryKind,
    /// The part of the raw text that holds the arguments: one valid JSON object.
    pub text: &'a str,
}

/// How a server sent more text than the arguments.
///
/// An example is at [`Recovery`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecoveryKind {
    /// The last fragment repeats all the fragments before it at once.
    Recap,
    /// Each fragment holds all of the one before it: snapshots instead of pieces.
    Cumulative,
    /// The first fragment is `{}`, the others together are the object.
    Placeholder,
}

impl RecoveryKind {
    /// The kind's stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            RecoveryKind::Recap => "recap",
            RecoveryKind::Cumulative => "cumulative",
            RecoveryKind::Placeholder => "placeholder",
        }
    }

    /// What a call that was read so is warned with.
    pub(super) fn warning(self) -> Warning {
        match self {
            RecoveryKind::Recap => Warning::ArgumentsRepeated,
            RecoveryKind::Cumulative => Warning::ArgumentsCumulative,
            RecoveryKind::Placeholder => Warning::EmptyObjectPrefix,
        }
    }
}

impl Recovery<'_> {
    /// The arguments in this reading.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.text).unwrap_or(Value::Null)
    }
}

/// The reading of `raw` that its fragments prove, and where its text lies. `raw` itself must have
/// failed to parse.
#[cold]
pub(super) fn prove(raw: &str, fragments: &FragmentMap) -> Option<(RecoveryKind, Range<usize>)> {
    let mut pieces = fragments.iter(raw).map(|fragment| fragment.range).filter(|r| !r.is_empty());
    let first = pieces.next()?;
    let mut last = pieces.next()?;
    let mut cumulative = raw[last.clone()].starts_with(&raw[first.clone()]);
    for piece in pieces {
        cumulative &= raw[piece.clone()].starts_with(&raw[last]);
        last = piece;
    }
    if last.end != raw.len() || first.start != 0 {
        return None;
    }
    let (kind, text) = if cumulative {
        (RecoveryKind::Cumulative, last)
    } else if raw[last.clone()] == raw[..last.start] {
        (RecoveryKind::Recap, last)
    } else if &raw[first.clone()] == "{}" {
        (RecoveryKind::Placeholder, first.end..raw.len())
    } else {
        return None;
    };
    validate(&raw[text.clone()]).is_ok().then_some((kind, text))
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use proptest::prelude::*;

    use super::*;

    fn proved(fragments: &[&str]) -> Option<(RecoveryKind, String)> {
        let mut map = FragmentMap::default();
        let mut raw = String::new();
        for (n, fragment) in fragments.iter().enumerate() {
            raw.push_str(fragment);
            map.push(raw.len(), n as u64, n as u64 * 100, n as u64 * 100 + 90);
        }
        prove(&raw, &map).map(|(kind, range)| (kind, raw[range].into()))
    }

    #[test]
    fn each_reading_is_proved_by_the_borders() {
        use RecoveryKind::{Cumulative, Placeholder, Recap};
        let cases: &[(&[&str], Option<(RecoveryKind, &str)>)] = &[
            (&[r#"{"a":"#, "1}", r#"{"a":1}"#], Some((Recap, r#"{"a":1}"#))),
            (
                &[r#"{"a""#, r#"{"a":1,"#, r#"{"a":1,"b":2}"#],
                Some((Cumulative, r#"{"a":1,"b":2}"#)),
            ),
            (&[r#"{"a":1}"#; 3], Some((Cumulative, r#"{"a":1}"#))),
            (&["{", r#"{"a": 1}"#], Some((Cumulative, r#"{"a": 1}"#))),
            (&["{}", r#"{"a":"#, "1}"], Some((Placeholder, r#"{"a":1}"#))),
            (&["{}", "", r#"{"a":"#, "", "1}", ""], Some((Placeholder, r#"{"a":1}"#))),
            // Different objects, or no border between the copies: nothing is proved.
            (&[r#"{"a":1}"#, r#"{"a":2}"#], None),
            (&[r#"{"a":1}{"a":1}"#], None),
            (&[r#"{}{"a":1}"#], None),
            (&["{}", r#"{"a":1}"#, r#"{"b":1}"#], None),
            (&[r#"{"a":"#, "1}", r#"{"a":1} "#], None),
            // The proof holds, the text in question does not parse.
            (&["[1]", "[1]"], None),
            (&["{", "{a"], None),
            (&[], None),
        ];
        for (fragments, expected) in cases {
            let expected = expected.map(|(kind, text)| (kind, String::from(text)));
            assert_eq!(proved(fragments), expected, "{fragments:?}");
        }
    }

    proptest! {
        #[test]
        fn pieces_that_were_cut_from_one_object_prove_nothing(
            words in prop::collection::vec("[a-z{}\\[\\]:, é]{0,12}", 1..6),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let text = serde_json::to_string(&serde_json::json!({ "words": words })).unwrap();
            let mut cuts: alloc::vec::Vec<usize> = cuts
                .iter()
                .map(|cut| cut.index(text.len()))
                .filter(|&cut| text.is_char_boundary(cut))
                .chain([0, text.len()])
                .collect();
            cuts.sort_unstable();
            let pieces: alloc::vec::Vec<&str> =
                cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            prop_assert_eq!(proved(&pieces), None);
        }
    }
}
