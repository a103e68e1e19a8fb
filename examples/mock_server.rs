//! A server that replays recorded streams in pieces, to test a client against.
//!
//! ```sh
//! cargo run --example mock_server -- corpora --chunk 7 --delay 20 --port 8080
//! curl -sN http://127.0.0.1:8080/openai-chat/001-index-missing-single.sse
//! ```
//!
//! It answers every method, cuts the body every `--chunk` bytes wherever that falls, and waits
//! `--delay` milliseconds after each piece. It listens on 127.0.0.1 alone, and prints where.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

struct Options {
    root: PathBuf,
    port: u16,
    chunk: usize,
    delay: Duration,
}

const USAGE: &str = "usage: mock_server DIR [--port N] [--chunk BYTES] [--delay MILLISECONDS]";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Arc::new(options().ok_or(USAGE)?);
    let listener = TcpListener::bind(("127.0.0.1", options.port))?;
    println!("http://{}", listener.local_addr()?);
    for connection in listener.incoming() {
        let (connection, options) = (connection?, Arc::clone(&options));
        thread::spawn(move || {
            if let Err(error) = answer(connection, &options) {
                eprintln!("mock_server: {error}");
            }
        });
    }
    Ok(())
}

fn options() -> Option<Options> {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next()?.into();
    let mut options = Options { root, port: 0, chunk: 1024, delay: Duration::ZERO };
    while let Some(name) = arguments.next() {
        let value: u64 = arguments.next()?.parse().ok()?;
        match name.as_str() {
            "--port" => options.port = value.try_into().ok()?,
            "--chunk" => options.chunk = usize::try_from(value).ok()?.max(1),
            "--delay" => options.delay = Duration::from_millis(value),
            _ => return None,
        }
    }
    Some(options)
}

fn answer(mut connection: TcpStream, options: &Options) -> io::Result<()> {
    connection.set_nodelay(true)?; // each piece in a packet of its own
    let path = request(&connection)?;
    let Ok(body) = file(&options.root, &path) else {
        return connection.write_all(
            b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        );
    };
    let kind = match path.rsplit('.').next() {
        Some("ndjson") => "application/x-ndjson",
        Some("eventstream") => "application/vnd.amazon.eventstream",
        Some("jsonarray") => "application/json",
        _ => "text/event-stream",
    };
    write!(
        connection,
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\
         connection: close\r\n\r\n"
    )?;
    for piece in body.chunks(options.chunk) {
        let framed = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        connection.write_all(&framed)?;
        thread::sleep(options.delay);
    }
    connection.write_all(b"0\r\n\r\n")
}

/// Reads a request with its body; the path that it asks for.
fn request(connection: &TcpStream) -> io::Result<String> {
    let mut reader = BufReader::new(connection);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or("/").to_owned();
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().unwrap_or(0);
            }
            Some(_) => {}
            None => break,
        }
    }
    io::copy(&mut reader.take(length), &mut io::sink())?;
    Ok(path)
}

/// A file under `root`, and none beside it.
fn file(root: &Path, path: &str) -> io::Result<Vec<u8>> {
    let path = Path::new(path.trim_start_matches('/'));
    match path.components().all(|part| matches!(part, Component::Normal(_))) {
        true => fs::read(root.join(path)),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}
