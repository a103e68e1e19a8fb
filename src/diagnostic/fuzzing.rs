//! What must hold of any text that ends a call.

use alloc::string::{String, ToString};

use serde_json::Value;

use super::validate::validate;
use super::{Ending, FragmentMap, SettleOptions, Unfinished, settle};
use crate::call::{CallKey, CallKind};
use crate::extras::Extras;
use crate::warning::Warnings;

/// Settles a text, cut into fragments at its bytes 0xff: serde_json must be of the same opinion, and
/// a failure must be explained without a panic, within its bounds.
pub fn diagnose(input: &[u8]) {
    let [choice, body @ ..] = input else { return };
    let mut raw = String::new();
    let mut fragments =
        if choice & 0x80 == 0 { FragmentMap::default() } else { FragmentMap::off() };
    for (event, fragment) in body.split(|&byte| byte == 0xff).enumerate() {
        raw.push_str(&String::from_utf8_lossy(fragment));
        let event = event as u64;
        fragments.push(raw.len(), event, event * 100, event * 100 + 90);
    }
    let is_object = serde_json::from_str::<Value>(&raw).is_ok_and(|value| value.is_object());
    assert_eq!(validate(&raw).is_ok(), is_object, "{raw:?}");
    let ending = match choice & 7 {
        1 => Ending::Length,
        2 => Ending::ContentFilter,
        3 => Ending::Refusal,
        4 => Ending::StreamEnded,
        5 => Ending::ErrorEvent,
        6 => Ending::Restarted,
        _ => Ending::Stopped,
    };
    let call = Unfinished {
        key: CallKey { choice: 0, position: 0 },
        kind: CallKind::Function,
        id: None,
        name: raw.chars().take(9).collect(),
        raw,
        fragments,
        warnings: Warnings::default(),
        ending,
        last: choice & 8 == 0,
        unproved: false,
        after_stop: (choice & 16 != 0).then_some(body.len() / 2),
        extras: Extras::default(),
        text: None,
        facts: None,
    };
    let whole = call.raw.clone();
    match settle(call, SettleOptions { accept_recovery: choice & 32 != 0 }) {
        Ok(call) => assert!(call.arguments().value().is_object()),
        Err(failure) => {
            assert_eq!(failure.raw(), whole);
            assert!(failure.offset() <= whole.len());
            assert!(
                failure
                    .fragments()
                    .map(|fragment| fragment.text)
                    .eq(failure.fragments().map(|f| &whole[f.range]))
            );
            let report = failure.report().to_string();
            assert!(report.chars().all(|c| !c.is_control() || c == '\n'), "{report:?}");
            assert!(report.len() < 1 << 14, "{} bytes", report.len());
            assert!(!failure.to_model_text().contains(char::is_control));
            let mut other = failure.clone();
            other.0.call.key.position = 1;
            _ = failure.misrouted_with(&other);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_target_runs(choice in any::<u8>(), body in prop::collection::vec(prop_oneof![
            Just(0xff), any::<u8>(), prop::sample::select(b"{}[]\",:\\ntrue\n0 1".to_vec()),
        ], 0..60)) {
            super::diagnose(&[&[choice], &body[..]].concat());
        }
    }
}
