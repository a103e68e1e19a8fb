//! Every case of `corpora/text`, in every chunking: the right answer, and always the same one.

mod text_support;

use text_support::{Case, Random, cases, characters, chunks, document, read};

/// How many random chunkings each case is read in.
const RANDOM: usize = 500;

#[test]
fn whole_and_in_characters() {
    let mut failures = Vec::new();
    for case in cases() {
        for (how, chunks) in
            [("whole", vec![case.text.as_str()]), ("in characters", characters(&case.text))]
        {
            let reading = read(case.format, &case.options, chunks);
            let got = document(&reading.message, case.format, &case.options);
            for key in ["text", "reasoning", "calls"] {
                if got[key] != case.expect[key] {
                    failures.push(format!(
                        "{} {how}: {key}\n  want {}\n  got  {}",
                        case.name, case.expect[key], got[key]
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

fn check_chunkings(cut: impl Fn(&Case, usize) -> Option<Vec<&str>>) {
    let mut failures = Vec::new();
    for case in cases() {
        let whole = read(case.format, &case.options, [case.text.as_str()]);
        for number in 0.. {
            let Some(chunks) = cut(&case, number) else { break };
            let reading = read(case.format, &case.options, chunks.iter().copied());
            if reading.message != whole.message || reading.spans != whole.spans {
                failures.push(format!("{}: {chunks:?}", case.name));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn at_every_two_way_cut() {
    check_chunkings(|case, number| {
        (number < case.text.len()).then(|| chunks(&case.text, [number]))
    });
}

#[test]
fn in_random_chunks() {
    check_chunkings(|case, number| {
        (number < RANDOM).then(|| {
            let mut random = Random(number as u64 + 1);
            let mean = 1 + random.below(24);
            let mut at = 0;
            let cuts = std::iter::from_fn(|| {
                at += 1 + random.below(2 * mean);
                (at < case.text.len()).then_some(at)
            });
            chunks(&case.text, cuts)
        })
    });
}
