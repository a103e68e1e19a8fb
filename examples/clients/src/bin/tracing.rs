//! Logging: a span for the stream, an event for each call. Arguments are told at TRACE only.

use toolcall::Protocol;
use toolcall::stream::ToolCallStreamExt;
use tracing_subscriber::filter::LevelFilter;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::DEBUG)
        .with_ansi(false)
        .without_time()
        .init();
    let response = reqwest::get(toolcall_clients::url()?).await?;
    response.bytes_stream().tool_calls(Protocol::Auto).collect_message().await?;
    Ok(())
}
