//! The event stream decoder beside a second, plain reader of the standard: the same events in any
//! chunking. The first byte is the chunk size.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/sse_support"]
mod sse_support {
    pub mod differential;
    mod oracle;
}

fuzz_target!(|input: &[u8]| {
    if let Some((&size, stream)) = input.split_first() {
        sse_support::differential::check(&stream[..stream.len().min(512)], size.into());
    }
});
