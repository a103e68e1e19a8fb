//! Events from any `AsyncRead`, by tokio-util's `FramedRead`.
//!
//! ```sh
//! cargo run --example framed < corpora/anthropic/001-*.sse
//! ```

use futures_util::StreamExt;
use tokio_util::codec::FramedRead;
use toolcall::codec::ToolCallCodec;
use toolcall::{Event, Protocol};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut events = FramedRead::new(tokio::io::stdin(), ToolCallCodec::new(Protocol::Auto));
    while let Some(event) = events.next().await {
        if let Event::ToolCallEnd(end) = event? {
            match end.result {
                Ok(call) => println!("{} {}", call.name(), call.arguments().value()),
                Err(invalid) => println!("FAILED {invalid}"),
            }
        }
    }
    Ok(())
}
