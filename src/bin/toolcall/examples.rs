//! What `--help` and the manual page teach with: three examples for each subcommand that reads something.

/// A subcommand's name, and its examples.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "decode",
        "\
  curl -sN https://… -d @request.json | toolcall      the calls of a running stream
  toolcall --call 0 --raw capture.sse > arguments     the raw arguments of the first call
  toolcall --text-calls hermes --live capture.sse     calls that the model wrote into its text",
    ),
    (
        "events",
        "\
  toolcall events capture.sse                         all that the decoder gives out
  toolcall events capture.sse | jq 'select(.type == \"tool_call_delta\")'
  curl -sN https://… -d @request.json | toolcall events --protocol gemini",
    ),
    (
        "explain",
        "\
  toolcall explain capture.sse                        which bytes did what to which call
  toolcall explain capture.sse | grep -B 3 FAILED     the piece that a failure came with
  toolcall explain --protocol bedrock capture.eventstream",
    ),
    (
        "check",
        "\
  toolcall check captures/                            what is wrong in a folder of streams
  toolcall check --protocol openai-chat *.sse         the same of some files
  toolcall check captures/ > wrong || less wrong      look only if something is",
    ),
    (
        "split",
        "\
  toolcall split capture.sse                          cut at each byte, and in chunks of 1 to 64
  toolcall split --sizes 1000 capture.sse             in larger chunks, too
  toolcall split capture.jsonl                        in the chunks of the capture, besides",
    ),
    (
        "sse",
        "\
  toolcall sse capture.sse                            the events as the standard gives them
  toolcall sse --lenient capture.sse                  with the one that the end cuts
  curl -sN https://… -d @request.json | toolcall sse | jq -r .data",
    ),
    (
        "text",
        "\
  toolcall text --text-calls auto answer.txt          the calls in a model's answer
  toolcall text --text-calls glm-4.5 --tools tools.json answer.txt
  toolcall text --text-calls harmony --chunk 1 --format jsonl answer.txt",
    ),
];

/// What the exit status means.
pub const EXIT_STATUS: &str = "\
  0  all calls parsed
  1  a call failed
  2  the command line is wrong
  3  the stream broke or reported an error
  4  it could not be read or written";

/// The examples of a subcommand; none where it reads nothing.
pub fn of(subcommand: &str) -> Option<&'static str> {
    EXAMPLES.iter().find(|(name, _)| *name == subcommand).map(|(_, examples)| *examples)
}

/// What stands below the help of a subcommand.
pub fn help(subcommand: &str) -> String {
    let examples = of(subcommand).unwrap_or_default();
    format!("Examples:\n{examples}\n\nExit status:\n{EXIT_STATUS}")
}
