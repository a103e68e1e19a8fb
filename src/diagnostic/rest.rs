//! Can this text be a part of a JSON object: its rest, or any piece of it?
//!
//! Whether it can is found by giving it a beginning: the brackets that it closes without having opened
//! them, and one of a few lead-ins for each state of the grammar that it may begin in.

use alloc::string::String;
use alloc::vec::Vec;

use super::fault::Json;
use super::validate::{MAX_DEPTH, validate};

/// What may stand before a rest that begins outside of strings, in the innermost object or array
/// that is open there. Together they reach every state of the grammar.
const OUTSIDE: &[(&str, &str)] = &[
    ("{", "["),
    ("{\"k\"", "["),
    ("{\"k\":", "["),
    ("{\"k\":0", "[0"),
    ("{\"k\":0.", "[0."),
    ("{\"k\":-", "[-"),
    ("{\"k\":0e", "[0e"),
    ("{\"k\":1", "[1"),
    ("{\"k\":0,", "[0,"),
    ("{\"k\":t", "[t"),
    ("{\"k\":tr", "[tr"),
    ("{\"k\":tru", "[tru"),
    ("{\"k\":f", "[f"),
    ("{\"k\":fa", "[fa"),
    ("{\"k\":fal", "[fal"),
    ("{\"k\":fals", "[fals"),
    ("{\"k\":n", "[n"),
    ("{\"k\":nu", "[nu"),
    ("{\"k\":nul", "[nul"),
];

/// The same for a rest that begins inside a string.
const INSIDE: &[(&str, &str)] = &[
    ("{\"", "[\""),
    ("{\"k\":\"", "[\""),
    ("{\"k\":\"\\u", "[\"\\u"),
    ("{\"k\":\"\\u0", "[\"\\u0"),
    ("{\"k\":\"\\u00", "[\"\\u00"),
    ("{\"k\":\"\\u000", "[\"\\u000"),
    ("{\"k\":\"\\ud800", "[\"\\ud800"),
    ("{\"\\u", "[\"\\u"),
];

/// The same for one that begins behind a backslash.
const ESCAPE: &[(&str, &str)] = &[("{\"k\":\"\\", "[\"\\"), ("{\"\\", "[\"\\")];

/// Whether some beginning makes a JSON object of `text`, which must end with that object's end.
pub(super) fn can_be_rest(text: &str) -> bool {
    let ends =
        |brackets: &Brackets| brackets.left_open == 0 && brackets.closers.last() == Some(&b'}');
    text.trim_ascii_end().ends_with('}')
        && some_beginning(text, &[""], ends, |whole| validate(whole).is_ok())
}

/// Whether some beginning and some end make a JSON object of `text`.
pub(super) fn can_be_piece(text: &str) -> bool {
    // It may go on behind the last bracket that it closes, in an object or in an array.
    some_beginning(
        text,
        &["{\"k\":", "["],
        |_| true,
        |whole| match serde_json::from_str::<Json>(whole) {
            Ok(Json) => true,
            Err(error) => error.is_eof(),
        },
    )
}

fn some_beginning(
    text: &str,
    outermost: &[&str],
    considered: impl Fn(&Brackets) -> bool,
    accepted: impl Fn(&str) -> bool,
) -> bool {
    let phases = [(Phase::Outside, OUTSIDE), (Phase::Inside, INSIDE), (Phase::Escape, ESCAPE)];
    phases.into_iter().any(|(phase, leads)| {
        let Some(brackets) = Brackets::of(text, phase).filter(&considered) else { return false };
        let (innermost, outer) = match brackets.closers.split_first() {
            Some((innermost, outer)) => (Some(*innermost), outer),
            None => (None, &[][..]),
        };
        let mut whole = String::new();
        let mut accepts = |outermost: &str, lead: &str| {
            whole.clear();
            whole.push_str(outermost);
            for closer in outer.iter().rev() {
                whole.push_str(if *closer == b'}' { "{\"k\":" } else { "[" });
            }
            whole.push_str(lead);
            whole.push_str(text);
            accepted(&whole)
        };
        leads.iter().any(|(in_object, in_array)| {
            outermost.iter().any(|outermost| {
                innermost != Some(b']') && accepts(outermost, in_object)
                    || innermost != Some(b'}') && accepts(outermost, in_array)
            })
        })
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Outside,
    Inside,
    Escape,
}

/// The brackets of a text that do not match within it.
struct Brackets {
    /// The closing ones, in order.
    closers: Vec<u8>,
    /// How many are open at the end.
    left_open: usize,
}

impl Brackets {
    /// `None` where brackets of two kinds are matched, or more are open than can be.
    fn of(text: &str, mut phase: Phase) -> Option<Self> {
        let mut closers = Vec::new();
        let mut open = Vec::new();
        for byte in text.bytes() {
            match (phase, byte) {
                (Phase::Escape, _) => phase = Phase::Inside,
                (Phase::Inside, b'\\') => phase = Phase::Escape,
                (Phase::Inside, b'"') => phase = Phase::Outside,
                (Phase::Inside, _) => {}
                (Phase::Outside, b'"') => phase = Phase::Inside,
                (Phase::Outside, b'{') => open.push(b'}'),
                (Phase::Outside, b'[') => open.push(b']'),
                (Phase::Outside, b'}' | b']') => match open.pop() {
                    Some(expected) if expected == byte => {}
                    Some(_) => return None,
                    None => closers.push(byte),
                },
                (Phase::Outside, _) => {}
            }
            if open.len().max(closers.len()) > MAX_DEPTH as usize {
                return None;
            }
        }
        Some(Brackets { closers, left_open: open.len() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_can_be_a_rest() {
        let rests = [
            "}",
            "1}",
            "\"a\":1}",
            "a\":1}",
            ":1}",
            "\"}",
            "x\"}",
            ",\"b\":2}",
            "]}",
            "1],\"b\":{}}  ",
            "rue}",
            "ll,\"x\":[]}",
            "041\"}",
            "n\"}",
            "\\n\"}",
            "{\"b\":1}}",
            "\":{\"c\":\"]\"}}]}",
            "\"\"}",
            ".5}",
            "e5}",
        ];
        for text in rests {
            assert!(can_be_rest(text), "{text:?}");
        }
        let others = [
            "",
            "{",
            "{}",
            "{\"a\":1}",
            "a",
            "]",
            "}]",
            "\"",
            "{'a': 1}",
            "\n\"a\nb\"}",
            "Dave, \"x\":1}",
            "} }]",
            "{\"a\":1,}",
            "x\":1",
            "```json\n{}",
            "```json\n{\"a\":1}\n```",
            "code\": uptime\"}",
        ];
        for text in others {
            assert!(!can_be_rest(text), "{text:?}");
        }
    }

    #[test]
    fn what_can_be_a_piece() {
        for text in [
            "",
            "{",
            "}",
            "a b",
            "tru",
            "rue, {",
            "e5, ",
            "'a': True",
            "\"x\": [",
            "\\u00",
            "\n",
            "]}, ",
        ] {
            assert!(can_be_piece(text), "{text:?}");
        }
        for text in ["{\"a\": D", "\"a\" 29", "{\"id\":1}{", "\"x\ny\"", "\"\\d\"", "\"a\":\u{1b}1"]
        {
            assert!(!can_be_piece(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_piece_of_an_object_can_be_one(
            words in prop::collection::vec("[a-z\"\\\\{}\\[\\]é😀\n]{0,6}", 1..4),
            cut in any::<[prop::sample::Index; 2]>(),
        ) {
            let value = serde_json::json!({ "w": words, "o": { "n": [-1.5e-7, null, [true]] } });
            let text = serde_json::to_string_pretty(&value).unwrap();
            let mut cut = cut.map(|cut| cut.index(text.len()));
            cut.sort_unstable();
            if let Some(piece) = text.get(cut[0]..cut[1]) {
                prop_assert!(can_be_piece(piece), "{piece:?}");
            }
        }

        #[test]
        fn every_proper_rest_of_an_object_can_be_one(
            words in prop::collection::vec("[a-z\"\\\\{}\\[\\]é😀\n]{0,6}", 1..4),
            number in prop::num::f64::NORMAL,
            cut in any::<prop::sample::Index>(),
        ) {
            let value = serde_json::json!({
                "w": words, "o": { "n": [number, null, [true, false]], "e": {} }, "s": "\u{1}",
            });
            let text = serde_json::to_string(&value).unwrap();
            let mut cut = 1 + cut.index(text.len() - 1);
            while !text.is_char_boundary(cut) {
                cut += 1;
            }
            prop_assert!(can_be_rest(&text[cut..]), "{:?}", &text[cut..]);
        }
    }
}
