//! Faults built on purpose out of calls that are valid: what is found must be what was done.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use super::tests::{call, failed};
use super::*;

/// Arguments as models write them.
fn arguments() -> impl Strategy<Value = Value> {
    let line = prop::sample::select(vec![
        "fn main() { println!(\"{}\", 1); }",
        "let x = [1, 2, {\"a\": 3}];",
        "<div class=\"a\">b & c</div>",
        "he said \"no\", twice: {it's} 5",
        "\u{65e5}\u{672c}\u{8a9e} \u{1f600} e\u{301}",
        "C:\\path\\new",
        "// comment, with \ttab",
        "null, true, 12.5e3]",
        "",
    ]);
    let text = prop::collection::vec(line, 0..5).prop_map(|lines| Value::from(lines.join("\n")));
    let leaf = prop_oneof![
        3 => text,
        1 => any::<i32>().prop_map(Value::from),
        1 => prop::sample::select(vec![json!(null), json!(true), json!(-0.125), json!([]), json!({})]),
    ];
    let value = leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 1..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    prop::collection::btree_map("[a-z_]{1,9}", value, 1..6)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// The text of arguments, cut into fragments of up to `longest` characters.
fn fragments(longest: usize) -> impl Strategy<Value = Vec<String>> {
    let sizes = prop::collection::vec(1..=longest, 1..20);
    (arguments(), any::<bool>(), sizes).prop_map(|(value, pretty, sizes)| {
        let text = match pretty {
            true => serde_json::to_string_pretty(&value),
            false => serde_json::to_string(&value),
        };
        cut(&text.expect("JSON"), &sizes)
    })
}

fn cut(text: &str, sizes: &[usize]) -> Vec<String> {
    let mut characters = text.chars().peekable();
    let mut sizes = sizes.iter().cycle();
    let mut fragments = Vec::new();
    while characters.peek().is_some() {
        let size = *sizes.next().expect("a size");
        fragments.push(characters.by_ref().take(size).collect());
    }
    fragments
}

fn settled(fragments: &[String], ending: Ending) -> Option<InvalidToolCall> {
    let fragments: Vec<&str> = fragments.iter().map(|fragment| &fragment[..]).collect();
    settle(call(&fragments, ending), SettleOptions::default()).err()
}

/// How often a fault was found, of how often it could have been.
#[derive(Default)]
struct Score {
    provable: usize,
    found: usize,
}

impl Score {
    fn count(&mut self, provable: bool, found: bool) {
        self.provable += usize::from(provable);
        self.found += usize::from(provable && found);
    }

    fn at_least_95_percent(&self) {
        assert!(self.provable >= 60, "only {} provable cases", self.provable);
        assert!(self.found * 100 >= self.provable * 95, "{} of {}", self.found, self.provable);
    }
}

/// Values of a strategy, the same ones each time.
fn cases<S: Strategy>(strategy: S, count: usize) -> impl Iterator<Item = S::Value> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(move |_| strategy.new_tree(&mut runner).expect("a value").current())
}

const LENGTHS: [usize; 3] = [4, 16, 60];
const CASES: usize = if cfg!(debug_assertions) { 150 } else { 3000 };

/// Runs a test over calls in short and in long fragments, with an index to do something at.
fn each(mut test: impl FnMut(Vec<String>, usize)) {
    for longest in LENGTHS {
        for (fragments, index) in cases((fragments(longest), any::<prop::sample::Index>()), CASES) {
            let index = index.index(fragments.len());
            test(fragments, index);
        }
    }
}

#[test]
fn a_cut_is_found_and_who_cut_it() {
    let mut score = Score::default();
    each(|mut fragments, index| {
        fragments.truncate(index);
        for (ending, by) in [
            (Ending::StreamEnded, Cut::StreamEnd),
            (Ending::ErrorEvent, Cut::ErrorEvent),
            (Ending::Restarted, Cut::Restart),
            (Ending::Length, Cut::TokenLimit),
            (Ending::ContentFilter, Cut::ContentFilter),
            (Ending::Refusal, Cut::Refusal),
        ] {
            let failure = settled(&fragments, ending).expect("a failure");
            assert_eq!(failure.verdict(), Verdict::Truncated { by });
        }
        let Some(failure) = settled(&fragments, Ending::Stopped) else { return };
        assert_eq!(failure.kind(), InvalidKind::Truncated);
        let found = match failure.verdict() {
            Verdict::Truncated { by: Cut::Unexplained } => true,
            Verdict::Undecided { .. } => false,
            other => panic!("{other:?}\n{}", failure.report()),
        };
        // A text that ends with a closing brace may have lost something else than its end.
        score.count(!failure.raw().trim_end().ends_with('}'), found);
    });
    score.at_least_95_percent();
}

#[test]
fn glued_calls_are_found() {
    let mut score = Score::default();
    for longest in LENGTHS {
        for (mut a, b) in cases((fragments(longest), fragments(longest)), CASES) {
            let at = a.concat().len();
            a.extend(b);
            let failure = settled(&a, Ending::Stopped).expect("a failure");
            let found = match failure.verdict() {
                Verdict::GluedCalls { at: found } => found == at,
                // Both calls are the same, in one fragment each, or the first is an empty one.
                Verdict::RepeatedFragment { .. } | Verdict::Placeholder => false,
                other => panic!("{other:?}\n{}", failure.report()),
            };
            score.count(failure.recovery().is_none(), found);
        }
    }
    score.at_least_95_percent();
}

#[test]
fn a_lost_start_is_found() {
    let mut score = Score::default();
    each(|fragments, index| {
        let rest = &fragments[index..];
        let Some(failure) = settled(rest, Ending::Stopped).filter(|_| index > 0) else { return };
        let found = match failure.verdict() {
            Verdict::LostStart => true,
            Verdict::Undecided { .. } => false,
            // A rest can be a whole value, or look like the end of one thing or another.
            Verdict::ModelOutput { fault: WritingFault::NotObject } => false,
            other => panic!("{other:?}\n{}", failure.report()),
        };
        score.count(!failure.raw().trim_start().starts_with('{'), found);
    });
    score.at_least_95_percent();
}

#[test]
fn a_loss_in_the_middle_is_blamed_on_nobody_else() {
    let mut score = Score::default();
    each(|mut fragments, index| {
        if index == 0 || index + 1 == fragments.len() {
            return;
        }
        fragments.remove(index);
        let Some(failure) = settled(&fragments, Ending::Stopped) else { return };
        let found = match failure.verdict() {
            Verdict::Undecided { .. } => true,
            other => panic!("{other:?}\n{}", failure.report()),
        };
        score.count(true, found);
    });
    score.at_least_95_percent();
}

#[test]
fn a_repeat_is_found() {
    let mut score = Score::default();
    each(|mut fragments, index| {
        let fragment = fragments[index].clone();
        fragments.insert(index, fragment.clone());
        let Some(failure) = settled(&fragments, Ending::Stopped) else { return };
        let found = match failure.verdict() {
            Verdict::RepeatedFragment { .. } => true,
            Verdict::Undecided { .. } => false,
            other => panic!("{other:?}\n{}", failure.report()),
        };
        score.count(fragment.len() >= 8, found);
    });
    score.at_least_95_percent();
}

#[test]
fn an_exchange_is_blamed_on_nobody_else() {
    let mut score = Score::default();
    each(|mut fragments, index| {
        if index + 1 >= fragments.len() {
            return;
        }
        fragments.swap(index, index + 1);
        let Some(failure) = settled(&fragments, Ending::Stopped) else { return };
        let found = match failure.verdict() {
            Verdict::Undecided { .. } => true,
            // The first ones: what is there looks like a rest.
            Verdict::LostStart if index == 0 => false,
            // The last ones: what is there looks like a beginning.
            Verdict::Truncated { .. } if index + 2 == fragments.len() => false,
            other => panic!("{other:?}\n{}", failure.report()),
        };
        score.count(index > 0 && index + 2 < fragments.len(), found);
    });
    score.at_least_95_percent();
}

/// One call under two identities.
#[test]
fn both_halves_of_a_split_call_are_known() {
    let mut score = Score::default();
    each(|fragments, index| {
        let (a, b) = fragments.split_at(index);
        if index == 0 || b.concat().trim_start().starts_with('{') {
            return;
        }
        let (Some(a), Some(b)) = (settled(a, Ending::Stopped), settled(b, Ending::Stopped)) else {
            return;
        };
        let (a, b) = (a.verdict(), b.verdict());
        score.count(
            !fragments[index - 1].ends_with('}'),
            a == Verdict::Truncated { by: Cut::Unexplained } && b == Verdict::LostStart,
        );
    });
    score.at_least_95_percent();
}

/// What the writer does to a text, and under which name it is known.
fn written_wrong(
    text: &str,
    way: usize,
    place: prop::sample::Index,
) -> Option<(String, WritingFault)> {
    let pick = |pattern: &str| {
        let places: Vec<usize> = text.match_indices(pattern).map(|(at, _)| at).collect();
        (!places.is_empty()).then(|| places[place.index(places.len())])
    };
    let replaced = |pattern: &str, by: &str| {
        let at = pick(pattern)?;
        Some(format!("{}{by}{}", &text[..at], &text[at + pattern.len()..]))
    };
    Some(match way {
        0 => (replaced("\\n", "\n")?, WritingFault::ControlCharacter),
        1 => (replaced("true", "True")?, WritingFault::PythonLiteral),
        2 => (replaced("null", "None")?, WritingFault::PythonLiteral),
        3 => (replaced("\\\\", "\\")?, WritingFault::InvalidEscape),
        4 => (replaced("\\\"", "\"")?, WritingFault::UnescapedQuote),
        5 => (replaced("\"}", "\",}")?, WritingFault::TrailingComma),
        6 => (replaced("\":", "\"=")?, WritingFault::MissingValue),
        7 => (replaced(",\"", ", /* x */ \"")?, WritingFault::Comment),
        _ => (text.replace('"', "'"), WritingFault::SingleQuotes),
    })
}

#[test]
fn what_was_written_wrong_is_blamed_on_no_transport() {
    let mut score = Score::default();
    let strategy = || (arguments(), 0..9usize, any::<prop::sample::Index>());
    for longest in [4, 16, 60, 5000] {
        for (value, way, place) in cases(strategy(), CASES) {
            let text = serde_json::to_string(&value).expect("JSON");
            let Some((text, fault)) = written_wrong(&text, way, place) else { continue };
            let fragments = cut(&text, &[longest, 1 + longest / 2]);
            let Some(failure) = settled(&fragments, Ending::Stopped) else { continue };
            let found = match failure.verdict() {
                Verdict::ModelOutput { fault: found } => {
                    // What a quote too many or a backslash too few leads to depends on what follows.
                    let known = found == fault || matches!(way, 0 | 3 | 4);
                    assert!(known, "{found:?}, not {fault:?}\n{}", failure.report());
                    true
                }
                Verdict::Undecided { .. } => false,
                // Without its backslash a quote may leave the last string open.
                Verdict::Truncated { by: Cut::Unexplained } if matches!(way, 3 | 4) => false,
                other => panic!("{other:?}\n{}", failure.report()),
            };
            score.count(fragments.len() == 1 && !matches!(way, 3 | 4), found);
        }
    }
    score.at_least_95_percent();
}

#[test]
fn text_after_the_stop_is_found() {
    let mut score = Score::default();
    each(|fragments, index| {
        let mut all: Vec<&str> = fragments.iter().map(|fragment| &fragment[..]).collect();
        let whole = fragments.concat();
        let late: String = whole.chars().take(index).collect();
        all.extend([&late, "}"]);
        let mut call = call(&all, Ending::Stopped);
        call.after_stop = Some(whole.len());
        let failure = failed(call);
        let verdict = failure.verdict();
        let found = verdict == Verdict::AfterStop { at: whole.len() };
        assert!(found || failure.recovery().is_some(), "{verdict:?}\n{}", failure.report());
        score.count(failure.recovery().is_none(), found);
    });
    score.at_least_95_percent();
}

#[test]
fn tokens_that_were_left_are_found() {
    let tokens =
        ["</tool_call>", "<|im_end|>", "\n```", "<\u{ff5c}tool\u{2581}call\u{2581}end\u{ff5c}>"];
    let mut score = Score::default();
    each(|mut fragments, index| {
        let at = fragments.concat().len();
        let token = tokens[index % tokens.len()];
        match index % 2 {
            0 => fragments.push(token.into()),
            _ => fragments.last_mut().expect("a fragment").push_str(token),
        }
        let failure = settled(&fragments, Ending::Stopped).expect("a failure");
        let at = at + token.len() - token.trim_start().len();
        let length = token.trim_start().len();
        assert_eq!(failure.verdict(), Verdict::TrailingToken { at, length });
        score.count(true, true);
    });
    score.at_least_95_percent();
}

/// Two calls whose fragments come in turn, and one fragment of each.
fn two_calls(longest: usize) -> impl Strategy<Value = ([Vec<String>; 2], [usize; 2])> {
    let index = any::<prop::sample::Index>;
    (fragments(longest), fragments(longest), index(), index()).prop_map(|(a, b, i, j)| {
        let indices = [i.index(a.len()), j.index(b.len())];
        ([a, b], indices)
    })
}

/// A fragment on the wire: its event, the call that it is of, the call that it came under.
type Labelled = (u64, usize, usize, String);

fn in_turn(calls: &[Vec<String>; 2]) -> Vec<Labelled> {
    let mut all = Vec::new();
    for (call, fragments) in calls.iter().enumerate() {
        for (n, fragment) in fragments.iter().enumerate() {
            all.push((2 * n as u64 + call as u64, call, call, fragment.clone()));
        }
    }
    all.sort();
    all
}

/// The two calls as they came, if both failed.
fn settled_as_labelled(wire: &[Labelled]) -> Option<[InvalidToolCall; 2]> {
    let [a, b] = [0, 1].map(|position| {
        let came = || wire.iter().filter(|(.., under, _)| *under == position);
        let fragments: Vec<&str> = came().map(|(.., text)| &text[..]).collect();
        let mut unfinished = call(&fragments, Ending::Stopped);
        unfinished.key.position = position as u32;
        unfinished.fragments = FragmentMap::default();
        let mut end = 0;
        for (event, .., text) in came() {
            end += text.len();
            unfinished.fragments.push(end, *event, event * 200, event * 200 + 190);
        }
        settle(unfinished, SettleOptions::default()).err()
    });
    Some([a?, b?])
}

/// Which fragment of the call that it came under the fragment of an event is.
fn number(wire: &[Labelled], event: u64) -> usize {
    let under = wire.iter().find(|labelled| labelled.0 == event).expect("it came").2;
    wire.iter().filter(|labelled| labelled.2 == under && labelled.0 < event).count()
}

/// Puts fragments under the other call, and holds what is said against what was done.
fn misroute(exchange: bool) {
    let (mut among, mut named) = (Score::default(), Score::default());
    for longest in &LENGTHS[1..] {
        for (calls, [i, j]) in cases(two_calls(*longest), 2 * CASES) {
            let mut wire = in_turn(&calls);
            let events = [2 * i as u64, 2 * j as u64 + 1];
            let moved = if exchange { &events[..] } else { &events[..1] };
            for labelled in &mut wire {
                if moved.contains(&labelled.0) {
                    labelled.2 = 1 - labelled.2;
                }
            }
            let Some([a, b]) = settled_as_labelled(&wire) else { continue };
            let made = match exchange {
                // What came under call 0 is named first.
                true => (0, number(&wire, events[1]), Some(number(&wire, events[0]))),
                false => (1, number(&wire, events[0]), None),
            };
            let is_made =
                |way: &Misrouted| (way.from.position, way.fragment, way.exchanged_for) == made;
            let ways = misrouted::relabellings(&a, &b);
            let looked_at = [&a, &b].iter().all(|call| call.kind() != InvalidKind::NotObject);
            let ways = ways.expect("few enough");
            among.count(looked_at, ways.iter().any(is_made));
            let long = wire.iter().filter(|labelled| moved.contains(&labelled.0));
            let long = long.clone().all(|(.., text)| text.len() >= 8);
            let way = a.misrouted_with(&b);
            named.count(looked_at && long && ways.len() == 1, way.is_some());
            if let Some(way) = way {
                assert!(is_made(&way), "{made:?} {way:?}\n{}\n{}", a.report(), b.report());
            }
        }
    }
    among.at_least_95_percent();
    named.at_least_95_percent();
}

#[test]
fn a_fragment_under_the_wrong_call_is_found() {
    misroute(false);
}

#[test]
fn fragments_that_two_calls_exchanged_are_found() {
    misroute(true);
}

#[test]
fn a_loss_in_each_of_two_calls_is_no_misrouting() {
    for longest in &LENGTHS[1..] {
        for (calls, [i, j]) in cases(two_calls(*longest), 2 * CASES) {
            let mut wire = in_turn(&calls);
            wire.retain(|(event, ..)| *event != 2 * i as u64 && *event != 2 * j as u64 + 1);
            let Some([a, b]) = settled_as_labelled(&wire) else { continue };
            assert_eq!(a.misrouted_with(&b), None, "{}\n{}", a.report(), b.report());
        }
    }
}
