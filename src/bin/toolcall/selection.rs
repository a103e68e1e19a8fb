//! `--call`: which of a stream's calls is meant.

use toolcall::{CallKey, InvalidToolCall, ToolCall};

/// One call, or all of them.
#[derive(Debug, Default)]
pub struct Selection(Option<String>);

impl Selection {
    /// `2` is the third call, `1.0` the first one of the second choice; all else is an id.
    pub fn new(call: Option<&str>) -> Self {
        Selection(call.map(str::to_owned))
    }

    pub fn is_one(&self) -> bool {
        self.0.is_some()
    }

    pub fn takes(&self, result: &Result<ToolCall, InvalidToolCall>) -> bool {
        match result {
            Ok(call) => self.takes_key(call.key(), call.id()),
            Err(invalid) => self.takes_key(invalid.key(), invalid.id()),
        }
    }

    pub fn takes_key(&self, key: CallKey, id: Option<&str>) -> bool {
        let Some(wanted) = &self.0 else { return true };
        let number = format!("{}.{}", key.choice, key.position);
        id == Some(wanted)
            || number == *wanted
            || key.choice == 0 && key.position.to_string() == *wanted
    }
}
