//! The body of a ureq response: blocking, and no runtime at all.

use toolcall::Protocol;
use toolcall::io::EventReader;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = ureq::post(toolcall_clients::url()?).send("{\"stream\": true}")?;
    let reader = response.into_body().into_reader();
    let message = EventReader::new(reader, Protocol::Auto).collect_message()?;
    toolcall_clients::show(&message);
    Ok(())
}
