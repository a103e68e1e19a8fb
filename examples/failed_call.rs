//! What to do with a call that failed: the report for the log, the words for the model, and what can
//! be told apart by a program.
//!
//! ```sh
//! cargo run --example failed_call < corpora/openai-chat/050-arguments-cumulative.sse
//! ```

use std::io::Read;

use toolcall::{InvalidToolCall, Message, Protocol, Verdict};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut stream = Vec::new();
    std::io::stdin().read_to_end(&mut stream)?;
    let message = match Message::from_chunks(Protocol::Auto, [stream]) {
        Ok(message) => message,
        Err(interrupted) => {
            println!("the stream broke: {}", interrupted.error);
            *interrupted.partial
        }
    };
    for call in message.calls() {
        println!("{} can run: {}", call.name(), call.arguments().value());
    }
    for failure in message.invalid_calls() {
        println!("{}", failure.report());
        println!("whose fault: {}", whose(failure));
        if let Some(recovery) = failure.recovery() {
            println!("proved by the fragments: {}", recovery.value());
        }
        println!("to the model, as the result of {}:", failure.id().unwrap_or("the call"));
        println!("    {}\n", failure.to_model_text());
    }
    for misrouted in message.misrouted() {
        println!("{misrouted}");
    }
    Ok(())
}

/// The model is asked again; a server's fault is reported to the server's people.
fn whose(failure: &InvalidToolCall) -> &'static str {
    match failure.verdict() {
        Verdict::ModelOutput { .. } => "the model wrote it so",
        Verdict::Truncated { .. } => "it was cut: ask again, perhaps with a higher token limit",
        Verdict::Undecided { .. } => "not proved",
        _ => "the server or a proxy broke it: the model is not to blame",
    }
}
