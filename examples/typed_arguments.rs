//! Arguments as types of your own, and an answer for the model where they do not fit.
//!
//! ```sh
//! cargo run --example typed_arguments
//! ```

use serde::Deserialize;
use toolcall::{Message, Protocol, ToolCall};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Weather {
    city: String,
    #[serde(default)]
    unit: Unit,
}

#[derive(Debug, PartialEq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unit {
    #[default]
    Celsius,
    Fahrenheit,
}

const STREAM: &str = r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"weather","arguments":"{\"city\":\"Lima\""}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":",\"unit\":\"fahrenheit\"}"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":1,"id":"call_2","function":{"name":"weather","arguments":"{\"town\":\"Lima\"}"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":2,"id":"call_3","function":{"name":"weather","arguments":"{\"city\": Lima}"}}]}}]}

data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let message = Message::from_chunks(Protocol::OpenAiChat, [STREAM])?;
    for result in message.results() {
        let (id, answer) = match result {
            Ok(call) => (call.id(), execute(call)),
            // It names what was expected and where: the model can do better.
            Err(invalid) => (invalid.id(), invalid.to_model_text()),
        };
        println!("{}: {answer}", id.unwrap_or("-"));
    }
    Ok(())
}

fn execute(call: &ToolCall) -> String {
    match call.name() {
        "weather" => match call.arguments().parse::<Weather>() {
            Ok(Weather { city, unit }) => format!("21 degrees ({unit:?}) in {city}"),
            Err(error) => format!("in the arguments of `weather`, {error}"),
        },
        name => format!("there is no tool `{name}`"),
    }
}
