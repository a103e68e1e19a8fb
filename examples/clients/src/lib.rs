//! What the examples share: they show a message in the same words.

use toolcall::Message;

/// A line for each call.
pub fn show(message: &Message) {
    for result in message.results() {
        match result {
            Ok(call) => println!("{} {}", call.name(), call.arguments().value()),
            Err(invalid) => println!("FAILED {invalid}"),
        }
    }
}

/// The address to ask: the first argument.
pub fn url() -> Result<String, &'static str> {
    std::env::args().nth(1).ok_or("usage: NAME URL")
}
