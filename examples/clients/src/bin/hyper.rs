//! The body of a hyper response, drained into a message.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use toolcall::Protocol;
use toolcall::stream::ToolCallStreamExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let uri: hyper::Uri = toolcall_clients::url()?.parse()?;
    let host = uri.authority().ok_or("expected an absolute URL")?.as_str();
    let connection = TokioIo::new(TcpStream::connect(host).await?);
    let (mut client, connection) = http1::handshake(connection).await?;
    tokio::spawn(connection);
    let request = Request::post(uri.path()).header("host", host);
    let request = request.body(Full::new(Bytes::from_static(b"{\"stream\": true}")))?;
    let response = client.send_request(request).await?;
    let message = response
        .into_body()
        .into_data_stream()
        .tool_calls(Protocol::Auto)
        .collect_message()
        .await?;
    toolcall_clients::show(&message);
    Ok(())
}
