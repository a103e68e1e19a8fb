//! The program: what it prints, and how it ends.
#![cfg(feature = "cli")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};

/// A whole call in Chat Completions.
const GOOD: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\
    \"function\":{\"name\":\"weather\",\"arguments\":\"{\\\"city\\\":\\\"東京\\\"}\"}}]}}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n\
    data: [DONE]\n\n";
/// The same, and a second call that is no JSON.
const BAD: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\",\"tool_calls\":[\
    {\"index\":0,\"id\":\"call_1\",\"function\":{\"name\":\"weather\",\"arguments\":\"{}\"}},\
    {\"index\":1,\"id\":\"call_2\",\"function\":{\"name\":\"edit\",\"arguments\":\"{oops}\"}}\
    ]}}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n\
    data: [DONE]\n\n";
/// A call that the end cuts.
const CUT: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\
    \"function\":{\"name\":\"weather\",\"arguments\":\"{\\\"ci\"}}]}}]}\n\n";

/// A call whose fragments are replaced by its snapshot.
const CHANGED: &str = "corpora/openai-responses/303-done-is-another-text.sse";

fn toolcall() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolcall"));
    command.env_remove("COLUMNS").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

fn run(arguments: &[&str], input: impl Into<Vec<u8>>) -> Output {
    toolcall().args(arguments).write_stdin(input).output().unwrap()
}

fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    out(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_exit_status_says_how_it_went() {
    let html = "<!doctype html><title>502</title>";
    let cases = [(GOOD, 0), (BAD, 1), (CUT, 3), (html, 3), ("", 3), ("data: {{{\n\n", 3)];
    for (input, status) in cases {
        for command in [&["--format", "json"][..], &["events"], &["explain"]] {
            let output = run(command, input);
            assert_eq!(output.status.code(), Some(status), "{command:?} of {input}");
        }
    }
    assert_eq!(run(&["--protocol", "smoke-signals"], GOOD).status.code(), Some(2));
    assert_eq!(run(&["no-such-file"], "").status.code(), Some(4));
}

/// A status other than 0 is never without a word.
#[test]
fn a_stream_that_is_no_good_is_said_why() {
    let error = "data: {\"error\":{\"type\":\"overloaded\",\"message\":\"try later\"}}\n\n";
    for (input, why) in [
        ("", "toolcall: the stream ended before an event of a known protocol came\n"),
        ("hello\n", "toolcall: the stream ended before an event of a known protocol came\n"),
        (CUT, "toolcall: the stream ended early\n"),
        (error, "toolcall: the provider reported overloaded: try later\n"),
    ] {
        for command in [&["--format", "table"][..], &["events"]] {
            let output = run(command, input);
            assert_eq!(output.status.code(), Some(3), "{command:?} of {input}");
            assert!(err(&output).ends_with(why), "{command:?} of {input}: {}", err(&output));
        }
    }
}

#[test]
fn a_wrong_command_line_is_told_what_to_do() {
    let output = run(&["--protocol", "smoke-signals"], "");
    assert!(err(&output).contains("expected auto, openai-chat, "), "{}", err(&output));
    let output = run(&["--call", "7"], BAD);
    assert_eq!(output.status.code(), Some(2));
    let said = "toolcall: no call `7` among 2 calls: take its number in the table, counted from 0, \
        or its id\n";
    assert_eq!(err(&output), said);
    let output = run(&["no-such-file"], "");
    assert!(err(&output).starts_with("toolcall: reading no-such-file: "), "{}", err(&output));
    assert_eq!(run(&["check"], "").status.code(), Some(2));
    for (arguments, status, advice) in [
        (&["deocde", "x.sse"][..], 2, "no subcommand `deocde`: did you mean `decode`?"),
        (&["explian"], 4, "did you mean the subcommand `explain`?"),
        (&["a.sse", "b.sse"], 2, "`toolcall check` reads several"),
        (&["corpora"], 4, "`toolcall check corpora` reads the streams in it"),
        (&["events", "corpora"], 4, "`toolcall check corpora` reads the streams in it"),
        (&["help", "nothing"], 2, "unrecognized subcommand 'nothing'"),
        (&["--raw", "--format", "json"], 2, "'--raw' cannot be used with '--format <FORMAT>'"),
        (&["text", "x"], 2, "--text-calls <FORMAT>"),
    ] {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert!(err(&output).contains(advice), "{arguments:?}: {}", err(&output));
    }
}

/// The subcommands that read something.
const READERS: [&str; 7] = ["decode", "events", "explain", "check", "split", "sse", "text"];

/// The lines behind a title, up to a blank one.
fn below<'a>(text: &'a str, title: &str) -> Vec<&'a str> {
    let lines = text.lines().skip_while(|line| *line != title).skip(1);
    lines.take_while(|line| !line.trim().is_empty()).collect()
}

#[test]
fn help_shows_three_examples_and_the_exit_status() {
    let general = run(&["--help"], "");
    assert!(READERS.iter().all(|command| out(&general).contains(command)), "{}", out(&general));
    for command in READERS {
        let output = run(&[command, "--help"], "");
        let examples = below(out(&output), "Examples:");
        assert_eq!(examples.len(), 3, "{command}: {}", out(&output));
        assert!(examples.iter().all(|line| line.contains("toolcall")), "{command}: {examples:?}");
        assert_eq!(below(out(&output), "Exit status:").len(), 5, "{command}");
    }
    assert_eq!(
        below(out(&general), "Examples:"),
        below(out(&run(&["decode", "--help"], "")), "Examples:")
    );
}

/// An example whose options are wrong teaches nothing.
#[test]
fn the_examples_are_command_lines_that_work() {
    let folder = folder("examples");
    fs::create_dir(folder.join("captures")).unwrap();
    fs::write(folder.join("captures/a.sse"), GOOD).unwrap();
    for name in ["capture.sse", "capture.eventstream", "answer.txt"] {
        fs::write(folder.join(name), GOOD).unwrap();
    }
    fs::write(folder.join("capture.jsonl"), capture(GOOD, 9)).unwrap();
    fs::write(folder.join("tools.json"), "[]").unwrap();
    for command in READERS {
        let help = run(&[command, "--help"], "");
        for example in below(out(&help), "Examples:") {
            let own = &example[example.find("toolcall").unwrap()..].replace("*.sse", "capture.sse");
            let end = ["  ", " |", " >"].iter().filter_map(|end| own.find(end)).min();
            let words = own[..end.unwrap_or(own.len())].split_whitespace().skip(1);
            let mut program = toolcall();
            let output =
                program.current_dir(&folder).args(words).write_stdin(GOOD).output().unwrap();
            // Not every file here is what its example is for.
            assert!(matches!(output.status.code(), Some(0 | 3)), "{own}: {}", err(&output));
        }
    }
}

#[test]
fn json_is_one_document() {
    let output = run(&["--format", "json"], BAD);
    let document: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(document["protocol"], "openai-chat");
    assert_eq!(document["text"], "Hi");
    assert_eq!(document["stop"], "tool_calls");
    assert_eq!(document["stream"], "complete");
    assert_eq!(document["calls"][0]["arguments"], json!({}));
    assert_eq!(document["calls"][1]["error"], "malformed");
    assert_eq!(document["calls"][1]["raw"], "{oops}");
    assert!(err(&output).contains("edit"), "{}", err(&output));
}

#[test]
fn in_a_pipe_a_line_is_a_call() {
    let output = run(&[], BAD);
    let lines = lines(&output);
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["id"], "call_1");
    assert_eq!(lines[1]["id"], "call_2");
    assert_eq!(lines[2]["stream"], "complete");
}

#[test]
fn the_table_is_aligned_and_cut_to_the_width() {
    let output = toolcall()
        .args(["--format", "table"])
        .env("COLUMNS", "60")
        .write_stdin(BAD.replace("weather", "天気").replace("{oops}", &"x".repeat(90)))
        .output()
        .unwrap();
    let expected = "\
#  id      tool  bytes  result            arguments
0  call_1  天気  2      ok                {}
1  call_2  edit  90     FAILED malformed  xxxxxxxxxxxxxxxxx…
openai-chat, stop: tool_calls, 2 calls, 1 failed
";
    assert_eq!(out(&output), expected);
}

#[test]
fn what_a_stream_says_cannot_move_the_cursor() {
    let wicked = BAD.replace("edit", "\\u001b[2Jedit").replace("Hi", "\\u001b]0;x");
    let table = run(&["--format", "table"], wicked.clone());
    assert!(out(&table).contains("\\u{1b}[2Jedit"), "{}", out(&table));
    let live = run(&["--live"], wicked.clone());
    assert!(err(&live).contains("\\u{1b}]0;x"), "{}", err(&live));
    for output in [table, run(&["explain"], wicked)] {
        assert!(!output.stdout.contains(&0x1b));
    }
}

#[test]
fn one_call_comes_out_byte_for_byte() {
    for call in ["1", "0.1", "call_2"] {
        assert_eq!(out(&run(&["--call", call, "--raw"], BAD)), "{oops}", "{call}");
    }
    assert_eq!(out(&run(&["--raw"], BAD)), "{}\n{oops}\n");
    let output = run(&["--call", "0", "--format", "json"], BAD);
    let document: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(document["calls"].as_array().unwrap().len(), 1);
    assert!(!err(&output).contains("edit"), "{}", err(&output));
}

#[test]
fn live_shows_on_standard_error_and_leaves_the_data_alone() {
    let output = run(&["--live"], BAD);
    assert_eq!(out(&output), out(&run(&[], BAD)));
    let live = "Hi\ncall 0 weather {}\ncall 1 edit {oops}\ncall 0 ok\ncall 1 FAILED malformed\n";
    assert!(err(&output).starts_with(live), "{}", err(&output));
}

/// The snapshot that closes a call's arguments may be another text than its fragments were.
#[test]
fn live_begins_a_call_anew_where_a_snapshot_replaces_it() {
    let output = toolcall().args(["--live", CHANGED]).output().unwrap();
    let live = "call 0 gauge {\"river\":\"aura\"}\ncall 0 anew {\"river\":\"Aura\"}\ncall 0 ok\n";
    assert_eq!(err(&output), live);
}

#[test]
fn events_are_lines() {
    let output = run(&["events"], BAD);
    let lines = lines(&output);
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    let expected = [
        "text",
        "tool_call_start",
        "tool_call_delta",
        "tool_call_start",
        "tool_call_delta",
        "stop",
        "tool_call_end",
        "tool_call_end",
        "end",
    ];
    assert_eq!(kinds, expected);
    let delta = lines.iter().find(|line| line["type"] == "tool_call_delta").unwrap();
    assert_eq!(delta["fragment"], "{}");
    assert_eq!((&delta["choice"], &delta["position"]), (&json!(0), &json!(0)));
    let output = run(&["events", "--protocol", "openai-chat"], "data: {{{\n\n");
    assert_eq!(self::lines(&output)[0]["kind"], "malformed-event");
}

#[test]
fn explain_says_what_each_piece_did() {
    let output = run(&["explain"], BAD);
    for part in [
        "bytes 0..",
        "→ text \"Hi\"",
        "→ call 1 edit begins, id \"call_2\"",
        "→ call 1 edit +6 = 6 \"{oops}\"",
        "→ call 0 weather ok, 2 bytes",
        "→ call 1 edit FAILED",
        "→ stop \"tool_calls\" (ToolCalls)",
        "end of the stream at byte",
        "→ complete",
    ] {
        assert!(out(&output).contains(part), "{part}: {}", out(&output));
    }
    assert!(out(&run(&["explain"], CUT)).contains("ENDED EARLY"));
}

/// Every recorded stream, by the protocol that its folder is named after.
fn recorded() -> Vec<(String, PathBuf)> {
    let mut streams = Vec::new();
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora");
    let protocols =
        ["anthropic", "bedrock", "cohere", "gemini", "ollama", "openai-chat", "openai-responses"];
    for protocol in protocols {
        for entry in fs::read_dir(corpora.join(protocol)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension != "json") {
                streams.push((protocol.to_owned(), path));
            }
        }
    }
    assert!(streams.len() > 100, "{}", streams.len());
    streams.sort();
    streams
}

/// Whatever the framing: a piece is fed once, and all that it gives is shown.
#[test]
fn explain_comes_to_the_same_end_as_decode() {
    for (protocol, path) in recorded() {
        let of = |command: &str| {
            toolcall().args([command, "--protocol", &protocol]).arg(&path).output().unwrap()
        };
        let (decoded, explained) = (of("decode"), of("explain"));
        assert_eq!(decoded.status, explained.status, "{}", path.display());
        let results = lines(&decoded);
        let failed = results.iter().filter(|line| line["error"].is_string()).count();
        let calls = results.iter().filter(|line| line["raw"].is_string()).count();
        let shown = |word: &str| {
            out(&explained)
                .lines()
                .filter(|line| line.starts_with("  → call") && line.contains(word))
                .count()
        };
        assert_eq!(shown(" FAILED "), failed, "{}: {}", path.display(), out(&explained));
        assert_eq!(shown(" ok, "), calls - failed, "{}: {}", path.display(), out(&explained));
    }
}

#[test]
fn recorded_streams_are_the_same_in_every_chunking() {
    for (protocol, path) in recorded().into_iter().step_by(10) {
        let output = toolcall()
            .args(["split", "--sizes", "16", "--protocol", &protocol])
            .arg(&path)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}: {}", path.display(), out(&output));
    }
}

#[test]
fn colours_are_there_when_asked_for() {
    let coloured = |arguments: &[&str], variable: (&str, &str)| {
        let mut command = toolcall();
        command.args(arguments).env(variable.0, variable.1).write_stdin(BAD);
        command.output().unwrap().stdout.contains(&0x1b)
    };
    assert!(coloured(&["explain"], ("CLICOLOR_FORCE", "1")));
    assert!(coloured(&["--format", "table"], ("CLICOLOR_FORCE", "1")));
    assert!(!coloured(&["explain", "--no-color"], ("CLICOLOR_FORCE", "1")));
    assert!(!coloured(&["--format", "table", "--no-color"], ("CLICOLOR_FORCE", "1")));
    assert!(!coloured(&["explain"], ("NO_COLOR", "1")));
}

#[test]
fn split_gives_the_same() {
    let output = run(&["split"], BAD);
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    assert!(out(&output).starts_with("same: "), "{}", out(&output));
    assert_eq!(run(&["split"], "").status.code(), Some(0));
    assert_eq!(run(&["split", "--sizes", "3"], "<html>").status.code(), Some(0));
}

#[test]
fn check_names_what_is_wrong() {
    let folder = folder("check");
    fs::create_dir(folder.join("more")).unwrap();
    fs::write(folder.join("good.sse"), GOOD).unwrap();
    fs::write(folder.join("more/bad.sse"), BAD).unwrap();
    fs::write(folder.join("more/cut.sse"), CUT).unwrap();
    fs::write(folder.join("expected.json"), "{}").unwrap();
    let output = toolcall().arg("check").arg(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said: Vec<&str> = out(&output).lines().collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].contains("bad.sse: call 1: arguments of `edit` are malformed"), "{said:?}");
    assert!(said[1].contains("cut.sse: call 0: arguments of `weather` are truncated"), "{said:?}");
    assert!(said[2].ends_with("cut.sse: the stream ended early"), "{said:?}");
    assert_eq!(err(&output), "3 streams, 4 calls: 2 failed, 1 stream broke\n");

    let quiet = toolcall().arg("check").arg(folder.join("good.sse")).output().unwrap();
    assert_eq!((quiet.status.code(), out(&quiet)), (Some(0), ""));
    let missing = toolcall().arg("check").arg(folder.join("gone.sse")).output().unwrap();
    assert_eq!(missing.status.code(), Some(4));
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn headers_and_gzip_are_taken_off() {
    let expected = out(&run(&[], GOOD)).to_owned();
    let headed = |body: &[u8]| {
        let head =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/2 200 \r\ncontent-type: text/event-stream\r\n\r\n";
        [head.as_bytes(), body].concat()
    };
    let inputs = [
        gzipped(GOOD.as_bytes()),
        headed(GOOD.as_bytes()),
        headed(&gzipped(GOOD.as_bytes())),
        gzipped(&headed(GOOD.as_bytes())),
        format!("HTTP/1.0 200 OK\n\n{GOOD}").into_bytes(),
    ];
    for (at, input) in inputs.into_iter().enumerate() {
        let output = run(&[], input);
        assert_eq!(out(&output), expected, "{at}");
        assert_eq!(output.status.code(), Some(0), "{at}");
    }
}

/// A capture of a body in chunks of some bytes.
fn capture(body: &str, size: usize) -> String {
    use base64::Engine;
    let line = |chunk: &[u8]| match std::str::from_utf8(chunk) {
        Ok(text) => json!({ "chunk": text }).to_string(),
        Err(_) => {
            let bytes = base64::engine::general_purpose::STANDARD.encode(chunk);
            format!("{{\"base64\": \"{bytes}\", \"at\": 0.5}}")
        }
    };
    body.as_bytes().chunks(size).map(|chunk| line(chunk) + "\n").collect()
}

#[test]
fn a_capture_keeps_the_chunks_apart() {
    let expected = run(&["events"], GOOD);
    for size in [1, 7, GOOD.len()] {
        let capture = capture(GOOD, size);
        for input in [capture.clone().into_bytes(), gzipped(capture.as_bytes())] {
            let output = run(&["events"], input);
            assert_eq!((out(&output), err(&output)), (out(&expected), ""), "{size}");
        }
    }
    // One more chunking than those of the bare body.
    let chunkings = |input: &str| {
        let said = out(&run(&["split", "--sizes", "4"], input)).trim_end().to_owned();
        said.rsplit(' ').nth(1).and_then(|number| number.parse::<usize>().ok())
    };
    assert_eq!(chunkings(&capture(GOOD, 7)), chunkings(GOOD).map(|number| number + 1));
}

#[test]
fn a_capture_that_breaks_loses_nothing_before() {
    let output = run(&["events"], capture(BAD, 40) + "{\"at\": 3}\n" + &capture(GOOD, 40));
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(out(&output), out(&run(&["events"], BAD)));
    let said =
        "toolcall: reading standard input: expected an object with `chunk` or `base64` in line ";
    assert!(err(&output).contains(said), "{}", err(&output));
}

#[test]
fn a_refused_request_is_shown_with_its_status() {
    let input = "HTTP/1.1 429 Too Many Requests\r\n\r\n{\"error\":{\"message\":\"slow down\"}}";
    let output = run(&[], input);
    assert_eq!(output.status.code(), Some(3));
    assert!(err(&output).contains("the HTTP status is 429"), "{}", err(&output));
}

#[test]
fn what_cannot_be_unwrapped_is_a_reading_error() {
    let mut cut = gzipped(BAD.as_bytes());
    cut.truncate(cut.len() / 2);
    let output = run(&["--format", "json"], cut);
    assert_eq!(output.status.code(), Some(4));
    let document: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(document["stream"], "ended-early");
    let output = run(&[], "HTTP/1.1 200 OK\r\nno: end");
    assert_eq!(output.status.code(), Some(4));
    assert!(err(&output).contains("the HTTP header has no end"), "{}", err(&output));
}

#[test]
fn a_name_of_the_header_is_no_header() {
    for input in ["H", "HTTP", "\u{1f}", ""] {
        assert_eq!(run(&[], input).status.code(), Some(3), "{input}");
    }
}

#[test]
fn completions_and_a_manual_page() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(out(&run(&["completions", shell], "")).contains("toolcall"), "{shell}");
    }
}

#[test]
fn the_manual_page_has_every_subcommand() {
    let page = run(&["man"], "");
    let page = out(&page);
    assert!(page.contains(".TH toolcall 1"), "{page}");
    for command in READERS.iter().chain(&["protocols", "completions", "man"]) {
        assert!(page.contains(&format!(".SS \"toolcall {command}\"\n")), "{command}: {page}");
    }
    for part in [
        ".SH \"EXAMPLES\"\n.nf\ncurl",
        "\\-\\-sizes",
        "toolcall split capture.jsonl",
        "4  it could not",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

/// A reader that goes away is nothing to complain of.
#[test]
fn a_closed_pipe_ends_it_quietly() {
    use std::process::{Command, Stdio};
    let folder = folder("pipe");
    let file = folder.join("long.sse");
    fs::write(&file, GOOD.repeat(2000)).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolcall"))
        .arg("sse")
        .arg(&file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), err(&output)), (Some(0), ""));
}

/// In a pseudo-terminal: a table, in colour, cut to its width; and a progress bar that goes away.
#[cfg(unix)]
#[test]
fn on_a_terminal() {
    let folder = folder("terminal");
    let file = folder.join("bad.sse");
    fs::write(&file, BAD.replace("{oops}", &"東".repeat(90))).unwrap();
    let program = r#"
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
    os.execv(sys.argv[1], sys.argv[1:])
shown = b""
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
status = os.waitpid(pid, 0)[1]
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(status))
"#;
    let on_terminal = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.args(["-c", program, env!("CARGO_BIN_EXE_toolcall")]).args(arguments);
        command.env("TERM", "xterm").env_remove("NO_COLOR").env_remove("COLUMNS");
        command.output().unwrap()
    };
    let file = file.to_str().unwrap();
    let table = on_terminal(&[file]);
    assert_eq!(table.status.code(), Some(1), "{}", err(&table));
    let red = "\u{1b}[1m\u{1b}[31mFAILED malformed\u{1b}[0m";
    let row = format!("1  call_2  edit     270    {red}  {}…\r\n", "東".repeat(12));
    assert!(out(&table).contains(&row), "{:?}", out(&table));
    let check = on_terminal(&["check", file]);
    assert_eq!(check.status.code(), Some(1));
    assert!(out(&check).contains("1/1") || out(&check).contains("0/1"), "{:?}", out(&check));
    let nothing = on_terminal(&[]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(out(&nothing).contains("toolcall: nothing to read: "), "{:?}", out(&nothing));
    let summary = "1 stream, 2 calls: 1 failed, 0 streams broke\r\n";
    assert!(out(&check).ends_with(summary), "{:?}", out(&check));
}
