//! The events that wait to be taken. Their texts are ranges, so that they borrow nothing.

use alloc::borrow::Cow;
use core::ops::Range;

use super::Demux;
use super::slot::{Slot, State};
use crate::call::CallKey;
use crate::diagnostic::{Ending, SettleOptions, settle};
use crate::error::Position;
use crate::event::{self, Event, Outcome};
use crate::stop::StopReason;
use crate::warning::Warning;
use crate::wire::delta::Channel;

/// An event that waits.
#[derive(Debug, Clone)]
pub(super) enum Queued {
    MessageStart {
        id: Range<usize>,
        model: Range<usize>,
    },
    Text {
        choice: u32,
        channel: Channel,
        text: Range<usize>,
    },
    Start {
        slot: usize,
    },
    Fragment {
        slot: usize,
        raw: Range<usize>,
    },
    End {
        slot: usize,
        ending: Ending,
        last: bool,
    },
    /// The call's whole text anew.
    Replacement {
        slot: usize,
    },
    Extra {
        choice: u32,
        name: Range<usize>,
        json: Range<usize>,
    },
    Usage {
        json: Range<usize>,
    },
    Stop {
        choice: u32,
        reason: StopReason,
    },
    Failure {
        kind: Range<usize>,
        message: Range<usize>,
        payload: Range<usize>,
    },
    Comment {
        text: Range<usize>,
    },
    Other {
        name: Range<usize>,
        data: Range<usize>,
        position: Position,
    },
    Warning {
        warning: Warning,
        position: Position,
    },
    StreamEnd {
        outcome: Outcome,
    },
}

impl Demux {
    pub fn has_events(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The next event that waits.
    #[inline]
    pub fn pop(&mut self) -> Option<Event<'_>> {
        let text = |range: Range<usize>| Cow::Borrowed(&self.text[range]);
        let bytes = |range: Range<usize>| Cow::Borrowed(&self.bytes[range]);
        Some(match self.queue.pop_front()? {
            Queued::Fragment { slot, raw } => {
                let slot = &self.slots[slot];
                Event::ToolCallDelta(event::ToolCallDelta {
                    key: slot.key,
                    fragment: Cow::Borrowed(&slot.raw[raw]),
                    replaces: false,
                })
            }
            Queued::Replacement { slot } => {
                let slot = &self.slots[slot];
                Event::ToolCallDelta(event::ToolCallDelta {
                    key: slot.key,
                    fragment: Cow::Borrowed(&slot.raw),
                    replaces: true,
                })
            }
            Queued::Text { choice, channel, text: range } => {
                let text = event::Text { choice, text: text(range) };
                match channel {
                    Channel::Content => Event::Text(text),
                    Channel::Reasoning => Event::Reasoning(text),
                    Channel::Refusal => Event::Refusal(text),
                }
            }
            Queued::MessageStart { id, model } => {
                Event::MessageStart(event::MessageStart { id: text(id), model: text(model) })
            }
            Queued::Start { slot } => {
                let slot = &self.slots[slot];
                Event::ToolCallStart(event::ToolCallStart {
                    key: slot.key,
                    kind: slot.kind,
                    id: slot.id.as_deref().map(Cow::Borrowed),
                    name: Cow::Borrowed(slot.name.as_deref().unwrap_or_default()),
                })
            }
            Queued::End { slot, ending, last } => {
                let options = SettleOptions { accept_recovery: self.rules.accept_recovery };
                let slot = &mut self.slots[slot];
                let key = slot.key;
                let written = slot.text;
                let mut call = slot.take(self.protocol, ending, last);
                if let (Some(written), Some(calls)) = (written, &self.text_calls) {
                    call.text = Some(written.read(&call.name, &call.raw, &calls.options));
                }
                let result = settle(call, options);
                Event::ToolCallEnd(event::ToolCallEnd { key, result })
            }
            Queued::Extra { choice, name, json } => {
                Event::Extra(event::Extra { choice, name: text(name), json: text(json) })
            }
            Queued::Usage { json } => Event::Usage(event::Usage { json: text(json) }),
            Queued::Stop { choice, reason } => Event::Stop(event::Stop { choice, reason }),
            Queued::Failure { kind, message, payload } => {
                Event::ProviderError(event::ProviderError {
                    kind: text(kind),
                    message: text(message),
                    payload: bytes(payload),
                })
            }
            Queued::Comment { text } => Event::Comment(bytes(text)),
            Queued::Other { name, data, position } => {
                Event::Other(event::Other { name: bytes(name), data: bytes(data), position })
            }
            Queued::Warning { warning, position } => {
                Event::Warning(event::WarningEvent { warning, position })
            }
            Queued::StreamEnd { outcome } => Event::End(event::End { outcome }),
        })
    }

    /// The raw arguments of a call so far; `None` once its end was taken.
    pub fn arguments_so_far(&self, key: CallKey) -> Option<&str> {
        let pending = |slot: &&Slot| slot.key == key && slot.state != State::Gone;
        self.slots.iter().rev().find(pending).map(|slot| slot.raw.as_str())
    }
}
