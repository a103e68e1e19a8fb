//! `toolcall check`: many streams, and only what is wrong with them.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use toolcall::Decoder;

use crate::args::Check;
use crate::failure::{Failure, IO_FAILED};
use crate::input::Input;
use crate::live::number;
use crate::reading::Reading;
use crate::style::printable;
use crate::table::count;

/// What a directory's files are called that hold streams.
const EXTENSIONS: &[&str] =
    &["sse", "ndjson", "jsonl", "eventstream", "jsonarray", "stream", "http", "txt", "log"];

#[derive(Debug, Default)]
struct Tally {
    files: usize,
    calls: usize,
    failed: usize,
    broken: usize,
    worst: u8,
}

pub fn run(options: &Check) -> Result<ExitCode, Failure> {
    let mut files = Vec::new();
    for path in &options.files {
        collect(path, true, &mut files)?;
    }
    // Shown on standard error, and only if that is a terminal.
    let bar = ProgressBar::new(files.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    let mut tally = Tally::default();
    for path in &files {
        bar.set_message(path.display().to_string());
        let troubles = check(path, options, &mut tally);
        bar.suspend(|| {
            let mut out = io::stdout().lock();
            troubles.iter().try_for_each(|trouble| writeln!(out, "{}: {trouble}", path.display()))
        })
        .map_err(Failure::writing)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let Tally { files, calls, failed, broken, worst } = tally;
    let (files, calls) = (count(files, "stream"), count(calls, "call"));
    eprintln!("{files}, {calls}: {failed} failed, {} broke", count(broken, "stream"));
    Ok(ExitCode::from(worst))
}

/// What is wrong with one stream, a line each.
fn check(path: &Path, options: &Check, tally: &mut Tally) -> Vec<String> {
    tally.files += 1;
    let reading = Input::open(Some(path))
        .and_then(|input| Reading::of(input, Decoder::new(options.protocol), |_| Ok(())));
    let reading = match reading {
        Ok(reading) => reading,
        Err(failure) => {
            tally.broken += 1;
            tally.worst = IO_FAILED;
            let Failure::Io { error, .. } = failure else { return Vec::new() };
            return vec![error.to_string()];
        }
    };
    tally.worst = tally.worst.max(reading.status());
    tally.calls += reading.message.results().len();
    let mut troubles = Vec::new();
    for invalid in reading.message.invalid_calls() {
        tally.failed += 1;
        troubles.push(format!("{}: {}", number(invalid.key()), printable(&invalid.to_string())));
    }
    if let Some(trouble) = reading.trouble() {
        tally.broken += 1;
        troubles.push(printable(&trouble));
    }
    troubles
}

/// All files to be read, those of a directory in the order of their names.
fn collect(path: &Path, is_named: bool, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if !path.is_dir() {
        if is_named || holds_stream(path) {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    let entries = fs::read_dir(path)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>());
    let mut entries = entries.map_err(Failure::reading(Some(path)))?;
    entries.sort();
    for entry in entries {
        let is_link = entry.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        // A link to a directory may lead back up.
        if !(is_link && entry.is_dir()) {
            collect(&entry, false, files)?;
        }
    }
    Ok(())
}

fn holds_stream(path: &Path) -> bool {
    let extension = |path: &Path| path.extension().map(|e| e.to_string_lossy().into_owned());
    let is_known = |path: &Path| extension(path).is_some_and(|e| EXTENSIONS.contains(&e.as_str()));
    match extension(path).as_deref() {
        Some("gz") => is_known(&path.with_extension("")),
        _ => is_known(path),
    }
}
