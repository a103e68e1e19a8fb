//! A gateway: it passes a provider's stream through byte for byte, and watches the calls in it.
//!
//! ```sh
//! cargo run --bin axum_proxy -- http://127.0.0.1:8080   # prints its own address
//! ```
//!
//! The bytes are not decoded and encoded again: the client gets what the provider sent, when it
//! sent it, and a stream that toolcall cannot read passes through all the same.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::TryStreamExt;
use tokio::net::TcpListener;
use toolcall::{Decoder, Error, Event, Limits, Options, Protocol};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    let provider = Provider { url: toolcall_clients::url()?, client: reqwest::Client::new() };
    axum::serve(listener, Router::new().fallback(forward).with_state(provider)).await?;
    Ok(())
}

#[derive(Clone)]
struct Provider {
    url: String,
    client: reqwest::Client,
}

async fn forward(
    State(provider): State<Provider>,
    request: Request,
) -> Result<Response, (StatusCode, String)> {
    let failed = |error: reqwest::Error| (StatusCode::BAD_GATEWAY, error.to_string());
    let url = format!("{}{}", provider.url, request.uri());
    let body = reqwest::Body::wrap_stream(request.into_body().into_data_stream());
    let answer = provider.client.post(url).body(body).send().await.map_err(failed)?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = answer.status();
    if let Some(kind) = answer.headers().get("content-type") {
        response.headers_mut().insert("content-type", kind.clone());
    }
    let mut watch = Watch::new();
    *response.body_mut() =
        Body::from_stream(answer.bytes_stream().inspect_ok(move |chunk| watch.chunk(chunk)));
    Ok(response)
}

/// Sees what passes by.
struct Watch {
    decoder: Decoder,
}

impl Watch {
    fn new() -> Self {
        let options = Options::default().limits(Limits::gateway());
        Watch { decoder: Decoder::with_options(Protocol::Auto, options) }
    }

    fn chunk(&mut self, chunk: &Bytes) {
        let mut input = &chunk[..];
        while let Some(event) = self.decoder.decode(&mut input).transpose() {
            show(event);
        }
    }
}

/// The provider is done, or the client went away: what is open was cut.
impl Drop for Watch {
    fn drop(&mut self) {
        while let Some(event) = self.decoder.decode_eof().transpose() {
            show(event);
        }
    }
}

fn show(event: Result<Event<'_>, Error>) {
    match event {
        Ok(Event::ToolCallEnd(end)) => match end.result {
            Ok(call) => println!("{} {}", call.name(), call.arguments().value()),
            Err(invalid) => println!("FAILED {invalid}"),
        },
        Ok(_) => {}
        Err(error) => println!("BROKEN {error}"),
    }
}
