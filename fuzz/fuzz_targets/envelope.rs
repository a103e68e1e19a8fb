#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| toolcall::fuzzing::envelope(input));
