//! The decoder alone, fed by hand: no runtime, no client, no adapter.
//!
//! ```sh
//! cargo run --example sans_io < corpora/anthropic/001-*.sse
//! ```

use std::io::Read;

use toolcall::{Decoder, Error, Event, Protocol};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut decoder = Decoder::new(Protocol::Auto);
    let mut chunk = [0; 16 * 1024];
    loop {
        let length = std::io::stdin().read(&mut chunk)?;
        if length == 0 {
            break;
        }
        let mut input = &chunk[..length];
        while let Some(event) = decoder.decode(&mut input).transpose() {
            handle(event);
        }
    }
    // The end decides about the calls that are still open: they were cut.
    while let Some(event) = decoder.decode_eof().transpose() {
        handle(event);
    }
    Ok(())
}

fn handle(event: Result<Event<'_>, Error>) {
    match event {
        Ok(Event::ToolCallEnd(end)) => match end.result {
            Ok(call) => println!("{} {}", call.name(), call.arguments().value()),
            Err(invalid) => println!("FAILED {invalid}"),
        },
        Ok(_) => {}
        // Not the end: the calls that it cut come after it.
        Err(error) => println!("BROKEN {error}"),
    }
}
