//! What every peer needs after its JSON: a string per call that grows, parsed at the stop. As lean as
//! it can be: no ids to check, no bounds, no events.

use std::hint::black_box;

use super::captures::Tally;

#[derive(Default)]
pub struct Assembly {
    calls: Vec<Call>,
    /// Calls that are over, for their memory.
    spare: Vec<Call>,
    pub tally: Tally,
}

#[derive(Default)]
struct Call {
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

impl Assembly {
    fn call(&mut self, index: u64) -> &mut Call {
        let at = match self.calls.get(index as usize) {
            Some(call) if call.index == index => index as usize,
            _ => self.calls.iter().position(|call| call.index == index).unwrap_or_else(|| {
                let mut call = self.spare.pop().unwrap_or_default();
                call.index = index;
                self.calls.push(call);
                self.calls.len() - 1
            }),
        };
        &mut self.calls[at]
    }

    pub fn open(&mut self, index: u64, id: &str, name: &str) {
        let call = self.call(index);
        call.id.push_str(id);
        call.name.push_str(name);
    }

    #[inline]
    pub fn fragment(&mut self, index: u64, fragment: &str) {
        self.call(index).arguments.push_str(fragment);
    }

    #[inline]
    pub fn text(&mut self, text: &str) {
        self.tally.text += black_box(text).len();
    }

    pub fn stop(&mut self, index: u64) {
        if let Some(at) = self.calls.iter().position(|call| call.index == index) {
            let call = self.calls.swap_remove(at);
            self.finish(call);
        }
    }

    pub fn stop_all(&mut self) {
        while let Some(call) = self.calls.pop() {
            self.finish(call);
        }
    }

    fn finish(&mut self, mut call: Call) {
        let arguments: serde_json::Value = serde_json::from_str(&call.arguments).expect("JSON");
        black_box((&call.id, &call.name, arguments));
        self.tally.calls += 1;
        self.tally.arguments += call.arguments.len();
        call.id.clear();
        call.name.clear();
        call.arguments.clear();
        self.spare.push(call);
    }
}
