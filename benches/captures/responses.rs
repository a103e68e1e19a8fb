//! OpenAI Responses.

use super::Tally;
use super::material::{Call, Escaped, Source};

struct Stream {
    out: String,
    tally: Tally,
    id: String,
    sequence: usize,
    /// The items that are done, as the last event repeats them.
    items: Vec<String>,
}

impl Stream {
    fn start(source: &mut Source) -> Self {
        let id = source.letters(48);
        let (out, tally) = (String::new(), Tally::default());
        let mut stream = Stream { out, tally, id, sequence: 0, items: Vec::new() };
        for name in ["response.created", "response.in_progress"] {
            let response = stream.response("in_progress");
            stream.event(name, &format!("\"response\":{response}"));
        }
        stream
    }

    fn event(&mut self, name: &str, members: &str) {
        self.out += &format!(
            "event: {name}\ndata: {{\"type\":\"{name}\",\"sequence_number\":{},{members}}}\n\n",
            self.sequence
        );
        self.sequence += 1;
        self.tally.events += 1;
    }

    fn response(&self, status: &str) -> String {
        format!(
            "{{\"id\":\"resp_{}\",\"object\":\"response\",\"created_at\":1741500000,\"status\":\"{status}\",\
             \"error\":null,\"incomplete_details\":null,\"instructions\":\"Answer in few words.\",\
             \"max_output_tokens\":null,\"model\":\"gpt-4.1-2025-04-14\",\"output\":[{}],\
             \"parallel_tool_calls\":true,\"previous_response_id\":null,\
             \"reasoning\":{{\"effort\":null,\"summary\":null}},\"store\":true,\"temperature\":1.0,\
             \"text\":{{\"format\":{{\"type\":\"text\"}}}},\"tool_choice\":\"auto\",\
             \"tools\":[{{\"type\":\"function\",\"name\":\"read_file\",\"description\":\"Reads a file.\",\
             \"strict\":true,\"parameters\":{{\"type\":\"object\",\"properties\":{{\"path\":{{\"type\":\"string\"}},\
             \"limit\":{{\"type\":\"integer\"}}}},\"required\":[\"path\",\"limit\"],\
             \"additionalProperties\":false}}}}],\"top_p\":1.0,\"truncation\":\"disabled\",\"usage\":null,\
             \"user\":null,\"metadata\":{{}}}}",
            self.id,
            self.items.join(",")
        )
    }

    /// Where the next item stands.
    fn index(&self) -> usize {
        self.items.len()
    }

    fn message(&mut self, source: &mut Source) {
        let (index, id) = (self.index(), format!("msg_{}", source.letters(48)));
        let at = format!("\"item_id\":\"{id}\",\"output_index\":{index},\"content_index\":0");
        let part = |text: &str| {
            format!(
                "{{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"{}\"}}",
                Escaped(text)
            )
        };
        let item = |status: &str, content: &str| {
            format!(
                "{{\"id\":\"{id}\",\"type\":\"message\",\"status\":\"{status}\",\"content\":[{content}],\
                 \"role\":\"assistant\"}}"
            )
        };
        self.event(
            "response.output_item.added",
            &format!("\"output_index\":{index},\"item\":{}", item("in_progress", "")),
        );
        self.event("response.content_part.added", &format!("{at},\"part\":{}", part("")));
        let mut whole = String::new();
        for _ in 0..source.between(5, 60) {
            let text = source.words(1, 4);
            let padding = source.between(2, 16);
            self.event(
                "response.output_text.delta",
                &format!(
                    "{at},\"delta\":\"{}\",\"logprobs\":[],\"obfuscation\":\"{}\"",
                    Escaped(&text),
                    source.letters(padding)
                ),
            );
            whole += &text;
        }
        self.tally.text += whole.len();
        self.event(
            "response.output_text.done",
            &format!("{at},\"text\":\"{}\",\"logprobs\":[]", Escaped(&whole)),
        );
        self.event("response.content_part.done", &format!("{at},\"part\":{}", part(&whole)));
        self.done(item("completed", &part(&whole)));
    }

    fn call(&mut self, source: &mut Source, call: &Call) {
        let (index, id) = (self.index(), format!("fc_{}", source.letters(48)));
        let whole = call.fragments.concat();
        let item = |status: &str, arguments: &str| {
            format!(
                "{{\"id\":\"{id}\",\"type\":\"function_call\",\"status\":\"{status}\",\"arguments\":\"{}\",\
                 \"call_id\":\"{}\",\"name\":\"{}\"}}",
                Escaped(arguments),
                call.id,
                call.name
            )
        };
        self.event(
            "response.output_item.added",
            &format!("\"output_index\":{index},\"item\":{}", item("in_progress", "")),
        );
        for fragment in &call.fragments {
            let padding = source.between(2, 16);
            self.event(
                "response.function_call_arguments.delta",
                &format!(
                    "\"item_id\":\"{id}\",\"output_index\":{index},\"delta\":\"{}\",\"obfuscation\":\"{}\"",
                    Escaped(fragment),
                    source.letters(padding)
                ),
            );
        }
        self.event(
            "response.function_call_arguments.done",
            &format!(
                "\"item_id\":\"{id}\",\"output_index\":{index},\"arguments\":\"{}\"",
                Escaped(&whole)
            ),
        );
        self.done(item("completed", &whole));
        self.tally.calls += 1;
        self.tally.arguments += whole.len();
    }

    fn done(&mut self, item: String) {
        let members = format!("\"output_index\":{},\"item\":{item}", self.index());
        self.event("response.output_item.done", &members);
        self.items.push(item);
    }

    fn finish(mut self) -> (Vec<u8>, Tally) {
        let response = self.response("completed");
        self.event("response.completed", &format!("\"response\":{response}"));
        (self.out.into_bytes(), self.tally)
    }
}

/// One message, then 1 to 8 calls.
pub fn items(source: &mut Source) -> (Vec<u8>, Tally) {
    let mut stream = Stream::start(source);
    stream.message(source);
    for _ in 0..source.between(1, 8) {
        let call = source.call("call_", 1, 12);
        stream.call(source, &call);
    }
    stream.finish()
}

pub fn one_call(source: &mut Source, bytes: usize, fragment: usize) -> (Vec<u8>, Tally) {
    let mut stream = Stream::start(source);
    let call = source.large_call("call_", bytes, fragment);
    stream.call(source, &call);
    stream.finish()
}
