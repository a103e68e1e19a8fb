//! The body of a reqwest response, event by event: the README's first example.

use toolcall::stream::ToolCallStreamExt;
use toolcall::{Event, Protocol};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: NAME URL")?;
    let request = reqwest::Client::new().post(url).body(r#"{"stream": true}"#); // yours
    let response = request.send().await?.error_for_status()?;

    let mut events = response.bytes_stream().tool_calls(Protocol::Auto);
    while let Some(event) = events.next_event().await {
        match event? {
            Event::Text(text) => eprint!("{}", text.text),
            Event::ToolCallDelta(delta) => eprint!("{}", delta.fragment), // for display only
            Event::ToolCallEnd(end) => match end.result {
                Ok(call) => println!("{} {}", call.name(), call.arguments().value()),
                Err(invalid) => println!("FAILED {invalid}"),
            },
            _ => {}
        }
    }
    Ok(())
}
